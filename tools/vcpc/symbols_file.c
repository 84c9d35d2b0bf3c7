// SPDX-License-Identifier: GPL-2.0-or-later
/* Find functions and lines in an ELF file through libdw. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <elfutils/libdwelf.h>

#include "elf_header.h"
#include "symbols_parts.h"
#include "vcpc.h"

#define MOST_TOTAL	(512u << 20)	/* maximum total size of copies */
#define MOST_PARTS	256		/* maximum number of program headers of a file */
#define MOST_NOTES	(1u << 20)	/* maximum size of a file's notes in bytes */

/*
 * Note that the last call failed, unless it found that there is no such name.  The libraries' error
 * codes do not distinguish these cases, but errno does if it was 0 before.
 */
static void note_trouble(struct symbols_file *file)
{
	file->failed |= vcpc_is_trouble(errno);
}

/*
 * Return whether there is a readable file of debug information.  If libdw did not use this file, a
 * call failed.
 */
static bool has_debuginfo(const struct symbols_file *file)
{
	char path[sizeof("/usr/lib/debug/.build-id//.debug") + 2 * SYMBOLS_BUILD_ID];
	int n = snprintf(path, sizeof(path), "/usr/lib/debug/.build-id/%02x/", file->id[0]);

	for (size_t i = 1; i < file->id_size; i++)
		n += snprintf(path + n, sizeof(path) - n, "%02x", file->id[i]);
	snprintf(path + n, sizeof(path) - n, ".debug");
	return file->id_size && !access(path, R_OK);
}

/*
 * A debug link or a debugaltlink may name any path, such as a FIFO without a writer.  Only build
 * IDs are followed, because they refer to files that the administrator installed.
 */
static int find_debuginfo(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
			  const char *file, const char *link, GElf_Word crc, char **found)
{
	struct symbols_file *of = *userdata;
	int fd;

	errno = 0;
	fd = dwfl_build_id_find_debuginfo(module, userdata, name, base, file, link, crc, found);
	if (fd < 0 && of)
		of->failed |= vcpc_is_trouble(errno) || has_debuginfo(of);
	return fd;
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

static bool is_others(const struct symbols_file *file)
{
	return file->owner && file->owner != geteuid();
}

/*
 * libdw maps the file, and reading a mapping of a truncated file is fatal (SIGBUS).  The file's
 * owner can truncate it at any time, so read a copy.
 */
static int stable_copy(struct symbols_file *file)
{
	int copy, fd = file->fd;
	struct stat stat;
	off_t at = 0;

	if (fstat(fd, &stat))
		return -1;
	if (!is_others(file))
		return fcntl(fd, F_DUPFD_CLOEXEC, 0);
	file->no_room = (uint64_t)stat.st_size > MOST_TOTAL - file->room->bytes;
	if (file->no_room)
		return -1;
	file->room->bytes += stat.st_size;
	copy = memfd_create("symbols", MFD_CLOEXEC);
	while (copy >= 0 && at < stat.st_size) {
		ssize_t sent = sendfile(copy, fd, &at, stat.st_size - at);

		if (sent > 0 || (sent < 0 && errno == EINTR))
			continue;
		if (!sent)	/* the file has become shorter */
			break;
		close(copy);
		copy = -1;
	}
	return copy;
}

/* Compressed files and archives of several modules are not supported. */
static bool is_elf(int fd)
{
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	bool is = elf && elf_kind(elf) == ELF_K_ELF;

	elf_end(elf);
	return is;
}

static void open_module(struct symbols_file *file)
{
	void **user;
	int fd;

	errno = 0;
	fd = stable_copy(file);
	file->tried = true;
	if (fd >= 0 && !is_elf(fd)) {
		note_trouble(file);
		close(fd);
		return;
	}
	if (fd < 0) {
		note_trouble(file);
		return;
	}
	file->dwfl = dwfl_begin(&callbacks);
	if (file->dwfl)
		file->module = dwfl_report_offline(file->dwfl, file->path, file->path, fd);
	if (!file->module) {
		note_trouble(file);
		close(fd);
		return;
	}
	dwfl_report_end(file->dwfl, NULL, NULL);
	if (dwfl_module_info(file->module, &user, NULL, NULL, NULL, NULL, NULL, NULL))
		*user = file;
}

/**
 * symbols_set_text() - set a symbol's name or file
 * @to: written: printable ASCII without ';'
 * @size: its size
 * @from: the text, which may have any bytes because it comes from an untrusted file
 */
void symbols_set_text(char *to, size_t size, const char *from)
{
	size_t i;

	for (i = 0; from[i] && i < size - 1; i++) {
		bool plain = from[i] >= ' ' && from[i] <= '~' && from[i] != ';';

		to[i] = plain ? from[i] : '_';
	}
	to[i] = '\0';
}

/* Return the address that libdw uses for an offset in the file, or 0. */
static GElf_Addr address_of(Dwfl_Module *module, uint64_t offset)
{
	GElf_Addr bias = 0;
	Elf *elf = dwfl_module_getelf(module, &bias);
	GElf_Phdr phdr;
	size_t n = 0;

	if (!elf || elf_getphdrnum(elf, &n))
		return 0;
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(elf, i, &phdr) && phdr.p_type == PT_LOAD && phdr.p_flags & PF_X &&
		    offset >= phdr.p_offset && offset - phdr.p_offset < phdr.p_filesz)
			return bias + phdr.p_vaddr + (offset - phdr.p_offset);
	return 0;
}

static void set_line(Dwfl_Module *module, GElf_Addr address, struct symbol *symbol)
{
	Dwfl_Line *line = dwfl_module_getsrc(module, address);
	const char *file, *slash;
	int number = 0;

	file = line ? dwfl_lineinfo(line, NULL, &number, NULL, NULL, NULL) : NULL;
	if (!file)
		return;
	slash = strrchr(file, '/');
	symbols_set_text(symbol->file, sizeof(symbol->file), slash ? slash + 1 : file);
	symbol->line = number > 0 ? number : 0;
}

/**
 * symbols_file_unnamed() - set a symbol's name to the file and offset
 * @file: the file
 * @offset: offset from the beginning of the file
 * @symbol: written
 */
void symbols_file_unnamed(const struct symbols_file *file, uint64_t offset, struct symbol *symbol)
{
	const char *slash = strrchr(file->path, '/');
	char text[sizeof(symbol->name)];

	snprintf(text, sizeof(text), "[%.80s]+0x%llx", slash ? slash + 1 : file->path,
		 (unsigned long long)offset);
	*symbol = (struct symbol){ 0 };
	symbols_set_text(symbol->name, sizeof(symbol->name), text);
}

/**
 * symbols_file_read() - find a file's function and line at an offset, in this process
 * @file: the file
 * @offset: offset from the beginning of the file
 * @symbol: written
 *
 * A function whose symbol was stripped has no name, because the preceding symbol would
 * be wrong.
 */
void symbols_file_read(struct symbols_file *file, uint64_t offset, struct symbol *symbol)
{
	const char *name = NULL;
	GElf_Addr address;
	GElf_Off distance;
	GElf_Sym sym;

	symbols_file_unnamed(file, offset, symbol);
	if (!file->tried)
		open_module(file);
	errno = 0;
	address = file->module ? address_of(file->module, offset) : 0;
	if (address) {
		name = dwfl_module_addrinfo(file->module, address, &distance, &sym, NULL, NULL,
					    NULL);
		set_line(file->module, address, symbol);
	}
	if (!name || !symbol->line)
		note_trouble(file);
	if (name)
		symbols_set_text(symbol->name, sizeof(symbol->name), name);
}

struct known {
	uint64_t offset;
	struct symbol symbol;
};

static int compare_known(const void *a, const void *b)
{
	const struct known *left = a, *right = b;

	return left->offset < right->offset ? -1 : left->offset > right->offset;
}

static void remember(struct symbols_file *file, uint64_t offset, const struct symbol *symbol)
{
	struct known *known = malloc(sizeof(*known));

	if (!known)
		return;
	*known = (struct known){ offset, *symbol };
	if (!tsearch(known, &file->known, compare_known))
		free(known);
}

/**
 * symbols_file_find() - find a file's function and line at an offset
 * @file: the file
 * @offset: offset from the beginning of the file
 * @symbol: written
 *
 * libdw searches all symbols of a file each time, so the results are kept.
 */
void symbols_file_find(struct symbols_file *file, uint64_t offset, struct symbol *symbol)
{
	const struct known wanted = { .offset = offset };
	struct known **found = tfind(&wanted, &file->known, compare_known);

	if (found) {
		*symbol = (*found)->symbol;
		return;
	}
	if (is_others(file))
		symbols_helper_find(file, offset, symbol);
	else
		symbols_file_read(file, offset, symbol);
	remember(file, offset, symbol);
}

/*
 * Return whether the notes are short enough to read, because libelf reads all notes that the file
 * declares.
 */
static bool has_short_notes(Elf *elf)
{
	size_t n = 0, total = 0;
	GElf_Ehdr header;
	GElf_Phdr part;

	if (!gelf_getehdr(elf, &header) || header.e_type == ET_REL || elf_getphdrnum(elf, &n) ||
	    !n || n > MOST_PARTS)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!gelf_getphdr(elf, i, &part) || part.p_type != PT_NOTE)
			continue;
		if (part.p_filesz > MOST_NOTES - total)
			return false;
		total += part.p_filesz;
	}
	return true;
}

/*
 * Read the build ID without mapping the file.  If the file is truncated while it is read, it has no
 * ID.  As in the kernel, zeros follow a shorter ID, and a longer one is ignored.
 */
static void read_id(struct symbols_file *file)
{
	ssize_t size = 0;
	const void *id;
	Elf *elf;

	errno = 0;
	elf = elf_has_few_sections(file->fd) ? elf_begin(file->fd, ELF_C_READ, NULL) : NULL;
	if (elf && has_short_notes(elf))
		size = dwelf_elf_gnu_build_id(elf, &id);
	if (size > 0 && size <= SYMBOLS_BUILD_ID) {
		memcpy(file->id, id, size);
		file->id_size = size;
	} else {
		note_trouble(file);
	}
	elf_end(elf);
}

/**
 * symbols_file_init() - initialize a file
 * @file: written
 * @fd: descriptor of the file; owned by @file on success
 * @path: its path
 * @room: resources shared by all files
 *
 * Return: 0, or a negated errno.
 */
int symbols_file_init(struct symbols_file *file, int fd, const char *path,
		      struct symbols_room *room)
{
	struct stat stat;

	*file = (struct symbols_file){ .fd = fd, .room = room, .number = room->files++ };
	if (fstat(fd, &stat))
		return -errno;
	if (!S_ISREG(stat.st_mode))
		return -EINVAL;
	file->path = strdup(path);
	if (!file->path)
		return -ENOMEM;
	file->dev = stat.st_dev;
	file->ino = stat.st_ino;
	file->owner = stat.st_uid;
	elf_version(EV_CURRENT);
	read_id(file);
	return 0;
}

/**
 * symbols_file_fini() - close a file
 * @file: the file
 */
void symbols_file_fini(struct symbols_file *file)
{
	if (file->dwfl)
		dwfl_end(file->dwfl);
	tdestroy(file->known, free);
	free(file->path);
	close(file->fd);
}
