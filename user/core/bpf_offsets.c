// SPDX-License-Identifier: LGPL-2.1-or-later
/* Offsets of members of kernel structs, for BPF programs without relocations. */
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include <bpf/btf.h>

#include "bpf_offsets.h"

/* Byte offset of a member, including members of anonymous structs and unions; or -1 */
static int offset_in(const struct btf *btf, int id, const char *name)
{
	const struct btf_type *type = btf__type_by_id(btf, btf__resolve_type(btf, id));
	const struct btf_member *member;

	if (!type || !btf_is_composite(type))
		return -1;
	member = btf_members(type);
	for (uint32_t i = 0; i < btf_vlen(type); i++) {
		const char *its = btf__name_by_offset(btf, member[i].name_off);
		int at = btf_member_bit_offset(type, i) / 8, inner;

		if (its && !strcmp(its, name))
			return at;
		inner = its && *its ? -1 : offset_in(btf, member[i].type, name);
		if (inner >= 0)
			return at + inner;
	}
	return -1;
}

static int offset_of(const struct btf *btf, const char *type, const char *member)
{
	int id = btf__find_by_name_kind(btf, type, BTF_KIND_STRUCT);

	return id < 0 ? -1 : offset_in(btf, id, member);
}

/**
 * shim_bpf_offsets__find() - find the members that vc_account_of() in bpf/users.bpf.h reads
 * @offsets: written; all zero if this kernel has no BTF or lacks one of the members
 *
 * Without them, users are distinguished less exactly, so a lack of memory or of descriptors is an
 * error.
 *
 * Return: 0, -ENOMEM, -EMFILE or -ENFILE.
 */
int shim_bpf_offsets__find(struct vc_offsets *offsets)
{
	struct btf *btf = btf__load_vmlinux_btf();
	int err = btf ? 0 : -errno;
	const struct {
		const char *type, *member;
		__u32 *at;
	} wanted[] = {
		{ "task_struct", "cred", &offsets->task_cred },
		{ "cred", "user_ns", &offsets->cred_user_ns },
		{ "cred", "cap_effective", &offsets->cred_caps },
		{ "user_namespace", "parent", &offsets->user_ns_parent },
		{ "user_namespace", "level", &offsets->user_ns_level },
		{ "user_namespace", "owner", &offsets->user_ns_owner },
		{ "user_namespace", "ns", &offsets->user_ns_inum },
	};
	int inum = btf ? offset_of(btf, "ns_common", "inum") : -1;

	*offsets = (struct vc_offsets) { 0 };
	for (size_t i = 0; inum >= 0 && i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		int at = offset_of(btf, wanted[i].type, wanted[i].member);

		if (at < 0)
			inum = -1;
		else
			*wanted[i].at = at;
	}
	if (inum < 0)
		*offsets = (struct vc_offsets) { 0 };
	else
		offsets->user_ns_inum += inum;
	btf__free(btf);
	return err == -ENOMEM || err == -EMFILE || err == -ENFILE ? err : 0;
}
