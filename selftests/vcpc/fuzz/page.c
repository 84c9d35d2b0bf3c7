// SPDX-License-Identifier: GPL-2.0-or-later
/* Pages of sets: mapped, read, moved, taken apart, and there longer than their set. */
#include <sys/random.h>
#include <sys/uio.h>

#include "../page.h"
#include "acts.h"

#define LONGEST	(VCPC_PAGE_MAX / PAGE)
#define AT(m, page)	((m)->at + (page) * PAGE)

static size_t slot_size(const struct own_set *own)
{
	return offsetof(struct vcpc_page_slot, sample) + sample_len(own);
}

/* A length that is mostly good; 0 is not. */
static size_t some_pages(struct worker *w, const struct own_set *own)
{
	switch (below(&w->f, 12)) {
	case 0: return below(&w->f, 4);
	case 1: return LONGEST;
	case 2: return LONGEST + 1 + below(&w->f, 1000);
	case 3: return own->pages + 1;
	default: return own->pages ? 1 + below(&w->f, own->pages) : 1 + below(&w->f, 4);
	}
}

static int map_must(const struct own_set *own, size_t pages, int prot, int flags, __u64 offset)
{
	if (!pages || prot & (PROT_WRITE | PROT_EXEC) || flags & MAP_PRIVATE || offset)
		return MUST_FAIL;
	/* Whoever maps it first says how long it is. */
	if (own->shared)
		return MAY_ANY;
	if (own->pages)
		return pages > own->pages ? EINVAL : MUST_WORK;
	if (pages > LONGEST || sizeof(struct vcpc_page) + slot_size(own) > pages * PAGE)
		return EINVAL;
	return MUST_WORK;
}

static void map_page(struct worker *w, unsigned int i)
{
	static const int prots[] = {
		PROT_NONE, PROT_WRITE, PROT_EXEC, PROT_READ | PROT_WRITE, PROT_READ | PROT_EXEC,
	};
	struct own_set *own = &w->own[i];
	struct hostile h = { .op = &contract[OP_MMAP_SET], .fd = own->fd };
	__u64 offset = one_in(&w->f, 12) ? (1 + draw(&w->f) % (1U << 20)) * PAGE : 0;
	int prot = one_in(&w->f, 6) ? prots[below(&w->f, 5)] : PROT_READ;
	int flags = one_in(&w->f, 12) ? MAP_PRIVATE : MAP_SHARED;
	size_t pages = some_pages(w, own);
	void *at = mmap(NULL, pages * PAGE, prot, flags, h.fd, offset);

	judge(&w->f, &h, map_must(own, pages, prot, flags, offset), at == MAP_FAILED ? -errno : 0);
	if (at == MAP_FAILED)
		return;
	if (!own->pages)
		own->pages = pages;
	w->maps[i] = (struct mapping) {
		.at = at, .end = pages, .readable = prot & PROT_READ, .of = *own,
	};
	/* If others have the set, one of them may have said how long it is. */
	if (own->shared)
		w->maps[i].of.pages = 0;
	/* And its values may be anything later. */
	w->maps[i].of.shared = true;
}

static void check_head(struct worker *w, const struct mapping *m)
{
	const struct vcpc_page *page = (const void *)m->at;
	__u32 room = m->of.pages ? m->of.pages * PAGE : VCPC_PAGE_MAX;
	__u32 slots = (room - sizeof(*page)) / slot_size(&m->of);

	if (page->size != sizeof(*page) || page->slot_size != slot_size(&m->of))
		wrong(&w->f, "page", "sizes", page->size, page->slot_size);
	if (page->nr != m->of.nr || page->groups != m->of.groups || page->reserved[0] ||
	    page->reserved[1])
		wrong(&w->f, "page", "head", page->nr, page->groups);
	if (!page->slots || (m->of.pages ? page->slots != slots : page->slots > slots))
		wrong(&w->f, "page", "slots", page->slots, room);
}

/* Room for the longest slot */
union any_slot {
	struct vcpc_page_slot slot;
	unsigned char bytes[sizeof(struct vcpc_page_slot) +
			    MAX_VALUES * (8 + sizeof(struct vcpc_group_sample))];
};

/* A slot that is not used has nothing in it; one that is, nothing or a sample. */
static void check_slot(struct worker *w, const struct mapping *m, const struct vcpc_page_slot *at)
{
	union any_slot copy;
	size_t size = slot_size(&m->of), i;

	if (!read_slot(at, &copy, size)) {
		wrong(&w->f, "page", "never whole", copy.slot.seq, copy.slot.tid);
		return;
	}
	if (copy.slot.used > 1 || copy.slot.cpu < -1 || copy.slot.cpu > 3 ||
	    (copy.slot.cpu >= 0 && copy.slot.tid))
		wrong(&w->f, "page", "slot", copy.slot.cpu, copy.slot.tid);
	if (copy.slot.used && copy.slot.sample.time) {
		check_sample(w, "page", &m->of, &copy.slot.sample);
		return;
	}
	i = copy.slot.used ? offsetof(struct vcpc_page_slot, sample) :
			     offsetof(struct vcpc_page_slot, tid);
	while (i < size && !copy.bytes[i])
		i++;
	if (i < size)
		wrong(&w->f, "page", "something where nothing is", i, copy.slot.used);
}

static size_t slots_there(const struct mapping *m)
{
	const struct vcpc_page *page = (const void *)m->at;
	size_t n;

	if (m->first || !m->readable)
		return 0;
	n = (m->end * PAGE - page->size) / page->slot_size;
	return n < page->slots ? n : page->slots;
}

static void read_page(struct worker *w, const struct mapping *m)
{
	size_t i, n = slots_there(m);

	for (i = m->first; m->readable && i < m->end; i++)
		(void)*(volatile unsigned char *)AT(m, i);
	if (m->first || !m->readable)
		return;
	check_head(w, m);
	/* The first few are used most. */
	for (i = 0; i < n && i < 4; i++)
		check_slot(w, m, slot_at((const void *)m->at, i));
	if (n)
		check_slot(w, m, slot_at((const void *)m->at, below(&w->f, n)));
}

/* The slot of a thread that has this sample or a later one, as it was at one time */
static bool find_slot(const struct mapping *m, __u32 tid, __u64 time, union any_slot *copy)
{
	const struct vcpc_page *page = (const void *)m->at;
	size_t i, n = slots_there(m);

	for (i = 0; i < n; i++)
		if (read_slot(slot_at(page, i), copy, slot_size(&m->of)) && copy->slot.used &&
		    copy->slot.tid == (__s32)tid && copy->slot.sample.time >= time)
			return true;
	return false;
}

/*
 * What the caller sampled of itself is there now, or something later: the set may overflow,
 * and others may have it, who may even have unbound the caller meanwhile.
 */
static void read_own(struct worker *w, unsigned int i)
{
	unsigned char buf[sizeof(struct vcpc_sample) +
			  MAX_VALUES * (8 + sizeof(struct vcpc_group_sample))];
	struct vcpc_sample_args args = {
		.size = sizeof(args), .tid = own_tid(), .buf_size = sizeof(buf), .buf = pointer(buf),
	};
	const struct mapping *m = &w->maps[i];
	const struct vcpc_page *page = (const void *)m->at;
	struct vcpc_sample sample;
	union any_slot copy;
	size_t n = slots_there(m);

	if (!n || call(w->own[i].fd, VCPC_IOC_SAMPLE, &args))
		return;
	memcpy(&sample, buf, sizeof(sample));
	if (!find_slot(m, args.tid, sample.time, &copy)) {
		if (n == page->slots && !page->missing && !w->own[i].shared)
			wrong(&w->f, "page", "a sample is not there", sample.time, n);
	} else if (copy.slot.sample.time == sample.time &&
		   memcmp(&copy.slot.sample, buf, sample_len(&m->of))) {
		wrong(&w->f, "page", "another sample is there", sample.time,
		      copy.slot.sample.state);
	}
}

static void unmap_part(struct worker *w, struct mapping *m)
{
	size_t n = m->end - m->first, hole;

	switch (n > 1 ? below(&w->f, 4) : 0) {
	case 1:
		munmap(AT(m, m->first++), PAGE);
		break;
	case 2:
		hole = 1 + below(&w->f, n - 1);
		munmap(AT(m, m->end - hole), hole * PAGE);
		m->end -= hole;
		break;
	case 3:
		/* In the middle, and then what is behind */
		hole = m->first + 1 + below(&w->f, n - 1);
		munmap(AT(m, hole), PAGE);
		if (hole + 1 < m->end)
			munmap(AT(m, hole + 1), (m->end - hole - 1) * PAGE);
		m->end = hole;
		break;
	default:
		munmap(AT(m, m->first), n * PAGE);
		m->at = NULL;
	}
}

/* It does not grow, nor is it there twice; what it gives up or where it is, is anybody's. */
static void move_page(struct worker *w, struct mapping *m)
{
	struct hostile h = { .op = &contract[OP_MREMAP] };
	size_t n = m->end - m->first;
	void *from = AT(m, m->first), *to;

	if (one_in(&w->f, 2)) {
		to = mremap(from, one_in(&w->f, 2) ? 0 : n * PAGE, (n + 1) * PAGE, MREMAP_MAYMOVE);
		judge(&w->f, &h, MUST_FAIL, to == MAP_FAILED ? -errno : 0);
		return;
	}
	to = mmap(NULL, n * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (to == MAP_FAILED)
		return;
	to = mremap(from, n * PAGE, n * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, to);
	judge(&w->f, &h, MUST_WORK, to == MAP_FAILED ? -errno : 0);
	if (to != MAP_FAILED)
		m->at = (unsigned char *)to - m->first * PAGE;
}

static void protect_page(struct worker *w, struct mapping *m)
{
	struct hostile h = { .op = &contract[OP_MPROTECT] };
	size_t n = (m->end - m->first) * PAGE;
	void *from = AT(m, m->first);
	int bad = one_in(&w->f, 2) ? PROT_WRITE : PROT_EXEC;
	bool readable = !one_in(&w->f, 4);

	judge(&w->f, &h, EACCES, mprotect(from, PAGE, PROT_READ | bad) ? -errno : 0);
	if (mprotect(from, n, readable ? PROT_READ : PROT_NONE))
		return;
	m->readable = readable;
	judge(&w->f, &h, MUST_WORK, 0);
	madvise(from, n, one_in(&w->f, 2) ? MADV_DONTNEED : MADV_WILLNEED);
}

/* The kernel does not write there for anybody, either. */
static void write_page(struct worker *w, const struct mapping *m)
{
	unsigned char *at = AT(m, m->first) + 8 * below(&w->f, PAGE / 8);
	struct vcpc_sample_args args = { .size = sizeof(args), .buf_size = PAGE, .buf = pointer(at) };
	struct hostile h = { .op = &contract[OP_SAMPLE] };
	struct iovec from = { .iov_base = w->f.data.rw, .iov_len = 8 }, to = { at, 8 };
	int fd;

	switch (below(&w->f, 4)) {
	case 0:
		h.fd = w->own[below(&w->f, OWN)].fd;
		judge(&w->f, &h, MUST_FAIL, call(h.fd, VCPC_IOC_SAMPLE, &args));
		break;
	case 1:
		if (process_vm_writev(getpid(), &from, 1, &to, 1, 0) >= 0)
			wrong(&w->f, "page", "another process may write", pointer(at), 0);
		break;
	case 2:
		fd = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
		if (fd >= 0 && pwrite(fd, w->f.data.rw, 8, pointer(at)) >= 0)
			wrong(&w->f, "page", "a debugger may write", pointer(at), 0);
		close(fd);
		break;
	default:
		if (getrandom(at, 8, GRND_NONBLOCK) == 8)
			wrong(&w->f, "page", "the kernel may write", pointer(at), 0);
	}
}

void do_set_map(struct worker *w)
{
	unsigned int i = below(&w->f, OWN);
	struct mapping *m = one_in(&w->f, 6) ? &w->left : &w->maps[i];

	if (!m->at) {
		if (m != &w->left)
			map_page(w, i);
		return;
	}
	switch (below(&w->f, 12)) {
	case 0: unmap_part(w, m); break;
	case 1: move_page(w, m); break;
	case 2: protect_page(w, m); break;
	case 3: write_page(w, m); break;
	case 4: read_page(w, m); break;
	default:
		if (m == &w->left)
			read_page(w, m);
		else
			read_own(w, i);
	}
}

/* A child has what its parent had mapped. */
void look_at_pages(struct worker *w)
{
	unsigned int i;

	for (i = 0; i < OWN; i++)
		if (w->maps[i].at)
			read_page(w, &w->maps[i]);
	if (w->left.at)
		read_page(w, &w->left);
}

static void unmap_all(struct mapping *m)
{
	if (m->at)
		munmap(AT(m, m->first), (m->end - m->first) * PAGE);
	m->at = NULL;
}

/* The set is closed; its mapping stays, in the place of the last one that did. */
void leave_page(struct worker *w, unsigned int i)
{
	if (!w->maps[i].at)
		return;
	unmap_all(&w->left);
	w->left = w->maps[i];
	w->maps[i].at = NULL;
}

/* At the thread's end; some are left to the process's. */
void leave_pages(struct worker *w)
{
	unsigned int i;

	for (i = 0; i < OWN / 2; i++)
		unmap_all(&w->maps[i]);
	unmap_all(&w->left);
}
