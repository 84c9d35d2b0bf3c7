// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Record where time is spent while a user's thread has a stack of fake frames, each in a different
 * file.  Searching these files for build IDs must not keep the run queue locked for a long time.
 */
#include <elf.h>
#include <sched.h>
#include <shim/why.h>
#include <sys/stat.h>
#include <time.h>

#include "../bpf/bpf_test.h"

#define NOBODY	65534
#define FRAMES	100
#define NOTES	36
#define BATCH	100	/* number of sleeps */
#define BATCHES	20

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

/* Map a page of a new file, which is full of empty notes if @notes. */
static unsigned long map_file(bool notes)
{
	union {
		Elf64_Ehdr header;
		unsigned char bytes[4096];
	} page = { .header = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_DYN, .e_version = EV_CURRENT, .e_phoff = sizeof(Elf64_Ehdr),
		.e_ehsize = sizeof(Elf64_Ehdr), .e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = notes ? NOTES : 0,
	} };
	Elf64_Phdr *part = (void *)(page.bytes + sizeof(Elf64_Ehdr));
	size_t end = sizeof(Elf64_Ehdr) + NOTES * sizeof(*part);
	int fd = memfd_create("made-up", MFD_CLOEXEC);
	volatile unsigned char *at;

	for (int i = 0; i < NOTES; i++)
		part[i] = (Elf64_Phdr) { .p_type = PT_NOTE, .p_offset = end, .p_filesz = sizeof(page) - end };
	if (write(fd, &page, sizeof(page)) != sizeof(page))
		_exit(1);
	at = mmap(NULL, sizeof(page), PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	return (unsigned long)at + at[8];
}

/* Make a system call while the frame pointer points to @frames. */
static void sleep_in(unsigned long *frames)
{
	const struct timespec us = { .tv_nsec = 1000 };
#ifdef __x86_64__
	long ret;

	__asm__ volatile("push %%rbp; mov %1, %%rbp; syscall; pop %%rbp" : "=a"(ret)
			 : "r"(frames), "a"(SYS_nanosleep), "D"(&us), "S"(0L) : "rcx", "r11", "memory");
#else
	register long x0 __asm__("x0") = (long)&us;
	register long x1 __asm__("x1") = 0;
	register long x8 __asm__("x8") = SYS_nanosleep;

	__asm__ volatile("mov x9, x29; mov x29, %3; svc 0; mov x29, x9" : "+r"(x0)
			 : "r"(x1), "r"(x8), "r"(frames) : "x9", "memory");
#endif
}

/* Return the minimum time of a transaction with @BATCH sleeps. */
static uint64_t least_time(bool notes)
{
	unsigned long *frames = aligned_alloc(16, (FRAMES + 1) * 2 * sizeof(*frames));
	unsigned long file[] = { map_file(notes), map_file(notes) };
	uint64_t least = ~0ull;

	for (int i = 0; i < FRAMES; i++) {
		frames[2 * i] = (unsigned long)(frames + 2 * i + 2);
		frames[2 * i + 1] = file[i % 2] + 100;
	}
	frames[2 * FRAMES] = frames[2 * FRAMES + 1] = 0;
	for (int batch = 0; batch < BATCHES; batch++) {
		uint64_t start = now(), took;

		pmtracebegin("made-up");
		for (int i = 0; i < BATCH; i++) {
			/*
			 * Change the stack, because the kernel searches for build IDs only if a
			 * stack is new.
			 */
			frames[1]++;
			sleep_in(frames);
		}
		pmtraceend("made-up");
		took = now() - start;
		least = took < least ? took : least;
	}
	return least;
}

static uint64_t measure(bool notes)
{
	uint64_t took = 0;
	int result[2];
	pid_t pid;

	if (pipe(result))
		return 0;
	pid = fork();
	if (!pid) {
		took = setuid(NOBODY) ? 0 : least_time(notes);
		_exit(write(result[1], &took, sizeof(took)) != sizeof(took));
	}
	close(result[1]);
	if (read(result[0], &took, sizeof(took)) != sizeof(took))
		took = 0;
	waitpid(pid, NULL, 0);
	close(result[0]);
	return took;
}

TEST(notes_of_a_users_file_cost_nothing)
{
	struct shim_why_options options = { .size = sizeof(options), .flags = SHIM_WHY_F_STACKS };
	uint64_t without, with;
	const char *missing;
	struct shim_why *why;
	size_t n;

	ASSERT_EQ(0, trace_place(HAS_MODULE ? SHIM_TRACE_F_MODULE : SHIM_TRACE_F_PROBES, &missing));
	if (missing || access("/sys/kernel/btf/vmlinux", F_OK))
		SKIP(return, "%s", missing ? missing : "this kernel has no BTF");
	setenv("SHIM_TRACE", HAS_MODULE ? "kernel" : "probe", 1);
	/* Ignore an error: without the module, the node does not exist. */
	(void)!chmod("/dev/vcpc", 0666);
	ASSERT_EQ(0, shim_why_open(&options, &why));
	without = measure(false);
	with = measure(true);
	EXPECT_LT(0, without);
	EXPECT_LT(with, 3 * without);
	TH_LOG("%d sleeps take %llu us, with notes %llu", BATCH, (unsigned long long)without / 1000,
	       (unsigned long long)with / 1000);
	ASSERT_EQ(0, shim_why_tags_get(why, 99, &n));
	ASSERT_EQ(1, n);
	EXPECT_STREQ("made-up", shim_why_tag_at(why, 0)->name);
	EXPECT_EQ(2 * BATCHES, shim_why_tag_at(why, 0)->all.count);
	shim_why_close(why);
	(void)!chmod("/dev/vcpc", 0600);
}

TEST_HARNESS_MAIN
