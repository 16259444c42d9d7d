/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the log of a cloud or a cluster says about instances, in any order, and the trace
 * that follows from it.
 *
 * Importers add what each record says; spot_instance_log_finish() sorts and judges:
 *
 * - An instance that is there without a start runs from the begin of the log.
 * - The first record of a loss ends an instance. Later ones, up to its next start, only
 *   add the cause, if it was not known.
 * - A notice is no loss. A loss of unknown cause within SPOT_NOTICE_LIFE_MS after a
 *   notice is a preemption; without a notice it is a stop or what --cause says.
 * - With --notice D a notice without a loss is a preemption after D, unless the instance
 *   is seen running later than that.
 * - In a log whose records are starts (has_starts), an instance that starts after a notice
 *   has ended in between: a preemption D after the notice, at the latest at the start.
 *   Without --notice the log is refused. A recommendation counts as a notice where the log
 *   has neither notices nor losses; else the instance has ended at the start at the latest,
 *   of unknown cause.
 * - Without --notice a log that has notices, or only recommendations, and not one loss is
 *   refused, unless the instances are seen running SPOT_NOTICE_LIFE_MS later. Where it
 *   has recommendations only, --notice counts them as notices.
 * - With --initial N, N instances run when the log starts: those that are named first,
 *   and others that it does not name. What is named later without a start has come
 *   when an earlier one ended; in a log without starts each that ended is replaced so.
 * - The log ends at its last record, or at --until; without that not before the losses
 *   of --notice. */
#pragma once

#include "traces/convert/convert.h"
#include "traces/records/records.h"

/* How long a notice explains a loss: the longest notice of a cloud is 2 minutes, and
 * instances take some time to shut down. */
#define SPOT_NOTICE_LIFE_MS (10 * SPOT_MS_PER_MIN)

/* How long after a start another record of it may come. */
#define SPOT_START_LIFE_MS (1 * SPOT_MS_PER_MIN)

typedef enum {
    SPOT_SAYS_RUNS,      /* it starts, or runs */
    SPOT_SAYS_PREEMPTED, /* the provider takes it */
    SPOT_SAYS_STOPPED,   /* the user or a controller of theirs gives it back */
    SPOT_SAYS_GONE,      /* it ends, the cause is not said */
    SPOT_SAYS_NOTICE,    /* the provider is about to take it */
    SPOT_SAYS_ADVICE,    /* it may be taken: says nothing but that it runs */
    SPOT_NUM_SAYS
} spot_says_t;

typedef struct {
    int64_t time_ms; /* since 1970 */
    uint32_t order;  /* of the record */
    int32_t name_id;
    spot_says_t says;
} spot_instance_record_t;

/* What all records of a trace may have in common. */
typedef enum { SPOT_LABEL_ZONE, SPOT_LABEL_TYPE, SPOT_NUM_LABELS } spot_log_label_t;

/* Where a record stands. */
typedef struct {
    size_t input_id;
    size_t line;
    size_t column;
} spot_log_place_t;

typedef struct {
    spot_import_t *import;
    spot_names_t names;
    size_t num_records;
    size_t max_records;
    spot_instance_record_t *records;   /* [num_records] */
    int64_t now_ms;                    /* of --until; INT64_MIN: none, or the importer may set it */
    int64_t first_ms;                  /* of the log, where the records do not show it */
    int64_t last_ms;                   /* the same */
    int64_t size;                      /* of a log that counts, the latest */
    int64_t num_other;                 /* records that are about nothing of this */
    int64_t num_notices;               /* of a log that counts: they name nothing */
    int64_t num_advised;               /* the same */
    bool has_starts;                   /* SPOT_SAYS_RUNS is a start, no sight of what runs */
    bool is_zoned;                     /* all times had a zone */
    bool is_local;                     /* one had another zone than UTC */
    bool has_now_zone;                 /* --until has one */
    bool is_yearless;                  /* that times have no year was reported */
    bool has_several[SPOT_NUM_LABELS]; /* values, so the trace has no such key */
} spot_instance_log_t;

/* Reads --until; one without a zone is refused at the end where the log has times of other
 * zones than UTC. BAD_INPUT; free self even then. */
SPOT_MUST_CHECK int spot_instance_log_init(spot_instance_log_t *self, spot_import_t *import);
void spot_instance_log_free(spot_instance_log_t *self);

/* Adds what a record says. The name is that of the instance; one that --only leaves out
 * is passed over. BAD_INPUT for a name that a trace cannot hold, reported at the place;
 * NO_MEMORY. */
SPOT_MUST_CHECK int spot_instance_log_add(spot_instance_log_t *self, const spot_log_place_t *place,
    int64_t time_ms, spot_says_t says, const char *name);

/* For a log that counts instances: there are size of them from time_ms on, which never
 * decreases. They have numbers as names, the latest goes first, and the trace is of kind
 * counts. BAD_INPUT: too many come and go; NO_MEMORY. O(difference). */
SPOT_MUST_CHECK int spot_instance_log_resize(
    spot_instance_log_t *self, int64_t time_ms, int64_t size, spot_says_t loss);

/* Reads a time with the zone of the log; one without a zone is taken as UTC and said.
 * BAD_INPUT, reported as "FIELD: expected ..., got 'TEXT'". */
SPOT_MUST_CHECK int spot_instance_log_time(spot_instance_log_t *self, const spot_log_place_t *place,
    const char *field, const char *text, int64_t *time_ms);

/* The same for a time such as "06-07 17:00:00" without a year: the latest one up to a
 * day after now_ms; a record after now_ms is refused at the end, as its zone may be
 * another one. BAD_INPUT; that --until is missing is reported once. */
SPOT_MUST_CHECK int spot_instance_log_time_of_year(
    spot_instance_log_t *self, const spot_log_place_t *place, const char *text, int64_t *time_ms);

/* Takes note of the zone of a time; says once that one has none. */
void spot_instance_log_zone(spot_instance_log_t *self, const char *text, bool has_zone);

/* Reports "FIELD: expected EXPECTED, got 'TEXT'", or "FIELD: missing" for an empty text.
 * Returns BAD_INPUT. */
int spot_instance_log_expected(const spot_instance_log_t *self, const spot_log_place_t *place,
    const char *field, const char *expected, const char *text);

/* Sets the key of the trace, which goes again once a record has another value. A value
 * that is no name of a zone or a type is passed over. */
void spot_instance_log_label(spot_instance_log_t *self, spot_log_label_t label, const char *value);

/* Adds the remark "COUNT ONE" or "COUNT MANY"; none for 0. */
void spot_instance_log_remark(spot_instance_log_t *self, spot_remark_kind_t kind, const char *key,
    int64_t count, const char *one, const char *many);

/* Reads an input as JSON, with take_record() as spot_json_records(), or else row by row,
 * with take_row() as spot_import_rows(), or is_split false: spot_import_lines(). */
SPOT_MUST_CHECK int spot_instance_log_read(spot_instance_log_t *self, size_t input_id,
    const char *const *lists, int (*take_record)(void *state, const spot_json_value_t *record),
    bool is_split, int (*take_row)(void *state, const spot_csv_row_t *row), void *state);

/* Makes the trace: kind named, start, end, resolution, remarks. BAD_INPUT: no record
 * says anything of an instance, or there are warnings and no loss, or starts after
 * warnings; NO_MEMORY. O(records log records). */
SPOT_MUST_CHECK int spot_instance_log_finish(spot_instance_log_t *self);

/* For logs of JSON records: the place of a value, and that of the value which a record
 * has at a path, or of the record. */
static inline spot_log_place_t spot_log_place(size_t input_id, const spot_json_value_t *value)
{
    return (spot_log_place_t){input_id, value->line, value->column};
}

static inline spot_log_place_t spot_log_place_at(
    size_t input_id, const spot_json_value_t *record, const char *path)
{
    const spot_json_value_t *value = spot_json_at(record, path);

    return spot_log_place(input_id, value == NULL ? record : value);
}
