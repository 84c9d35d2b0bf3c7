// SPDX-License-Identifier: GPL-2.0-or-later
/* Find functions and lines in an ELF file through libdw. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <elfutils/libdwelf.h>

#include "symbols_parts.h"
#include "vcpc.h"

#define MOST_BYTES	(256u << 20)	/* maximum size of a copy, and of unpacked data */
#define MOST_TOTAL	(512u << 20)	/* maximum total of copies and unpacked data of all files */
#define MOST_LINES	(32u << 20)	/* maximum size of the line programs of all files; each
					 * byte can become a row of 88 bytes */
#define MOST_PARTS	256		/* maximum number of program headers of a file */
#define MOST_NOTES	(1u << 20)	/* maximum size of a file's notes in bytes */
#define XZ_RATIO	10000		/* higher than the maximum ratio of xz */

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

/*
 * Reserve a part of the memory that is shared by all files that do not belong to root.  Return true
 * if enough is left.
 */
static bool take_room(struct symbols_file *file, uint64_t bytes, uint64_t lines)
{
	file->no_room = bytes > MOST_BYTES || bytes > MOST_TOTAL - file->room->bytes ||
			lines > MOST_LINES - file->room->lines;
	if (file->no_room)
		return false;
	file->room->bytes += bytes;
	file->room->lines += lines;
	return true;
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
	if (!stat.st_uid || stat.st_uid == geteuid())
		return fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (!take_room(file, stat.st_size, 0))
		return -1;
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

/*
 * Return the size of a section after libdw has unpacked it, or more than MOST_BYTES if it is
 * unknown.
 */
static uint64_t unpacked_size(Elf_Scn *section, const GElf_Shdr *header, const char *name)
{
	GElf_Chdr packed;
	uint64_t size = 0;

	if (!strncmp(name, ".zdebug", 7))
		return UINT64_MAX;
	if (!strcmp(name, ".gnu_debugdata"))
		return header->sh_size < MOST_BYTES ? header->sh_size * XZ_RATIO : UINT64_MAX;
	if (header->sh_flags & SHF_COMPRESSED && gelf_getchdr(section, &packed))
		size = packed.ch_size;
	return size;
}

static bool is_bounded(struct symbols_file *file, Elf *elf)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return true;
	while ((section = elf_nextscn(elf, section)) != NULL) {
		GElf_Shdr header;
		const char *name = gelf_getshdr(section, &header) ?
				   elf_strptr(elf, names, header.sh_name) : NULL;
		uint64_t size = name ? unpacked_size(section, &header, name) : 0, lines = 0;

		if (name && !strcmp(name, ".debug_line"))
			lines = size ? size : header.sh_size;
		if (!take_room(file, size, lines))
			return false;
	}
	return true;
}

/*
 * libdw unpacks compressed files and sections into memory without a limit.  Any user can run a
 * program whose file of 1 MB unpacks to 1 GB, so only the administrator's files may be unpacked
 * without a limit.
 */
static bool is_harmless(struct symbols_file *file, int fd)
{
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	struct stat stat;
	bool harmless = elf && elf_kind(elf) == ELF_K_ELF && !fstat(file->fd, &stat) &&
			(!stat.st_uid || is_bounded(file, elf));

	elf_end(elf);
	return harmless;
}

static void open_module(struct symbols_file *file)
{
	void **user;
	int fd;

	errno = 0;
	fd = stable_copy(file);
	file->tried = true;
	if (fd >= 0 && !is_harmless(file, fd)) {
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
 * symbols_file_find() - find a file's function and line at an offset
 * @file: the file
 * @offset: offset from the beginning of the file
 * @symbol: written
 *
 * A function whose symbol was stripped has no name, because the preceding symbol would
 * be wrong.
 */
void symbols_file_find(struct symbols_file *file, uint64_t offset, struct symbol *symbol)
{
	const char *slash = strrchr(file->path, '/'), *name = NULL;
	char text[sizeof(symbol->name)];
	GElf_Addr address;
	GElf_Off distance;
	GElf_Sym sym;

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
	snprintf(text, sizeof(text), "[%.80s]+0x%llx", slash ? slash + 1 : file->path,
		 (unsigned long long)offset);
	symbols_set_text(symbol->name, sizeof(symbol->name), name ? name : text);
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
	elf = elf_begin(file->fd, ELF_C_READ, NULL);
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
 * @room: memory limits shared by all files
 *
 * Return: 0, or a negated errno.
 */
int symbols_file_init(struct symbols_file *file, int fd, const char *path,
		      struct symbols_room *room)
{
	struct stat stat;

	*file = (struct symbols_file){ .fd = fd, .room = room };
	if (fstat(fd, &stat))
		return -errno;
	if (!S_ISREG(stat.st_mode))
		return -EINVAL;
	file->path = strdup(path);
	if (!file->path)
		return -ENOMEM;
	file->dev = stat.st_dev;
	file->ino = stat.st_ino;
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
	free(file->path);
	close(file->fd);
}
