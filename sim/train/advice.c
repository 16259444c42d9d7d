/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What may be chosen for a training job: the size of the fleet, its market (spot, on
 * demand, or a part on demand), the recovery system, the interval of checkpoints and the
 * pipeline depth. */
#include "sim/train/advice.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "models/checkpoint_theory.h"
#include "sim/train/experiment.h"
#include "sim/train/train.h"

/* Late runs go on up to so many deadlines. */
enum { HORIZON_DEADLINES = 3 };

/* Sizes of the fleet that are looked at. */
enum { NUM_SIZES = 7 };

/* Of the interval that theory takes for the best one. */
static const double intervals[] = {0.5, 1, 2};

enum {
    MAX_EVERY = 4,
    MAX_DEPTHS = 3,
    MAX_LOOK_AHEAD_PAIRS = 24,
    LOSS_RUNS = 8,
    EVERY_BYTES = 64
};

/* Intervals that are closer to each other than this factor are the same. */
#define CLOSE_INTERVALS 1.3

typedef struct {
    const spot_advice_question_t *question;
    const spot_scenario_t *scenario;
    const spot_node_t *root;
    spot_alternatives_t *alternatives;
    int64_t max_fleet;
    int64_t preparing; /* instances of a job that runs which are not ready yet */
    int64_t peak;      /* most instances that all recordings had; 0: no recordings */
    int num_every;
    char every[MAX_EVERY][EVERY_BYTES]; /* values of job.checkpoint.every */
    size_t num_depths;
    int64_t depths[MAX_DEPTHS];
} proposal_t;

/* ---- The question ---- */

/* Writes prices as a list from a time on, which becomes 0, each times a factor. */
static void
write_prices(const spot_price_steps_t *price, int64_t from_ms, double factor, FILE *out)
{
    for (size_t j = 0; j < price->num_steps; j++) {
        const spot_price_step_t *step = &price->steps[j];
        const bool is_past = j + 1 < price->num_steps && step[1].start_ms <= from_ms;
        const bool is_first = step->start_ms <= from_ms;
        char start[SPOT_DURATION_TEXT_BYTES];

        if (!is_past) {
            spot_duration_text(is_first ? 0 : step->start_ms - from_ms, start);
            fprintf(out, "%s{from: %s, usd_per_h: %.9g}", is_first ? "[" : ", ", start,
                factor * step->usd_per_h);
        }
    }
    fputs("]", out);
}

/* Lets prices of a job that runs go on from now. Why a scenario cannot be bound is
 * reported later. */
static int
set_prices(
    const spot_advice_question_t *question, spot_yaml_t *scenario, spot_diag_t *diag)
{
    spot_texts_t texts = {.error = 0};
    void *bound = NULL;
    const spot_price_t *price;
    spot_diag_t quiet;
    int ret;

    spot_diag_init(&quiet);
    ret = spot_train_experiment.bind(&bound, scenario->root, NULL, &quiet);
    price = ret == 0 ? &((const spot_scenario_t *) bound)->fleet.price : NULL;
    if (ret == 0 && price->spot.num_steps > 1) {
        FILE *out = spot_texts_begin(&texts);

        if (out != NULL) {
            fprintf(out, "fleet.price={currency: %s, on_demand: %.9g, spot: ",
                spot_price_currency(price), price->on_demand_usd_per_h);
            write_prices(&price->spot, question->elapsed_ms, 1, out);
            fputs("}", out);
        }
        ret = spot_yaml_assign(scenario, "--now", spot_texts_end(&texts, out), diag);
    }
    spot_train_experiment.free(bound);
    spot_diag_free(&quiet);
    ret = spot_error_first(texts.error, ret);
    spot_texts_free(&texts);
    return ret == SPOT_ERR_NO_MEMORY ? ret : 0;
}

static int
train_pose(
    const spot_advice_question_t *question, spot_yaml_t *scenario, spot_diag_t *diag)
{
    const int64_t left_ms = question->finish_by_ms - question->elapsed_ms;
    const int64_t num_steps = question->num_steps - question->progress;
    char deadline[SPOT_DURATION_TEXT_BYTES], horizon[SPOT_DURATION_TEXT_BYTES];
    int ret;

    if (question->num_steps == 0 || question->finish_by_ms == 0) {
        return spot_diag_error(diag, scenario->root->file, 0, 0,
            "a training job is asked about with --steps and --finish-by");
    }
    spot_duration_text(left_ms, deadline);
    spot_duration_text(HORIZON_DEADLINES * left_ms, horizon);
    ret = spot_advice_set(scenario, diag, "horizon=%s", horizon);
    ret = ret != 0
              ? ret
              : spot_advice_set(scenario, diag, "until={steps: %" PRId64 "}", num_steps);
    ret = ret != 0 ? ret : spot_advice_set(scenario, diag, "deadline=%s", deadline);
    if (ret == 0 && question->is_running) {
        ret =
            spot_advice_set(scenario, diag, "fleet.initial=%" PRId64, question->running);
        ret = ret != 0 ? ret : set_prices(question, scenario, diag);
    }
    if (question->num_traces > 0 || spot_node_at(scenario->root, "trace.file") != NULL) {
        spot_node_drop(spot_node_get(scenario->root, "fleet"), "initial");
    }
    return ret != 0 ? ret : spot_advice_replay(question, "trace", scenario, diag);
}

/* ---- Checkpoints ---- */

/* Mean time between losses of the fleet, from some draws of the trace up to the
 * deadline; 0: there was none. NO_MEMORY. */
static int
find_mtbf(const spot_scenario_t *scenario, double *mtbf_ms)
{
    const spot_trace_model_t *trace = &scenario->trace;
    void *state = spot_calloc(1, spot_trace_model_state_bytes(trace));
    int64_t num_losses = 0;

    *mtbf_ms = 0;
    if (state == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (uint64_t j = 0; j < LOSS_RUNS; j++) {
        const spot_dice_t dice = {.seed = 1, .replication = j};
        spot_event_t event;

        trace->generator->start(state, trace->model, &dice);
        while (spot_trace_model_next(trace, state, &event) &&
               event.time_ms <= scenario->deadline_ms) {
            num_losses += event.kind != SPOT_EVENT_ADD;
        }
    }
    free(state);
    if (num_losses > 0) {
        *mtbf_ms = (double) scenario->deadline_ms * LOSS_RUNS / (double) num_losses;
    }
    return 0;
}

/* Adds an interval that is not close to one that is there. */
static void
add_interval(proposal_t *self, double interval_ms, double *there, size_t *num_there)
{
    const int64_t rounded_ms =
        interval_ms < 10 * SPOT_MS_PER_MIN
            ? (int64_t) (interval_ms / SPOT_MS_PER_S) * SPOT_MS_PER_S
            : (int64_t) (interval_ms / SPOT_MS_PER_MIN) * SPOT_MS_PER_MIN;

    for (size_t j = 0; j < *num_there; j++) {
        if (interval_ms < there[j] * CLOSE_INTERVALS &&
            interval_ms > there[j] / CLOSE_INTERVALS) {
            return;
        }
    }
    if (rounded_ms > 0 && rounded_ms <= SPOT_MAX_DURATION_MS &&
        self->num_every < MAX_EVERY) {
        there[(*num_there)++] = interval_ms;
        spot_duration_text(rounded_ms, self->every[self->num_every++]);
    }
}

/* The interval of the scenario, and some around that of Young. Asynchronous checkpoints
 * without a snapshot cost nothing: they are best back to back. */
static int
choose_intervals(proposal_t *self)
{
    const spot_checkpoint_t *checkpoint = &self->scenario->job.checkpoint;
    const spot_node_t *given = spot_node_get(
        spot_node_get(spot_node_get(self->root, "job"), "checkpoint"), "every");
    const int64_t cost_ms = checkpoint->mode == SPOT_CHECKPOINT_SYNC
                                ? checkpoint->write_ms
                                : checkpoint->snapshot_ms;
    double there[MAX_EVERY], mtbf_ms;
    size_t num_there = 0;
    int ret = find_mtbf(self->scenario, &mtbf_ms);

    snprintf(self->every[self->num_every++], EVERY_BYTES, "%s",
        given != NULL && given->kind == SPOT_NODE_SCALAR ? given->text : "back-to-back");
    if (checkpoint->every_kind == SPOT_EVERY_DURATION) {
        there[num_there++] = (double) checkpoint->every_ms;
    }
    if (cost_ms > 0 && mtbf_ms > 0) {
        const double best_ms =
            SPOT_MS_PER_S * spot_theory_young_s(mtbf_ms / SPOT_MS_PER_S,
                                (double) cost_ms / SPOT_MS_PER_S);

        for (size_t j = 0; j < sizeof(intervals) / sizeof(intervals[0]); j++) {
            add_interval(self, best_ms * intervals[j], there, &num_there);
        }
    }
    return ret;
}

/* ---- Depths ---- */

/* Steps a ms of the fastest pipelines of a depth that the largest fleet forms. */
static double
rate_of_depth(const proposal_t *self, int64_t depth)
{
    const spot_step_grid_t *grid = &self->scenario->job.step_time.grid;
    double rate = 0;

    for (size_t j = 0; j < grid->num_pairs; j++) {
        const spot_step_pair_t *pair = &grid->pairs[j];
        const int64_t size = (int64_t) pair->num_pipelines * pair->depth;

        if (pair->depth == depth && size <= self->max_fleet && pair->step_ms > 0) {
            rate = fmax(rate, 1 / pair->step_ms);
        }
    }
    return rate;
}

/* That of the scenario, and the fastest others whose step times are known: only a table
 * by (D,P) says what another depth does. */
static void
choose_depths(proposal_t *self)
{
    const spot_job_t *job = &self->scenario->job;
    const spot_step_grid_t *grid = &job->step_time.grid;

    if (!spot_step_time_is_by_pair(&job->step_time) ||
        rate_of_depth(self, job->pipeline_depth) > 0) {
        self->depths[self->num_depths++] = job->pipeline_depth;
    }
    while (spot_step_time_is_by_pair(&job->step_time) && self->num_depths < MAX_DEPTHS) {
        int64_t best = 0;
        double best_rate = 0;

        for (size_t j = 0; j < grid->num_pairs; j++) {
            const int64_t depth = grid->pairs[j].depth;
            bool is_there = false;

            for (size_t k = 0; k < self->num_depths; k++) {
                is_there |= self->depths[k] == depth;
            }
            if (!is_there && rate_of_depth(self, depth) > best_rate) {
                best = depth;
                best_rate = rate_of_depth(self, depth);
            }
        }
        if (best == 0) {
            return;
        }
        self->depths[self->num_depths++] = best;
    }
}

/* ---- Alternatives ---- */

typedef struct {
    int64_t size, on_demand; /* instances in all, and of these on demand */
    int64_t depth;
    const char *every;
    const char *recovery; /* YAML */
    const char *system;   /* its name */
    bool is_on_demand;    /* all are */
    bool has_interval;
    bool has_depth; /* pipelines have this depth, not what the system chooses */
} choice_t;

static const char *
recovery_text(const proposal_t *self, const spot_recovery_t *system)
{
    const spot_node_t *given = spot_node_get(self->root, "recovery");
    const bool is_given = self->scenario->recovery.system == system && given != NULL &&
                          given->kind == SPOT_NODE_MAP;

    return is_given ? spot_advice_flow(&self->alternatives->texts, given) : system->name;
}

static const char *
words_of(const proposal_t *self, const choice_t *choice)
{
    spot_texts_t *texts = &self->alternatives->texts;
    const char *fleet =
        choice->is_on_demand
            ? spot_texts_add(texts, "%" PRId64 " instances on demand", choice->size)
        : choice->on_demand > 0
            ? spot_texts_add(texts,
                  "%" PRId64 " instances, %" PRId64 " of them on demand and %" PRId64
                  " on spot",
                  choice->size, choice->on_demand, choice->size - choice->on_demand)
            : spot_texts_add(texts, "%" PRId64 " instances on spot", choice->size);
    const char *depth = choice->has_depth ? spot_texts_add(texts,
                                                ", pipelines of %" PRId64, choice->depth)
                                          : "";
    const bool is_back = strcmp(choice->every, "back-to-back") == 0;

    if (choice->is_on_demand) {
        return spot_texts_add(texts, "%s%s", fleet, depth);
    }
    return choice->has_interval
               ? spot_texts_add(texts, "%s%s, recovery system %s, checkpoints %s%s",
                     fleet, depth, choice->system, is_back ? "" : "every ",
                     is_back ? "back to back" : choice->every)
               : spot_texts_add(
                     texts, "%s%s, recovery system %s", fleet, depth, choice->system);
}

static void
add_choice(proposal_t *self, const choice_t *choice)
{
    spot_alternatives_t *all = self->alternatives;
    const spot_scenario_t *scenario = self->scenario;
    const int64_t spot = choice->size - choice->on_demand;
    const int64_t initial =
        self->question->is_running
            ? (self->question->running < spot ? self->question->running : spot)
            : (int64_t) nearbyint((double) scenario->fleet.initial * (double) spot /
                                  (double) scenario->fleet.capacity);
    const char *start =
        spot_trace_model_has_initial(&scenario->trace)
            ? ""
            : spot_texts_add(&all->texts, ", fleet.initial: %" PRId64, initial);
    const int64_t given_back =
        self->question->running > spot ? self->question->running - spot : 0;
    const char *state =
        self->preparing == 0
            ? ""
            : spot_texts_add(&all->texts, ", fleet.preparing: %" PRId64,
                  self->preparing > given_back ? self->preparing - given_back : 0);
    const char *point = spot_texts_add(&all->texts,
        "{fleet.capacity: %" PRId64 "%s%s, fleet.on_demand: %" PRId64
        ", recovery: %s, job.pipeline_depth: %" PRId64 ", job.checkpoint.every: %s}",
        spot, start, state, choice->on_demand, choice->recovery,
        choice->has_depth ? choice->depth : self->depths[0], choice->every);

    for (size_t j = 0; j < all->num_items; j++) {
        if (strcmp(all->items[j].point, point) == 0) {
            return; /* to go on as it is, or a depth that does not matter */
        }
    }
    (void) SPOT_ARRAY_PUSH(all, items,
        (spot_alternative_t){.point = point,
            .words = words_of(self, choice),
            .kind = choice->is_on_demand    ? "on demand"
                    : choice->on_demand > 0 ? "mixed"
                                            : "spot",
            .assumed = spot_advice_beyond(
                &all->texts, self->peak, choice->is_on_demand ? 0 : spot),
            .size = choice->size});
}

/* Whether a fleet that never loses an instance could keep the steps in time. */
static bool
can_finish(const proposal_t *self, int64_t size, int64_t depth)
{
    spot_job_t job = self->scenario->job;
    int64_t num_pipelines;

    job.pipeline_depth = depth;
    num_pipelines = spot_job_best_pipelines(&job, size);
    return num_pipelines > 0 && (double) spot_job_step_ms(&job, num_pipelines) *
                                        (double) self->scenario->until_steps <=
                                    (double) self->scenario->deadline_ms;
}

/* Whether parcae is searched: the time of a look ahead grows with the pairs (D,P). */
static bool
has_parcae(const spot_scenario_t *scenario)
{
    return scenario->recovery.system == &spot_recovery_parcae ||
           scenario->job.step_time.grid.num_pairs <= MAX_LOOK_AHEAD_PAIRS;
}

static void
add_systems(proposal_t *self, choice_t choice)
{
    for (size_t j = 0; spot_recovery_systems[j] != NULL; j++) {
        const spot_recovery_t *system = spot_recovery_systems[j];
        const spot_recovery_choice_t *own = &self->scenario->recovery;
        const bool keeps = system->is_lossless ||
                           (own->system == system && spot_recovery_keeps_steps(own));

        /* Others roll back to storage rarely: the interval of the scenario will do. */
        const bool varies =
            !keeps && (system == own->system || system == &spot_recovery_checkpoint ||
                          system == &spot_recovery_varuna);

        if (system == &spot_recovery_ideal || system == &spot_recovery_on_demand ||
            (system == &spot_recovery_parcae && !has_parcae(self->scenario))) {
            continue;
        }
        choice.recovery = recovery_text(self, system);
        choice.system = system->name;
        choice.has_interval = !keeps;
        choice.has_depth = !system->chooses_depth || choice.recovery != system->name ||
                           !spot_step_time_is_by_pair(&self->scenario->job.step_time);
        for (int k = 0; k < (varies ? self->num_every : 1); k++) {
            choice.every = self->every[k];
            add_choice(self, &choice);
        }
    }
}

/* All alternatives of a size and a depth. What is on demand is whole pipelines; before:
 * the size that came before. */
static void
add_size(proposal_t *self, int64_t size, int64_t before, int64_t depth)
{
    choice_t choice = {.size = size, .depth = depth, .every = self->every[0]};
    const int64_t half = size / 2 / depth * depth;

    add_systems(self, choice);
    for (int64_t on_demand = depth; on_demand < size && on_demand <= half;
         on_demand += half > depth ? half - depth : depth) {
        choice.on_demand = on_demand;
        add_systems(self, choice);
    }
    choice.on_demand = 0;
    if (size / depth > before / depth) {
        choice.size = size / depth * depth;
        choice.is_on_demand = true;
        choice.has_depth = true;
        choice.recovery = spot_recovery_on_demand.name;
        add_choice(self, &choice);
    }
}

/* To go on with what the job that runs has. */
static void
add_current(proposal_t *self)
{
    const spot_scenario_t *scenario = self->scenario;
    const spot_recovery_t *system = scenario->recovery.system;
    const choice_t choice = {.size = spot_scenario_num_slots(scenario),
        .on_demand = scenario->fleet.on_demand,
        .depth = scenario->job.pipeline_depth,
        .every = self->every[0],
        .recovery = recovery_text(self, system),
        .system = system->name,
        .is_on_demand = system->num_on_demand != NULL,
        .has_interval = true,
        .has_depth = true};

    add_choice(self, &choice);
    if (self->alternatives->num_items > 0) {
        self->alternatives->items[0].kind = SPOT_ADVICE_AS_IT_IS;
    }
}

/* Sizes in equal ratios, as the cheapest is often near the least that can be in time. */
static void
add_sizes(proposal_t *self)
{
    for (size_t d = 0; d < self->num_depths; d++) {
        const int64_t depth = self->depths[d];
        int64_t least = self->max_fleet, before = 0;
        double ratio;

        if (can_finish(self, self->max_fleet, depth)) {
            for (least = depth; !can_finish(self, least, depth);) {
                least += depth;
            }
        }
        ratio = (double) self->max_fleet / (double) least;
        for (int j = 0; j < NUM_SIZES; j++) {
            const double share = (double) j / (NUM_SIZES - 1);
            const int64_t size = (int64_t) nearbyint((double) least * pow(ratio, share));

            if (size >= depth && size > before) {
                add_size(self, size, before, depth);
                before = size;
            }
        }
    }
}

static int
train_propose(const spot_advice_question_t *question, const void *scenario,
    const spot_node_t *root, spot_alternatives_t *alternatives, spot_diag_t *diag)
{
    const spot_scenario_t *own = scenario;
    proposal_t self = {.question = question,
        .scenario = own,
        .root = root,
        .alternatives = alternatives,
        .max_fleet = question->max_fleet > 0 ? question->max_fleet
                                             : spot_scenario_num_slots(own)};
    char deadline[SPOT_DURATION_TEXT_BYTES];
    int ret = spot_trace_least_most(
        spot_node_get(spot_node_get(root, "trace"), "recordings"), &self.peak, diag);

    if (ret == 0 && question->now_path != NULL) {
        ret = spot_train_count_preparing(
            question->now_path, own->fleet.preparation_ms, &self.preparing, diag);
    }
    ret = ret == 0 ? choose_intervals(&self) : ret;
    if (ret == 0) {
        choose_depths(&self);
        if (question->is_running) {
            add_current(&self);
        }
        add_sizes(&self);
        spot_duration_text(own->deadline_ms, deadline);
        alternatives->goal = "probability(met_deadline)";
        alternatives->goal_words =
            spot_texts_add(&alternatives->texts, "to keep %" PRId64 " steps within %s%s",
                own->until_steps, deadline, question->is_running ? " from now" : "");
        if (question->is_running) {
            (void) SPOT_ARRAY_PUSH(alternatives, notes,
                "steps that are done but in no checkpoint yet are taken as kept, and a "
                "step, checkpoint or pause under way starts anew");
        }
        if (strcmp(own->trace.generator->name, "seed") == 0) {
            (void) SPOT_ARRAY_PUSH(alternatives, notes,
                "the generator seed loses as many instances an hour of a small fleet as "
                "of a large one; recordings (--trace) lose a share");
        }
        if (!has_parcae(own)) {
            (void) SPOT_ARRAY_PUSH(alternatives, left_out,
                "parcae: with so many pairs (D,P) a look ahead takes long; it is "
                "searched if it is the recovery of the scenario");
        }
        if (!spot_step_time_is_by_pair(&own->job.step_time)) {
            (void) SPOT_ARRAY_PUSH(alternatives, left_out,
                "other pipeline depths: job.step_time is by world size, which does not "
                "say what they do");
        }
    }
    return ret;
}

/* ---- What may be otherwise ---- */

static bool
dearer(const void *scenario, const spot_node_t *root, double factor, FILE *out)
{
    const spot_price_steps_t *price =
        &((const spot_scenario_t *) scenario)->fleet.price.spot;

    (void) root;
    if (spot_trace_model_has_price(&((const spot_scenario_t *) scenario)->trace)) {
        return false;
    }
    fputs("fleet.price.spot: ", out);
    write_prices(price, 0, factor, out);
    return true;
}

static bool
slower_checkpoints(
    const void *scenario, const spot_node_t *root, double factor, FILE *out)
{
    const int64_t write_ms =
        ((const spot_scenario_t *) scenario)->job.checkpoint.write_ms;
    char text[SPOT_DURATION_TEXT_BYTES];

    (void) root;
    if (write_ms == 0) {
        return false;
    }
    spot_duration_text((int64_t) nearbyint(factor * (double) write_ms), text);
    fprintf(out, "job.checkpoint.write: %s", text);
    return true;
}

static const spot_advice_doubt_t doubts[] = {
    {"preemptions and additions", "times as frequent", 8, .numbers = "trace.frequency"},
    {"the spot price", "times as high", 8, .change = dearer},
    {"checkpoints", "times as slow to write", 8, .change = slower_checkpoints},
    {.noun = NULL},
};

const spot_advice_t spot_train_advice = {
    .cost = "cost_usd",
    .time = "time_to_finish_s",
    .doubts = doubts,
    .pose = train_pose,
    .propose = train_propose,
};
