/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scan records for the observations next to a time. */
#ifndef SHIM_ARCHIVE_SCAN_H
#define SHIM_ARCHIVE_SCAN_H

#include "interp_metric.h"
#include "pmidmap.h"
#include "reader.h"
#include "volume.h"

/*
 * Recognize, by their layout, records that contain no value for which a scan is searching.
 *
 * A logger writes the same metrics repeatedly, so most records have their value sets at the same
 * places as an earlier record.  Comparing the places is much faster than looking up each metric.
 */

#define SHIM_SKIP_LAYOUTS	8	/* loggers have a few groups, with one layout each */

/*
 * struct shim_skip_layout - the locations of a record's value sets
 * @scan: number of the scan that found nothing in a record with this layout
 * @len, @npmids: length and number of metrics of the record
 * @sets: distance of each value set from the record's start, and its metric and number of values
 */
struct shim_skip_layout {
	uint32_t scan;
	uint32_t len;
	uint32_t npmids;
	size_t room;
	struct shim_skip_set {
		uint32_t at;
		uint8_t head[8];
	} *sets;
};

struct shim_scan_skip {
	struct shim_skip_layout all[SHIM_SKIP_LAYOUTS];
};

void shim_scan_skip__fini(struct shim_scan_skip *skip);

/*
 * struct shim_scanner - a position in the archive, and the observations to search for
 * @metrics: all @n metrics requested so far; @map finds them, and @indoms the first one of an
 *	instance domain
 * @cursor: position after the last record at or before @at, if @placed
 * @readbuf: the cursor's read buffer
 * @behind: time of the record before the cursor, if @behind_known
 * @behind_single: no record before it has the same time
 * @ahead: time of the record after the cursor, if @ahead_known
 * @ahead_single: no record after it has the same time
 * @too_far: the shortest way, in time, that was too long for a walk
 * @gap: marks between records at most this far apart are ignored; SHIM_TIME_MIN: none is ignored
 * @mark: time of the last mark that was passed, if @has_mark
 * @number: number of the last scan
 * @damaged: a scan has found damage that no fetch has reported yet
 * @reported: volumes whose damage has been reported
 * @skip: layouts of records that had no value for the scan
 * @wants: @nwants instances whose observations are wanted; @left of them have not been found yet
 */
struct shim_scanner {
	struct shim_archive *ar;
	struct shim_ts start;
	struct shim_interp_metric **metrics;
	unsigned int n;
	size_t room;
	struct shim_pmidmap map;
	struct shim_pmidmap indoms;
	bool placed;
	struct shim_cursor cursor;
	struct shim_readbuf readbuf;
	int64_t at;
	bool behind_known, behind_single, ahead_known, ahead_single;
	int64_t behind, ahead;
	uint64_t too_far;
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

/* Return a record's stamp in nanoseconds since the archive's start. */
static inline int64_t shim_scan__time(const struct shim_scanner *sc, const struct shim_record *rec)
{
	return shim_interp_metric__time(rec->stamp, sc->start);
}

/* Return 1 if a record is a mark that is not ignored, 0 if not, or an error. */
int shim_scan__is_mark(const struct shim_scanner *sc, const struct shim_record *rec);

/*
 * Move the cursor to a time.  With @walk_there, do not seek, but walk over every record up to that
 * time, except records known not to be marks, so that no mark is missed.  Damage on the way is
 * recorded.
 */
int shim_scan__seek(struct shim_scanner *sc, struct shim_ts when, bool walk_there);

/*
 * Skip records towards a time as long as they have values and their stamps are in order.  Return
 * false if the time was not reached; the caller must then examine the next record.
 */
bool shim_scan__hop(struct shim_scanner *sc, struct shim_ts when, int64_t t);

/* Search for an instance's observation in the next scan.  Return 0 or -ENOMEM. */
int shim_scan__want(struct shim_scanner *sc, struct shim_interp_metric *m,
		    struct shim_interp_inst *k);

/* Stop searching for one observation, or for all. */
void shim_scan__unwant(struct shim_scanner *sc, const struct shim_want *want);
void shim_scan__stop(struct shim_scanner *sc);

/*
 * Find prior or next observations from the cursor, which is placed at @t.  Afterwards no
 * observation is wanted.
 */
int shim_scan__back(struct shim_scanner *sc, int64_t t);
int shim_scan__forw(struct shim_scanner *sc, int64_t t);

/* Record damage in a volume for reporting, once per volume.  Return 0 or -ENOMEM. */
int shim_scan__note_damage(struct shim_scanner *sc, uint32_t volume);
/* Step to the next or previous record.  Unusable volumes are skipped and recorded. */
int shim_scan__step(struct shim_scanner *sc, struct shim_cursor *c, struct shim_record *rec,
		    bool back);
/* Search for damage after the last record, at @end, and set @damaged.  Return 0 or an error. */
int shim_scan__end(struct shim_scanner *sc, struct shim_ts end);

#endif /* SHIM_ARCHIVE_SCAN_H */
