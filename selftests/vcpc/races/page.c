// SPDX-License-Identifier: GPL-2.0-or-later
/* Pages of sets that are sampled, replaced, closed and mapped by others meanwhile. */
#include "../page.h"
#include "acts.h"

static void wrong(struct actor *a, const char *what)
{
	static const int says[] = { 0 };

	check(a->world, what, -EIO, says);
}

/* Three values at most, and two groups; a torn sample has times or numbers of two. */
static void read_one(struct actor *a, const struct vcpc_page *page, unsigned int i)
{
	union {
		struct vcpc_page_slot slot;
		unsigned char bytes[sizeof(struct vcpc_page_slot) + 3 * 8 +
				    2 * sizeof(struct vcpc_group_sample)];
	} copy;

	if (!read_slot(slot_at(page, i), &copy, page->slot_size)) {
		wrong(a, "a slot is never whole");
		return;
	}
	if (copy.slot.used > 1 || (!copy.slot.used && (copy.slot.tid || copy.slot.sample.time)))
		wrong(a, "a slot that is not used");
	if (copy.slot.sample.time &&
	    (copy.slot.sample.nr != page->nr ||
	     copy.slot.sample.running != copy.slot.sample.enabled))
		wrong(a, "a sample in a slot");
}

/* The set may be gone before it is looked at; the page is not. */
static void read_for_a_while(struct actor *a, const struct vcpc_page *page, size_t len)
{
	unsigned int rounds = 1 + below(a, 20), i;

	/* The trace page, as the descriptor became the device's */
	if (page->size == sizeof(struct vcpc_trace_page))
		return;
	if (page->size != sizeof(*page) || !page->slots || page->nr > 3 || page->groups > 2) {
		wrong(a, "a page's head");
		return;
	}
	while (rounds--) {
		for (i = 0; i < page->slots; i++)
			if (page->size + (i + 1) * page->slot_size <= len && (i < 8 || !below(a, 8)))
				read_one(a, page, i);
		if (!below(a, 4))
			usleep(below(a, 500));
	}
}

void do_map(struct actor *a)
{
	static const int says[] = { EINVAL, EACCES, EUSERS, ENODEV, ENOMEM, EINTR, 0 };
	size_t len = (below(a, 4) ? 1 : 1 + below(a, 8)) * sysconf(_SC_PAGESIZE);
	void *page = mmap(NULL, len, PROT_READ, MAP_SHARED, some_set(a), 0);

	if (check(a->world, "mmap", page == MAP_FAILED ? -errno : 0, says))
		return;
	read_for_a_while(a, page, len);
	munmap(page, len);
}
