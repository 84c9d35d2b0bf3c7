// SPDX-License-Identifier: GPL-2.0
/*
 * The last sample of each instance of a set, mapped for programs that need no fresh one.
 *
 * Each instance has a slot of the page, as long as there are some.  Whoever samples an
 * instance writes its slot, under the instance's lock; readers see by the slot's
 * sequence number that it was not written meanwhile.  Nobody but the module can write
 * there, so it is never read back.
 *
 * Sets that are not mapped pay nothing: that an instance has a slot is a bit of its
 * state, which a sample looks at anyway.
 *
 * Locking: the set's lock, which is inside a process's mmap_lock here and never outside,
 * guards which slots are taken, and the head.
 */
#include <linux/bitmap.h>
#include <linux/err.h>
#include <linux/math.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "binding.h"
#include "compat/vm_flags.h"
#include "instance.h"
#include "limits.h"
#include "mux.h"
#include "sample.h"
#include "set.h"
#include "setpage.h"

/**
 * struct vcpc_setpage - a set's page
 * @head: what is mapped; in vmalloc's memory
 * @pages: how long it is
 * @taken: a bit for each slot
 */
struct vcpc_setpage {
	struct vcpc_page *head;
	unsigned int pages;
	unsigned long taken[];
};

static u32 slot_size(const struct vcpc_set *set)
{
	return offsetof(struct vcpc_page_slot, sample) + VCPC_SAMPLE_WORDS(set->nr) * sizeof(u64) +
	       set->groups * sizeof(struct vcpc_group_sample);
}

static struct vcpc_page_slot *slot_at(const struct vcpc_setpage *page, u32 i)
{
	return (void *)page->head + page->head->size + i * page->head->slot_size;
}

static void begin_write(struct vcpc_page_slot *slot)
{
	WRITE_ONCE(slot->seq, slot->seq + 1);
	/* Odd before anything changes. */
	smp_wmb();
}

static void end_write(struct vcpc_page_slot *slot)
{
	/* Even after all has changed. */
	smp_wmb();
	WRITE_ONCE(slot->seq, slot->seq + 1);
}

/**
 * vcpc_setpage_publish() - an instance was sampled
 * @inst: the instance, in VCPC_INSTANCE_SHOWN
 * @sample: its sample
 * @pid: what its thread is known by now; NULL if that is not known, or it has a CPU
 *
 * Context: under the instance's lock.
 */
void vcpc_setpage_publish(struct vcpc_instance *inst, const struct vcpc_sample *sample,
			  struct pid *pid)
{
	struct vcpc_set *set = inst->binding->set;
	struct vcpc_page_slot *slot = inst->slot;

	lockdep_assert_held(&inst->lock);
	begin_write(slot);
	if (pid)
		slot->tid = pid_nr_ns(pid, ns_of_pid(set->creator));
	vcpc_sample_copy(&slot->sample, sample);
	if (inst->mux)
		vcpc_mux_turns(inst->mux, (void *)&slot->sample.values[set->nr]);
	end_write(slot);
}

static void show(struct vcpc_instance *inst, struct vcpc_page_slot *slot)
{
	const struct vcpc_set *set = inst->binding->set;
	struct pid *pid = vcpc_instance_pid(inst);
	unsigned long flags;

	raw_spin_lock_irqsave(&inst->lock, flags);
	begin_write(slot);
	slot->used = 1;
	slot->cpu = inst->cpu;
	slot->tid = pid ? pid_nr_ns(pid, ns_of_pid(set->creator)) : 0;
	end_write(slot);
	inst->slot = slot;
	inst->state |= VCPC_INSTANCE_SHOWN;
	/* It will not be sampled again by itself. */
	if (inst->state & VCPC_INSTANCE_SETTLED && !(inst->state & VCPC_INSTANCE_INVALID))
		vcpc_setpage_publish(inst, &inst->kept, pid);
	raw_spin_unlock_irqrestore(&inst->lock, flags);
}

/**
 * vcpc_setpage_enter() - give an instance a slot, if its set is mapped
 * @inst: the instance, which belongs to its binding
 *
 * Context: under the set's lock.
 */
void vcpc_setpage_enter(struct vcpc_instance *inst)
{
	struct vcpc_setpage *page = inst->binding->set->page;
	u32 i;

	if (!page)
		return;
	i = find_first_zero_bit(page->taken, page->head->slots);
	if (i == page->head->slots) {
		WRITE_ONCE(page->head->missing, page->head->missing + 1);
		return;
	}
	__set_bit(i, page->taken);
	show(inst, slot_at(page, i));
}

static void clear(struct vcpc_setpage *page, struct vcpc_page_slot *slot)
{
	const size_t at = offsetof(struct vcpc_page_slot, tid);

	begin_write(slot);
	memset((void *)slot + at, 0, page->head->slot_size - at);
	end_write(slot);
	__clear_bit(((void *)slot - (void *)slot_at(page, 0)) / page->head->slot_size, page->taken);
}

/* There is a slot for somebody who found none. */
static void enter_next(struct vcpc_set *set, const struct vcpc_instance *leaving)
{
	struct vcpc_instance *inst;
	struct vcpc_binding *b;

	list_for_each_entry(b, &set->bindings, node)
		list_for_each_entry(inst, &b->instances, in_binding)
			if (!inst->slot && inst != leaving) {
				WRITE_ONCE(set->page->head->missing, set->page->head->missing - 1);
				vcpc_setpage_enter(inst);
				return;
			}
}

/**
 * vcpc_setpage_leave() - an instance is going to be closed
 * @inst: the instance, still in its binding
 *
 * Context: under the set's lock.
 */
void vcpc_setpage_leave(struct vcpc_instance *inst)
{
	struct vcpc_set *set = inst->binding->set;
	struct vcpc_page_slot *slot = inst->slot;
	struct vcpc_setpage *page = set->page;
	unsigned long flags;

	if (!page)
		return;
	if (!slot) {
		WRITE_ONCE(page->head->missing, page->head->missing - 1);
		return;
	}
	raw_spin_lock_irqsave(&inst->lock, flags);
	inst->state &= ~VCPC_INSTANCE_SHOWN;
	inst->slot = NULL;
	raw_spin_unlock_irqrestore(&inst->lock, flags);
	clear(page, slot);
	if (page->head->missing)
		enter_next(set, inst);
}

static struct vcpc_setpage *create(const struct vcpc_set *set, unsigned int pages)
{
	u32 slots = (pages * PAGE_SIZE - sizeof(struct vcpc_page)) / slot_size(set);
	struct vcpc_setpage *page;

	page = kzalloc(struct_size(page, taken, BITS_TO_LONGS(slots)), GFP_KERNEL_ACCOUNT);
	if (!page)
		return NULL;
	/* Without memory it says so to the caller, not in the log. */
	page->head = __vmalloc(pages * PAGE_SIZE, GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN);
	if (!page->head) {
		kfree(page);
		return NULL;
	}
	page->pages = pages;
	*page->head = (struct vcpc_page) {
		.size = sizeof(*page->head),
		.slot_size = slot_size(set),
		.slots = slots,
		.nr = set->nr,
		.groups = set->groups,
	};
	return page;
}

/* The first who maps it says how long it is. */
static int open_page(struct vcpc_set *set, unsigned long pages)
{
	struct vcpc_instance *inst;
	struct vcpc_binding *b;
	int ret;

	if (set->page)
		return pages <= set->page->pages ? 0 : -EINVAL;
	if (pages > VCPC_PAGE_MAX / PAGE_SIZE ||
	    pages * PAGE_SIZE < sizeof(struct vcpc_page) + slot_size(set))
		return -EINVAL;
	ret = vcpc_limits_charge(set->user, VCPC_LIMIT_PAGES, pages);
	if (ret)
		return ret;
	set->page = create(set, pages);
	if (!set->page) {
		vcpc_limits_uncharge(set->user, VCPC_LIMIT_PAGES, pages);
		return -ENOMEM;
	}
	list_for_each_entry(b, &set->bindings, node)
		list_for_each_entry(inst, &b->instances, in_binding)
			vcpc_setpage_enter(inst);
	return 0;
}

/**
 * vcpc_setpage_free() - at the set's end
 * @set: the set, without instances; nobody has it mapped, as its descriptor is closed
 *
 * Context: sleeps.
 */
void vcpc_setpage_free(struct vcpc_set *set)
{
	if (!set->page)
		return;
	vcpc_limits_uncharge(set->user, VCPC_LIMIT_PAGES, set->page->pages);
	vfree(set->page->head);
	kfree(set->page);
}

static vm_fault_t fault(struct vm_fault *vmf)
{
	struct vcpc_setpage *page = vmf->vma->vm_private_data;

	if (vmf->pgoff >= page->pages)
		return VM_FAULT_SIGBUS;
	vmf->page = vmalloc_to_page((void *)page->head + vmf->pgoff * PAGE_SIZE);
	get_page(vmf->page);
	return 0;
}

static const struct vm_operations_struct vm_ops = {
	.fault = fault,
};

/**
 * vcpc_setpage_map() - map a set's page for a program
 * @set: the set, which the mapping holds by its file
 * @vma: where to
 *
 * Context: sleeps; under the process's mmap_lock.
 * Return: 0, -EINVAL (not from the beginning, private, too short or too long), -EACCES
 * (to be written or executed), -EUSERS, -ENOMEM, -EINTR.
 */
int vcpc_setpage_map(struct vcpc_set *set, struct vm_area_struct *vma)
{
	int ret;

	if (vma->vm_flags & (VM_WRITE | VM_EXEC))
		return -EACCES;
	/* Shared, though not VM_SHARED, as the file cannot be written. */
	if (vma->vm_pgoff || !(vma->vm_flags & VM_MAYSHARE))
		return -EINVAL;
	ret = mutex_lock_killable(&set->lock);
	if (ret)
		return ret;
	ret = open_page(set, vma_pages(vma));
	mutex_unlock(&set->lock);
	if (ret)
		return ret;
	vcpc_vm_flags_clear(vma, VM_MAYWRITE | VM_MAYEXEC);
	vcpc_vm_flags_set(vma, VM_DONTEXPAND | VM_DONTDUMP);
	vma->vm_private_data = set->page;
	vma->vm_ops = &vm_ops;
	return 0;
}
