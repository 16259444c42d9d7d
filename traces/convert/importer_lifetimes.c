/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Converts a lifetimes file to a named trace: each instance comes at its start, and goes
 * when it is preempted or given back. */
#include <stdlib.h>
#include <string.h>

#include "base/datetime.h"
#include "base/memory.h"
#include "traces/convert/convert.h"
#include "traces/lifetimes.h"

/* One end of a life. */
typedef struct {
    int64_t time_ms;
    spot_event_kind_t kind;
    size_t life_id;
} moment_t;

static bool sniff(const spot_convert_head_t *head)
{
    const char *line = head->line;

    return strncmp(line, "# spotsim-lifetimes:", 20) == 0;
}

/* Orders by time, then losses before additions, then by place in the file. */
static int compare(const void *left, const void *right)
{
    static const int ranks[] = {
        [SPOT_EVENT_PREEMPT] = 0, [SPOT_EVENT_STOP] = 1, [SPOT_EVENT_ADD] = 2};
    const moment_t *a = left, *b = right;

    if (a->time_ms != b->time_ms) {
        return a->time_ms < b->time_ms ? -1 : 1;
    }
    if (a->kind != b->kind) {
        return ranks[a->kind] - ranks[b->kind];
    }
    return (a->life_id > b->life_id) - (a->life_id < b->life_id);
}

static moment_t *sort_moments(const spot_lifetimes_t *lifetimes)
{
    moment_t *moments = spot_calloc(2 * lifetimes->num_lives, sizeof(*moments));

    if (moments == NULL) {
        return NULL;
    }
    for (size_t j = 0; j < lifetimes->num_lives; j++) {
        const spot_life_t *life = &lifetimes->lives[j];

        moments[2 * j] = (moment_t){life->start_ms, SPOT_EVENT_ADD, j};
        moments[2 * j + 1] = (moment_t){life->start_ms + life->duration_ms,
            life->is_preempted ? SPOT_EVENT_PREEMPT : SPOT_EVENT_STOP, j};
    }
    qsort(moments, 2 * lifetimes->num_lives, sizeof(*moments), compare);
    return moments;
}

static int make_events(
    spot_import_t *import, const spot_lifetimes_t *lifetimes, const moment_t *moments)
{
    const int64_t first_ms = moments[0].time_ms;
    int ret = 0;

    for (size_t j = 0; j < 2 * lifetimes->num_lives && ret == 0; j++) {
        const moment_t *moment = &moments[j];
        const spot_life_t *life = &lifetimes->lives[moment->life_id];

        ret = spot_import_instance(import, life->line, 1, life->instance, strlen(life->instance),
            moment->kind == SPOT_EVENT_ADD);
        if (ret == 0) {
            spot_import_event(import, moment->time_ms - first_ms, moment->kind, 1, false);
        }
        ret = ret == SPOT_ERR_BAD_INPUT ? 0 : ret;
        spot_import_note_time(import, moment->time_ms - first_ms);
        import->trace->end_ms = moment->time_ms - first_ms;
    }
    return ret == 0 && import->is_doubtful ? SPOT_ERR_BAD_INPUT : ret;
}

/* Sets the start of the trace to the start of the first life. */
static void take_start(spot_import_t *import, const char *start, int64_t first_ms)
{
    char later[SPOT_DATETIME_BYTES];

    if (first_ms == 0) {
        spot_import_key(import, "start", start);
    } else if (spot_datetime_later(start, first_ms, later)) {
        spot_import_key(import, "start", later);
    } else if (strcmp(start, "unknown") != 0) {
        SPOT_IMPORT_REMARK(import, SPOT_REMARK_UNCERTAIN, "start", 0,
            "the first life begins later than the start of the file, which is a date "
            "only: the start is unknown");
    }
}

static void take_keys(spot_import_t *import, const spot_lifetimes_t *lifetimes, int64_t first_ms)
{
    const char *start = spot_keys_find(&lifetimes->header, "start");
    const char *license = spot_keys_find(&lifetimes->header, "license");

    spot_import_key(import, "note", "lives of instances; observation end = last end of a life");
    if (start != NULL) {
        take_start(import, start, first_ms);
    }
    if (license != NULL) {
        spot_import_key(import, "license", license);
    }
    SPOT_IMPORT_REMARK(import, SPOT_REMARK_UNCERTAIN, "one_fleet", 0,
        "lives may be of separate launches: the number running says little");
}

static int read_lifetimes(spot_import_t *import)
{
    spot_lifetimes_t lifetimes = {0};
    moment_t *moments = NULL;
    spot_csv_t *csv = NULL;
    int ret = spot_record_input_csv(&import->inputs[0], &csv, import->diag);

    ret = ret == 0 ? spot_lifetimes_read_csv(&lifetimes, csv, import->diag) : ret;
    if (ret == 0) {
        moments = sort_moments(&lifetimes);
        ret = moments == NULL ? SPOT_ERR_NO_MEMORY : make_events(import, &lifetimes, moments);
    }
    if (ret == 0) {
        import->trace->kind = SPOT_TRACE_NAMED;
        import->capacity = SPOT_UNBOUNDED;
        import->report->num_records = (int64_t) lifetimes.num_lives;
        spot_import_take_gcd(import);
        take_keys(import, &lifetimes, moments[0].time_ms);
    }
    free(moments);
    spot_lifetimes_free(&lifetimes);
    spot_csv_close(csv);
    return ret;
}

const spot_importer_t spot_importer_lifetimes = {
    .name = "lifetimes",
    .doc = "a lifetimes file (# spotsim-lifetimes: 1) as a named trace",
    .source = "this program",
    .num_inputs = 1,
    .sniff = sniff,
    .read = read_lifetimes,
};
