/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/train/recovery/parcae/parcae.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"

/* Whether pipelines can have a depth: it has layers and a build time. */
static inline bool parcae_has_depth(const spot_parcae_costs_t *self, int64_t depth)
{
    return depth <= self->max_depth && self->stages[depth].depth > 0;
}

/* ---- Costs ---- */

#define US_PER_MS 1000
#define BITS_PER_BYTE 8
#define GBPS_PER_BIT_PER_MS 1e-6
#define GBPS_PER_BIT_PER_S 1e-9

/* ---- Options ---- */

#define MAX_MS 1e9

/* Options of a struct that starts with a spot_parcae_costs_t, followed by the common
 * ones of recovery systems. */
static const spot_field_t parcae_cost_fields[] = {
    {SPOT_VALUE(PATH, "transfer", spot_parcae_costs_t, transfer_path, "",
        "measured transfer times, CSV with the columns bytes,us: linear between the "
        "rows, beyond the last one in proportion; without it link_gbps")},
    {SPOT_RANGE(NUMBER, "link_gbps", spot_parcae_costs_t, link_gbps, 1e-3, 1e6, "",
        "link bandwidth",
        "what a link carries, Gb/s; fleet.network if not given; published: 7.17, "
        "measured on one of 10 Gb/s")},
    {SPOT_RANGE(INTEGER, "layers", spot_parcae_costs_t, num_layers, 2, SPOT_PARCAE_MAX_LAYERS, "",
        "model layers",
        "layers of the model, embedding and head included; pipelines have at most one "
        "stage less; those of job.model if not given; published: 50")},
    {SPOT_RANGE(INTEGER, "first_parameters", spot_parcae_costs_t, first_parameters, 0, 1e12, "",
         "parameters of the first layer",
         "parameters of the first layer; if none are given all layers have the same "
         "share of job.model.parameters; published: 82,124,800"),
        .otherwise = "0", SPOT_DECIDES},
    {SPOT_RANGE(INTEGER, "layer_parameters", spot_parcae_costs_t, layer_parameters, 0, 1e12, "",
         "parameters of a layer", "parameters of each layer between; published: 30,740,800"),
        .otherwise = "0", SPOT_DECIDES},
    {SPOT_RANGE(INTEGER, "last_parameters", spot_parcae_costs_t, last_parameters, 0, 1e12, "",
         "parameters of the last layer", "parameters of the last layer; published: 82,128,000"),
        .otherwise = "0", SPOT_DECIDES},
    {SPOT_RANGE(NUMBER, "bytes_per_parameter", spot_parcae_costs_t, bytes_per_parameter, 0.125,
        1024, "", "state per parameter",
        "state of training that is transferred, optimizer included; that of job.model "
        "if not given; published: 12")},
    {SPOT_VALUE(PATH, "build", spot_parcae_costs_t, build_path, "",
        "time to build the model of one stage by depth, CSV with the columns "
        "P,build_ms; depths without a row are not used; without it build_layer_ms and "
        "build_bytes, and without these job.rebuild")},
    {SPOT_RANGE(NUMBER, "build_layer_ms", spot_parcae_costs_t, build_layer_ms, 0, MAX_MS, "",
         "time to build a layer",
         "time to build one layer, of which a stage has (layers - 2) / P, rounded up; "
         "ms; published: 430"),
        .otherwise = "0", SPOT_DECIDES},
    {SPOT_RANGE(INTEGER, "build_bytes", spot_parcae_costs_t, build_bytes, 0, 1e15, "",
         "transfer of a build",
         "bytes to transfer besides, those of the embedding; published: 205,852,672"),
        .otherwise = "0", SPOT_DECIDES},
    {SPOT_RANGE(NUMBER, "add_ms", spot_parcae_costs_t, add_ms, 0, MAX_MS, "",
         "restart time of added instances",
         "what a restart takes longer where instances are added, ms; 0 if not given; "
         "published: 6600"),
        .otherwise = "0", SPOT_DECIDES},
    {SPOT_RANGE(NUMBER, "group_base_ms", spot_parcae_costs_t, group_base_ms, 0, MAX_MS, "",
         "time to form groups",
         "time to form the communication groups: this, ms, and for each of D + P + 1 + D "
         "P keys the next; job.regroup for all of it if not given; published: 35"),
        .otherwise = "0", SPOT_DECIDES},
    {SPOT_RANGE(NUMBER, "group_add_ms", spot_parcae_costs_t, group_add_ms, 0, MAX_MS, "",
         "time of a group added to", "for each key where instances are added, ms; published: 500"),
        .otherwise = "0", SPOT_DECIDES},
    {SPOT_RANGE(NUMBER, "group_remove_ms", spot_parcae_costs_t, group_remove_ms, 0, MAX_MS, "",
         "time of a group not added to", "for each key where none are added, ms; published: 39.3"),
        .otherwise = "0", SPOT_DECIDES},
    {SPOT_RANGE(NUMBER, "process_ms", spot_parcae_costs_t, process_ms, 0, MAX_MS, "",
         "process start", "time to start the processes, ms; 0 if not given; published: 240"),
        .otherwise = "0", SPOT_DECIDES},
    {SPOT_CHOICE("par_bug", spot_parcae_costs_t, has_bug, spot_no_yes, "no",
        "yes: with another depth only the last stage is transferred, as in the "
        "published program, which overwrites the sum")},
    {.name = NULL, .fields = spot_recovery_common_fields},
};

/* ---- Stages ---- */

/* Parameters of the layers before number layer. */
static double parameters_before(const spot_parcae_costs_t *self, int64_t layer)
{
    double sum = 0;

    if (layer > 0) {
        const int64_t num_last = layer == self->num_layers ? 1 : 0;

        sum = (double) self->first_parameters +
              (double) (layer - 1 - num_last) * (double) self->layer_parameters +
              (double) (num_last * self->last_parameters);
    }
    return sum;
}

static double build_ms(const spot_parcae_costs_t *self, int64_t depth)
{
    const int64_t num_middle = self->num_layers - 2;

    if (self->build.num_points > 0) {
        return spot_measured_find(&self->build, (double) depth)->y;
    }
    if (self->rebuild_ms >= 0) {
        return self->rebuild_ms;
    }
    return self->build_layer_ms * (double) ((num_middle + depth - 1) / depth) +
           spot_parcae_transfer_ms(self, (double) self->build_bytes);
}

/* Makes stages of floor((layers - 1) / P) layers. The first has one more, and so have
 * stages P - 2, P - 3, ... as long as layers are left over. */
static void lay_out(spot_parcae_costs_t *self, int32_t depth, double *numbers)
{
    spot_parcae_stages_t *stages = &self->stages[depth];
    const int64_t num_equal = (self->num_layers - 1) / depth;
    const int64_t num_over = (self->num_layers - 1) % depth;
    int64_t layer = 0;

    stages->stage_ms = numbers;
    stages->bounds = numbers + depth;
    if (self->build.num_points > 0 && spot_measured_find(&self->build, (double) depth) == NULL) {
        return;
    }
    stages->depth = depth;
    stages->build_ms = build_ms(self, depth);
    for (int64_t s = 0; s < depth; s++) {
        const bool is_longer = s < depth - 1 && s >= depth - 1 - num_over;

        layer += num_equal + (s == 0 ? 1 : 0) + (is_longer ? 1 : 0);
        stages->bounds[s + 1] = parameters_before(self, layer);
        stages->stage_ms[s] = spot_parcae_transfer_ms(
            self, self->bytes_per_parameter * (stages->bounds[s + 1] - stages->bounds[s]));
        stages->sum_ms += stages->stage_ms[s];
        stages->longest_ms = fmax(stages->longest_ms, stages->stage_ms[s]);
    }
}

static int read_curves(spot_parcae_costs_t *self, spot_diag_t *diag)
{
    int ret = 0;

    if (self->transfer_path != NULL) {
        ret = spot_measured_read(&self->transfer, self->transfer_path, "bytes", "us", diag);
    }
    if (ret != SPOT_ERR_NO_MEMORY && self->build_path != NULL) {
        const int status =
            spot_measured_read(&self->build, self->build_path, "P", "build_ms", diag);

        ret = ret == 0 || status == SPOT_ERR_NO_MEMORY ? status : ret;
    }
    return ret;
}

/* ---- Figures of the job, and those of GPT-1.5B as published ---- */

/* Whether one of the options is given; options ends with NULL. */
static bool has_any(const spot_terms_t *terms, const char *const *options)
{
    while (*options != NULL && !spot_terms_has(terms, *options)) {
        options++;
    }
    return *options != NULL;
}

static int64_t whole(const spot_terms_t *terms, const char *option, int64_t given,
    int64_t published, double otherwise)
{
    return (int64_t) spot_terms_number(
        terms, option, (double) given, (double) published, otherwise);
}

/* The layers are as large as the model has it, on average: the rest is in the first. */
static void take_layers(spot_parcae_costs_t *self, spot_terms_t *terms)
{
    static const char *const sizes[] = {
        "first_parameters", "layer_parameters", "last_parameters", NULL};
    const spot_model_t *model = &terms->job->model;
    const bool has_sizes = has_any(terms, sizes);
    double mean = 0, first = 0;

    self->num_layers = whole(terms, "layers", self->num_layers, 50, (double) model->num_layers);
    if (self->num_layers > 0 && !has_sizes) {
        mean = floor(model->num_parameters / (double) self->num_layers);
        first = model->num_parameters - mean * (double) (self->num_layers - 1);
    }
    self->first_parameters = whole(terms, sizes[0], self->first_parameters, 82124800, first);
    self->layer_parameters = whole(terms, sizes[1], self->layer_parameters, 30740800, mean);
    self->last_parameters = whole(terms, sizes[2], self->last_parameters, 82128000, mean);
    self->bytes_per_parameter = spot_terms_number(
        terms, "bytes_per_parameter", self->bytes_per_parameter, 12, model->bytes_per_parameter);
    if (self->num_layers < 2) {
        spot_terms_lack(terms, "the layers of the model: give job.model.layers, e.g. job.model: "
                               "{parameters: 1.5e9, layers: 50, bytes_per_parameter: 16}");
    } else if (!has_sizes && model->num_parameters == 0 && !terms->is_published) {
        spot_terms_lack(terms, "the parameters of the layers: give job.model, or "
                               "recovery.layer_parameters");
    }
}

static void take_times(spot_parcae_costs_t *self, spot_terms_t *terms)
{
    static const char *const builds[] = {"build_layer_ms", "build_bytes", NULL};
    static const char *const groups[] = {"group_base_ms", "group_add_ms", "group_remove_ms", NULL};
    const spot_job_t *job = terms->job;
    const bool has_builds = terms->is_published || has_any(terms, builds);

    self->link_gbps = spot_terms_number(terms, "link_gbps", self->link_gbps, 7.17,
        job->network_bytes_per_s * BITS_PER_BYTE * GBPS_PER_BIT_PER_S);
    self->build_layer_ms = spot_terms_number(terms, builds[0], self->build_layer_ms, 430, 0);
    self->build_bytes = whole(terms, builds[1], self->build_bytes, 205852672, 0);
    self->reload_ms =
        terms->is_published && !spot_terms_has(terms, "checkpoint") ? -1 : (double) job->reload_ms;
    self->rebuild_ms = has_builds ? -1 : (double) job->rebuild_ms;
    self->add_ms = spot_terms_number(terms, "add_ms", self->add_ms, 6600, 0);
    self->group_base_ms = spot_terms_number(terms, groups[0], self->group_base_ms, 35,
        has_any(terms, groups) ? 0 : (double) job->regroup_ms);
    self->group_add_ms = spot_terms_number(terms, groups[1], self->group_add_ms, 500, 0);
    self->group_remove_ms = spot_terms_number(terms, groups[2], self->group_remove_ms, 39.3, 0);
    self->process_ms = spot_terms_number(terms, "process_ms", self->process_ms, 240, 0);
    if (self->link_gbps == 0 && self->transfer_path == NULL) {
        spot_terms_lack(terms,
            "the time to copy state from instance to instance: give fleet.network, e.g. "
            "10 Gbit/s, or recovery.link_gbps or recovery.transfer");
    }
}

int spot_parcae_costs_settle(spot_parcae_costs_t *self, spot_terms_t *terms, int64_t max_depth)
{
    const size_t num_lacks = terms->num_lacks;
    double *numbers;
    int ret;

    take_layers(self, terms);
    take_times(self, terms);
    ret = read_curves(self, terms->bind->diag);
    if (ret != 0) { /* in diag, but for NO_MEMORY */
        return ret == SPOT_ERR_NO_MEMORY ? ret : 0;
    }
    if (terms->num_lacks > num_lacks) {
        return 0;
    }
    self->max_depth = (int32_t) (max_depth < self->num_layers ? max_depth : self->num_layers - 1);
    self->numbers = spot_calloc(
        (size_t) (self->max_depth + 1) * (size_t) (self->max_depth + 2), sizeof(double));
    self->stages = spot_calloc((size_t) self->max_depth + 1, sizeof(*self->stages));
    if (self->numbers == NULL || self->stages == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    numbers = self->numbers;
    for (int32_t depth = 1; depth <= self->max_depth; depth++) {
        lay_out(self, depth, numbers);
        numbers += 2 * depth + 1;
    }
    return 0;
}

static void parcae_costs_release(spot_parcae_costs_t *self)
{
    free(self->transfer_path);
    free(self->build_path);
    free(self->numbers);
    free(self->stages);
    spot_measured_free(&self->transfer);
    spot_measured_free(&self->build);
    memset(self, 0, sizeof(*self));
}

/* ---- What a move takes ---- */

double spot_parcae_transfer_ms(const spot_parcae_costs_t *self, double bytes)
{
    return self->transfer.num_points > 0
               ? spot_measured_at(&self->transfer, bytes) / US_PER_MS
               : bytes * BITS_PER_BYTE * GBPS_PER_BIT_PER_MS / self->link_gbps;
}

/* Time to form the communication groups of (D,P), with or without added instances. */
static double parcae_group_ms(
    const spot_parcae_costs_t *self, int64_t num_pipelines, int64_t depth, bool has_additions)
{
    const double num_keys = (double) (num_pipelines + depth + 1 + num_pipelines * depth);

    return self->group_base_ms +
           num_keys * (has_additions ? self->group_add_ms : self->group_remove_ms);
}

double spot_parcae_restart_ms(
    const spot_parcae_costs_t *self, int64_t num_pipelines, int64_t depth, bool has_additions)
{
    return (has_additions ? self->add_ms : 0) +
           parcae_group_ms(self, num_pipelines, depth, has_additions) + self->process_ms +
           self->stages[depth].build_ms;
}

double spot_parcae_reload_ms(const spot_parcae_costs_t *self, int32_t depth, double checkpoint_ms)
{
    return checkpoint_ms + self->stages[depth].sum_ms;
}

double spot_parcae_repartition_ms(const spot_parcae_costs_t *self, double transfer_ms,
    int32_t num_pipelines, int32_t depth, bool has_additions)
{
    return transfer_ms + (num_pipelines > 1 ? self->stages[depth].longest_ms : 0) +
           spot_parcae_restart_ms(self, num_pipelines, depth, has_additions);
}

/* The cost where no instance has some part of the state, and no service has it. */
static double from_storage_ms(const spot_parcae_costs_t *self, int32_t num_pipelines, int32_t depth)
{
    return spot_parcae_restart_ms(self, num_pipelines, depth, true) + self->reload_ms;
}

/* Orphans and transfers run in parallel: the longer of the two counts. An orphan is a
 * stage without survivors; the last stage is one with a single survivor too. */
double spot_parcae_same_depth_ms(const spot_parcae_costs_t *self, const spot_parcae_left_t *left,
    const int32_t *num_lost, int32_t num_pipelines)
{
    const int32_t depth = left->depth;
    const double *stage_ms = self->stages[depth].stage_ms;
    double longest_ms = 0, orphans_ms = 0;
    bool is_intra = true;

    for (int32_t s = 0; s < depth; s++) {
        const int32_t num_left = left->num_pipelines - num_lost[s];

        if (num_left == 0 && self->reload_ms >= 0) {
            return from_storage_ms(self, num_pipelines, depth);
        }
        if (num_left < num_pipelines) {
            is_intra = false;
            longest_ms = fmax(longest_ms, stage_ms[s]);
            orphans_ms += num_left <= (s == depth - 1 ? 1 : 0) ? stage_ms[s] : 0;
        }
    }
    if (is_intra) {
        return parcae_group_ms(self, num_pipelines, depth, false) + self->process_ms;
    }
    return fmax(longest_ms, orphans_ms) + spot_parcae_restart_ms(self, num_pipelines, depth,
                                              num_pipelines * depth > left->num_left);
}

/* Survivors by stage that are not taken yet. */
typedef struct {
    const spot_parcae_left_t *left;
    int32_t first[SPOT_PARCAE_MAX_LAYERS]; /* [depth] place of the next survivor */
    int32_t end;                           /* after the last place */
} survivors_t;

static void find_next(survivors_t *self, int32_t stage)
{
    const spot_parcae_left_t *left = self->left;
    int32_t place = self->first[stage];

    while (place < self->end && left->is_lost[place]) {
        place += left->depth;
    }
    self->first[stage] = place;
}

/* The stage of the first of the survivors with most of the parameters from low to high;
 * -1: no survivor is left. Stages before start have none of them. */
static int32_t nearest_stage(const survivors_t *self, const double *bounds, int32_t start,
    double low, double high, double *overlap)
{
    const int32_t depth = self->left->depth;
    int32_t nearest = -1;

    *overlap = 0;
    for (int32_t s = start; s < depth && bounds[s] < high; s++) {
        const double end = bounds[s + 1] < high ? bounds[s + 1] : high;
        const double common = end - (bounds[s] > low ? bounds[s] : low);

        if (self->first[s] < self->end && common > 0 &&
            (common > *overlap || (common == *overlap && self->first[s] < self->first[nearest]))) {
            *overlap = common;
            nearest = s;
        }
    }
    for (int32_t s = 0; s < depth && *overlap == 0; s++) { /* any survivor */
        if (self->first[s] < self->end && (nearest < 0 || self->first[s] < self->first[nearest])) {
            nearest = s;
        }
    }
    return nearest;
}

double spot_parcae_missing(
    const spot_parcae_costs_t *self, const spot_parcae_left_t *left, int32_t depth)
{
    const double *bounds = self->stages[depth].bounds, *old_bounds;
    survivors_t survivors; /* set before it is read */
    double missing = 0;
    int32_t start = 0;

    if (left->num_pipelines == 0) {
        return self->has_bug ? bounds[depth] - bounds[depth - 1] : bounds[depth];
    }
    old_bounds = self->stages[left->depth].bounds;
    survivors.left = left;
    survivors.end = left->num_pipelines * left->depth;
    for (int32_t s = 0; s < left->depth; s++) {
        survivors.first[s] = s;
        find_next(&survivors, s);
    }
    for (int32_t s = 0; s < depth; s++) {
        double overlap;
        int32_t stage;

        while (old_bounds[start + 1] <= bounds[s] && start < left->depth - 1) {
            start++;
        }
        stage = nearest_stage(&survivors, old_bounds, start, bounds[s], bounds[s + 1], &overlap);
        if (stage >= 0) {
            survivors.first[stage] += left->depth;
            find_next(&survivors, stage);
        }
        missing = (self->has_bug ? 0 : missing) + bounds[s + 1] - bounds[s] - overlap;
    }
    return missing;
}

double spot_parcae_move_ms(const spot_parcae_costs_t *self, const spot_parcae_left_t *left,
    int32_t num_pipelines, int32_t depth)
{
    int32_t num_lost[SPOT_PARCAE_MAX_LAYERS];
    double transfer_ms;

    if (left->num_pipelines == 0 && self->reload_ms >= 0) {
        return from_storage_ms(self, num_pipelines, depth);
    }
    if (left->num_pipelines > 0 && depth == left->depth) {
        for (int32_t s = 0; s < depth; s++) {
            num_lost[s] = 0;
            for (int32_t d = 0; d < left->num_pipelines; d++) {
                num_lost[s] += left->is_lost[d * depth + s];
            }
        }
        return spot_parcae_same_depth_ms(self, left, num_lost, num_pipelines);
    }
    transfer_ms = spot_parcae_transfer_ms(
        self, self->bytes_per_parameter * spot_parcae_missing(self, left, depth));
    return spot_parcae_repartition_ms(
        self, transfer_ms, num_pipelines, depth, num_pipelines * depth > left->num_left);
}

/* ---- What both systems share ---- */

enum { TIE_FEWEST, TIE_PAR };
static const char *const tie_names[] = {"fewest", "par", NULL};
static const char *const merge_names[] = {"restart", "add", NULL};

const spot_field_t spot_parcae_fields[] = {
    {SPOT_RANGE(DURATION, "interval", spot_parcae_t, interval_ms, 1, (double) SPOT_MAX_DURATION_MS,
         "60 s", "decision interval",
         "decisions are made at multiples of it, and where active instances are lost"),
        SPOT_DECIDES},
    {SPOT_RANGE(INTEGER, "min_depth", spot_parcae_t, min_depth, 1, SPOT_MAX_INSTANCES, "6",
         "smallest pipeline depth",
         "shallowest pipelines to choose, where job.step_time is by (D,P); else they are "
         "of job.pipeline_depth"),
        SPOT_DECIDES},
    {SPOT_RANGE(INTEGER, "max_depth", spot_parcae_t, max_depth, 1, SPOT_MAX_INSTANCES, "32",
         "largest pipeline depth", "deepest pipelines to choose, likewise"),
        SPOT_DECIDES},
    {SPOT_CHOICE("tie", spot_parcae_t, tie, tie_names, "fewest", "choice between equals",
        "of equally fast pipelines those of the fewest instances, then of the smallest "
        "depth; par: the fewest pipelines, as in the published program")},
    {SPOT_CHOICE("pause_merge", spot_parcae_t, merges_pauses, merge_names, "restart",
        "decision in a pause",
        "what a decision in a pause costs: its own pause; add: and one more restart, as "
        "in the published program")},
    {SPOT_RANGE(DURATION, "detection", spot_parcae_t, detection_ms, 0,
        (double) SPOT_MAX_DURATION_MS, "", "detection time",
        "time to detect a loss, in the pause after one; job.detection if not given")},
    {.name = NULL, .fields = parcae_cost_fields},
};

/* ---- Pairs ---- */

static void add_pair(spot_parcae_t *self, const spot_parcae_pair_t *pair)
{
    self->pairs[self->num_pairs++] = *pair;
}

static int add_pairs_of_job(spot_parcae_t *self, spot_bind_t *bind, const spot_node_t *node,
    const spot_job_t *job, int64_t capacity)
{
    const int64_t num_pairs = spot_job_pipelines(job, capacity);

    if (!parcae_has_depth(&self->costs, job->pipeline_depth)) {
        spot_bind_error(bind, node, "recovery",
            "there are no layers, or no build time, for job.pipeline_depth (%" PRId64 ")",
            job->pipeline_depth);
        return 0;
    }
    self->pairs = spot_calloc((size_t) num_pairs + 1, sizeof(*self->pairs));
    if (self->pairs == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (int64_t num = 1; num <= num_pairs; num++) {
        add_pair(self, &(spot_parcae_pair_t){.num_pipelines = (int32_t) num,
                           .depth = (int32_t) job->pipeline_depth,
                           .speed = 1 / (double) spot_job_step_ms(job, num)});
    }
    return 0;
}

static int add_pairs_of_grid(spot_parcae_t *self, spot_bind_t *bind, const spot_node_t *node,
    const spot_job_t *job, int64_t capacity)
{
    const spot_step_grid_t *grid = &job->step_time.grid;
    size_t num_unused = 0;

    self->pairs = spot_calloc(grid->num_pairs + 1, sizeof(*self->pairs));
    if (self->pairs == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < grid->num_pairs; j++) {
        const spot_step_pair_t *pair = &grid->pairs[j];
        const bool has_size = (int64_t) pair->num_pipelines * pair->depth <= capacity &&
                              pair->num_pipelines <= job->max_pipelines;
        const bool has_depth = pair->depth >= self->min_depth && pair->depth <= self->max_depth &&
                               parcae_has_depth(&self->costs, pair->depth);

        num_unused += has_size && !has_depth;
        if (has_size && has_depth) {
            add_pair(self, &(spot_parcae_pair_t){.num_pipelines = pair->num_pipelines,
                               .depth = pair->depth,
                               .speed = spot_step_grid_speed(grid, pair),
                               .step_ms = spot_step_pair_ms(pair),
                               .is_fitted = pair->origin != SPOT_STEP_MEASURED});
        }
    }
    if (num_unused > 0) {
        spot_diag_warn(bind->diag, node->file, node->line, node->column,
            "%zu pairs of job.step_time are not used: their depth is not from "
            "recovery.min_depth to recovery.max_depth, or has no layers or build time",
            num_unused);
    }
    return 0;
}

/* Whether pair a is better than b. */
static bool is_better(const spot_parcae_t *self, int32_t a, int32_t b)
{
    const spot_parcae_pair_t *pair = &self->pairs[a], *other = &self->pairs[b];
    const int64_t size = spot_parcae_size(self, a), size_b = spot_parcae_size(self, b);

    if (pair->speed != other->speed) {
        return pair->speed > other->speed;
    }
    if (self->tie == TIE_PAR && pair->num_pipelines != other->num_pipelines) {
        return pair->num_pipelines < other->num_pipelines;
    }
    return size != size_b ? size < size_b : pair->depth < other->depth;
}

static int find_best(spot_parcae_t *self, int64_t capacity)
{
    self->num_best = capacity + 1;
    self->best = spot_calloc((size_t) self->num_best, sizeof(*self->best));
    if (self->best == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (int64_t size = 0; size <= capacity; size++) {
        self->best[size] = self->num_pairs;
    }
    for (int32_t id = 0; id < self->num_pairs; id++) {
        int32_t *best = &self->best[spot_parcae_size(self, id)];

        *best = is_better(self, id, *best) ? id : *best;
    }
    for (int64_t size = 1; size <= capacity; size++) {
        if (!is_better(self, self->best[size], self->best[size - 1])) {
            self->best[size] = self->best[size - 1];
        }
    }
    return 0;
}

static int64_t largest_depth(const spot_job_t *job)
{
    const spot_step_grid_t *grid = &job->step_time.grid;

    if (!spot_step_time_is_by_pair(&job->step_time)) {
        return job->pipeline_depth;
    }
    return grid->num_pairs == 0 ? 0 : grid->pairs[grid->num_pairs - 1].depth;
}

int spot_parcae_settle(spot_parcae_t *self, spot_terms_t *terms)
{
    spot_bind_t *bind = terms->bind;
    const spot_node_t *node = terms->node;
    const spot_job_t *job = terms->job;
    const int64_t capacity = terms->capacity;
    const size_t num_errors = bind->diag->num_errors;
    int ret = spot_parcae_costs_settle(&self->costs, terms, largest_depth(job));

    self->detection_ms =
        spot_terms_ms(terms, "detection", self->detection_ms, 0, job->detection_ms);
    self->keeps_steps = terms->is_published && !spot_terms_has(terms, "checkpoint");
    terms->traits.keeps_steps = self->keeps_steps;
    if (self->max_depth < self->min_depth) {
        spot_bind_error(bind, node, "recovery", "max_depth is less than min_depth");
    }
    if (ret != 0 || bind->diag->num_errors > num_errors) {
        return ret;
    }
    ret = spot_step_time_is_by_pair(&job->step_time)
              ? add_pairs_of_grid(self, bind, node, job, capacity)
              : add_pairs_of_job(self, bind, node, job, capacity);
    return ret != 0 || self->pairs == NULL ? ret : find_best(self, capacity);
}

bool spot_parcae_lacks_step_time(const spot_parcae_t *self, const spot_recovery_view_t *view)
{
    return spot_job_lacks_best_step_time(
        view->job, spot_recovery_num_usable(view), self->min_depth, self->max_depth);
}

void spot_parcae_release(spot_parcae_t *self)
{
    parcae_costs_release(&self->costs);
    free(self->pairs);
    free(self->best);
}

const spot_recovery_fault_t spot_parcae_faults[] = {
    {"par_bug", "state that is missing is not transferred"},
    {"pause_merge", "a decision in a pause takes one more restart"},
    {NULL, NULL},
};

/* ---- Decisions ---- */

void spot_parcae_decide_pair(const spot_parcae_t *self, int32_t pair_id, double pause_ms,
    double restart_ms, spot_recovery_decision_t *decision)
{
    const spot_parcae_pair_t *pair = &self->pairs[pair_id];

    decision->is_new = true;
    decision->work = SPOT_WORK_STEPS_KEPT;
    decision->num_pipelines = pair->num_pipelines;
    decision->num_active = pair->num_pipelines * pair->depth;
    decision->reconfiguration_ms = llround(restart_ms);
    decision->reload_ms = llround(pause_ms) - decision->reconfiguration_ms;
    if (pair->num_pipelines > 0) {
        decision->step_ms = pair->step_ms;
        spot_decision_note(decision, SPOT_NOTE_STEP_FITTED, pair->is_fitted);
    }
}
