/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads and writes step times by (D,P) as a CSV file with a row for each pair. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/table_file.h"
#include "base/units.h"
#include "models/step_grid.h"

/* ---- Reading ---- */

/* The first three columns are required; the others may follow in this order. */
enum { COLUMN_PIPELINES, COLUMN_DEPTH, COLUMN_STEP, COLUMN_SAMPLES, COLUMN_ORIGIN, NUM_COLUMNS };

static const char *const origins[] = {"measured", "fitted", "estimated", NULL};

#define MEMBER(member) offsetof(spot_step_pair_t, member)
static const spot_table_file_column_t columns[NUM_COLUMNS] = {
    {"D", SPOT_CELL_COUNT, MEMBER(num_pipelines), 1, .max = SPOT_MAX_INSTANCES},
    {"P", SPOT_CELL_COUNT, MEMBER(depth), 1, .max = SPOT_MAX_INSTANCES},
    {"step_ms", SPOT_CELL_NUMBER, MEMBER(step_ms), SPOT_MIN_STEP_MS, (double) SPOT_MAX_DURATION_MS,
        "expected milliseconds from 0.5 to 100 years, or nothing where the pair is "
        "infeasible",
        .may_be_empty = true},
    {"samples_per_s", SPOT_CELL_NUMBER, MEMBER(samples_per_s), 0, HUGE_VAL,
        "expected samples per second from 0", .is_optional = true, .may_be_empty = true},
    {"origin", SPOT_CELL_WORD, MEMBER(origin), .expected = "expected measured, fitted or estimated",
        .is_optional = true, .words = origins},
};

/* samples_per_s is required with a step time, forbidden without one. */
static const char *samples_problem(const spot_csv_row_t *row, const spot_step_pair_t *pair)
{
    if (pair->step_ms == 0) {
        return pair->samples_per_s > 0 ? "expected none without a step_ms" : NULL;
    }
    return row->fields[COLUMN_SAMPLES][0] == '\0' ? columns[COLUMN_SAMPLES].expected : NULL;
}

static int take_pair(spot_table_file_t *file, const spot_csv_row_t *row, const void *values)
{
    const bool has_samples = file->has[COLUMN_SAMPLES];
    spot_step_pair_t pair = *(const spot_step_pair_t *) values;
    const char *problem = has_samples ? samples_problem(row, &pair) : NULL;

    if (problem != NULL) {
        spot_table_file_report_field(file, row, COLUMN_SAMPLES, problem);
        return 0;
    }
    if ((int64_t) pair.num_pipelines * pair.depth > SPOT_MAX_INSTANCES) {
        spot_table_file_report(file, row->line, "D P: more than %d instances", SPOT_MAX_INSTANCES);
        return 0;
    }
    pair.step_ms = has_samples && pair.samples_per_s == 0 ? 0 : pair.step_ms;
    pair.line = row->line;
    return spot_step_grid_add(file->table, &pair);
}

static void seal(spot_table_file_t *file, size_t end_line)
{
    spot_step_grid_t *grid = file->table;

    grid->has_samples_per_s = file->has[COLUMN_SAMPLES];
    if (grid->num_pairs == 0 && !file->is_faulty) {
        spot_table_file_report(file, end_line, "no pair with a step time");
    }
}

int spot_step_grid_read(spot_step_grid_t *self, const char *path, spot_diag_t *diag)
{
    static const spot_table_file_remark_t remarks[] = {
        {"samples_per_step", offsetof(spot_step_grid_t, samples_per_step), 0},
        {"micro_batch", offsetof(spot_step_grid_t, micro_batch), 0},
        {"layers", offsetof(spot_step_grid_t, num_layers), 0}, {0}};
    static const spot_table_file_format_t format = {.num_columns = NUM_COLUMNS,
        .columns = columns,
        .layout = "D,P,step_ms[,samples_per_s][,origin]",
        .remarks = remarks,
        .row_bytes = sizeof(spot_step_pair_t),
        .take = take_pair,
        .seal = seal};
    spot_step_pair_t repeated = {0};
    size_t first_line = 0;
    int ret, sealed;

    memset(self, 0, sizeof(*self));
    ret = spot_table_file_read(&format, path, diag, self);
    if (ret != 0 && ret != SPOT_ERR_BAD_INPUT) {
        return ret;
    }
    sealed = spot_step_grid_seal(self, &repeated, &first_line);
    if (sealed == SPOT_ERR_BAD_PARAM) {
        return spot_diag_error(diag, path, repeated.line, 1,
            "the pair %" PRId32 ",%" PRId32 " is in line %zu already", repeated.num_pipelines,
            repeated.depth, first_line);
    }
    return sealed == 0 ? ret : sealed;
}

/* ---- Writing ---- */

static void write_remarks(const spot_step_grid_t *self, const char *const *remarks, FILE *out)
{
    for (; remarks != NULL && *remarks != NULL; remarks++) {
        fprintf(out, "# %s\n", *remarks);
    }
    if (self->samples_per_step > 0) {
        fprintf(out, "# samples_per_step: %" PRId64 "\n", self->samples_per_step);
    }
    if (self->micro_batch > 0) {
        fprintf(out, "# micro_batch: %" PRId64 "\n", self->micro_batch);
    }
    if (self->num_layers > 0) {
        fprintf(out, "# layers: %" PRId64 "\n", self->num_layers);
    }
}

/* Writes a comma and the number; nothing after the comma for an infeasible pair. */
static void write_number(double value, FILE *out)
{
    char text[SPOT_NUMBER_TEXT_BYTES];

    spot_number_text(value, text);
    fprintf(out, ",%s", value > 0 ? text : "");
}

void spot_step_grid_write(const spot_step_grid_t *self, const char *const *remarks, FILE *out)
{
    write_remarks(self, remarks, out);
    fprintf(out, "D,P,step_ms%s,origin\n", self->has_samples_per_s ? ",samples_per_s" : "");
    for (size_t j = 0; j < self->num_pairs + self->num_infeasible; j++) {
        const spot_step_pair_t *pair = &self->pairs[j];

        fprintf(out, "%" PRId32 ",%" PRId32, pair->num_pipelines, pair->depth);
        write_number(pair->step_ms, out);
        if (self->has_samples_per_s) {
            write_number(pair->samples_per_s, out);
        }
        fprintf(out, ",%s\n", origins[pair->origin]);
    }
}
