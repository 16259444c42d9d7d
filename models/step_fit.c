/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/step_fit.h"

#include <gsl/gsl_multifit.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/outfile.h"
#include "base/stats.h"
#include "base/units.h"
#include "models/step_time.h"

#define MS_PER_S 1000.0

/* A further coefficient must lower the mean squared relative error by more than this,
 * which is more than rounding. */
#define MIN_GAIN 1e-18

/* Singular values below this fraction of the largest count as 0; columns are scaled. */
#define RANK_TOLERANCE 1e-10

/* Least squares with coefficients >= 0. */
typedef struct {
    size_t num_rows;
    size_t num_terms; /* <= SPOT_STEP_FIT_TERMS */
    double *terms;    /* [num_rows][num_terms] divided by the measured time, so that each
                         row should sum to 1 */
    double values[SPOT_STEP_FIT_TERMS];
    double sum_squares;
    bool is_determined; /* all columns are independent */
} problem_t;

static int count_terms(unsigned set)
{
    int count = 0;

    for (; set > 0; set &= set - 1) {
        count++;
    }
    return count;
}

/* The unrestricted solution over the columns of a set. Returns 1 if they are dependent,
 * or NO_MEMORY. */
static int solve(const problem_t *self, unsigned set, double *values, double *sum_squares)
{
    const size_t num_terms = (size_t) count_terms(set);
    gsl_matrix *matrix = gsl_matrix_alloc(self->num_rows, num_terms);
    gsl_matrix *covariance = gsl_matrix_alloc(num_terms, num_terms);
    gsl_vector *ones = gsl_vector_alloc(self->num_rows);
    gsl_vector *solution = gsl_vector_alloc(num_terms);
    gsl_multifit_linear_workspace *work = gsl_multifit_linear_alloc(self->num_rows, num_terms);
    size_t rank = 0, column = 0;
    int ret = SPOT_ERR_NO_MEMORY;

    if (matrix == NULL || covariance == NULL || ones == NULL || solution == NULL || work == NULL) {
        goto out;
    }
    for (size_t j = 0; j < self->num_terms; j++) {
        if ((set >> j & 1) != 0) {
            for (size_t row = 0; row < self->num_rows; row++) {
                gsl_matrix_set(matrix, row, column, self->terms[row * self->num_terms + j]);
            }
            column++;
        }
    }
    gsl_vector_set_all(ones, 1);
    ret = gsl_multifit_linear_tsvd(
        matrix, ones, RANK_TOLERANCE, solution, covariance, sum_squares, &rank, work);
    ret = ret != 0 || rank < num_terms;
    column = 0;
    for (size_t j = 0; j < self->num_terms; j++) {
        values[j] = (set >> j & 1) != 0 ? gsl_vector_get(solution, column++) : 0;
    }
out:
    gsl_matrix_free(matrix); /* all take NULL */
    gsl_matrix_free(covariance);
    gsl_vector_free(ones);
    gsl_vector_free(solution);
    gsl_multifit_linear_free(work);
    return ret;
}

static bool are_positive(const double *values, size_t num_values)
{
    bool is_good = true;

    for (size_t j = 0; j < num_values; j++) {
        is_good = is_good && isfinite(values[j]) && values[j] >= 0;
    }
    return is_good;
}

/* The optimum is the unrestricted solution over some set of independent columns. Takes
 * the best of all 2^4 sets whose solution is allowed; small sets come first. */
static int minimise(problem_t *self)
{
    const unsigned all = (1u << self->num_terms) - 1;
    const double min_gain = MIN_GAIN * (double) self->num_rows;

    self->sum_squares = HUGE_VAL;
    for (int size = 1; size <= (int) self->num_terms; size++) {
        for (unsigned set = 1; set <= all; set++) {
            double values[SPOT_STEP_FIT_TERMS], sum_squares = 0;
            int ret;

            if (count_terms(set) != size) {
                continue;
            }
            ret = solve(self, set, values, &sum_squares);
            if (ret < 0) {
                return ret;
            }
            self->is_determined = ret == 0; /* the last set has all columns */
            if (ret == 0 && are_positive(values, self->num_terms) &&
                sum_squares < self->sum_squares - min_gain) {
                self->sum_squares = sum_squares;
                memcpy(self->values, values, sizeof(values));
            }
        }
    }
    return 0;
}

/* ---- The two formulas ---- */

static void terms_of_form(
    const spot_step_fit_t *self, int64_t num_pipelines, int64_t depth, double *terms)
{
    const int64_t num_micro_batches =
        spot_micro_batches(self->samples_per_step, self->micro_batch, num_pipelines);
    const int64_t others = self->num_layers - 1;
    const int64_t num_layers = others / depth + (others % depth != 0);
    const double num_turns = (double) num_micro_batches + (double) (depth - 1);

    terms[SPOT_STEP_FIT_LAYER] = num_turns * (double) num_layers;
    terms[SPOT_STEP_FIT_STAGE] = num_turns;
    terms[SPOT_STEP_FIT_STEP] = 1;
    terms[SPOT_STEP_FIT_REDUCE] =
        2 * (double) (num_pipelines - 1) / (double) (num_pipelines * depth);
}

static void terms_by_instances(
    const spot_step_fit_t *self, int64_t num_pipelines, int64_t depth, double *terms)
{
    (void) self;
    terms[0] = 1 / (double) (num_pipelines * depth);
    terms[1] = 1;
}

typedef void (*terms_function_t)(
    const spot_step_fit_t *self, int64_t num_pipelines, int64_t depth, double *terms);

static double sum_of_terms(const double *terms, const double *values, size_t num_terms)
{
    double sum = 0;

    for (size_t j = 0; j < num_terms; j++) {
        sum += terms[j] * values[j];
    }
    return sum;
}

static spot_step_error_t error_of(const problem_t *problem, const spot_step_grid_t *measured)
{
    spot_step_error_t error = {0};
    double sum = 0;

    for (size_t j = 0; j < problem->num_rows; j++) {
        const double *terms = &problem->terms[j * problem->num_terms];
        const double value = fabs(sum_of_terms(terms, problem->values, problem->num_terms) - 1);

        sum += value;
        if (value >= error.max) {
            error.max = value;
            error.max_pipelines = measured->pairs[j].num_pipelines;
            error.max_depth = measured->pairs[j].depth;
        }
    }
    error.mean = sum / (double) problem->num_rows;
    return error;
}

/* Fits one formula to the measured pairs; fills values, error and is_determined. */
static int fit_terms(const spot_step_fit_t *self, const spot_step_grid_t *measured,
    terms_function_t terms_of, size_t num_terms, double *values, spot_step_error_t *error,
    bool *is_determined)
{
    problem_t problem = {.num_rows = measured->num_pairs, .num_terms = num_terms};
    int ret;

    problem.terms = spot_calloc(problem.num_rows * num_terms, sizeof(double));
    if (problem.terms == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < problem.num_rows; j++) {
        const spot_step_pair_t *pair = &measured->pairs[j];
        double *terms = &problem.terms[j * num_terms];

        terms_of(self, pair->num_pipelines, pair->depth, terms);
        for (size_t k = 0; k < num_terms; k++) {
            terms[k] /= pair->step_ms;
        }
    }
    ret = minimise(&problem);
    *error = error_of(&problem, measured);
    memcpy(values, problem.values, num_terms * sizeof(double));
    *is_determined = problem.is_determined;
    free(problem.terms);
    return ret;
}

/* The formula at (D,P); 0 if all its terms are 0. */
static double fit_ms(const spot_step_fit_t *self, int64_t num_pipelines, int64_t depth)
{
    double terms[SPOT_STEP_FIT_TERMS];

    terms_of_form(self, num_pipelines, depth, terms);
    return sum_of_terms(terms, self->ms, SPOT_STEP_FIT_TERMS);
}

/* ---- Grids ---- */

static double fitted_samples_per_s(const spot_step_fit_t *self, double step_ms)
{
    return MS_PER_S * (double) self->samples_per_step / step_ms;
}

/* The pair with its fitted step time, or infeasible if that is out of range. */
static spot_step_pair_t fitted_pair(
    const spot_step_fit_t *self, const spot_step_grid_t *grid, int64_t num_pipelines, int64_t depth)
{
    const double step_ms = fit_ms(self, num_pipelines, depth);
    const bool is_feasible =
        step_ms >= SPOT_MIN_STEP_MS && step_ms <= (double) SPOT_MAX_DURATION_MS;

    return (spot_step_pair_t){.num_pipelines = (int32_t) num_pipelines,
        .depth = (int32_t) depth,
        .origin = SPOT_STEP_FITTED,
        .step_ms = is_feasible ? step_ms : 0,
        .samples_per_s =
            is_feasible && grid->has_samples_per_s ? fitted_samples_per_s(self, step_ms) : 0};
}

static void copy_settings(spot_step_grid_t *self, const spot_step_grid_t *other)
{
    memset(self, 0, sizeof(*self));
    self->samples_per_step = other->samples_per_step;
    self->micro_batch = other->micro_batch;
    self->num_layers = other->num_layers;
    self->has_samples_per_s = other->has_samples_per_s;
}

/* Copies the pairs of a grid that are not fitted, feasible or not. */
static int copy_measured(spot_step_grid_t *self, const spot_step_grid_t *other)
{
    int ret = 0;

    copy_settings(self, other);
    for (size_t j = 0; ret == 0 && j < other->num_pairs + other->num_infeasible; j++) {
        if (other->pairs[j].origin != SPOT_STEP_FITTED) {
            ret = spot_step_grid_add(self, &other->pairs[j]);
        }
    }
    return ret == 0 ? spot_step_grid_seal(self, NULL, NULL) : ret;
}

/* Copies the feasible pairs with their fitted times. */
static int copy_fitted(
    const spot_step_fit_t *self, const spot_step_grid_t *measured, spot_step_grid_t *fitted)
{
    int ret = 0;

    copy_settings(fitted, measured);
    for (size_t j = 0; ret == 0 && j < measured->num_pairs; j++) {
        const spot_step_pair_t pair =
            fitted_pair(self, measured, measured->pairs[j].num_pipelines, measured->pairs[j].depth);

        ret = spot_step_grid_add(fitted, &pair);
    }
    return ret == 0 ? spot_step_grid_seal(fitted, NULL, NULL) : ret;
}

/* Throughput lost by the choice of the formula for a fleet of num instances. */
static double regret_of(
    const spot_step_grid_t *measured, const spot_step_grid_t *fitted, int64_t num)
{
    const spot_step_pair_t *best = spot_step_grid_best(measured, num);
    const spot_step_pair_t *choice = spot_step_grid_best(fitted, num);

    if (choice == NULL) { /* the formula has no step time for any pair */
        return 1;
    }
    choice = spot_step_grid_find(measured, choice->num_pipelines, choice->depth);
    return 1 - spot_step_grid_speed(measured, choice) / spot_step_grid_speed(measured, best);
}

static int compare_choices(spot_step_fit_t *self, const spot_step_grid_t *measured)
{
    spot_step_choice_t *result = &self->choice;
    int64_t least = INT64_MAX, most = 0;
    spot_step_grid_t fitted;
    const int ret = copy_fitted(self, measured, &fitted);

    for (size_t j = 0; j < measured->num_pairs; j++) {
        const int64_t num_instances =
            (int64_t) measured->pairs[j].num_pipelines * measured->pairs[j].depth;

        least = num_instances < least ? num_instances : least;
        most = num_instances > most ? num_instances : most;
    }
    result->num_fleets = most - least + 1;
    for (int64_t num = least; ret == 0 && num <= most; num++) {
        const double regret = regret_of(measured, &fitted, num);

        result->num_same += regret == 0;
        result->mean_regret += regret / (double) result->num_fleets;
        result->worst_regret = fmax(result->worst_regret, regret);
    }
    spot_step_grid_free(&fitted);
    return ret;
}

/* Fits the measured and estimated pairs of a sealed grid, which must have
 * samples_per_step, micro_batch and num_layers. BAD_PARAM: fewer than
 * SPOT_STEP_FIT_MIN_PAIRS pairs; NO_MEMORY. O(pairs). */
static int step_fit(spot_step_fit_t *self, const spot_step_grid_t *grid)
{
    bool is_determined;
    spot_step_grid_t measured;
    int ret = copy_measured(&measured, grid);

    *self = (spot_step_fit_t){.samples_per_step = grid->samples_per_step,
        .micro_batch = grid->micro_batch,
        .num_layers = grid->num_layers,
        .num_pairs = measured.num_pairs};
    spot_bug_assert(grid->samples_per_step >= 1 && grid->micro_batch >= 1);
    spot_bug_assert(grid->num_layers >= 1);
    for (size_t j = 0; j < measured.num_pairs; j++) {
        self->num_estimated += measured.pairs[j].origin == SPOT_STEP_ESTIMATED;
    }
    if (ret == 0 && measured.num_pairs < SPOT_STEP_FIT_MIN_PAIRS) {
        ret = SPOT_ERR_BAD_PARAM;
    }
    if (ret == 0) {
        ret = fit_terms(self, &measured, terms_of_form, SPOT_STEP_FIT_TERMS, self->ms, &self->error,
            &self->is_determined);
    }
    if (ret == 0) {
        ret = fit_terms(self, &measured, terms_by_instances, 2, self->by_instances_ms,
            &self->by_instances_error, &is_determined);
    }
    ret = ret == 0 ? compare_choices(self, &measured) : ret;
    spot_step_grid_free(&measured);
    return ret;
}

/* ---- A full table ---- */

/* The range of the pairs in a grid. */
static spot_step_range_t range_of(const spot_step_grid_t *self)
{
    spot_step_range_t range = {INT64_MAX, 0, INT64_MAX, 0, 0};

    for (size_t j = 0; j < self->num_pairs + self->num_infeasible; j++) {
        const int64_t num_pipelines = self->pairs[j].num_pipelines;
        const int64_t depth = self->pairs[j].depth;
        const int64_t num_instances = num_pipelines * depth;

        range.min_pipelines =
            num_pipelines < range.min_pipelines ? num_pipelines : range.min_pipelines;
        range.max_pipelines =
            num_pipelines > range.max_pipelines ? num_pipelines : range.max_pipelines;
        range.min_depth = depth < range.min_depth ? depth : range.min_depth;
        range.max_depth = depth > range.max_depth ? depth : range.max_depth;
        range.max_instances =
            num_instances > range.max_instances ? num_instances : range.max_instances;
    }
    return range;
}

/* Makes a sealed grid of the pairs of measured and, by the formula and marked as fitted,
 * the other pairs of the range in which each pipeline has samples and each stage a
 * layer. NO_MEMORY; free full even then. */
static int fill_by_fit(const spot_step_fit_t *self, const spot_step_grid_t *measured,
    const spot_step_range_t *range, spot_step_grid_t *full)
{
    const int64_t most_pipelines = spot_micro_batches(self->samples_per_step, self->micro_batch, 1);
    spot_step_grid_t kept;
    int ret = copy_measured(&kept, measured);

    copy_settings(full, measured);
    for (size_t j = 0; ret == 0 && j < kept.num_pairs + kept.num_infeasible; j++) {
        ret = spot_step_grid_add(full, &kept.pairs[j]);
    }
    for (int64_t depth = range->min_depth; depth <= range->max_depth && depth <= self->num_layers;
         depth++) {
        for (int64_t num = range->min_pipelines;
             ret == 0 && num <= range->max_pipelines && num <= most_pipelines &&
             num * depth <= range->max_instances;
             num++) {
            const spot_step_pair_t pair = fitted_pair(self, full, num, depth);

            ret = spot_step_grid_lists(&kept, num, depth) ? 0 : spot_step_grid_add(full, &pair);
        }
    }
    spot_step_grid_free(&kept);
    return ret == 0 ? spot_step_grid_seal(full, NULL, NULL) : ret;
}

/* ---- A table filled by its fit ---- */

/* A setting is of the command line, else of the table's header. */
static int settle(int64_t given, int64_t *setting, const char *key, const char *option,
    const spot_step_fit_request_t *request, spot_diag_t *diag)
{
    if (given > 0) {
        *setting = given;
    }
    if (*setting > 0) {
        return 0;
    }
    return spot_diag_error(diag, request->table_path, 0, 0,
        "no \"# %s: N\" above the columns: expected it, or %s N", key, option);
}

static int settle_all(
    const spot_step_fit_request_t *request, spot_step_grid_t *grid, spot_diag_t *diag)
{
    const int errors[] = {
        settle(request->num_layers, &grid->num_layers, "layers", "--layers", request, diag),
        settle(request->samples_per_step, &grid->samples_per_step, "samples_per_step",
            "--samples-per-step", request, diag),
        settle(request->micro_batch, &grid->micro_batch, "micro_batch", "--micro-batch", request,
            diag),
    };

    return spot_error_first(spot_error_first(errors[0], errors[1]), errors[2]);
}

int spot_step_fit_grid(const spot_step_fit_request_t *request, spot_step_grid_t *grid,
    spot_step_fit_t *fit, spot_diag_t *diag)
{
    int ret = settle_all(request, grid, diag);

    if (ret != 0) {
        return ret;
    }
    ret = step_fit(fit, grid);
    if (ret == SPOT_ERR_BAD_PARAM) {
        return spot_diag_error(diag, request->table_path, 0, 0,
            "%zu measured or estimated pairs: expected at least %d", fit->num_pairs,
            SPOT_STEP_FIT_MIN_PAIRS);
    }
    if (ret == 0 && fit->num_estimated > 0) {
        spot_diag_warn(diag, request->table_path, 0, 0,
            "%zu of %zu pairs are estimated: no measurement is behind the formula there",
            fit->num_estimated, fit->num_pairs);
    }
    if (ret == 0 && !fit->is_determined) {
        spot_diag_warn(diag, request->table_path, 0, 0,
            "the pairs do not tell the terms of the formula apart (are there several D "
            "and several P?): other D and P than theirs may be far off");
    }
    return ret;
}

/* What the command line leaves open is as the table has it. */
static spot_step_range_t range_to_fill(
    const spot_step_fit_request_t *request, const spot_step_grid_t *grid)
{
    spot_step_range_t range = range_of(grid);
    const spot_step_range_t *given = &request->range;

    if (given->max_pipelines > 0) {
        range.min_pipelines = given->min_pipelines;
        range.max_pipelines = given->max_pipelines;
    }
    if (given->max_depth > 0) {
        range.min_depth = given->min_depth;
        range.max_depth = given->max_depth;
    }
    if (given->max_instances > 0) {
        range.max_instances = given->max_instances;
    }
    if (range.max_instances > SPOT_MAX_INSTANCES) {
        range.max_instances = SPOT_MAX_INSTANCES;
    }
    return range;
}

int spot_step_fit_write(const spot_step_fit_request_t *request, const spot_step_grid_t *grid,
    const spot_step_fit_t *fit, const char *path, spot_diag_t *diag)
{
    static const char *const remarks[] = {"spotsim model fit: step times as given, and "
                                          "fitted ones for pairs that are missing",
        NULL};
    const spot_step_range_t range = range_to_fill(request, grid);
    spot_step_grid_t full;
    spot_outfile_t file;
    int ret = fill_by_fit(fit, grid, &range, &full);

    if (ret == 0) {
        ret = spot_outfile_init(&file, path, diag);
        if (ret == 0) {
            spot_step_grid_write(&full, remarks, file.stream);
        }
        ret = spot_outfile_close(&file, ret, diag);
    }
    spot_step_grid_free(&full);
    return ret;
}

/* ---- Estimates ---- */

#define GIB 1073741824.0
#define HALF_BYTES 2 /* of a parameter, a gradient or an activation in fp16 */

#define ROW(peak, gib, source)                                                                     \
    {                                                                                              \
        peak, gib *GIB, #peak " FLOP/s, " #gib " GiB; NVIDIA data sheet, " source                  \
    }

const char *const spot_accelerator_names[] = {
    "k80", "t4", "v100", "a40", "a100-40", "a100-80", "h100", NULL};
const spot_accelerator_t spot_accelerators[] = {
    ROW(4.37e12, 12, "half of a board, fp32"),
    ROW(65e12, 16, "fp16"),
    ROW(125e12, 16, "SXM2 16 GB, fp16"),
    ROW(149.7e12, 48, "fp16, dense"),
    ROW(312e12, 40, "SXM 40 GB, fp16, dense"),
    ROW(312e12, 80, "SXM 80 GB, fp16, dense"),
    ROW(989.4e12, 80, "SXM 80 GB, fp16, dense"),
};

/* The longest stage. */
typedef struct {
    double flops;      /* of a forward pass and token */
    double num_blocks; /* of the stage with the most */
    double parameters; /* of that, with the embedding or the head */
} stage_t;

/* Tries each number of blocks of the last stage; the others share the rest. */
static stage_t longest_stage(const spot_step_estimate_t *self, int64_t depth)
{
    const spot_model_preset_t *model = self->model;
    const int64_t num_blocks = model->num_blocks;
    const double tokens = (double) (model->vocabulary * model->hidden);
    const double parameters = (double) spot_model_preset_block(model), head = 2 * tokens;
    const double block = 2 * parameters + 4 * (double) (self->sequence * model->hidden);
    stage_t stage = {.flops = (double) num_blocks * block + head,
        .num_blocks = (double) num_blocks,
        .parameters = (double) spot_model_preset_parameters(model)};

    for (int64_t last = 0; last < num_blocks && depth > 1; last++) {
        const int64_t other = (num_blocks - last + depth - 2) / (depth - 1);
        const double flops = fmax((double) other * block, (double) last * block + head);

        if (flops < stage.flops) {
            stage.flops = flops;
            stage.num_blocks = (double) (other > last ? other : last);
            stage.parameters = stage.num_blocks * parameters + tokens;
        }
    }
    return stage;
}

/* The step time of D pipelines of P <= blocks stages; 0 if a stage does not fit into an
 * instance, or a pipeline has no samples. O(blocks). */
/* The stage is the only layer of its instance. */
static double estimate_ms(const spot_step_estimate_t *self, int64_t num_pipelines, int64_t depth)
{
    const stage_t stage = longest_stage(self, depth);
    const double tokens = (double) (self->micro_batch * self->sequence);
    const double width = (double) self->model->hidden;
    const double forward_ms = (double) SPOT_MS_PER_S * tokens * stage.flops /
                              (self->peak_flops_per_s * self->utilisation);
    const double scores = 5 * (double) (self->model->num_heads * self->sequence);
    const bool is_by_block = self->is_recomputed && self->schedule != SPOT_SCHEDULE_VARUNA;
    const spot_step_pipeline_t pipeline = {.schedule = self->schedule,
        .recompute = self->is_recomputed ? SPOT_RECOMPUTE_ALL : SPOT_RECOMPUTE_NONE,
        .num_layers = depth,
        .micro_batch = self->micro_batch,
        .forward_ms = forward_ms,
        .backward_ms = 2 * forward_ms,
        .link_ms = (double) SPOT_MS_PER_S * HALF_BYTES * tokens * width / self->bytes_per_s,
        .gradient_bytes = stage.parameters * HALF_BYTES,
        .bandwidth_bytes_per_s = self->bytes_per_s,
        .memory = {.instance_bytes = self->instance_bytes,
            .state_bytes = stage.parameters * SPOT_MODEL_MEMORY_BYTES,
            .activation_bytes =
                (is_by_block ? 1 : stage.num_blocks) * tokens * (34 * width + scores),
            .input_bytes = (is_by_block ? stage.num_blocks : 1) * tokens * width * HALF_BYTES}};

    return spot_step_pipeline_ms(&pipeline, self->samples_per_step, num_pipelines, depth);
}

int spot_step_estimate_fill(
    const spot_step_estimate_t *self, const spot_step_range_t *range, spot_step_grid_t *grid)
{
    const int64_t most = spot_micro_batches(self->samples_per_step, self->micro_batch, 1);
    const int64_t end = range->max_pipelines < most ? range->max_pipelines : most;
    const double samples_ms = (double) (SPOT_MS_PER_S * self->samples_per_step);
    int ret = 0;

    *grid = (spot_step_grid_t){.samples_per_step = self->samples_per_step,
        .micro_batch = self->micro_batch,
        .num_layers = self->model->num_blocks + SPOT_MODEL_ENDS,
        .has_samples_per_s = true};
    for (int64_t depth = range->min_depth;
         depth <= range->max_depth && depth <= self->model->num_blocks; depth++) {
        for (int64_t num = range->min_pipelines;
             ret == 0 && num <= end && num * depth <= range->max_instances; num++) {
            const double step_ms = estimate_ms(self, num, depth);
            const bool is_feasible =
                step_ms >= SPOT_MIN_STEP_MS && step_ms <= (double) SPOT_MAX_DURATION_MS;
            const spot_step_pair_t pair = {.num_pipelines = (int32_t) num,
                .depth = (int32_t) depth,
                .origin = SPOT_STEP_ESTIMATED,
                .step_ms = is_feasible ? step_ms : 0,
                .samples_per_s = is_feasible ? samples_ms / step_ms : 0};

            ret = spot_step_grid_add(grid, &pair);
        }
    }
    return ret == 0 ? spot_step_grid_seal(grid, NULL, NULL) : ret;
}

/* The median falls with the utilisation: bisects the logarithm. */
size_t spot_step_estimate_calibrate(
    spot_step_estimate_t *self, const spot_step_grid_t *measured, double *ratios)
{
    spot_step_estimate_t estimate = *self;
    double low = 1e-6, high = 1;
    size_t num = 0;

    for (estimate.instance_bytes = 0; high / low > 1 + 1e-12;) {
        estimate.utilisation = sqrt(low * high);
        num = 0;
        for (size_t j = 0; j < measured->num_pairs; j++) {
            const spot_step_pair_t *pair = &measured->pairs[j];

            if (pair->origin == SPOT_STEP_MEASURED && pair->depth <= self->model->num_blocks) {
                ratios[num] =
                    estimate_ms(&estimate, pair->num_pipelines, pair->depth) / pair->step_ms;
                num += ratios[num] > 0;
            }
        }
        spot_sort(ratios, num);
        *(spot_quantile(ratios, num, 0.5) > 1 ? &low : &high) = estimate.utilisation;
    }
    self->utilisation = estimate.utilisation;
    return num;
}
