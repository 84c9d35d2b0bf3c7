/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A LOGIMPORT context: an archive's metrics and instances, and its next record.
 *
 * Functions return 0, an error code of PMAPI or LOGIMPORT, or a negated errno.
 */
#ifndef SHIM_PCP_IMPORTER_H
#define SHIM_PCP_IMPORTER_H

#include <stdbool.h>

#include <pcp/import.h>

#include "archive/declare.h"
#include "archive/writer.h"
#include "base/buf.h"
#include "base/hash.h"

/*
 * struct shim_imp_instance - an instance of a domain
 * @order: 1 for the first instance that was added to the domain, 2 for the second, and so on
 * @gone: the instance was deleted; its handles are invalid
 */
struct shim_imp_instance {
	struct shim_hnode by_name;
	uint64_t order;
	int32_t inst;
	const char *name;
	bool gone;
};

/*
 * struct shim_imp_domain - an instance domain
 * @instances: the @n current instances, sorted by id
 * @added: number of instances that have been added, including instances removed since then
 * @sorted: value of @added at the last record with a value in the domain
 * @known: the domain has been written to the archive
 * @changed: the current state has not been written yet
 */
struct shim_imp_domain {
	struct shim_hnode node;
	struct shim_imp_domain *next;
	uint32_t indom;
	struct shim_hash names;
	struct shim_imp_instance **instances;
	size_t n;
	size_t cap;
	uint64_t added, sorted;
	bool known;
	bool changed;
};

/*
 * struct shim_imp_slot - the value of a metric's instance in the next record
 * @next: the next slot of the metric that has a value
 * @instance: NULL for a metric without instance domain
 * @text: the buffer of @room bytes to which @value points if it is a string
 */
struct shim_imp_slot {
	struct shim_hnode node;
	struct shim_imp_slot *next;
	struct shim_imp_slot *all;
	struct shim_imp_metric *metric;
	struct shim_imp_instance *instance;
	struct shim_value value;
	char *text;
	size_t room;
	bool set;
};

/*
 * struct shim_imp_metric - a metric
 * @declared: the metric is declared in the archive
 * @waiting: the next metric with values, in the order of their first values
 * @nvalues: number of its values in the next record
 * @first: list of the slots with these values, which ends at @last; NULL if the values come from a
 *	result
 * @taken: index of the first value from a result in the importer's @values
 * @bare: the metric is written without values, and with @error if it is not 0
 */
struct shim_imp_metric {
	struct shim_hnode by_name;
	struct shim_hnode by_pmid;
	struct shim_imp_metric *next;
	const char *name;
	struct shim_desc desc;
	struct shim_imp_domain *domain;
	struct shim_imp_slot *alone;
	bool declared;
	struct shim_imp_metric *waiting;
	struct shim_imp_slot *first;
	struct shim_imp_slot *last;
	size_t nvalues;
	size_t taken;
	bool bare;
	int32_t error;
};

struct shim_imp_notes;
struct shim_importer;

/*
 * struct shim_importer - a context
 * @writer: NULL until the first record
 * @flags: SHIM_IMPORT_*
 * @ended: no more values can be put, but another context can inherit
 * @names: used to reject invalid names and descriptions; its records are written to @scratch and
 *	discarded
 * @handles: @nhandles slots; a handle is an index into this array, plus one
 * @waiting: list of metrics with values; @last_waiting: the link for the next metric
 * @values: the @nvalues values of a result; space for @values_cap values
 * @last_put: time of the last record that is not a mark; @last: time of the last record
 * @lost: error of finishing a volume, after its last record has been written
 * @volume_size: a volume that reaches this size is finished after the record, and @volume_done is
 *	called; 0 for no limit
 * @status: path of the status file of pmiSetImportProgram(), or NULL; @status_pid: the process that
 *	wrote it
 */
struct shim_importer {
	char *base;
	struct shim_label label;
	bool host_given;
	bool tz_given;
	struct shim_writer *writer;
	int flags;
	bool ended;
	int last_error;

	struct shim_arena arena;
	struct shim_declared names;
	struct shim_buf scratch;
	struct shim_hash by_name;
	struct shim_hash by_pmid;
	struct shim_hash domains;
	struct shim_hash slots;
	struct shim_imp_metric *metrics, **next_metric;
	struct shim_imp_domain *domain_list, **next_domain;
	struct shim_imp_slot *slot_list;
	struct shim_imp_slot **handles;
	size_t nhandles;
	size_t handles_cap;

	struct shim_imp_metric *waiting;
	struct shim_imp_metric **last_waiting;
	struct shim_value *values;
	size_t nvalues, values_cap;
	struct shim_imp_notes *notes;
	struct shim_ts last;
	struct shim_ts last_put;
	bool has_last;
	int failed;
	int lost;

	size_t volume_size;
	void (*volume_done)(const char *path);
	char *status;
	pid_t status_pid;
};

/* Flags of pmiStart(): PMI_* of PMAPI version 4 */
#define SHIM_IMPORT_INHERIT	1
#define SHIM_IMPORT_APPEND	2
#define SHIM_IMPORT_PROCESS	4
/* Labels can be numbers and quoted strings of JSON. */
#define SHIM_IMPORT_JSON	8

/* Functions in import_meta.c: metrics and instances */
int shim_importer__create(const char *base, struct shim_importer **out);
void shim_importer__destroy(struct shim_importer *imp);
int shim_importer__inherit(struct shim_importer *imp, const struct shim_importer *from);
int shim_importer__metric(struct shim_importer *imp, const char *name, const pmDesc *desc);
int shim_importer__instance(struct shim_importer *imp, pmInDom indom, const char *name, int inst);
int shim_importer__del_instance(struct shim_importer *imp, pmInDom indom, int inst);
struct shim_imp_metric *shim_importer__by_name(const struct shim_importer *imp, const char *name);
struct shim_imp_metric *shim_importer__by_pmid(const struct shim_importer *imp, uint32_t pmid);
struct shim_imp_instance *shim_imp_domain__named(const struct shim_imp_domain *d, const char *name);
bool shim_imp_domain__search(const struct shim_imp_domain *d, int32_t inst, size_t *next);

/* Return whether an instance exists.  *@next is its expected index, and is set to the next index. */
static inline bool shim_imp_domain__has(const struct shim_imp_domain *d, int32_t inst, size_t *next)
{
	size_t i = *next;

	if (i >= d->n || d->instances[i]->inst != inst)
		return shim_imp_domain__search(d, inst, next);
	*next = i + 1;
	return true;
}

/* Functions in import_slot.c: slots and their handles */
int shim_importer__slot(struct shim_importer *imp, const char *name, const char *instance,
			struct shim_imp_slot **out);
int shim_imp_metric__slot(struct shim_importer *imp, struct shim_imp_metric *m,
			  struct shim_imp_instance *instance, struct shim_imp_slot **out);
/* Return a new handle, which is positive, or -ENOMEM. */
int shim_importer__handle(struct shim_importer *imp, struct shim_imp_slot *slot);
int shim_importer__of_handle(const struct shim_importer *imp, int handle,
			     struct shim_imp_slot **out);

/* Functions in import_value.c: values of the next record */
int shim_imp_slot__parse(struct shim_importer *imp, struct shim_imp_slot *slot, const char *text);
int shim_imp_slot__atom(struct shim_importer *imp, struct shim_imp_slot *slot,
			const pmAtomValue *atom);
/* Write the metric with @n values of a result, the last ones in the importer's @values. */
void shim_imp_metric__taken(struct shim_importer *imp, struct shim_imp_metric *m, size_t n);
/* Write the metric without values or, unless @error is 0, with that error. */
void shim_imp_metric__bare(struct shim_importer *imp, struct shim_imp_metric *m, int error);
void shim_importer__drop_values(struct shim_importer *imp);

/* Functions in import_write.c: records */
int shim_importer__write(struct shim_importer *imp, struct shim_ts stamp);
int shim_importer__mark(struct shim_importer *imp);
int shim_importer__result(struct shim_importer *imp, struct shim_ts stamp, int numpmid,
			  pmValueSet *const *vsets);
int shim_importer__end(struct shim_importer *imp);
/* Declare a metric to the writer, unless it is already declared. */
int shim_importer__declare(struct shim_importer *imp, struct shim_imp_metric *m);

/* Functions in import_note.c: texts and labels */
int shim_imp_notes__create(struct shim_imp_notes **out);
void shim_imp_notes__destroy(struct shim_imp_notes *notes);
int shim_imp_notes__text(struct shim_imp_notes *notes, uint32_t type, uint32_t ident,
			 const char *text);
int shim_imp_notes__label(struct shim_imp_notes *notes, uint32_t level, uint32_t ident,
			  int32_t inst, const char *name, const char *value, bool json);
/*
 * Return whether texts or labels were added since the last record; another call then returns false.
 */
bool shim_imp_notes__take_added(struct shim_imp_notes *notes);
int shim_imp_notes__write(struct shim_importer *imp, struct shim_ts stamp);

/*
 * Functions in import.c: enter() locks and returns the current context.  If there is none or it has
 * ended, enter() returns NULL and locks nothing.  leave() unlocks the context and returns @result
 * as a PMAPI code.
 */
struct shim_importer *shim_import__enter(void);
int shim_import__leave(struct shim_importer *imp, int result);
int shim_import__start(const char *archive, int flags);

#define SHIM_IMPORT_ENTER(imp)				\
	struct shim_importer *imp = shim_import__enter(); \
							\
	if (!imp)					\
		return PM_ERR_NOCONTEXT

/* In import_write.c: leave() after a record, which may have filled its volume */
int shim_import__leave_record(struct shim_importer *imp, int result);

/*
 * In import_calls.c: forget the path of the status file and, with PMI_PROCESS, remove the file if
 * this process wrote it
 */
void shim_importer__forget_program(struct shim_importer *imp);

/* In import.c: return the result of the current context's last call */
int shim_import__last_error(void);

#endif /* SHIM_PCP_IMPORTER_H */
