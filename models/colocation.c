/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/colocation.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/keys.h"
#include "base/table_file.h"

/* Rows of numbers, each with a label. */
typedef struct {
    size_t num_rows;
    size_t num_features;
    const double *values;  /* [num_rows][num_features] finite */
    const int32_t *labels; /* [num_rows] 0 ... TREE_MAX_LABELS - 1 */
} labelled_t;

#define TREE_MAX_LABELS 16

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

/* ---- The table of pairs ---- */

typedef struct {
    workload_key_t keys[2];
    spot_colocation_pair_t pair;
} pair_row_t;

static const pair_row_t empty_row = {.pair = {.can_share = true}};

/* A key is the text of its parts; its id is that of the text. */
typedef struct {
    spot_colocation_t *self;
    spot_texts_t texts;
    spot_names_t keys;
} reading_t;

#define COLUMN(kind, name, member, ...)                                                            \
    SPOT_MEMBER_WITH(kind, name, pair_row_t, member, __VA_ARGS__)
#define KEY(id, digit, speed)                                                                      \
    SPOT_MEMBER(TEXT, "model" digit, pair_row_t, keys[id].model),                                  \
        SPOT_MEMBER(TEXT, "dataset" digit, pair_row_t, keys[id].dataset),                          \
        COLUMN(SMALL, "batchsize" digit, keys[id].batch_size, .max = INT32_MAX),                   \
        COLUMN(SMALL, "amp" digit, keys[id].amp, .max = 1),                                        \
        COLUMN(NUMBER, "speed" digit, pair.speed, .min = DBL_MIN, .max = 2,                        \
            .expected = "expected a speed above 0 and at most 2"),                                 \
        COLUMN(IGNORED, "gpu_num" digit, pair, .is_optional = true)
#define PERCENT .max = 100, .expected = "expected % from 0 to 100"

static const spot_row_member_t columns[] = {
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
        const char *key = key_text(&reading->texts, &from->keys[k]);

        ret = spot_error_first(
            ret, spot_names_add(&reading->keys, key, strlen(key), &pair.key_ids[k]));
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
        const char *text = key_text(&reading->texts, &key);

        self->uses[j] = (struct spot_colocation_use){
            .key_id = model[0] == '\0' ? -1 : spot_names_find(&reading->keys, text, strlen(text)),
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
    spot_names_free(&reading.keys);
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

/* The mean speed of a workload in the pairs of the table, as first and as second; NAN:
 * it is in none. O(pairs). */
static double mean_speed(const spot_colocation_t *self, int32_t workload_id)
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

/* ---- Trees ---- */

/* A value of the feature under trial, and the label of its row. */
typedef struct {
    double value;
    size_t row;
} sample_t;

typedef struct {
    const labelled_t *rows;
    sample_t *samples; /* [num_rows] of the nodes that are split */
    spot_tree_t *tree;
} growth_t;

typedef struct {
    double quality; /* sum over the sides of squared counts / rows */
    int32_t feature_id;
    double threshold;
} split_t;

static int compare_samples(const void *first, const void *second)
{
    const sample_t *a = first, *b = second;

    return a->value != b->value ? (a->value > b->value) - (a->value < b->value)
                                : (a->row > b->row) - (a->row < b->row);
}

static void sort_by(growth_t *self, size_t first, size_t end, size_t feature_id)
{
    for (size_t i = first; i < end; i++) {
        self->samples[i].value =
            self->rows->values[self->samples[i].row * self->rows->num_features + feature_id];
    }
    qsort(self->samples + first, end - first, sizeof(*self->samples), compare_samples);
}

static int32_t label_of(const growth_t *self, size_t i)
{
    return self->rows->labels[self->samples[i].row];
}

static void count_labels(
    const growth_t *self, size_t first, size_t end, double counts[TREE_MAX_LABELS])
{
    memset(counts, 0, TREE_MAX_LABELS * sizeof(*counts));
    for (size_t i = first; i < end; i++) {
        counts[label_of(self, i)] += 1;
    }
}

static double squares(const double counts[TREE_MAX_LABELS])
{
    double sum = 0;

    for (size_t k = 0; k < TREE_MAX_LABELS; k++) {
        sum += counts[k] * counts[k];
    }
    return sum;
}

/* A better split by one feature, by which the samples are sorted. The quality is one
 * division of whole numbers, so that equal splits have equal qualities. */
static void try_feature(const growth_t *self, size_t first, size_t end, size_t feature_id,
    const double counts[TREE_MAX_LABELS], split_t *best)
{
    double left[TREE_MAX_LABELS] = {0}, right[TREE_MAX_LABELS];

    memcpy(right, counts, sizeof(right));
    for (size_t i = first; i + 1 < end; i++) {
        const double value = self->samples[i].value, next = self->samples[i + 1].value;
        const double num_left = (double) (i + 1 - first);
        const double num_right = (double) (end - i - 1);
        double quality;

        left[label_of(self, i)] += 1;
        right[label_of(self, i)] -= 1;
        quality = (squares(left) * num_right + squares(right) * num_left) / (num_left * num_right);
        if (value < next && quality > best->quality) {
            const double middle = value + (next - value) / 2;

            *best = (split_t){quality, (int32_t) feature_id, middle < next ? middle : value};
        }
    }
}

static int add_node(growth_t *self, size_t first, size_t end, const double counts[TREE_MAX_LABELS])
{
    spot_tree_node_t node = {.feature_id = -1, .num_rows = end - first};

    for (int32_t k = 1; k < TREE_MAX_LABELS; k++) {
        if (counts[k] > counts[node.label]) {
            node.label = k;
        }
    }
    node.num_right = (size_t) counts[node.label];
    return SPOT_ARRAY_APPEND(self->tree, nodes, node);
}

static int grow(growth_t *self, size_t first, size_t end, int depth)
{
    const size_t node_id = self->tree->num_nodes;
    double counts[TREE_MAX_LABELS];
    split_t best = {.feature_id = -1};
    size_t middle = first;
    int ret;

    count_labels(self, first, end, counts);
    best.quality = squares(counts) / (double) (end - first);
    ret = add_node(self, first, end, counts);
    for (size_t j = 0; j < self->rows->num_features && depth > 0 && ret == 0; j++) {
        sort_by(self, first, end, j);
        try_feature(self, first, end, j, counts, &best);
    }
    if (ret != 0 || best.feature_id < 0) {
        return ret;
    }
    sort_by(self, first, end, (size_t) best.feature_id);
    while (self->samples[middle].value <= best.threshold) {
        middle++;
    }
    self->tree->nodes[node_id].feature_id = best.feature_id;
    self->tree->nodes[node_id].threshold = best.threshold;
    for (size_t side = 0; side < 2 && ret == 0; side++) {
        self->tree->nodes[node_id].children[side] = (int32_t) self->tree->num_nodes;
        ret = side == 0 ? grow(self, first, middle, depth - 1) : grow(self, middle, end, depth - 1);
    }
    return ret;
}

/* Fits to all rows but one, or to all if left_out is their number. */
static int fit_without(spot_tree_t *self, const labelled_t *rows, int depth, size_t left_out)
{
    growth_t growth = {rows, spot_calloc(rows->num_rows, sizeof(sample_t)), self};
    size_t num = 0;
    int ret = growth.samples == NULL ? SPOT_ERR_NO_MEMORY : 0;

    memset(self, 0, sizeof(*self));
    for (size_t i = 0; i < rows->num_rows && ret == 0; i++) {
        if (i != left_out) {
            growth.samples[num++].row = i;
        }
    }
    if (ret == 0 && (num == 0 || depth < 0 || depth > SPOT_TREE_MAX_DEPTH)) {
        ret = SPOT_ERR_BAD_PARAM;
    }
    ret = ret == 0 ? grow(&growth, 0, num, depth) : ret;
    free(growth.samples);
    return ret;
}

/* Splits in the middle between neighbouring distinct values where the index of Gini gets
 * strictly less, at the least one; of equal ones the lowest feature, then the lowest
 * threshold. BAD_PARAM: no rows, a depth outside 0 ... SPOT_TREE_MAX_DEPTH; NO_MEMORY;
 * free self even then. O(depth * features * rows log rows). */
static int tree_fit(spot_tree_t *self, const labelled_t *rows, int depth)
{
    return fit_without(self, rows, depth, rows->num_rows);
}

static void tree_free(spot_tree_t *self)
{
    free(self->nodes);
    memset(self, 0, sizeof(*self));
}

/* The label of a row of values: [num_features]. O(depth). */
static int32_t tree_label(const spot_tree_t *self, const double *values)
{
    const spot_tree_node_t *node = self->nodes;

    while (node->feature_id >= 0) {
        node = &self->nodes[node->children[!(values[node->feature_id] <= node->threshold)]];
    }
    return node->label;
}

/* The number of rows whose label a tree finds that was fitted to all other rows.
 * predicted: [num_rows] their labels, or NULL. Errors of tree_fit(); with one row
 * BAD_PARAM. */
static int tree_leave_one_out(
    const labelled_t *rows, int depth, int32_t *predicted, size_t *num_right)
{
    int ret = 0;

    *num_right = 0;
    for (size_t i = 0; i < rows->num_rows && ret == 0; i++) {
        spot_tree_t tree = {0};

        ret = fit_without(&tree, rows, depth, i);
        if (ret == 0) {
            const int32_t label = tree_label(&tree, rows->values + i * rows->num_features);

            *num_right += label == rows->labels[i];
            if (predicted != NULL) {
                predicted[i] = label;
            }
        }
        tree_free(&tree);
    }
    return ret;
}

enum { TINY, MEDIUM, JUMBO };

/* ---- The table of workloads ---- */

typedef struct {
    spot_packing_workload_t workload;
    const char *label;
} workload_row_t;

#define LABEL_COLUMN(name, kind, member, ...)                                                      \
    SPOT_MEMBER_WITH(kind, name, workload_row_t, member, __VA_ARGS__)

static const spot_row_member_t label_columns[] = {
    SPOT_MEMBER(TEXT, "model", workload_row_t, workload.model),
    SPOT_MEMBER(TEXT, "dataset", workload_row_t, workload.dataset),
    LABEL_COLUMN("batchsize", SMALL, workload.batch_size, .max = INT32_MAX),
    LABEL_COLUMN("amp", SMALL, workload.amp, .max = 1),
    LABEL_COLUMN("gpu_util", NUMBER, workload.features[SPOT_PACKING_GPU_UTIL], PERCENT),
    LABEL_COLUMN("gmem_util", NUMBER, workload.features[SPOT_PACKING_GMEM_UTIL], PERCENT),
    LABEL_COLUMN("gmem", NUMBER, workload.features[SPOT_PACKING_GMEM], .max = 1e9,
        .expected = "expected MiB from 0 to 1e9"),
    LABEL_COLUMN("speed", NUMBER, workload.speed_per_s, .max = 1e12,
        .expected = "expected samples/s from 0 to 1e12", .is_optional = true, .may_be_empty = true),
    LABEL_COLUMN("label", TEXT, label, .is_optional = true),
};
enum { COLUMN_LABEL = 8 };

static int take_workload(spot_table_file_t *file, const spot_csv_row_t *row, const void *values)
{
    spot_packing_labels_t *self = file->table;
    const workload_row_t *from = values;
    const char *label = from->label;
    spot_packing_workload_t workload = from->workload;

    workload.model = spot_arena_text(&self->texts, workload.model);
    workload.dataset = spot_arena_text(&self->texts, workload.dataset);
    workload.features[SPOT_PACKING_AMP] = workload.amp;
    workload.label = workload.automatic = -1;
    if (workload.speed_per_s == 0) { /* not given */
        workload.speed_per_s = (double) NAN;
    }
    if (label != NULL && label[0] != '\0') {
        workload.label = label[0] - '0';
        if (workload.label < TINY || workload.label > JUMBO || label[1] != '\0') {
            spot_table_file_report_field(file, row, COLUMN_LABEL, "expected 0, 1, 2 or nothing");
        }
        self->num_labels++;
    }
    return spot_error_first(self->texts.error, SPOT_ARRAY_APPEND(self, workloads, workload));
}

static int read_table(spot_packing_labels_t *self, const char *path, spot_diag_t *diag)
{
    static const spot_table_file_format_t format = {SPOT_TABLE_NAMED(label_columns),
        .empty = "no workloads", .row_bytes = sizeof(workload_row_t), .take = take_workload};

    return spot_table_file_read(&format, path, diag, self);
}

/* ---- Automatic labels ---- */

/* The label of a mean speed beside others, in thousandths. A workload that was not
 * measured beside any other, NAN, does not share well. */
static int32_t label_of_speed(double speed)
{
    const double thousandths = floor(speed * 1000 + 0.5);

    return thousandths >= 950 ? TINY : thousandths >= 850 ? MEDIUM : JUMBO;
}

static int find_automatic(spot_packing_labels_t *self, const char *path, spot_diag_t *diag)
{
    spot_colocated_t *uses = spot_calloc(self->num_workloads, sizeof(*uses));
    spot_colocation_t pairs = {0};
    int ret = uses == NULL ? SPOT_ERR_NO_MEMORY : 0;

    for (size_t j = 0; j < self->num_workloads && ret == 0; j++) {
        const spot_packing_workload_t *from = &self->workloads[j];

        uses[j] = (spot_colocated_t){.model = from->model,
            .dataset = from->dataset,
            .batch_size = from->batch_size,
            .amp = from->amp};
    }
    if (ret == 0) {
        ret = spot_colocation_init(
            &pairs, path, SPOT_PAIR_REFUSE, false, self->num_workloads, uses, diag);
    }
    for (size_t j = 0; j < self->num_workloads && ret == 0; j++) {
        self->workloads[j].automatic = label_of_speed(mean_speed(&pairs, (int32_t) j));
        self->num_automatic += self->workloads[j].automatic == self->workloads[j].label;
    }
    spot_colocation_free(&pairs);
    free(uses);
    return ret;
}

/* ---- Training ---- */

/* The label that is learned of a workload, or -1. */
static int32_t learned_label(
    const spot_packing_labels_t *self, const spot_packing_workload_t *workload)
{
    return self->num_labels > 0 ? workload->label : workload->automatic;
}

static int train(spot_packing_labels_t *self, int depth)
{
    spot_arena_t arena = {0};
    labelled_t rows = {.num_features = SPOT_PACKING_FEATURES};
    double *values;
    int32_t *labels, *left_out;
    int ret;

    SPOT_ARENA_ARRAY(&arena, values, self->num_workloads * SPOT_PACKING_FEATURES);
    SPOT_ARENA_ARRAY(&arena, labels, self->num_workloads);
    SPOT_ARENA_ARRAY(&arena, left_out, self->num_workloads);
    ret = arena.error;
    for (size_t j = 0; j < self->num_workloads && ret == 0; j++) {
        if (learned_label(self, &self->workloads[j]) >= 0) {
            memcpy(values + rows.num_rows * SPOT_PACKING_FEATURES, self->workloads[j].features,
                sizeof(self->workloads[j].features));
            labels[rows.num_rows++] = learned_label(self, &self->workloads[j]);
        }
    }
    rows.values = values;
    rows.labels = labels;
    ret = ret == 0 ? tree_fit(&self->tree, &rows, depth) : ret;
    if (ret == 0 && rows.num_rows > 1) {
        ret = tree_leave_one_out(&rows, depth, left_out, &self->num_left_out);
    }
    for (size_t j = 0, row = 0; j < self->num_workloads && ret == 0; j++) {
        spot_packing_workload_t *workload = &self->workloads[j];

        workload->predicted = rows.num_rows > 1 && learned_label(self, workload) >= 0
                                  ? left_out[row++]
                                  : tree_label(&self->tree, workload->features);
    }
    spot_arena_free(&arena);
    return ret;
}

int spot_packing_labels_train(spot_packing_labels_t *self, const char *path,
    const char *colocation_path, int depth, spot_diag_t *diag)
{
    int ret;

    memset(self, 0, sizeof(*self));
    ret = read_table(self, path, diag);
    if (ret == 0 && colocation_path != NULL) {
        ret = find_automatic(self, colocation_path, diag);
    } else if (ret == 0 && self->num_labels == 0) {
        ret = spot_diag_error(diag, path, 0, 0,
            "no labels to learn: the column label is missing or empty, and there is no "
            "co-location table");
    }
    return ret == 0 ? train(self, depth) : ret;
}

void spot_packing_labels_free(spot_packing_labels_t *self)
{
    spot_arena_free(&self->texts);
    tree_free(&self->tree);
    free(self->workloads);
    memset(self, 0, sizeof(*self));
}
