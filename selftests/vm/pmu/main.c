// SPDX-License-Identifier: GPL-2.0
/*
 * Core PMUs for x86-64 virtual machines that have none.  They are only for tests and are never
 * installed.
 *
 * By default there are two PMUs, as on CPUs with two kinds of core: cpu_core on CPU 0 and cpu_atom
 * on all others.  With one=1 there is only one, cpu, on all CPUs.
 *
 * Each CPU has 4 programmable and 3 fixed counters, 48 bits wide.  Events have constraints (see
 * events[]), and each counts a fixed number per tick, which differs between the kinds of core.  A
 * tick is a nanosecond of local_clock().  With manual=1, only writes to the parameter "work" cause
 * ticks, on the CPU that writes, so exact counts are known.
 *
 * An overflow causes an interrupt or, with nmi=1, an NMI.
 *
 * Events count both user and kernel mode; attr.exclude_* is ignored.
 *
 * Locking: everything is per CPU and is used with interrupts off.  An NMI handler does nothing
 * while the PMU is disabled, which includes the time during which events are added or removed.
 */
#include <asm/nmi.h>
#include <linux/cpumask.h>
#include <linux/kprobes.h>
#include <linux/module.h>

#include "synthetic_pmu.h"

bool synth_one;
module_param_named(one, synth_one, bool, 0444);
MODULE_PARM_DESC(one, "one kind of core, whose PMU is called cpu");

bool synth_nmi;
module_param_named(nmi, synth_nmi, bool, 0444);
MODULE_PARM_DESC(nmi, "counters overflow by an NMI");

struct synth_pmu synth_pmus[KINDS];
synth_overflow_fn *synth_overflow;

/* Set whether a CPU's ticks come from "work" or from its clock. */
static void set_mode(void *arg)
{
	struct synth_cpu *cpu = this_cpu_ptr(&synth_cpus);
	unsigned long flags;

	local_irq_save(flags);
	synth_now(cpu);
	cpu->manual = *(bool *)arg;
	synth_arm(cpu);
	local_irq_restore(flags);
}

static bool manual;

static int set_manual(const char *text, const struct kernel_param *kp)
{
	int ret = param_set_bool(text, kp);

	if (!ret)
		on_each_cpu(set_mode, &manual, 1);
	return ret;
}

static const struct kernel_param_ops manual_ops = { .set = set_manual, .get = param_get_bool };
module_param_cb(manual, &manual_ops, &manual, 0644);
MODULE_PARM_DESC(manual, "ticks come from writes to work, not from the clock");

static int set_work(const char *text, const struct kernel_param *kp)
{
	u64 ticks;
	int ret = kstrtou64(text, 0, &ticks);

	if (ret)
		return ret;
	if (!manual)
		return -EINVAL;
	synth_work(ticks);
	return 0;
}

static const struct kernel_param_ops work_ops = { .set = set_work };
module_param_cb(work, &work_ops, NULL, 0200);
MODULE_PARM_DESC(work, "with manual=1: so many ticks pass on the writing CPU");

static ssize_t cpus_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	const struct synth_pmu *synth = container_of(dev_get_drvdata(dev), struct synth_pmu, pmu);

	if (synth->kind == CORE)
		return sysfs_emit(buf, "0\n");
	return sysfs_emit(buf, nr_cpu_ids > 2 ? "1-%u\n" : "1\n", nr_cpu_ids - 1);
}
static DEVICE_ATTR_RO(cpus);

static umode_t is_visible(struct kobject *kobj, struct attribute *attr, int i)
{
	return synth_one ? 0 : attr->mode;
}

static struct attribute *cpus_attrs[] = { &dev_attr_cpus.attr, NULL };
static const struct attribute_group cpus_group = {
	.attrs = cpus_attrs, .is_visible = is_visible,
};

PMU_FORMAT_ATTR(event, "config:0-7");
PMU_FORMAT_ATTR(umask, "config:8-15");
static struct attribute *format_attrs[] = {
	&format_attr_event.attr, &format_attr_umask.attr, NULL
};

static const struct attribute_group format_group = { .name = "format", .attrs = format_attrs };

PMU_EVENT_ATTR_STRING(cycles, attr_cycles, "event=0x3c");
PMU_EVENT_ATTR_STRING(instructions, attr_instructions, "event=0xc0");
PMU_EVENT_ATTR_STRING(llc_refs, attr_cache, "event=0x2e,umask=0x4f");
PMU_EVENT_ATTR_STRING(core_only, attr_core_only, "event=0xd0");
PMU_EVENT_ATTR_STRING(atom_only, attr_atom_only, "event=0xd1");
#define COMMON	&attr_cycles.attr.attr, &attr_instructions.attr.attr, &attr_cache.attr.attr
static struct attribute *core_attrs[] = { COMMON, &attr_core_only.attr.attr, NULL };
static struct attribute *atom_attrs[] = { COMMON, &attr_atom_only.attr.attr, NULL };
static const struct attribute_group core_events = { .name = "events", .attrs = core_attrs };
static const struct attribute_group atom_events = { .name = "events", .attrs = atom_attrs };

static const struct attribute_group *groups[KINDS][4] = {
	{ &cpus_group, &format_group, &core_events, NULL },
	{ &cpus_group, &format_group, &atom_events, NULL },
};

static int add_pmu(enum synth_kind kind, const char *name, int type)
{
	struct synth_pmu *synth = &synth_pmus[kind];
	int ret;

	synth->kind = kind;
	synth->pmu = synth_describe();
	synth->pmu.attr_groups = groups[kind];
	ret = perf_pmu_register(&synth->pmu, name, type);
	synth->registered = !ret;
	return ret;
}

static void remove_pmus(void)
{
	for (int i = KINDS; i--; )
		if (synth_pmus[i].registered)
			perf_pmu_unregister(&synth_pmus[i].pmu);
}

static void init_cpus(void)
{
	int nr;

	for_each_possible_cpu(nr)
		synth_init_cpu(per_cpu_ptr(&synth_cpus, nr), manual);
}

static void settle_cpus(void)
{
	int nr;

	for_each_possible_cpu(nr) {
		hrtimer_cancel(&per_cpu(synth_cpus, nr).timer);
		irq_work_sync(&per_cpu(synth_cpus, nr).work);
		hrtimer_cancel(&per_cpu(synth_cpus, nr).timer);
	}
}

/* Find the function with a temporary kprobe, because the kernel does not export its symbol. */
static int find_overflow(void)
{
	struct kprobe probe = { .symbol_name = "perf_event_overflow" };
	int ret = register_kprobe(&probe);

	if (ret)
		return ret;
	synth_overflow = (synth_overflow_fn *)probe.addr;
	unregister_kprobe(&probe);
	return 0;
}

static int __init synth_init(void)
{
	int ret = find_overflow();

	if (ret)
		return ret;
	synth_make_noise();
	init_cpus();
	if (synth_nmi) {
		ret = register_nmi_handler(NMI_LOCAL, synth_on_nmi, 0, KBUILD_MODNAME);
		if (ret)
			return ret;
	}
	/* The first PMU has the type that generic hardware events use. */
	ret = add_pmu(CORE, synth_one ? "cpu" : "cpu_core", PERF_TYPE_RAW);
	if (!ret && !synth_one)
		ret = add_pmu(ATOM, "cpu_atom", -1);
	if (ret) {
		remove_pmus();
		if (synth_nmi)
			unregister_nmi_handler(NMI_LOCAL, KBUILD_MODNAME);
	}
	return ret;
}

static void __exit synth_exit(void)
{
	remove_pmus();
	settle_cpus();
	if (synth_nmi)
		unregister_nmi_handler(NMI_LOCAL, KBUILD_MODNAME);
}

module_init(synth_init);
module_exit(synth_exit);
MODULE_DESCRIPTION("Core PMUs for virtual machines without one, for tests");
MODULE_LICENSE("GPL");
