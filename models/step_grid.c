/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/step_grid.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/table_file.h"
#include "base/units.h"

void spot_step_grid_free(spot_step_grid_t *self)
{
    free(self->pairs);
    free(self->best);
    memset(self, 0, sizeof(*self));
}

int spot_step_grid_add(spot_step_grid_t *self, const spot_step_pair_t *pair)
{
    const size_t num_pairs = self->num_pairs + self->num_infeasible;
    const int ret =
        spot_array_reserve(&self->pairs, &self->max_pairs, num_pairs + 1, sizeof(*pair));

    if (ret != 0) {
        return ret;
    }
    spot_bug_assert(pair->num_pipelines >= 1 && pair->depth >= 1);
    spot_bug_assert(pair->step_ms == 0 || pair->step_ms >= SPOT_MIN_STEP_MS);
    self->pairs[num_pairs] = *pair;
    self->num_pairs += pair->step_ms > 0;
    self->num_infeasible += pair->step_ms == 0;
    return 0;
}

/* ---- Sealing ---- */

static int64_t instances_of(const spot_step_pair_t *self)
{
    return (int64_t) self->num_pipelines * self->depth;
}

static int compare_places(const spot_step_pair_t *a, const spot_step_pair_t *b)
{
    if (a->depth != b->depth) {
        return a->depth < b->depth ? -1 : 1;
    }
    return (a->num_pipelines > b->num_pipelines) - (a->num_pipelines < b->num_pipelines);
}

/* Orders by P, then D, then line. */
static int compare_pairs(const void *left, const void *right)
{
    const spot_step_pair_t *a = left, *b = right;
    const int order = compare_places(a, b);

    return order != 0 ? order : (a->line > b->line) - (a->line < b->line);
}

/* Orders feasible pairs first, then by P and D. */
static int compare_feasible(const void *left, const void *right)
{
    const spot_step_pair_t *a = left, *b = right;

    if ((a->step_ms > 0) != (b->step_ms > 0)) {
        return a->step_ms > 0 ? -1 : 1;
    }
    return compare_places(a, b);
}

/* A candidate of best(N), with the keys of its order. */
typedef struct {
    const spot_step_pair_t *pair;
    int64_t num_instances;
    double speed;
} candidate_t;

static int compare_candidates(const void *left, const void *right)
{
    const candidate_t *a = left, *b = right;

    if (a->num_instances != b->num_instances) {
        return a->num_instances < b->num_instances ? -1 : 1;
    }
    if (a->speed != b->speed) {
        return a->speed > b->speed ? -1 : 1;
    }
    return (a->pair->depth > b->pair->depth) - (a->pair->depth < b->pair->depth);
}

/* Fills best: by instances, each pair that is faster than all before it. */
static int find_best(spot_step_grid_t *self)
{
    candidate_t *candidates = spot_calloc(self->num_pairs, sizeof(*candidates));
    double speed = 0;

    free(self->best);
    self->num_best = 0;
    self->best = spot_calloc(self->num_pairs, sizeof(const spot_step_pair_t *));
    if (candidates == NULL || self->best == NULL) {
        free(candidates);
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < self->num_pairs; j++) {
        const spot_step_pair_t *pair = &self->pairs[j];

        candidates[j] = (candidate_t){pair, instances_of(pair), spot_step_grid_speed(self, pair)};
    }
    qsort(candidates, self->num_pairs, sizeof(*candidates), compare_candidates);
    for (size_t j = 0; j < self->num_pairs; j++) {
        if (candidates[j].speed > speed) {
            speed = candidates[j].speed;
            self->best[self->num_best++] = candidates[j].pair;
        }
    }
    free(candidates);
    return 0;
}

int spot_step_grid_seal(spot_step_grid_t *self, spot_step_pair_t *repeated, size_t *first_line)
{
    const size_t num_all = self->num_pairs + self->num_infeasible;

    if (num_all == 0) {
        return 0;
    }
    qsort(self->pairs, num_all, sizeof(*self->pairs), compare_pairs);
    for (size_t j = 1; j < num_all; j++) {
        if (compare_places(&self->pairs[j - 1], &self->pairs[j]) == 0) {
            if (repeated != NULL) {
                *repeated = self->pairs[j];
                *first_line = self->pairs[j - 1].line;
            }
            return SPOT_ERR_BAD_PARAM;
        }
    }
    qsort(self->pairs, num_all, sizeof(*self->pairs), compare_feasible);
    return find_best(self);
}

int spot_step_grid_limit(spot_step_grid_t *self, int64_t max_pipelines)
{
    const size_t num_all = self->num_pairs + self->num_infeasible;
    size_t num_kept = 0, num_feasible = 0;

    for (size_t j = 0; j < num_all; j++) {
        if (self->pairs[j].num_pipelines <= max_pipelines) {
            num_feasible += j < self->num_pairs;
            self->pairs[num_kept++] = self->pairs[j];
        }
    }
    self->num_pairs = num_feasible;
    self->num_infeasible = num_kept - num_feasible;
    return num_kept == num_all ? 0 : find_best(self);
}

/* ---- Looking up ---- */

/* Number of feasible pairs up to (D,P) in the order of pairs. */
static size_t count_up_to(const spot_step_grid_t *self, int64_t num_pipelines, int64_t depth)
{
    size_t low = 0, high = self->num_pairs;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const spot_step_pair_t *pair = &self->pairs[middle];

        if (pair->depth < depth || (pair->depth == depth && pair->num_pipelines <= num_pipelines)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

int64_t spot_step_grid_most_pipelines(const spot_step_grid_t *self, int64_t limit, int64_t depth)
{
    const size_t count = count_up_to(self, limit, depth);

    return count > 0 && self->pairs[count - 1].depth == depth ? self->pairs[count - 1].num_pipelines
                                                              : 0;
}

const spot_step_pair_t *spot_step_grid_find(
    const spot_step_grid_t *self, int64_t num_pipelines, int64_t depth)
{
    const size_t count = count_up_to(self, num_pipelines, depth);
    const spot_step_pair_t *pair = count == 0 ? NULL : &self->pairs[count - 1];

    return pair != NULL && pair->depth == depth && pair->num_pipelines == num_pipelines ? pair
                                                                                        : NULL;
}

bool spot_step_grid_lists(const spot_step_grid_t *self, int64_t num_pipelines, int64_t depth)
{
    const spot_step_pair_t key = {
        .num_pipelines = (int32_t) num_pipelines, .depth = (int32_t) depth};

    return spot_step_grid_find(self, num_pipelines, depth) != NULL ||
           (self->num_infeasible > 0 &&
               bsearch(&key, self->pairs + self->num_pairs, self->num_infeasible, sizeof(key),
                   compare_feasible) != NULL);
}

const spot_step_pair_t *spot_step_grid_best(const spot_step_grid_t *self, int64_t num_instances)
{
    size_t low = 0, high = self->num_best;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (instances_of(self->best[middle]) <= num_instances) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low == 0 ? NULL : self->best[low - 1];
}

double spot_step_grid_speed(const spot_step_grid_t *self, const spot_step_pair_t *pair)
{
    return self->has_samples_per_s ? pair->samples_per_s : 1 / pair->step_ms;
}

int64_t spot_step_pair_ms(const spot_step_pair_t *self)
{
    const int64_t step_ms = (int64_t) nearbyint(self->step_ms);

    return step_ms > 0 ? step_ms : 1; /* 0.5 is a tie */
}

/* ---- Reading ---- */

/* The first three columns are required; the others may follow in this order. */
enum { COLUMN_PIPELINES, COLUMN_DEPTH, COLUMN_STEP, COLUMN_SAMPLES, COLUMN_ORIGIN, NUM_COLUMNS };

static const char *const origins[] = {"measured", "fitted", "estimated", NULL};

#define MEMBER(member) offsetof(spot_step_pair_t, member)
static const spot_row_member_t columns[NUM_COLUMNS] = {
    {"D", SPOT_MEMBER_SMALL, MEMBER(num_pipelines), 1, .max = SPOT_MAX_INSTANCES},
    {"P", SPOT_MEMBER_SMALL, MEMBER(depth), 1, .max = SPOT_MAX_INSTANCES},
    {"step_ms", SPOT_MEMBER_NUMBER, MEMBER(step_ms), SPOT_MIN_STEP_MS,
        (double) SPOT_MAX_DURATION_MS,
        "expected milliseconds from 0.5 to 100 years, or nothing where the pair is "
        "infeasible",
        .may_be_empty = true},
    {"samples_per_s", SPOT_MEMBER_NUMBER, MEMBER(samples_per_s), 0, HUGE_VAL,
        "expected samples per second from 0", .is_optional = true, .may_be_empty = true},
    {"origin", SPOT_MEMBER_CHOICE, MEMBER(origin),
        .expected = "expected measured, fitted or estimated", .is_optional = true,
        .choices = origins},
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
