// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A user can build a program that would waste the time and memory of other users who read its
 * symbols.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tools/vcpc/elf_places.h"
#include "tools/vcpc/symbols_parts.h"

#include "kselftest_harness.h"

#define SYMBOLS	40000
#define NAME	(4u << 20)	/* all symbols share it */
#define PACKED	(4u << 20)
#define HOLE	(sizeof(Elf64_Sym) << 27)	/* 3 GB */

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
	Elf64_Shdr sections[8];
	unsigned int n;
};

static const char names[] = "\0.shstrtab\0.strtab\0.symtab\0.debug_str\0.text\0.debug_abbrev\0.debug_info\0.debug_aranges";

#define CODE		0x2000	/* where the code of an image with code begins, and its size */
#define CODE_SIZE	0x8000

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
				  .end = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr) };
	snprintf(image->path, sizeof(image->path), "/proc/self/fd/%d", image->fd);
	put(image, 1, SHT_STRTAB, names, sizeof(names));
}

/* Begin an image that has code but no symbols. */
static void begin_code(struct image *image)
{
	begin(image);
	image->end = CODE;
	put(image, 38, SHT_PROGBITS, NULL, 0);
	image->sections[2].sh_addr = CODE;
	image->sections[2].sh_size = CODE_SIZE;
	image->sections[2].sh_flags = SHF_ALLOC | SHF_EXECINSTR;
	image->end = CODE + CODE_SIZE;
}

static void finish(struct image *image)
{
	const Elf64_Phdr part = {
		.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_filesz = CODE + CODE_SIZE,
		.p_memsz = CODE + CODE_SIZE, .p_align = 4096,
	};
	Elf64_Ehdr header = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_DYN, .e_machine = MACHINE, .e_version = EV_CURRENT,
		.e_phoff = sizeof(header), .e_phentsize = sizeof(part), .e_phnum = 1,
		.e_shoff = image->end, .e_ehsize = sizeof(header), .e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = (uint16_t)(image->n + 1), .e_shstrndx = 1,
	};

	if (pwrite(image->fd, &header, sizeof(header), 0) != sizeof(header) ||
	    pwrite(image->fd, &part, sizeof(part), sizeof(header)) != sizeof(part) ||
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

/* Add a section that claims to expand to 3 GB, which libelf would allocate at once. */
static bool put_packed(struct image *image, uint32_t name, uint32_t type)
{
	Elf64_Chdr *packed = calloc(1, PACKED);

	if (!packed)
		return false;
	*packed = (Elf64_Chdr) { .ch_type = ELFCOMPRESS_ZLIB, .ch_size = 3ull << 30,
				 .ch_addralign = 1 };
	put(image, name, type, packed, PACKED);
	free(packed);
	image->sections[2].sh_flags = SHF_COMPRESSED;
	return true;
}

TEST(section_that_swells)
{
	struct elf_file *file;
	struct image image;
	long before;

	begin(&image);
	ASSERT_TRUE(put_packed(&image, 27, SHT_PROGBITS));
	finish(&image);
	ASSERT_EQ(0, elf_file_open(image.path, &file));
	before = most_memory();
	EXPECT_EQ(false, elf_file_mentions(file, "work"));
	EXPECT_GT(before + (1 << 20), most_memory());
	elf_file_close(file);
	close(image.fd);
}

/* A section can be a hole of terabytes. */
TEST(sections_in_a_hole)
{
	struct elf_places places;
	struct elf_file *file;
	struct image image;
	long before;

	begin(&image);
	put(&image, 11, SHT_STRTAB, NULL, 0);
	put(&image, 19, SHT_SYMTAB, NULL, 0);
	put(&image, 27, SHT_PROGBITS, NULL, 0);
	for (int i = 2; i <= 4; i++)
		image.sections[i].sh_size = HOLE;
	image.sections[3].sh_link = 2;
	image.sections[3].sh_entsize = sizeof(Elf64_Sym);
	finish(&image);
	ASSERT_EQ(0, ftruncate(image.fd, (off_t)(image.end + HOLE)));
	ASSERT_EQ(0, elf_file_open(image.path, &file));
	before = most_memory();
	elf_file_function(file, "work", &places);
	EXPECT_EQ(0, places.n);
	EXPECT_EQ(false, elf_file_mentions(file, "work"));
	EXPECT_EQ(NULL, elf_file_language(file));
	EXPECT_GT(before + (1 << 20), most_memory());
	elf_file_close(file);
	close(image.fd);
}

/* elf_strptr() decompresses a string table. */
TEST(strings_that_swell)
{
	Elf64_Sym symbol = { .st_name = 1, .st_info = STT_FUNC, .st_shndx = 1 };
	struct elf_places places;
	struct elf_file *file;
	struct image image;
	long before;

	begin(&image);
	ASSERT_TRUE(put_packed(&image, 11, SHT_STRTAB));
	put(&image, 19, SHT_SYMTAB, &symbol, sizeof(symbol));
	image.sections[3].sh_link = 2;
	image.sections[3].sh_entsize = sizeof(symbol);
	finish(&image);
	ASSERT_EQ(0, elf_file_open(image.path, &file));
	before = most_memory();
	elf_file_function(file, "work", &places);
	EXPECT_EQ(0, places.n);
	EXPECT_GT(before + (1 << 20), most_memory());
	elf_file_close(file);
	close(image.fd);
}

TEST(fifo)
{
	char dir[] = "/tmp/hostile.XXXXXX", path[64];
	struct elf_file *file;

	ASSERT_NE(NULL, mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/fifo", dir);
	ASSERT_EQ(0, mkfifo(path, 0600));
	alarm(10);
	EXPECT_EQ(-ENOEXEC, elf_file_open(path, &file));
	alarm(0);
	unlink(path);
	rmdir(dir);
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
	symbols_helpers_end(&room);
	symbols_file_fini(&file);
	close(image.fd);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)	/* a helper has no limit */

/* Add a unit of debug information @n times, and a table that maps all code to the last one. */
static void put_units(struct image *image, uint32_t n)
{
	static const uint8_t abbreviation[] = { 1, 0x11, 0, 0, 0, 0 };
	static const uint8_t unit[] = { 8, 0, 0, 0, 4, 0, 0, 0, 0, 0, 8, 1 };
	struct {
		uint32_t size;
		uint16_t version;
		uint16_t offset[2];
		uint8_t address_size, segment_size;
		uint32_t pad;
		uint64_t start, length, end[2];
	} ranges = { .size = sizeof(ranges) - 4, .version = 2, .address_size = 8,
		     .start = CODE, .length = CODE_SIZE };
	uint32_t last = (n - 1) * sizeof(unit);
	uint8_t *units = malloc((size_t)n * sizeof(unit));

	memcpy(ranges.offset, &last, sizeof(last));
	for (uint32_t i = 0; i < n; i++)
		memcpy(units + i * sizeof(unit), unit, sizeof(unit));
	put(image, 44, SHT_PROGBITS, abbreviation, sizeof(abbreviation));
	put(image, 58, SHT_PROGBITS, units, (size_t)n * sizeof(unit));
	put(image, 70, SHT_PROGBITS, &ranges, sizeof(ranges));
	free(units);
}

/* libdw takes 1 kB of memory for each unit of 12 bytes.  A helper process takes it, up to 1 GB. */
TEST(many_units)
{
	struct symbols_room room = { 0 };
	struct symbols_file files[2];
	struct rusage usage;
	struct symbol symbol;
	struct image image;
	long before;

	if (geteuid())
		SKIP(return, "needs root");
	begin_code(&image);
	put_units(&image, 2000000);
	finish(&image);
	ASSERT_EQ(0, fchown(image.fd, 1, 1));
	before = most_memory();
	for (int i = 0; i < 2; i++) {
		ASSERT_EQ(0, symbols_file_init(&files[i], dup(image.fd), "units", &room));
		symbols_file_find(&files[i], CODE + 1, &symbol);
		EXPECT_STREQ("[units]+0x2001", symbol.name);
		EXPECT_EQ(true, files[i].no_room);
	}
	EXPECT_GT(before + (100 << 10), most_memory());
	/* Its owner has no helper now, so the second file is not read. */
	EXPECT_EQ(0, room.helper[0].pid);
	symbols_helpers_end(&room);
	ASSERT_EQ(0, getrusage(RUSAGE_CHILDREN, &usage));
	EXPECT_GT(1300 << 10, usage.ru_maxrss);
	symbols_file_fini(&files[0]);
	symbols_file_fini(&files[1]);
	close(image.fd);
}

#endif

/* Add functions that have the same name, so that many can be stored. */
static void put_functions(struct image *image, uint32_t n)
{
	Elf64_Sym *symbols = calloc(n, sizeof(*symbols));

	for (uint32_t i = 1; i < n; i++)
		symbols[i] = (Elf64_Sym) { .st_name = 1, .st_shndx = 2, .st_value = CODE + 0x1000, .st_size = 1,
					   .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC) };
	put(image, 11, SHT_STRTAB, "\0work", 6);
	put(image, 19, SHT_SYMTAB, symbols, n * sizeof(*symbols));
	image->sections[4].sh_link = 3;
	image->sections[4].sh_entsize = sizeof(*symbols);
	free(symbols);
}

/* libdw searches all symbols for each address: 1,000,000 of them take 30 ms. */
TEST(many_functions)
{
	struct symbols_room room = { .seconds = 1 };
	struct symbols_file file, other;
	struct symbol symbol;
	struct image image;

	if (geteuid())
		SKIP(return, "needs root");
	begin_code(&image);
	put_functions(&image, 1000000);
	finish(&image);
	ASSERT_EQ(0, fchown(image.fd, 1, 1));
	ASSERT_EQ(0, symbols_file_init(&file, dup(image.fd), "functions", &room));
	for (int i = 0; i < 1000; i++)
		symbols_file_find(&file, CODE + 0x1000, &symbol);
	/* A result is kept, so the same address is not searched again. */
	EXPECT_STREQ("work", symbol.name);
	EXPECT_EQ(false, file.no_room);
	for (uint64_t i = 0; i < CODE_SIZE && !file.no_room; i++)
		symbols_file_find(&file, CODE + i, &symbol);
	EXPECT_EQ(true, file.no_room);
	/* The files of other users have another helper. */
	ASSERT_EQ(0, fchown(image.fd, 2, 2));
	ASSERT_EQ(0, symbols_file_init(&other, dup(image.fd), "functions", &room));
	symbols_file_find(&other, CODE + 0x1000, &symbol);
	EXPECT_STREQ("work", symbol.name);
	EXPECT_EQ(false, other.no_room);
	symbols_file_find(&file, CODE + CODE_SIZE - 1, &symbol);
	EXPECT_EQ('[', symbol.name[0]);
	symbols_helpers_end(&room);
	symbols_file_fini(&file);
	symbols_file_fini(&other);
	close(image.fd);
}

/* A helper that is stopped, or waits for a filesystem, must not stop the reader. */
TEST(helper_that_does_not_reply)
{
	struct symbols_room room = { .seconds = 1 };
	struct symbols_file file;
	struct symbol symbol;
	struct image image;

	if (geteuid())
		SKIP(return, "needs root");
	begin_code(&image);
	put_functions(&image, 10);
	finish(&image);
	ASSERT_EQ(0, fchown(image.fd, 1, 1));
	ASSERT_EQ(0, symbols_file_init(&file, dup(image.fd), "functions", &room));
	symbols_file_find(&file, CODE + 0x1000, &symbol);
	EXPECT_STREQ("work", symbol.name);
	ASSERT_LT(0, room.helper[0].pid);
	ASSERT_EQ(0, kill(room.helper[0].pid, SIGSTOP));
	alarm(20);
	symbols_file_find(&file, CODE + 0x1001, &symbol);
	alarm(0);
	EXPECT_EQ('[', symbol.name[0]);
	EXPECT_EQ(true, file.no_room);
	EXPECT_EQ(0, room.helper[0].pid);
	symbols_helpers_end(&room);
	symbols_file_fini(&file);
	close(image.fd);
}

/* A sparse file can have any number of section headers.  All are zero except the first. */
TEST(many_sections)
{
	const uint64_t n = 2000000;
	const Elf64_Shdr first = { .sh_size = n };
	struct symbols_room room = { 0 };
	struct symbols_file file;
	struct elf_file *program;
	struct image image;
	off_t end;
	long before;

	begin(&image);
	finish(&image);
	end = (off_t)(image.end + n * sizeof(first));
	ASSERT_EQ((ssize_t)sizeof(first), pwrite(image.fd, &first, sizeof(first), (off_t)image.end));
	ASSERT_EQ(0, ftruncate(image.fd, end));
	ASSERT_EQ(2, pwrite(image.fd, "\0", 2, offsetof(Elf64_Ehdr, e_shnum)));
	before = most_memory();
	/* libelf would take 520 MB. */
	ASSERT_EQ(0, symbols_file_init(&file, dup(image.fd), "sections", &room));
	EXPECT_GT(before + (100 << 10), most_memory());
	EXPECT_EQ(0, file.id_size);
	symbols_file_fini(&file);
	EXPECT_EQ(-ENOEXEC, elf_file_open(image.path, &program));
	EXPECT_GT(before + (100 << 10), most_memory());
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
	symbols_helpers_end(&room);
	for (i = 0; i < FILES; i++)
		symbols_file_fini(&file[i]);
}

TEST_HARNESS_MAIN
