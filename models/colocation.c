/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/colocation.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/table_file.h"

const char *const spot_unknown_pair_names[] = {"refuse", "proportional", "one", NULL};

/* Families of which the published simulator takes the pairs as free of interference. */
static const char *const heavy_models[] = {
    "NeuMF", "ResNet50", "BERT", "Transformer", NULL};

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
    size_t line; /* of the file */
    double speeds[2];
    double gpu_util, gmem_util, gmem_mib;
};

/* ---- The table ---- */

/* A row of the file, whose texts are in an arena once it is taken. */
typedef struct {
    workload_key_t keys[2];
    struct spot_measured_pair pair;
} pair_row_t;

typedef struct {
    spot_arena_t texts;
    size_t num_rows;
    size_t max_rows;
    pair_row_t *rows; /* [num_rows] in file order */
    size_t num_keys;
    workload_key_t *keys; /* [num_keys] increasing */
} pair_table_t;

#define COLUMN(kind, name, member, ...)                                                 \
    SPOT_TABLE_COLUMN(kind, name, pair_row_t, member, __VA_ARGS__)
#define KEY(id, digit)                                                                  \
    COLUMN(TEXT, "model" digit, keys[id].model, .max = 0),                              \
        COLUMN(TEXT, "dataset" digit, keys[id].dataset, .max = 0),                      \
        COLUMN(COUNT, "batchsize" digit, keys[id].batch_size, .max = INT32_MAX),        \
        COLUMN(COUNT, "amp" digit, keys[id].amp, .max = 1),                             \
        COLUMN(NUMBER, "speed" digit, pair.speeds[id], .min = DBL_MIN,                  \
            .max = SPOT_COLOCATION_MAX_SPEED,                                           \
            .expected = "expected a speed above 0 and at most 2"),                      \
        COLUMN(IGNORED, "gpu_num" digit, pair, .is_optional = true)
#define PERCENT .max = 100, .expected = "expected % from 0 to 100"

static const spot_table_file_column_t columns[] = {
    KEY(0, "1"),
    KEY(1, "2"),
    COLUMN(NUMBER, "gpu_util", pair.gpu_util, PERCENT),
    COLUMN(NUMBER, "gmem_util", pair.gmem_util, PERCENT),
    COLUMN(NUMBER, "gmem", pair.gmem_mib, .max = 1e9,
        .expected = "expected MiB from 0 to 1e9"),
    COLUMN(IGNORED, "", pair, .is_optional = true),
};
enum { NUM_COLUMNS = sizeof(columns) / sizeof(columns[0]) };

/* A copy of a text without the blanks around it, which a quoted field keeps. */
static const char *
copy_trimmed(spot_arena_t *arena, const char *text)
{
    char *copy = spot_arena_text(arena, text + strspn(text, " \t"));
    size_t num_bytes = copy == NULL ? 0 : strlen(copy);

    while (num_bytes > 0 && strchr(" \t", copy[num_bytes - 1]) != NULL) {
        copy[--num_bytes] = '\0';
    }
    return copy;
}

static int
take_pair(spot_table_file_t *file, const spot_csv_row_t *row, const void *values)
{
    pair_table_t *table = file->table;
    pair_row_t pair = *(const pair_row_t *) values;

    for (size_t k = 0; k < 2; k++) {
        pair.keys[k].model = copy_trimmed(&table->texts, pair.keys[k].model);
        pair.keys[k].dataset = copy_trimmed(&table->texts, pair.keys[k].dataset);
    }
    pair.pair.line = row->line;
    return spot_error_first(table->texts.error, SPOT_ARRAY_APPEND(table, rows, pair));
}

static void
seal(spot_table_file_t *file, size_t end_line)
{
    const pair_table_t *table = file->table;

    if (!file->is_faulty && table->num_rows == 0) {
        spot_table_file_report(file, end_line, "no pairs");
    }
}

static int
read_table(pair_table_t *table, const char *path, spot_diag_t *diag)
{
    static const spot_table_file_format_t format = {.num_columns = NUM_COLUMNS,
        .columns = columns,
        .is_any_order = true,
        .ignores_others = true,
        .needs_columns = true,
        .row_bytes = sizeof(pair_row_t),
        .take = take_pair,
        .seal = seal};
    spot_table_file_t file = {
        .format = &format, .path = path, .diag = diag, .table = table};

    return spot_table_file_read(&file);
}

static void
table_free(pair_table_t *table)
{
    spot_arena_free(&table->texts);
    free(table->rows);
    free(table->keys);
}

/* ---- Keys as numbers ---- */

static int
compare_keys(const void *first, const void *second)
{
    const workload_key_t *a = first, *b = second;
    int order = strcmp(a->model, b->model);

    order = order != 0 ? order : strcmp(a->dataset, b->dataset);
    order = order != 0
                ? order
                : (a->batch_size > b->batch_size) - (a->batch_size < b->batch_size);
    return order != 0 ? order : a->amp - b->amp;
}

static int
find_keys(pair_table_t *table)
{
    size_t num_distinct = 0;

    table->keys = spot_calloc(2 * table->num_rows, sizeof(*table->keys));
    if (table->keys == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < table->num_rows; j++) {
        memcpy(&table->keys[2 * j], table->rows[j].keys, sizeof(table->rows[j].keys));
    }
    qsort(table->keys, 2 * table->num_rows, sizeof(*table->keys), compare_keys);
    for (size_t j = 0; j < 2 * table->num_rows; j++) {
        if (j == 0 || compare_keys(&table->keys[j], &table->keys[j - 1]) != 0) {
            table->keys[num_distinct++] = table->keys[j];
        }
    }
    table->num_keys = num_distinct;
    return 0;
}

static int32_t
key_id(const pair_table_t *table, const workload_key_t *key)
{
    const workload_key_t *found =
        table->num_keys == 0
            ? NULL
            : bsearch(key, table->keys, table->num_keys, sizeof(*key), compare_keys);

    return found == NULL ? -1 : (int32_t) (found - table->keys);
}

static int
compare_pairs(const void *first, const void *second)
{
    const int32_t *a = ((const struct spot_measured_pair *) first)->key_ids;
    const int32_t *b = ((const struct spot_measured_pair *) second)->key_ids;

    return a[0] != b[0] ? (a[0] > b[0]) - (a[0] < b[0]) : (a[1] > b[1]) - (a[1] < b[1]);
}

static int
compare_pairs_and_lines(const void *first, const void *second)
{
    const struct spot_measured_pair *a = first, *b = second;
    const int order = compare_pairs(a, b);

    return order != 0 ? order : (a->line > b->line) - (a->line < b->line);
}

/* Keeps one row of each pair, the first one. */
static int
join_repeated(spot_colocation_t *self, const char *path, spot_diag_t *diag)
{
    size_t num_kept = 0;
    int ret = 0;

    for (size_t j = 0; j < self->num_measured; j++) {
        const struct spot_measured_pair *pair = &self->measured[j];
        const struct spot_measured_pair *kept =
            &self->measured[num_kept - (num_kept > 0)];

        if (num_kept == 0 || compare_pairs(pair, kept) != 0) {
            self->measured[num_kept++] = *pair;
        } else if (memcmp(pair->speeds, kept->speeds, sizeof(pair->speeds)) != 0) {
            ret = spot_diag_error(diag, path, pair->line, 1,
                "the pair is in line %zu with other speeds (%g and %g, here %g and %g)",
                kept->line, kept->speeds[0], kept->speeds[1], pair->speeds[0],
                pair->speeds[1]);
        }
    }
    self->num_measured = num_kept;
    spot_diag_close_file(diag);
    return ret;
}

static int
take_measured(
    spot_colocation_t *self, pair_table_t *table, const char *path, spot_diag_t *diag)
{
    int ret = spot_error_first(
        find_keys(table), SPOT_ARRAY_ROOM(self, measured, table->num_rows));

    for (size_t j = 0; j < table->num_rows && ret == 0; j++) {
        struct spot_measured_pair *pair = &self->measured[j];

        *pair = table->rows[j].pair;
        pair->key_ids[0] = key_id(table, &table->rows[j].keys[0]);
        pair->key_ids[1] = key_id(table, &table->rows[j].keys[1]);
    }
    if (ret != 0) {
        return ret;
    }
    self->num_measured = table->num_rows;
    qsort(self->measured, self->num_measured, sizeof(*self->measured),
        compare_pairs_and_lines);
    return join_repeated(self, path, diag);
}

/* ---- Pairs of a log ---- */

static bool
is_heavy(const char *model)
{
    for (size_t j = 0; heavy_models[j] != NULL; j++) {
        if (strcmp(model, heavy_models[j]) == 0) {
            return true;
        }
    }
    return false;
}

static int
take_workloads(
    spot_colocation_t *self, pair_table_t *table, const spot_colocated_t *workloads)
{
    self->uses = spot_calloc(self->num_workloads, sizeof(*self->uses));
    for (size_t j = 0; j < self->num_workloads && self->uses != NULL; j++) {
        const spot_colocated_t *from = &workloads[j];
        const workload_key_t key = {
            copy_trimmed(&table->texts, from->model == NULL ? "" : from->model),
            copy_trimmed(&table->texts, from->dataset == NULL ? "" : from->dataset),
            from->batch_size, from->amp};
        struct spot_colocation_use *use = &self->uses[j];

        if (table->texts.error != 0) {
            break;
        }
        use->key_id = key.model[0] == '\0' ? -1 : key_id(table, &key);
        use->is_heavy = is_heavy(key.model);
        use->gpu_util = isfinite(from->gpu_util) ? from->gpu_util : 100;
        use->gmem_util = isfinite(from->gmem_util) ? from->gmem_util : 100;
        use->gmem_mib = isfinite(from->gmem_mib) ? from->gmem_mib : 0;
    }
    return self->uses == NULL ? SPOT_ERR_NO_MEMORY : table->texts.error;
}

int
spot_colocation_init(spot_colocation_t *self, const char *path, spot_unknown_pair_t rule,
    bool has_heavy, size_t num_workloads, const spot_colocated_t *workloads,
    spot_diag_t *diag)
{
    pair_table_t table;
    int ret = 0;

    memset(self, 0, sizeof(*self));
    memset(&table, 0, sizeof(table));
    self->has_heavy = has_heavy;
    self->rule =
        path == NULL && rule == SPOT_PAIR_REFUSE ? SPOT_PAIR_PROPORTIONAL : rule;
    self->num_workloads = num_workloads;
    if (path != NULL) {
        ret = read_table(&table, path, diag);
        ret = ret == 0 ? take_measured(self, &table, path, diag) : ret;
    }
    ret = ret == 0 ? take_workloads(self, &table, workloads) : ret;
    table_free(&table);
    return ret;
}

void
spot_colocation_free(spot_colocation_t *self)
{
    free(self->uses);
    free(self->measured);
    memset(self, 0, sizeof(*self));
}

static const struct spot_measured_pair *
find_measured(const spot_colocation_t *self, int32_t first_id, int32_t second_id)
{
    const struct spot_measured_pair wanted = {.key_ids = {first_id, second_id}};

    return self->num_measured == 0 || first_id < 0 || second_id < 0
               ? NULL
               : bsearch(&wanted, self->measured, self->num_measured, sizeof(wanted),
                     compare_pairs);
}

static spot_colocation_pair_t
measured_pair(const struct spot_measured_pair *pair, size_t guest)
{
    const spot_colocation_pair_t result = {true, pair->speeds[guest],
        pair->speeds[1 - guest], pair->gpu_util, pair->gmem_util, pair->gmem_mib};

    return result;
}

spot_colocation_pair_t
spot_colocation_pair(const spot_colocation_t *self, int32_t guest_id, int32_t host_id)
{
    const struct spot_colocation_use *guest = &self->uses[guest_id];
    const struct spot_colocation_use *host = &self->uses[host_id];
    const double util = guest->gpu_util + host->gpu_util;
    const bool is_free = self->has_heavy && (guest->is_heavy || host->is_heavy);
    const double speed =
        is_free || self->rule != SPOT_PAIR_PROPORTIONAL ? 1 : fmin(1, 100 / util);
    /* The published simulator takes a % for a fraction here. */
    const spot_colocation_pair_t unknown = {is_free || self->rule != SPOT_PAIR_REFUSE,
        speed, speed, fmin(is_free ? 1 : 100, util),
        fmin(100, guest->gmem_util + host->gmem_util), guest->gmem_mib + host->gmem_mib};
    const struct spot_measured_pair *pair;

    if (is_free) {
        return unknown;
    }
    pair = find_measured(self, guest->key_id, host->key_id);
    if (pair != NULL) {
        return measured_pair(pair, 0);
    }
    pair = find_measured(self, host->key_id, guest->key_id);
    return pair != NULL ? measured_pair(pair, 1) : unknown;
}

double
spot_colocation_mean_speed(const spot_colocation_t *self, int32_t workload_id)
{
    const int32_t key = self->uses[workload_id].key_id;
    double sum = 0, num_speeds = 0;

    for (size_t j = 0; j < self->num_measured && key >= 0; j++) {
        for (size_t k = 0; k < 2; k++) {
            if (self->measured[j].key_ids[k] == key) {
                sum += self->measured[j].speeds[k];
                num_speeds += 1;
            }
        }
    }
    return num_speeds > 0 ? sum / num_speeds : (double) NAN;
}
