/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/colocation.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/key_table.h"
#include "base/memory.h"
#include "base/table_file.h"
#include "base/texts.h"

const char *const spot_unknown_pair_names[] = {"refuse", "proportional", "one", NULL};

/* Families of which the published simulator takes the pairs as free of interference. */
static const char *const heavy_models[] = {"NeuMF", "ResNet50", "BERT", "Transformer", NULL};

typedef struct {
    const char *model, *dataset;
    int32_t batch_size, amp;
} workload_key_t;

struct spot_colocation_use {
    int32_t key_id; /* of the table, -1: it is in no pair */
    bool is_heavy;
    double gpu_util, gmem_util, gmem_mib;
};

struct spot_measured_pair {
    int32_t key_ids[2];
    size_t line;                 /* of the file */
    spot_colocation_pair_t pair; /* the first one as the guest */
};

/* ---- The table ---- */

typedef struct {
    workload_key_t keys[2];
    spot_colocation_pair_t pair;
} pair_row_t;

static const pair_row_t empty_row = {.pair = {.can_share = true}};

/* A key is the text of its parts; its id is that of the text. */
typedef struct {
    spot_colocation_t *self;
    spot_texts_t texts;
    spot_text_set_t keys;
} reading_t;

#define COLUMN(kind, name, member, ...)                                                            \
    SPOT_TABLE_COLUMN(kind, name, pair_row_t, member, __VA_ARGS__)
#define KEY(id, digit, speed)                                                                      \
    COLUMN(TEXT, "model" digit, keys[id].model, .max = 0),                                         \
        COLUMN(TEXT, "dataset" digit, keys[id].dataset, .max = 0),                                 \
        COLUMN(COUNT, "batchsize" digit, keys[id].batch_size, .max = INT32_MAX),                   \
        COLUMN(COUNT, "amp" digit, keys[id].amp, .max = 1),                                        \
        COLUMN(NUMBER, "speed" digit, pair.speed, .min = DBL_MIN, .max = 2,                        \
            .expected = "expected a speed above 0 and at most 2"),                                 \
        COLUMN(IGNORED, "gpu_num" digit, pair, .is_optional = true)
#define PERCENT .max = 100, .expected = "expected % from 0 to 100"

static const spot_table_file_column_t columns[] = {
    KEY(0, "1", guest_speed),
    KEY(1, "2", host_speed),
    COLUMN(NUMBER, "gpu_util", pair.gpu_util, PERCENT),
    COLUMN(NUMBER, "gmem_util", pair.gmem_util, PERCENT),
    COLUMN(NUMBER, "gmem", pair.gmem_mib, .max = 1e9, .expected = "expected MiB from 0 to 1e9"),
    COLUMN(IGNORED, "", pair, .is_optional = true),
};

/* The text without the blanks around it, which a quoted field keeps. */
static const char *trim(spot_texts_t *texts, const char *text)
{
    const char *start = text == NULL ? "" : text + strspn(text, " \t");
    size_t num_bytes = strlen(start);

    while (num_bytes > 0 && strchr(" \t", start[num_bytes - 1]) != NULL) {
        num_bytes--;
    }
    return spot_texts_add(texts, "%.*s", (int) num_bytes, start);
}

static const char *key_text(spot_texts_t *texts, const workload_key_t *key)
{
    return spot_texts_add(texts, "%s\x1f%s\x1f%d\x1f%d", trim(texts, key->model),
        trim(texts, key->dataset), key->batch_size, key->amp);
}

static int take_pair(spot_table_file_t *file, const spot_csv_row_t *row, const void *values)
{
    reading_t *reading = file->table;
    const pair_row_t *from = values;
    struct spot_measured_pair pair = {.line = row->line, .pair = from->pair};
    int ret = 0;

    for (size_t k = 0; k < 2; k++) {
        ret =
            spot_error_first(ret, spot_text_set_add(&reading->keys, &reading->texts.arena,
                                      key_text(&reading->texts, &from->keys[k]), &pair.key_ids[k]));
    }
    return spot_error_first(ret, SPOT_ARRAY_APPEND(reading->self, measured, pair));
}

static int compare_pairs(const void *first, const void *second)
{
    const int32_t *a = ((const struct spot_measured_pair *) first)->key_ids;
    const int32_t *b = ((const struct spot_measured_pair *) second)->key_ids;

    return a[0] != b[0] ? (a[0] > b[0]) - (a[0] < b[0]) : (a[1] > b[1]) - (a[1] < b[1]);
}

static int compare_pairs_and_lines(const void *first, const void *second)
{
    const struct spot_measured_pair *a = first, *b = second;
    const int order = compare_pairs(a, b);

    return order != 0 ? order : (a->line > b->line) - (a->line < b->line);
}

/* Keeps one row of each pair, the first one. */
static int join_repeated(spot_colocation_t *self, const char *path, spot_diag_t *diag)
{
    size_t num_kept = 0;
    int ret = 0;

    for (size_t j = 0; j < self->num_measured; j++) {
        const struct spot_measured_pair *pair = &self->measured[j];
        const struct spot_measured_pair *kept = &self->measured[num_kept - (num_kept > 0)];

        if (num_kept == 0 || compare_pairs(pair, kept) != 0) {
            self->measured[num_kept++] = *pair;
        } else if (pair->pair.guest_speed != kept->pair.guest_speed ||
                   pair->pair.host_speed != kept->pair.host_speed) {
            ret = spot_diag_error(diag, path, pair->line, 1,
                "the pair is in line %zu with other speeds (%g and %g, here %g and %g)", kept->line,
                kept->pair.guest_speed, kept->pair.host_speed, pair->pair.guest_speed,
                pair->pair.host_speed);
        }
    }
    self->num_measured = num_kept;
    spot_diag_close_file(diag);
    return ret;
}

static int read_pairs(reading_t *reading, const char *path, spot_diag_t *diag)
{
    static const spot_table_file_format_t format = {SPOT_TABLE_NAMED(columns), .empty = "no pairs",
        .row_bytes = sizeof(pair_row_t), .initial = &empty_row, .take = take_pair};
    spot_colocation_t *self = reading->self;
    const int ret = spot_table_file_read(&format, path, diag, reading);

    if (ret != 0) {
        return ret;
    }
    qsort(self->measured, self->num_measured, sizeof(*self->measured), compare_pairs_and_lines);
    return join_repeated(self, path, diag);
}

/* ---- Pairs of a log ---- */

static bool is_heavy(const char *model)
{
    for (size_t j = 0; heavy_models[j] != NULL; j++) {
        if (strcmp(model, heavy_models[j]) == 0) {
            return true;
        }
    }
    return false;
}

static int take_workloads(reading_t *reading, const spot_colocated_t *workloads)
{
    spot_colocation_t *self = reading->self;

    self->uses = spot_calloc(self->num_workloads, sizeof(*self->uses));
    for (size_t j = 0; j < self->num_workloads && self->uses != NULL; j++) {
        const spot_colocated_t *from = &workloads[j];
        const workload_key_t key = {from->model, from->dataset, from->batch_size, from->amp};
        const char *model = trim(&reading->texts, from->model);

        self->uses[j] = (struct spot_colocation_use){
            .key_id = model[0] == '\0'
                          ? -1
                          : spot_text_set_find(&reading->keys, key_text(&reading->texts, &key)),
            .is_heavy = is_heavy(model),
            .gpu_util = isfinite(from->gpu_util) ? from->gpu_util : 100,
            .gmem_util = isfinite(from->gmem_util) ? from->gmem_util : 100,
            .gmem_mib = isfinite(from->gmem_mib) ? from->gmem_mib : 0};
    }
    return self->uses == NULL ? SPOT_ERR_NO_MEMORY : 0;
}

int spot_colocation_init(spot_colocation_t *self, const char *path, spot_unknown_pair_t rule,
    bool has_heavy, size_t num_workloads, const spot_colocated_t *workloads, spot_diag_t *diag)
{
    reading_t reading = {.self = self};
    int ret;

    memset(self, 0, sizeof(*self));
    self->has_heavy = has_heavy;
    self->rule = path == NULL && rule == SPOT_PAIR_REFUSE ? SPOT_PAIR_PROPORTIONAL : rule;
    self->num_workloads = num_workloads;
    ret = path == NULL ? 0 : read_pairs(&reading, path, diag);
    ret = ret == 0 ? take_workloads(&reading, workloads) : ret;
    ret = spot_error_first(ret, reading.texts.error);
    spot_text_set_free(&reading.keys);
    spot_texts_free(&reading.texts);
    return ret;
}

void spot_colocation_free(spot_colocation_t *self)
{
    free(self->uses);
    free(self->measured);
    memset(self, 0, sizeof(*self));
}

static const struct spot_measured_pair *find_measured(
    const spot_colocation_t *self, int32_t first_id, int32_t second_id)
{
    const struct spot_measured_pair wanted = {.key_ids = {first_id, second_id}};

    return self->num_measured == 0 || first_id < 0 || second_id < 0
               ? NULL
               : bsearch(
                     &wanted, self->measured, self->num_measured, sizeof(wanted), compare_pairs);
}

spot_colocation_pair_t spot_colocation_pair(
    const spot_colocation_t *self, int32_t guest_id, int32_t host_id)
{
    const struct spot_colocation_use *guest = &self->uses[guest_id];
    const struct spot_colocation_use *host = &self->uses[host_id];
    const double util = guest->gpu_util + host->gpu_util;
    const bool is_heavy = guest->is_heavy || host->is_heavy;
    const bool is_free = self->has_heavy && is_heavy;
    const double speed = is_free || self->rule != SPOT_PAIR_PROPORTIONAL ? 1 : fmin(1, 100 / util);
    /* The published simulator takes a % for a fraction here. */
    const spot_colocation_pair_t unknown = {is_free || self->rule != SPOT_PAIR_REFUSE, speed, speed,
        fmin(is_free ? 1 : 100, util), fmin(100, guest->gmem_util + host->gmem_util),
        guest->gmem_mib + host->gmem_mib};
    const struct spot_measured_pair *pair;
    spot_colocation_pair_t swapped;

    if (is_heavy) {
        return unknown;
    }
    pair = find_measured(self, guest->key_id, host->key_id);
    if (pair != NULL) {
        return pair->pair;
    }
    pair = find_measured(self, host->key_id, guest->key_id);
    if (pair == NULL) {
        return unknown;
    }
    swapped = pair->pair;
    swapped.guest_speed = pair->pair.host_speed;
    swapped.host_speed = pair->pair.guest_speed;
    return swapped;
}

double spot_colocation_mean_speed(const spot_colocation_t *self, int32_t workload_id)
{
    const int32_t key = self->uses[workload_id].key_id;
    double sum = 0, num_speeds = 0;

    for (size_t j = 0; j < self->num_measured && key >= 0; j++) {
        const struct spot_measured_pair *pair = &self->measured[j];
        const bool is_guest = pair->key_ids[0] == key, is_host = pair->key_ids[1] == key;

        sum += is_guest ? pair->pair.guest_speed : 0;
        sum += is_host ? pair->pair.host_speed : 0;
        num_speeds += is_guest + is_host;
    }
    return num_speeds > 0 ? sum / num_speeds : (double) NAN;
}
