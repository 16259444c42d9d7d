/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/packing_labels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv_field.h"
#include "base/table_file.h"
#include "models/colocation.h"

enum { TINY, MEDIUM, JUMBO };

const char *const spot_packing_features[] = {"amp", "gpu_util", "gmem_util", "gmem"};

/* ---- The table ---- */

typedef struct {
    spot_packing_workload_t workload;
    const char *label;
} workload_row_t;

#define COLUMN(name, kind, member, ...)                                                            \
    SPOT_TABLE_COLUMN(kind, name, workload_row_t, member, __VA_ARGS__)
#define PERCENT .max = 100, .expected = "expected % from 0 to 100"

static const spot_table_file_column_t columns[] = {
    COLUMN("model", TEXT, workload.model, .max = 0),
    COLUMN("dataset", TEXT, workload.dataset, .max = 0),
    COLUMN("batchsize", COUNT, workload.batch_size, .max = INT32_MAX),
    COLUMN("amp", COUNT, workload.amp, .max = 1),
    COLUMN("gpu_util", NUMBER, workload.features[SPOT_PACKING_GPU_UTIL], PERCENT),
    COLUMN("gmem_util", NUMBER, workload.features[SPOT_PACKING_GMEM_UTIL], PERCENT),
    COLUMN("gmem", NUMBER, workload.features[SPOT_PACKING_GMEM], .max = 1e9,
        .expected = "expected MiB from 0 to 1e9"),
    COLUMN("speed", NUMBER, workload.speed_per_s, .max = 1e12,
        .expected = "expected samples/s from 0 to 1e12", .is_optional = true, .may_be_empty = true),
    COLUMN("label", TEXT, label, .is_optional = true),
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
    static const spot_table_file_format_t format = {SPOT_TABLE_NAMED(columns),
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
        self->workloads[j].automatic =
            label_of_speed(spot_colocation_mean_speed(&pairs, (int32_t) j));
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
    spot_labelled_t rows = {.num_features = SPOT_PACKING_FEATURES};
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
    ret = ret == 0 ? spot_tree_fit(&self->tree, &rows, depth) : ret;
    if (ret == 0 && rows.num_rows > 1) {
        ret = spot_tree_leave_one_out(&rows, depth, left_out, &self->num_left_out);
    }
    for (size_t j = 0, row = 0; j < self->num_workloads && ret == 0; j++) {
        spot_packing_workload_t *workload = &self->workloads[j];

        workload->predicted = rows.num_rows > 1 && learned_label(self, workload) >= 0
                                  ? left_out[row++]
                                  : spot_tree_label(&self->tree, workload->features);
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
    spot_tree_free(&self->tree);
    free(self->workloads);
    memset(self, 0, sizeof(*self));
}

/* ---- Writing ---- */

void spot_packing_labels_write(const spot_packing_labels_t *self, FILE *out)
{
    fputs("model,dataset,batchsize,amp,speed,gpu_util,gmem_util,gmem,sharescore,label,"
          "automatic\n",
        out);
    for (size_t j = 0; j < self->num_workloads; j++) {
        const spot_packing_workload_t *workload = &self->workloads[j];
        const int32_t labels[] = {workload->predicted, workload->label, workload->automatic};

        spot_csv_field_text(out, workload->model);
        fputc(',', out);
        spot_csv_field_text(out, workload->dataset);
        fprintf(out, ",%d,%d", workload->batch_size, workload->amp);
        spot_csv_field_number(out, workload->speed_per_s);
        for (size_t k = SPOT_PACKING_GPU_UTIL; k < SPOT_PACKING_FEATURES; k++) {
            spot_csv_field_number(out, workload->features[k]);
        }
        for (size_t k = 0; k < sizeof(labels) / sizeof(labels[0]); k++) {
            spot_csv_field_number(out, labels[k] < 0 ? (double) NAN : labels[k]);
        }
        fputc('\n', out);
    }
}

void spot_packing_rule_write(const spot_packing_labels_t *self, size_t leaf_id, FILE *out)
{
    const spot_tree_node_t *nodes = self->tree.nodes;
    const spot_tree_node_t *node = nodes;

    while (node->feature_id >= 0) {
        const int side = (int32_t) leaf_id >= node->children[1];

        fprintf(out, "%s%s %s %.10g", node == nodes ? "" : ", ",
            spot_packing_features[node->feature_id], side == 0 ? "<=" : ">", node->threshold);
        node = &nodes[node->children[side]];
    }
    if (node == nodes) {
        fputs("any", out);
    }
}
