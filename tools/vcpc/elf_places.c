// SPDX-License-Identifier: GPL-2.0-or-later
/* Find functions, and USDT probes, in the file of a program or library. */
#define _GNU_SOURCE 1	/* for memmem() */
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf_header.h"
#include "elf_places.h"
#include "vcpc.h"

#define DEBUG_FILES	"/usr/lib/debug/.build-id/"
#define HIDDEN_VERSION	0x8000
#define MOST_SECTION	(512u << 20)	/* maximum size of a section in memory */

/* A program's file and its separate debug file; -1 and NULL if there is none */
struct elf_file {
	int fd, debug_fd;
	Elf *elf, *debug;
};

#ifdef __x86_64__
#define MACHINE EM_X86_64
#else
#define MACHINE EM_AARCH64
#endif

/*
 * Return 0, -ENOEXEC if this is not an ELF file, -EBADMSG if it is 32-bit or for another machine,
 * or another negated errno.
 */
static int open_elf(const char *path, int *fd, Elf **elf)
{
	struct stat stat;
	GElf_Ehdr header;

	/* Do not wait for the writer of a FIFO. */
	*fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (*fd < 0 || fstat(*fd, &stat))
		return -errno;
	if (!S_ISREG(stat.st_mode) || !elf_has_few_sections(*fd))
		return -ENOEXEC;
	elf_version(EV_CURRENT);
	*elf = elf_begin(*fd, ELF_C_READ, NULL);
	if (!*elf || elf_kind(*elf) != ELF_K_ELF || !gelf_getehdr(*elf, &header))
		return -ENOEXEC;
	return gelf_getclass(*elf) == ELFCLASS64 && header.e_machine == MACHINE ? 0 : -EBADMSG;
}

/*
 * Return whether a section can be read.  A crafted file may have a hole of terabytes, or claim that
 * a section expands to this size.
 */
static bool is_small(Elf_Scn *section, const GElf_Shdr *header)
{
	GElf_Chdr packed;

	if (header->sh_size > MOST_SECTION)
		return false;
	if (!(header->sh_flags & SHF_COMPRESSED))
		return true;
	return gelf_getchdr(section, &packed) && packed.ch_size <= MOST_SECTION;
}

static Elf_Data *data_of(Elf_Scn *section, const GElf_Shdr *header)
{
	return section && is_small(section, header) ? elf_getdata(section, NULL) : NULL;
}

/* Check the section before elf_strptr(), which reads all of it. */
static bool has_small_strings(Elf *elf, size_t index)
{
	Elf_Scn *section = elf_getscn(elf, index);
	GElf_Shdr header;

	return section && gelf_getshdr(section, &header) && is_small(section, &header);
}

static Elf_Scn *next_of_type(Elf *elf, Elf_Scn *section, uint32_t type, GElf_Shdr *header)
{
	while (elf && (section = elf_nextscn(elf, section)) != NULL)
		if (gelf_getshdr(section, header) && header->sh_type == type)
			return section;
	return NULL;
}

static Elf_Scn *of_name(Elf *elf, const char *name, GElf_Shdr *header)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (!elf || elf_getshdrstrndx(elf, &names) || !has_small_strings(elf, names))
		return NULL;
	while ((section = elf_nextscn(elf, section)) != NULL) {
		const char *its = gelf_getshdr(section, header) ? elf_strptr(elf, names, header->sh_name) : NULL;

		if (its && !strcmp(its, name))
			return section;
	}
	return NULL;
}

/* Open the separate debug file of a stripped program, if it is installed. */
static void open_debug(struct elf_file *file)
{
	char path[sizeof(DEBUG_FILES) + 2 * 64 + sizeof("/.debug")];
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t name, desc;
	GElf_Nhdr note;

	while ((section = next_of_type(file->elf, section, SHT_NOTE, &header)) != NULL) {
		Elf_Data *data = data_of(section, &header);
		size_t at = 0, next, len;

		while (data && (next = gelf_getnote(data, at, &note, &name, &desc)) > 0) {
			const unsigned char *id = (const unsigned char *)data->d_buf + desc;

			at = next;
			if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof("GNU") ||
			    strcmp((char *)data->d_buf + name, "GNU") || note.n_descsz < 2 || note.n_descsz > 64)
				continue;
			len = (size_t)sprintf(path, DEBUG_FILES "%02x/", id[0]);
			for (size_t i = 1; i < note.n_descsz; i++)
				len += (size_t)sprintf(path + len, "%02x", id[i]);
			strcpy(path + len, ".debug");
			open_elf(path, &file->debug_fd, &file->debug);
			return;
		}
	}
}

/**
 * elf_file_open() - open a program or library
 * @path: its file
 * @file: set on success, to be closed with elf_file_close()
 *
 * Return: 0, -ENOEXEC if it is not an ELF file, -EBADMSG if it is for another machine, or another
 * negated errno.
 */
int elf_file_open(const char *path, struct elf_file **file)
{
	struct elf_file *f = calloc(1, sizeof(*f));
	int err;

	if (!f)
		return -ENOMEM;
	f->debug_fd = -1;
	err = open_elf(path, &f->fd, &f->elf);
	if (err) {
		elf_file_close(f);
		return err;
	}
	open_debug(f);
	*file = f;
	return 0;
}

/**
 * elf_file_take() - keep the program's file open
 * @file: the file, whose only valid call is then elf_file_close()
 *
 * Return: the descriptor, now owned by the caller.
 */
int elf_file_take(struct elf_file *file)
{
	int fd = file->fd;

	file->fd = -1;
	return fd;
}

void elf_file_close(struct elf_file *file)
{
	elf_end(file->elf);
	elf_end(file->debug);
	if (file->fd >= 0)
		close(file->fd);
	if (file->debug_fd >= 0)
		close(file->debug_fd);
	free(file);
}

/* Return the file offset of an address, or 0 if it is not in the file. */
static uint64_t offset_of(Elf *elf, uint64_t address)
{
	size_t n = 0;
	GElf_Phdr part;

	elf_getphdrnum(elf, &n);
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(elf, (int)i, &part) && part.p_type == PT_LOAD &&
		    address >= part.p_vaddr && address < part.p_vaddr + part.p_filesz)
			return address - part.p_vaddr + part.p_offset;
	return 0;
}

static void add_place(Elf *elf, struct elf_places *places, uint64_t address, uint64_t semaphore)
{
	uint64_t offset = offset_of(elf, address);

	for (unsigned int i = 0; i < places->n; i++)
		if (places->address[i] == address)
			return;
	if (!offset || places->n == ELF_MOST_PLACES)
		return;
	places->address[places->n] = address;
	places->semaphore[places->n] = semaphore ? offset_of(elf, semaphore) : 0;
	places->offset[places->n++] = offset;
}

/*
 * Return how much a name differs from another.  A compiler-generated copy of a function
 * ("f.part.0") and a longer name that contains the other one are similar.
 */
static unsigned int how_far(const char *name, const char *other)
{
	size_t len = strlen(name);
	unsigned int distance;

	if (!strncmp(other, name, len) && other[len] == '.')
		return 0;
	distance = vcpc_distance(name, other);
	if (distance <= 1 + len / 3)
		return distance;
	return len > 2 && strstr(other, name) ? 1 + (unsigned int)len / 3 : UINT32_MAX;
}

static void add_near(struct elf_places *places, const char *name, const char *other)
{
	unsigned int distance = how_far(name, other), i = ELF_NEAR;

	if (distance == UINT32_MAX || strlen(other) >= ELF_NAME)
		return;
	for (unsigned int j = 0; j < ELF_NEAR; j++)
		if (!strcmp(places->near[j], other))
			return;
	while (i && (!*places->near[i - 1] || distance < places->distance[i - 1])) {
		i--;
		if (i + 1 < ELF_NEAR) {
			strcpy(places->near[i + 1], places->near[i]);
			places->distance[i + 1] = places->distance[i];
		}
	}
	if (i == ELF_NEAR)
		return;
	strcpy(places->near[i], other);
	places->distance[i] = distance;
}

/* One symbol table, and the symbol to find */
struct search {
	struct elf_file *file;
	struct elf_places *places;
	const char *name;
	uint64_t address;	/* if not 0, find a function that begins here */
	Elf_Data *versions;
};

/*
 * Return whether a symbol is an old version of its name.  If a name has several versions, newly
 * linked programs use the one that is not hidden.
 */
static bool is_old_version(const struct search *search, int i, const char *version)
{
	GElf_Versym number;

	if (version)
		return version[1] != '@';
	return search->versions && gelf_getversym(search->versions, i, &number) && number & HIDDEN_VERSION;
}

static void look_at(struct search *search, int i, const GElf_Sym *symbol, const char *name)
{
	const char *version = strchr(name, '@');
	size_t len = version ? (size_t)(version - name) : strlen(name);
	int type = GELF_ST_TYPE(symbol->st_info);
	bool is_it = search->address ? symbol->st_value == search->address :
		     strlen(search->name) == len && !strncmp(name, search->name, len);

	if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE)
		return;
	if (!is_it && type == STT_FUNC && symbol->st_shndx != SHN_UNDEF && !version) {
		add_near(search->places, search->name, name);
	} else if (is_it && symbol->st_shndx == SHN_UNDEF) {
		search->places->imported = true;
	} else if (is_it && type == STT_GNU_IFUNC) {
		search->places->chosen = true;
	} else if (is_it && type == STT_FUNC && !is_old_version(search, i, version)) {
		add_place(search->file->elf, search->places, symbol->st_value, 0);
	}
}

static void look_into(struct search *search, Elf *elf, uint32_t type)
{
	GElf_Shdr header, versions;
	Elf_Scn *section = next_of_type(elf, NULL, type, &header);
	Elf_Data *data = data_of(section, &header);
	GElf_Sym symbol;
	size_t most;

	if (!data || !header.sh_entsize || !has_small_strings(elf, header.sh_link))
		return;
	section = type == SHT_DYNSYM ? next_of_type(elf, NULL, SHT_GNU_versym, &versions) : NULL;
	search->versions = data_of(section, &versions);
	/*
	 * Limit the length: many symbols may share one name of several megabytes, which would be
	 * read for each of them.
	 */
	most = strlen(search->name) + ELF_NAME;
	for (int i = 0; gelf_getsym(data, i, &symbol); i++) {
		const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);

		if (name && *name && strnlen(name, most) < most)
			look_at(search, i, &symbol, name);
	}
}

/**
 * elf_file_function() - find a function
 * @file: the file
 * @name: its name, or its address as 0x...
 * @places: filled in
 */
void elf_file_function(struct elf_file *file, const char *name, struct elf_places *places)
{
	struct search search = { .file = file, .places = places, .name = name };

	*places = (struct elf_places) { 0 };
	if (!strncmp(name, "0x", 2))
		search.address = strtoull(name, NULL, 16);
	look_into(&search, file->elf, SHT_SYMTAB);
	look_into(&search, file->elf, SHT_DYNSYM);
	look_into(&search, file->debug, SHT_SYMTAB);
}

static bool section_mentions(Elf *elf, const char *section, const char *name)
{
	GElf_Shdr header;
	Elf_Scn *strings = of_name(elf, section, &header);
	Elf_Data *data;
	char *with_ends;
	bool found;

	if (strings && header.sh_flags & SHF_COMPRESSED && is_small(strings, &header))
		elf_compress(strings, 0, 0);
	data = data_of(strings, &header);
	if (!data || !data->d_buf)
		return false;
	with_ends = calloc(1, strlen(name) + 2);
	if (!with_ends)
		vcpc_no_memory();
	strcpy(with_ends + 1, name);
	found = memmem(data->d_buf, data->d_size, with_ends, strlen(name) + 2) != NULL;
	free(with_ends);
	return found;
}

/*
 * Return whether the debug information contains this name.  If the function has no code of its own,
 * it was inlined.
 */
bool elf_file_mentions(struct elf_file *file, const char *name)
{
	return section_mentions(file->elf, ".debug_str", name) ||
	       section_mentions(file->debug, ".debug_str", name);
}

/**
 * elf_file_language() - find out why a return probe could break the program
 * @file: the file
 *
 * Return: the language if its programs move stacks, or look for handlers by return addresses; or
 * NULL.
 */
const char *elf_file_language(struct elf_file *file)
{
	static const struct {
		const char *symbol, *language;
	} signs[] = { { "__gxx_personality_v0", "C++" }, { "rust_eh_personality", "Rust" } };
	GElf_Shdr header;

	if (of_name(file->elf, ".gopclntab", &header) || of_name(file->elf, ".note.go.buildid", &header))
		return "Go";
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
		if (section_mentions(file->elf, ".dynstr", signs[i].symbol) ||
		    section_mentions(file->elf, ".strtab", signs[i].symbol))
			return signs[i].language;
	return NULL;
}

/*
 * A note of a USDT probe: its address, the section's address at link time, the semaphore's address,
 * and names, each with a NUL
 */
struct usdt_note {
	uint64_t address, base, semaphore;
};

/* Parse the note, regardless of its alignment.  Return 0, or -1 if it is malformed. */
static int take_note(const char *from, size_t size, struct usdt_note *note, const char **provider,
		     const char **name)
{
	const char *end = from + size;

	if (size <= sizeof(*note))
		return -1;
	memcpy(note, from, sizeof(*note));
	*provider = from + sizeof(*note);
	*name = memchr(*provider, '\0', (size_t)(end - *provider));
	if (!*name || ++*name == end || !memchr(*name, '\0', (size_t)(end - *name)))
		return -1;
	return 0;
}

/**
 * elf_file_usdt() - find the places of a USDT probe
 * @file: the file
 * @provider: the probe's provider
 * @name: the probe's name
 * @places: filled in; similar names include their providers
 */
void elf_file_usdt(struct elf_file *file, const char *provider, const char *name,
		   struct elf_places *places)
{
	GElf_Shdr header, base_header = { 0 };
	bool moved = of_name(file->elf, ".stapsdt.base", &base_header) != NULL;
	Elf_Scn *section = of_name(file->elf, ".note.stapsdt", &header);
	Elf_Data *data = data_of(section, &header);
	char wanted[2 * ELF_NAME], other[2 * ELF_NAME];
	size_t at = 0, next, from, desc;
	GElf_Nhdr note;

	*places = (struct elf_places) { 0 };
	snprintf(wanted, sizeof(wanted), "%s:%s", provider, name);
	while (data && (next = gelf_getnote(data, at, &note, &from, &desc)) > 0) {
		struct usdt_note probe;
		const char *its_provider, *its_name;
		uint64_t by;

		at = next;
		if (take_note((const char *)data->d_buf + desc, note.n_descsz, &probe, &its_provider, &its_name))
			continue;
		snprintf(other, sizeof(other), "%s:%s", its_provider, its_name);
		by = moved ? base_header.sh_addr - probe.base : 0;
		if (strcmp(other, wanted))
			add_near(places, wanted, other);
		else
			add_place(file->elf, places, probe.address + by,
				  probe.semaphore ? probe.semaphore + by : 0);
	}
}
