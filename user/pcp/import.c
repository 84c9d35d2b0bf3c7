// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * LOGIMPORT's calls: each operates on the current context, and only one runs at a time.
 *
 * Locking: as in PCP's library, the process has one table of contexts and one current context.
 * import_lock guards these and all contexts, from enter() to leave().
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "base/api.h"
#include "base/process.h"
#include "base/vec.h"
#include "config.h"
#include "err.h"
#include "importer.h"
#include "stamp.h"

SHIM_FORK_LOCK(import_lock, 0);
static struct shim_importer **contexts;
static size_t ncontexts, contexts_cap;
static struct shim_importer *current;
static size_t current_at;	/* index of the current context in @contexts */

struct shim_importer *shim_import__enter(void)
{
	shim_fork_lock__enter(&import_lock);
	if (current && !current->ended)
		return current;
	shim_fork_lock__leave(&import_lock);
	return NULL;
}

int shim_import__leave(struct shim_importer *imp, int result)
{
	if (result)
		result = shim_pcp__error(result);
	imp->last_error = result;
	shim_fork_lock__leave(&import_lock);
	return result;
}

/* A context that has ended is kept while it is current, so that a new one can inherit from it. */
static void make_current(size_t at)
{
	if (current && current->ended && current_at != at) {
		shim_importer__destroy(current);
		contexts[current_at] = NULL;
	}
	current = contexts[at];
	current_at = at;
}

/* Return the version, or -errno if pcp.conf cannot be read. */
static int default_version(void)
{
	const char *version;
	int err = shim_config__get("PCP_ARCHIVE_VERSION", &version);

	return err ? err : version && !strcmp(version, "3") ? 3 : 2;
}

static int import_start(const char *archive, int flags)
{
	int version = default_version(), err;
	struct shim_importer *imp;

	if (version < 0)
		return version;
	if (shim_vec__room(contexts, &contexts_cap, ncontexts))
		return -ENOMEM;
	err = shim_importer__create(archive, &imp);
	if (err)
		return err;
	imp->label.version = version;
	imp->flags = flags;
	err = flags & SHIM_IMPORT_INHERIT && current ? shim_importer__inherit(imp, current) : 0;
	if (err) {
		shim_importer__destroy(imp);
		return err;
	}
	contexts[ncontexts] = imp;
	make_current(ncontexts++);
	return (int)ncontexts;
}

int shim_import__start(const char *archive, int flags)
{
	int ret;

	shim_fork_lock__enter(&import_lock);
	ret = import_start(archive, flags);
	shim_fork_lock__leave(&import_lock);
	return ret;
}

/**
 * pmiStart() - start an archive
 * @archive: the archive's name; NULL for a context that only passes on its metadata
 * @inherit: if not 0, the new context has the metrics, instances and handles of the current context
 *
 * The archive's files are created when the first record is written.
 *
 * Return: the new context, which becomes the current one; -ENOMEM; or a negated errno if pcp.conf,
 * which can select the archive's version, exists but cannot be read.
 */
SHIM_API int pmiStart(const char *archive, int inherit)
{
	return shim_import__start(archive, inherit ? SHIM_IMPORT_INHERIT : 0);
}

/**
 * pmiUseContext() - switch to another archive
 * @context: handle from pmiStart()
 *
 * Return: 0 or PM_ERR_NOCONTEXT.
 */
SHIM_API int pmiUseContext(int context)
{
	int ret = PM_ERR_NOCONTEXT;

	shim_fork_lock__enter(&import_lock);
	if (context > 0 && (size_t)context <= ncontexts && contexts[context - 1]) {
		make_current(context - 1);
		ret = 0;
	}
	shim_fork_lock__leave(&import_lock);
	return ret;
}

/**
 * pmiEnd() - finish the current archive
 *
 * Return: 0, even if it was already finished; PM_ERR_NOCONTEXT; or the error from finishing or
 * syncing the files.
 */
SHIM_API int pmiEnd(void)
{
	int ret = PM_ERR_NOCONTEXT;

	shim_fork_lock__enter(&import_lock);
	if (current) {
		ret = current->ended ? 0 : shim_pcp__error(shim_importer__end(current));
		current->last_error = ret;
	}
	shim_fork_lock__leave(&import_lock);
	return ret;
}

static int copy_field(char *to, size_t room, const char *from)
{
	if (!from)
		return -EINVAL;
	if (strlen(from) >= room)
		return PM_ERR_TOOBIG;
	memset(to, 0, room);
	strcpy(to, from);
	return 0;
}

/**
 * pmiSetHostname() - set the host from which the data originates
 * @host: the host's name; the default is the name of this host
 *
 * This call has an effect only before the first record.  Version 2 allows 63 characters.
 *
 * Return: 0, PM_ERR_NOCONTEXT, PM_ERR_TOOBIG, -EINVAL.
 */
SHIM_API int pmiSetHostname(const char *host)
{
	int err;

	SHIM_IMPORT_ENTER(imp);
	err = copy_field(imp->label.host, sizeof(imp->label.host), host);
	if (!err)
		imp->host_given = *host;
	return shim_import__leave(imp, err);
}

/**
 * pmiSetTimezone() - set the time zone of the host from which the data originates
 * @timezone: like the environment variable TZ; the default is the zone of this machine
 *
 * This call has an effect only before the first record.
 *
 * Return: as for pmiSetHostname().
 */
SHIM_API int pmiSetTimezone(const char *timezone)
{
	int err;

	SHIM_IMPORT_ENTER(imp);
	err = copy_field(imp->label.tz, sizeof(imp->label.tz), timezone);
	if (!err)
		imp->tz_given = *timezone;
	return shim_import__leave(imp, err);
}

/**
 * pmiSetZoneinfo() - set the name of the time zone
 * @zoneinfo: ":Area/City"; stored only in version 3, and only with pmiSetTimezone()
 *
 * Return: as for pmiSetHostname().
 */
SHIM_API int pmiSetZoneinfo(const char *zoneinfo)
{
	SHIM_IMPORT_ENTER(imp);
	return shim_import__leave(imp, copy_field(imp->label.zoneinfo, sizeof(imp->label.zoneinfo), zoneinfo));
}

/**
 * pmiSetVersion() - set the archive's version
 * @version: 2, which is the default, or 3
 *
 * This call has an effect only before the first record.
 *
 * Return: 0, PM_ERR_NOCONTEXT, PMI_ERR_BADVERSION.
 */
SHIM_API int pmiSetVersion(int version)
{
	SHIM_IMPORT_ENTER(imp);
	if (version != 2 && version != 3)
		return shim_import__leave(imp, PMI_ERR_BADVERSION);
	if (!imp->writer)
		imp->label.version = version;
	return shim_import__leave(imp, 0);
}

/**
 * pmiAddMetric() - describe a metric
 * @name: the metric's name
 * @pmid: the metric's identifier, or PM_ID_NULL
 * @type: PM_TYPE_32 to PM_TYPE_STRING
 * @indom: the metric's instance domain, or PM_INDOM_NULL
 * @sem: PM_SEM_*
 * @units: from pmiUnits()
 *
 * Return: 0, PM_ERR_NOCONTEXT, PMI_ERR_BADMETRICNAME, DUPMETRICNAME, DUPMETRICID, BADTYPE, BADSEM,
 * PM_ERR_PMID, PM_ERR_UNIT, PM_ERR_INDOM (another agent's domain, unless derived), or -ENOMEM.
 */
SHIM_API int pmiAddMetric(const char *name, pmID pmid, int type, pmInDom indom, int sem,
			  pmUnits units)
{
	const pmDesc desc = { pmid, type, indom, sem, units };

	SHIM_IMPORT_ENTER(imp);
	return shim_import__leave(imp, shim_importer__metric(imp, name, &desc));
}

/**
 * pmiAddInstance() - add an instance, starting with the next record
 * @indom: the instance's domain
 * @instance: the instance's name
 * @inst: the instance's number
 *
 * Return: 0, PM_ERR_NOCONTEXT, PMI_ERR_DUPINSTNAME, PMI_ERR_DUPINSTID, PM_ERR_INST, PM_ERR_INDOM.
 */
SHIM_API int pmiAddInstance(pmInDom indom, const char *instance, int inst)
{
	SHIM_IMPORT_ENTER(imp);
	return shim_import__leave(imp, shim_importer__instance(imp, indom, instance, inst));
}

/**
 * pmiDelInstance() - remove an instance, starting with the next record
 * @indom: the instance's domain
 * @inst: the instance's number; name and number may be reused
 *
 * Return: 0, PM_ERR_NOCONTEXT, PM_ERR_INDOM, PM_ERR_INST.
 */
SHIM_API int pmiDelInstance(pmInDom indom, int inst)
{
	SHIM_IMPORT_ENTER(imp);
	return shim_import__leave(imp, shim_importer__del_instance(imp, indom, inst));
}

/**
 * pmiPutValue() - put a value into the next record
 * @name: name of the metric
 * @instance: name of the instance; NULL or empty if the metric has no instance domain
 * @value: the value as text
 *
 * Return: 0, PM_ERR_NOCONTEXT, PM_ERR_NAME, PM_ERR_INST, PM_ERR_INDOM if the metric's domain has no
 * instances, PMI_ERR_INSTNULL, PMI_ERR_INSTNOTNULL, PMI_ERR_DUPVALUE, PM_ERR_CONV.
 */
SHIM_API int pmiPutValue(const char *name, const char *instance, const char *value)
{
	struct shim_imp_slot *slot;
	int err;

	SHIM_IMPORT_ENTER(imp);
	err = shim_importer__slot(imp, name, instance, &slot);
	return shim_import__leave(imp, err ? err : shim_imp_slot__parse(imp, slot, value));
}

/**
 * pmiPutAtomValue() - put a value into the next record, in binary form
 * @name: name of the metric
 * @instance: name of the instance
 * @value: the member for the metric's type
 *
 * Return: as for pmiPutValue().
 */
SHIM_API int pmiPutAtomValue(const char *name, const char *instance, const pmAtomValue *value)
{
	struct shim_imp_slot *slot;
	int err;

	SHIM_IMPORT_ENTER(imp);
	err = shim_importer__slot(imp, name, instance, &slot);
	return shim_import__leave(imp, err ? err : shim_imp_slot__atom(imp, slot, value));
}

/**
 * pmiGetHandle() - get a number that identifies a metric and an instance
 * @name: name of the metric
 * @instance: name of the instance
 *
 * Return: the handle, which is at least 1; PM_ERR_NOCONTEXT, PM_ERR_NAME, PM_ERR_INST,
 * PM_ERR_INDOM if the metric's domain has no instances, PMI_ERR_INSTNULL,
 * PMI_ERR_INSTNOTNULL.
 */
SHIM_API int pmiGetHandle(const char *name, const char *instance)
{
	struct shim_imp_slot *slot;
	int ret;

	SHIM_IMPORT_ENTER(imp);
	ret = shim_importer__slot(imp, name, instance, &slot);
	if (!ret)
		ret = shim_importer__handle(imp, slot);
	shim_import__leave(imp, ret < 0 ? ret : 0);
	return ret;
}

/**
 * pmiPutValueHandle() - put a value into the next record
 * @handle: handle from pmiGetHandle()
 * @value: the value as text
 *
 * Return: as for pmiPutValue(), and PMI_ERR_BADHANDLE.
 */
SHIM_API int pmiPutValueHandle(int handle, const char *value)
{
	struct shim_imp_slot *slot;
	int err;

	SHIM_IMPORT_ENTER(imp);
	err = shim_importer__of_handle(imp, handle, &slot);
	return shim_import__leave(imp, err ? err : shim_imp_slot__parse(imp, slot, value));
}

/**
 * pmiPutAtomValueHandle() - put a value into the next record, in binary form
 * @handle: handle from pmiGetHandle()
 * @value: the member for the metric's type
 *
 * Return: as for pmiPutValueHandle().
 */
SHIM_API int pmiPutAtomValueHandle(int handle, const pmAtomValue *value)
{
	struct shim_imp_slot *slot;
	int err;

	SHIM_IMPORT_ENTER(imp);
	err = shim_importer__of_handle(imp, handle, &slot);
	return shim_import__leave(imp, err ? err : shim_imp_slot__atom(imp, slot, value));
}

static int write_at(int64_t sec, int64_t nsec)
{
	struct shim_ts stamp = { sec, (int32_t)nsec };
	struct timespec now;

	SHIM_IMPORT_ENTER(imp);
	if (sec < 0) {
		clock_gettime(CLOCK_REALTIME, &now);
		stamp = (struct shim_ts){ now.tv_sec, (int32_t)now.tv_nsec };
	} else if (nsec < 0 || nsec > 999999999) {
		return shim_import__leave(imp, PMI_ERR_BADTIMESTAMP);
	}
	return shim_import__leave_record(imp, shim_importer__write(imp, stamp));
}

/**
 * pmiWrite() - write the values as a record
 * @sec: the record's time, in seconds since 1970 UTC; negative for the current time
 * @usec: microseconds of the time
 *
 * On error, no part of the record is in the archive, and the values are kept for the next write.
 *
 * Return: 0, PM_ERR_NOCONTEXT, PMI_ERR_NODATA, PMI_ERR_BADTIMESTAMP, or a negated errno: -EEXIST,
 * -EBUSY, -ENOSPC, ...
 */
SHIM_API int pmiWrite(int sec, int usec)
{
	return write_at(sec, (int64_t)usec * 1000);
}

/**
 * pmiWrite2() - write the values as a record, with times after 2038
 * @sec: the record's time, in seconds since 1970 UTC; negative for the current time
 * @usec: microseconds of the time
 *
 * Return: as for pmiWrite().
 */
SHIM_API int pmiWrite2(int64_t sec, int usec)
{
	return write_at(sec, (int64_t)usec * 1000);
}

/**
 * pmiHighResWrite() - write the values as a record
 * @sec: the record's time, in seconds since 1970 UTC; negative for the current time
 * @nsec: nanoseconds of the time; version 2 stores whole microseconds
 *
 * Return: as for pmiWrite().
 */
SHIM_API int pmiHighResWrite(int64_t sec, int nsec)
{
	return write_at(sec, nsec);
}

/**
 * pmiPutResult() - write a record from a result
 * @result: the time and the values; values that were put earlier are discarded
 *
 * Return: 0, PM_ERR_NOCONTEXT, PM_ERR_PMID, PM_ERR_INST, PM_ERR_CONV, PMI_ERR_DUPVALUE, or as for
 * pmiWrite().
 */
SHIM_API int pmiPutResult(const pmResult *result)
{
	struct shim_ts stamp;

	SHIM_IMPORT_ENTER(imp);
	if (!result || result->numpmid < 0)
		return shim_import__leave(imp, -EINVAL);
	if (result->timestamp.tv_usec < 0 || result->timestamp.tv_usec > 999999)
		return shim_import__leave(imp, PMI_ERR_BADTIMESTAMP);
	stamp = shim_stamp__from_timeval(&result->timestamp);
	return shim_import__leave_record(imp, shim_importer__result(imp, stamp, result->numpmid,
								    result->vset));
}

/**
 * pmiPutHighResResult() - write a record from a result
 * @result: the time and the values
 *
 * Return: as for pmiPutResult().
 */
SHIM_API int pmiPutHighResResult(const pmHighResResult *result)
{
	struct shim_ts stamp;

	SHIM_IMPORT_ENTER(imp);
	if (!result || result->numpmid < 0)
		return shim_import__leave(imp, -EINVAL);
	if (result->timestamp.tv_nsec < 0 || result->timestamp.tv_nsec > 999999999)
		return shim_import__leave(imp, PMI_ERR_BADTIMESTAMP);
	stamp = shim_stamp__make(result->timestamp.tv_sec, result->timestamp.tv_nsec);
	return shim_import__leave_record(imp, shim_importer__result(imp, stamp, result->numpmid,
								    result->vset));
}

/**
 * pmiPutMark() - mark a gap: values are not continuous from the last record to the next
 *
 * Return: 0, even before the first record, in which case there is no gap to mark; PM_ERR_NOCONTEXT,
 * or the error from writing or creating the archive.
 */
SHIM_API int pmiPutMark(void)
{
	SHIM_IMPORT_ENTER(imp);
	return shim_import__leave_record(imp, shim_importer__mark(imp));
}

/**
 * pmiNextVolume() - start a new volume with the next record
 *
 * Return: 0, even before the first record; PM_ERR_NOCONTEXT, or the error from creating the file.
 */
SHIM_API int pmiNextVolume(void)
{
	SHIM_IMPORT_ENTER(imp);
	return shim_import__leave(imp, imp->writer ? shim_writer__next_volume(imp->writer) : 0);
}

/**
 * pmiPutText() - describe a metric or an instance domain
 * @type: PM_TEXT_PMID or PM_TEXT_INDOM
 * @class_: PM_TEXT_ONELINE or PM_TEXT_HELP
 * @id: the metric or the domain
 * @content: the text
 *
 * Return: 0, PM_ERR_NOCONTEXT, PMI_ERR_BADTEXTTYPE, BADTEXTCLASS, BADTEXTID, EMPTYTEXTCONTENT,
 * DUPTEXT, -ENOMEM.
 */
SHIM_API int pmiPutText(unsigned int type, unsigned int class_, unsigned int id,
			const char *content)
{
	SHIM_IMPORT_ENTER(imp);
	if (type != PM_TEXT_PMID && type != PM_TEXT_INDOM)
		return shim_import__leave(imp, PMI_ERR_BADTEXTTYPE);
	if (class_ != PM_TEXT_ONELINE && class_ != PM_TEXT_HELP)
		return shim_import__leave(imp, PMI_ERR_BADTEXTCLASS);
	if (id == PM_ID_NULL)
		return shim_import__leave(imp, PMI_ERR_BADTEXTID);
	if (!content || !*content)
		return shim_import__leave(imp, PMI_ERR_EMPTYTEXTCONTENT);
	return shim_import__leave(imp, shim_imp_notes__text(imp->notes, type | class_, id, content));
}

static bool is_level(unsigned int type)
{
	return type && type <= PM_LABEL_INSTANCES && !(type & (type - 1));
}

static int put_label(struct shim_importer *imp, unsigned int type, unsigned int id,
		     unsigned int inst, const char *name, const char *value)
{
	bool of_instance = type == PM_LABEL_INSTANCES;

	if (!is_level(type))
		return PMI_ERR_BADLABELTYPE;
	if (type == PM_LABEL_CONTEXT)
		id = SHIM_INDOM_NULL;
	else if (id == PM_ID_NULL || (type == PM_LABEL_DOMAIN && id > DYNAMIC_PMID))
		return PMI_ERR_BADLABELID;
	if (type == PM_LABEL_CLUSTER)
		id = pmID_build(pmID_domain(id), pmID_cluster(id), 0);
	if (of_instance && inst >> 31)
		return PMI_ERR_BADLABELINSTANCE;
	if (!name || !*name)
		return PMI_ERR_EMPTYLABELNAME;
	if (!value || !*value)
		return PMI_ERR_EMPTYLABELVALUE;
	return shim_imp_notes__label(imp->notes, type, id, of_instance ? (int32_t)inst :
				     SHIM_IN_NULL, name, value, imp->flags & SHIM_IMPORT_JSON);
}

/**
 * pmiPutLabel() - add a label, starting with the next record
 * @type: PM_LABEL_CONTEXT to PM_LABEL_INSTANCES
 * @id: the domain's number, the cluster, the metric or the instance domain
 * @inst: the instance, for PM_LABEL_INSTANCES
 * @name: name of the label
 * @value: a text, or one of the words true, false and null; in PMAPI version 4 also a number or a
 *	text in quotes, as in JSON
 *
 * Return: 0, PM_ERR_NOCONTEXT, PMI_ERR_BADLABELTYPE, BADLABELID, BADLABELINSTANCE, EMPTYLABELNAME,
 * EMPTYLABELVALUE, ADDLABELERROR, -ENOMEM.
 */
SHIM_API int pmiPutLabel(unsigned int type, unsigned int id, unsigned int inst, const char *name,
			 const char *value)
{
	SHIM_IMPORT_ENTER(imp);
	return shim_import__leave(imp, put_label(imp, type, id, inst, name, value));
}

int shim_import__last_error(void)
{
	int code = PM_ERR_NOCONTEXT;

	shim_fork_lock__enter(&import_lock);
	if (current)
		code = current->last_error;
	shim_fork_lock__leave(&import_lock);
	return code;
}

static void dump(const struct shim_importer *imp)
{
	fprintf(stderr, "import of %s: version %d, %s\n", imp->base ? imp->base : "(nothing)",
		imp->label.version, imp->ended ? "ended" : imp->writer ? "begun" : "not begun");
	for (const struct shim_imp_metric *m = imp->metrics; m; m = m->next)
		fprintf(stderr, "  metric %s: %s, %s, %zu values waiting\n", m->name,
			pmIDStr(m->desc.pmid), pmTypeStr(m->desc.type), m->nvalues);
	for (const struct shim_imp_domain *d = imp->domain_list; d; d = d->next)
		for (size_t i = 0; i < d->n; i++)
			fprintf(stderr, "  instance of %s: %d is %s\n", pmInDomStr(d->indom),
				d->instances[i]->inst, d->instances[i]->name);
	for (size_t i = 0; i < imp->nhandles; i++)
		fprintf(stderr, "  handle %zu: %s %s\n", i + 1, imp->handles[i]->metric->name,
			imp->handles[i]->instance ? imp->handles[i]->instance->name : "");
}

/**
 * pmiDump() - print the current context's state to stderr
 */
SHIM_API void pmiDump(void)
{
	shim_fork_lock__enter(&import_lock);
	if (current)
		dump(current);
	shim_fork_lock__leave(&import_lock);
}
