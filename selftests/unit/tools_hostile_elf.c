// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A user can build a program that would waste the time and memory of other users who read its
 * symbols.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "tools/vcpc/elf_places.h"
#include "tools/vcpc/symbols_parts.h"

#include "kselftest_harness.h"

#define SYMBOLS	40000
#define NAME	(4u << 20)	/* all symbols share it */
#define PACKED	(4u << 20)

#ifdef __x86_64__
#define MACHINE	EM_X86_64
#else
#define MACHINE	EM_AARCH64
#endif

/* Replace functions that the command defines in other files. */
void vcpc_no_memory(void);
unsigned int vcpc_distance(const char *a, const char *b);

void vcpc_no_memory(void)
{
	abort();
}

unsigned int vcpc_distance(const char *a, const char *b)
{
	(void)a;
	(void)b;
	return UINT32_MAX;
}

/* A memory file to which parts are appended */
struct image {
	int fd;
	uint64_t end;
	char path[64];
	Elf64_Shdr sections[5];
	unsigned int n;
};

static const char names[] = "\0.shstrtab\0.strtab\0.symtab\0.debug_str";

static void put(struct image *image, uint32_t name, uint32_t type, const void *data, size_t size)
{
	if (pwrite(image->fd, data, size, (off_t)image->end) != (ssize_t)size)
		abort();
	image->sections[++image->n] = (Elf64_Shdr) {
		.sh_name = name, .sh_type = type, .sh_offset = image->end, .sh_size = size,
		.sh_addralign = 1,
	};
	image->end = (image->end + size + 7) & ~7ull;
}

static void begin(struct image *image)
{
	*image = (struct image) { .fd = memfd_create("hostile", MFD_CLOEXEC),
				  .end = sizeof(Elf64_Ehdr) };
	snprintf(image->path, sizeof(image->path), "/proc/self/fd/%d", image->fd);
	put(image, 1, SHT_STRTAB, names, sizeof(names));
}

static void finish(struct image *image)
{
	Elf64_Ehdr header = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_DYN, .e_machine = MACHINE, .e_version = EV_CURRENT,
		.e_shoff = image->end, .e_ehsize = sizeof(header), .e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = (uint16_t)(image->n + 1), .e_shstrndx = 1,
	};

	if (pwrite(image->fd, &header, sizeof(header), 0) != sizeof(header) ||
	    pwrite(image->fd, image->sections, (image->n + 1) * sizeof(Elf64_Shdr),
		   (off_t)image->end) < 0)
		abort();
}

/* Add symbols whose names all start within the same few megabytes. */
static void put_symbols(struct image *image)
{
	Elf64_Sym *symbols = calloc(SYMBOLS, sizeof(*symbols));
	char *name = malloc(NAME);

	memset(name, 'a', NAME);
	name[0] = name[NAME - 1] = '\0';
	for (uint32_t i = 1; i < SYMBOLS; i++)
		symbols[i] = (Elf64_Sym) { .st_name = i, .st_info = STT_FUNC, .st_shndx = 1 };
	put(image, 11, SHT_STRTAB, name, NAME);
	put(image, 19, SHT_SYMTAB, symbols, SYMBOLS * sizeof(*symbols));
	image->sections[3].sh_link = 2;
	image->sections[3].sh_entsize = sizeof(*symbols);
	free(symbols);
	free(name);
}

TEST(many_symbols_of_one_long_name)
{
	struct elf_places places;
	struct elf_file *file;
	struct image image;
	clock_t start;

	begin(&image);
	put_symbols(&image);
	finish(&image);
	ASSERT_EQ(0, elf_file_open(image.path, &file));
	start = clock();
	elf_file_function(file, "work", &places);
	/* Reading each name to its end would take 18 s. */
	EXPECT_GT(5, (double)(clock() - start) / CLOCKS_PER_SEC);
	EXPECT_EQ(0, places.n);
	elf_file_close(file);
	close(image.fd);
}

static long most_memory(void)
{
	char line[128];
	long kb = 0;
	FILE *f = fopen("/proc/self/status", "r");

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "VmPeak: %ld", &kb) == 1)
			break;
	if (f)
		fclose(f);
	return kb;
}

/* A section can claim to expand to 3 GB, which libelf would allocate at once. */
TEST(section_that_swells)
{
	Elf64_Chdr *packed = calloc(1, PACKED);
	struct elf_file *file;
	struct image image;
	long before;

	ASSERT_NE(NULL, packed);
	*packed = (Elf64_Chdr) { .ch_type = ELFCOMPRESS_ZLIB, .ch_size = 3ull << 30,
				 .ch_addralign = 1 };
	begin(&image);
	put(&image, 27, SHT_PROGBITS, packed, PACKED);
	free(packed);
	image.sections[2].sh_flags = SHF_COMPRESSED;
	finish(&image);
	ASSERT_EQ(0, elf_file_open(image.path, &file));
	before = most_memory();
	EXPECT_EQ(false, elf_file_mentions(file, "work"));
	EXPECT_GT(before + (1 << 20), most_memory());
	elf_file_close(file);
	close(image.fd);
}

/* Even root does not decompress sections of a program that another user owns. */
TEST(module_that_swells)
{
	Elf64_Chdr header = { .ch_type = ELFCOMPRESS_ZLIB, .ch_size = 3ull << 30, .ch_addralign = 1 };
	struct symbols_room room = { 0 };
	struct symbols_file file;
	struct symbol symbol = { 0 };
	struct image image;

	if (geteuid())
		SKIP(return, "needs root");
	begin(&image);
	put(&image, 27, SHT_PROGBITS, &header, sizeof(header));
	image.sections[2].sh_flags = SHF_COMPRESSED;
	finish(&image);
	ASSERT_EQ(0, fchown(image.fd, 1, 1));
	ASSERT_EQ(0, symbols_file_init(&file, dup(image.fd), image.path, &room));
	symbols_file_find(&file, 0x1000, &symbol);
	EXPECT_EQ(NULL, file.module);
	EXPECT_EQ('[', symbol.name[0]);
	symbols_file_fini(&file);
	close(image.fd);
}

#define FILES	24
#define LARGE	(250ll << 20)

/* Create a sparse file that another user owns.  @note is the declared size of its notes. */
static int large_file(uint64_t note)
{
	const Elf64_Phdr parts[] = {
		{ .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_filesz = LARGE, .p_memsz = LARGE },
		{ .p_type = PT_NOTE, .p_offset = 4096, .p_filesz = note, .p_align = 4 },
	};
	const Elf64_Ehdr header = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_DYN, .e_machine = MACHINE, .e_version = EV_CURRENT,
		.e_phoff = sizeof(header), .e_ehsize = sizeof(header),
		.e_phentsize = sizeof(*parts), .e_phnum = 2,
	};
	int fd = memfd_create("large", MFD_CLOEXEC);

	if (pwrite(fd, &header, sizeof(header), 0) != sizeof(header) ||
	    pwrite(fd, parts, sizeof(parts), sizeof(header)) != sizeof(parts) ||
	    ftruncate(fd, LARGE) || fchown(fd, 1, 1))
		abort();
	return fd;
}

/* A process can map hundreds of large files, which are not all copied. */
TEST(many_large_files)
{
	struct symbols_file file[FILES];
	struct symbols_room room = { 0 };
	struct symbol symbol;
	clock_t start = clock();
	int i, refused = 0;

	if (geteuid())
		SKIP(return, "needs root");
	for (i = 0; i < FILES; i++) {
		int fd = large_file(i % 2 ? LARGE - 4096 : 64);

		ASSERT_EQ(0, symbols_file_init(&file[i], fd, "large", &room));
		EXPECT_EQ(0, file[i].id_size);
	}
	/* Copying each of them would take 5 s. */
	EXPECT_GT(1, (double)(clock() - start) / CLOCKS_PER_SEC);
	/* Files whose symbols are requested are copied, and the copies stay in memory. */
	for (i = 0; i < FILES; i++) {
		symbols_file_find(&file[i], 0x1000, &symbol);
		EXPECT_STREQ("[large]+0x1000", symbol.name);
		refused += file[i].no_room;
	}
	EXPECT_EQ(FILES - 2, refused);
	for (i = 0; i < FILES; i++)
		symbols_file_fini(&file[i]);
}

TEST_HARNESS_MAIN
