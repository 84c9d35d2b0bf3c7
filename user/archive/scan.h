/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scanning records for the observations next to a time. */
#ifndef SHIM_ARCHIVE_SCAN_H
#define SHIM_ARCHIVE_SCAN_H

#include "interp_metric.h"
#include "pmidmap.h"
#include "readbuf.h"
#include "scan_skip.h"

/*
 * struct shim_scanner - a position in the archive, and the observations to look for
 * @metrics: all @n that were ever asked for; @map finds them
 * @cursor: behind the last record at or before @at, if @placed
 * @readbuf: the cursor's read buffer
 * @behind: time of the record before the cursor, if @behind_known
 * @behind_single: no record before it has the same time
 * @ahead: time of the record after the cursor, if @ahead_known
 * @ahead_single: no record after it has the same time
 * @gap: marks between records at most this far apart are ignored; SHIM_TIME_MIN: none are
 * @mark: time of the mark that was passed last, if @has_mark
 * @number: of the last scan
 * @damaged: a scan has found damage that no fetch has reported yet
 * @reported: volumes whose damage was found before
 * @skip: layouts of records that had no value for the scan
 * @wants: @nwants instances to find observations for; @left of them not found yet
 */
struct shim_scanner {
	struct shim_archive *ar;
	struct shim_ts start;
	struct shim_interp_metric **metrics;
	unsigned int n;
	size_t room;
	struct shim_pmidmap map;
	bool placed;
	struct shim_cursor cursor;
	struct shim_readbuf readbuf;
	int64_t at;
	bool behind_known, behind_single, ahead_known, ahead_single;
	int64_t behind, ahead;
	int64_t gap;
	bool has_mark;
	int64_t mark;
	uint32_t number;
	bool damaged;
	struct shim_pmidmap reported;
	struct shim_scan_skip skip;
	struct shim_want {
		struct shim_interp_metric *metric;
		struct shim_interp_inst *inst;
	} *wants;
	unsigned int nwants, left;
	size_t wants_room;
};

/* A record's stamp in nanoseconds since the archive's start */
static inline int64_t shim_scan__time(const struct shim_scanner *sc, const struct shim_record *rec)
{
	return shim_interp_metric__time(rec->stamp, sc->start);
}

/* Whether a record is a mark that is not ignored: 1, 0, or why that cannot be seen */
int shim_scan__is_mark(const struct shim_scanner *sc, const struct shim_record *rec);

/*
 * Put the cursor at a time.  @walk_there: instead of seeking, walk past every
 * record in between that is not known to be no mark, so that no mark is missed.
 * Damage on the way is noted.
 */
int shim_scan__seek(struct shim_scanner *sc, struct shim_ts when, bool walk_there);

/*
 * Pass over records towards a time, as long as they have values and are in its order; false if it
 * has not, and the next record is to be looked at.
 */
bool shim_scan__hop(struct shim_scanner *sc, struct shim_ts when, int64_t t);

/* Look for an instance's observation in the next scan; 0 or -ENOMEM. */
int shim_scan__want(struct shim_scanner *sc, struct shim_interp_metric *m,
		    struct shim_interp_inst *k);

/* Stop looking for one observation, or for all. */
void shim_scan__unwant(struct shim_scanner *sc, const struct shim_want *want);
void shim_scan__stop(struct shim_scanner *sc);

/* Find prior or next observations from the cursor, placed at @t; afterwards none is wanted. */
int shim_scan__back(struct shim_scanner *sc, int64_t t);
int shim_scan__forw(struct shim_scanner *sc, int64_t t);

/* Note damage in a volume, to be reported, each volume's once: 0 or -ENOMEM */
int shim_scan__note_damage(struct shim_scanner *sc, uint32_t volume);
/* Step over the next or previous record, and over volumes that cannot be used, which it notes */
int shim_scan__step(struct shim_scanner *sc, struct shim_cursor *c, struct shim_record *rec,
		    bool back);
/* Look for damage behind the last record, whose time is @end; sets @damaged; 0 or an error */
int shim_scan__end(struct shim_scanner *sc, struct shim_ts end);

#endif /* SHIM_ARCHIVE_SCAN_H */
