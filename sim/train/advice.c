/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/train/advice.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/name_match.h"
#include "base/units.h"
#include "models/checkpoint_theory.h"
#include "sim/train/experiment.h"
#include "sim/train/job/scenario.h"
#include "sim/train/job/train.h"
#include "traces/generate/generator.h"
#include "traces/trace.h"

/* What the trace of a job so far says. */
typedef struct {
    int64_t initial;       /* instances at its start */
    int64_t most;          /* at a time */
    int64_t num_preparing; /* not ready at its end. Without names, those that were lost
                              in the meantime are taken for older ones. */
} train_now_t;

/* ---- Doubts ---- */

/* What may be otherwise than it was taken. */

/* Writes the price of spot instances times a factor, from now on if the job runs. */
static bool dearer(const void *scenario, const spot_node_t *root, double factor, FILE *out)
{
    const spot_scenario_t *self = scenario;
    const spot_price_steps_t *price = &self->fleet.price.spot;
    const int64_t now_ms = self->so_far.elapsed_ms;
    const char *between = "";

    (void) root;
    if (spot_trace_model_has_price(&self->trace)) {
        return false;
    }
    fputs("fleet.price.spot: [", out);
    for (size_t j = 0; j < price->num_steps; j++) {
        const spot_price_step_t *step = &price->steps[j];
        const bool ends = j + 1 < price->num_steps && step[1].start_ms <= now_ms;
        char start[SPOT_DURATION_TEXT_BYTES];

        if (step->start_ms < now_ms) { /* with the factor from now on, if it holds so long */
            spot_duration_text(step->start_ms, start);
            fprintf(out, "%s{from: %s, usd_per_h: %.9g}", between, start, step->usd_per_h);
            between = ", ";
        }
        if (!ends) {
            spot_duration_text(step->start_ms > now_ms ? step->start_ms : now_ms, start);
            fprintf(out, "%s{from: %s, usd_per_h: %.9g}", between, start, factor * step->usd_per_h);
            between = ", ";
        }
    }
    fputs("]", out);
    return true;
}

static bool slower_checkpoints(
    const void *scenario, const spot_node_t *root, double factor, FILE *out)
{
    const int64_t write_ms = ((const spot_scenario_t *) scenario)->job.checkpoint.write_ms;
    char text[SPOT_DURATION_TEXT_BYTES];

    (void) root;
    if (write_ms == 0) {
        return false;
    }
    spot_duration_text((int64_t) nearbyint(factor * (double) write_ms), text);
    fprintf(out, "job.checkpoint.write: %s", text);
    return true;
}

const spot_advice_doubt_t spot_train_doubts[] = {
    {"preemptions and additions", "times as frequent", 8, .numbers = "trace.frequency"},
    {"spot price", "times as high", 8, .change = dearer, .is_price = true},
    {"checkpoints", "times as slow to write", 8, .change = slower_checkpoints},
    {.noun = NULL},
};

/* ---- The job as it stands now ---- */

/* A question about a training job put into its scenario; in the middle of a run with
 * what its trace so far says. */

/* Whether an instance that came with an event is still there at the end. */
static bool is_left(const spot_trace_t *trace, size_t event_id, int32_t name_id)
{
    for (size_t j = event_id + 1; j < trace->num_events; j++) {
        const spot_event_t *event = &trace->events[j];

        for (int32_t k = 0; event->kind != SPOT_EVENT_ADD && k < event->count; k++) {
            if (event->name_ids[k] == name_id) {
                return false;
            }
        }
    }
    return true;
}

static int64_t count_preparing(const spot_trace_t *trace, int64_t preparation_ms)
{
    int64_t num_preparing = 0;

    for (size_t j = 0; j < trace->num_events; j++) {
        const spot_event_t *event = &trace->events[j];

        if (event->kind != SPOT_EVENT_ADD || event->time_ms + preparation_ms <= trace->end_ms) {
            continue;
        }
        for (int32_t k = 0; k < event->count; k++) {
            num_preparing += event->name_ids == NULL || is_left(trace, j, event->name_ids[k]);
        }
    }
    return num_preparing;
}

/* Reads it. BAD_INPUT, IO, NO_MEMORY with the reasons in diag. */
static int train_read_now(
    train_now_t *self, const char *path, int64_t preparation_ms, spot_diag_t *diag)
{
    spot_trace_t trace;
    int ret;

    memset(self, 0, sizeof(*self));
    ret = spot_trace_read(&trace, path, false, diag);
    if (ret == 0) {
        self->initial = trace.initial;
        self->most = spot_trace_peak(&trace);
        self->num_preparing = count_preparing(&trace, preparation_ms);
    }
    spot_trace_free(&trace);
    return ret;
}

/* ---- The question ---- */

/* Late runs go on up to so many deadlines. */
enum { HORIZON_DEADLINES = 3 };

/* What the job has cost so far by the prices of the scenario. Why that cannot be bound
 * is reported later. Errors as train_pose(). */
static int find_paid(const spot_advice_question_t *question, const spot_yaml_t *scenario,
    double *paid_usd, spot_diag_t *diag)
{
    spot_scenario_t bound;
    spot_trace_t trace;
    spot_diag_t quiet;
    int ret, error;

    *paid_usd = 0;
    spot_diag_init_like(&quiet, diag);
    ret = spot_trace_read(&trace, question->now_path, false, diag);
    error = spot_scenario_init(&bound, scenario->root, NULL, &quiet);
    if (ret == 0 && (error == 0 || error == SPOT_ERR_CANNOT_RUN)) {
        *paid_usd = spot_scenario_cost_of_trace(&bound, &trace);
    }
    spot_scenario_free(&bound);
    spot_trace_free(&trace);
    spot_diag_free(&quiet);
    return ret != 0 ? ret : error == SPOT_ERR_NO_MEMORY ? error : 0;
}

/* Sets what a job that runs has had so far. */
static int pose_so_far(
    const spot_advice_question_t *question, spot_yaml_t *scenario, spot_diag_t *diag)
{
    char elapsed[SPOT_DURATION_TEXT_BYTES];
    double paid_usd;
    int ret = find_paid(question, scenario, &paid_usd, diag);

    spot_duration_text(question->elapsed_ms, elapsed);
    return ret != 0 ? ret
                    : spot_advice_set(scenario, diag, "so_far={elapsed: %s, paid_usd: %.9g}",
                          elapsed, paid_usd);
}

/* Puts a question into the scenario, as pose() of spot_advice_t. Of a job that runs it
 * sets so_far to the time that has passed and what that has cost. */
static int train_pose(
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
    if (spot_node_get(scenario->root, "so_far") != NULL) {
        return spot_diag_error(diag, scenario->root->file, 0, 0,
            "so_far: what a job has had so far is said with --now");
    }
    spot_duration_text(left_ms, deadline);
    spot_duration_text(HORIZON_DEADLINES * left_ms, horizon);
    ret = spot_advice_set(scenario, diag, "horizon=%s", horizon);
    ret = ret != 0 ? ret : spot_advice_set(scenario, diag, "until={steps: %" PRId64 "}", num_steps);
    ret = ret != 0 ? ret : spot_advice_set(scenario, diag, "deadline=%s", deadline);
    if (ret == 0 && question->is_running) {
        ret = spot_advice_set(scenario, diag, "fleet.initial=%" PRId64, question->running);
    }
    if (question->num_traces > 0 || spot_node_at(scenario->root, "trace.file") != NULL) {
        spot_node_drop(spot_node_get(scenario->root, "fleet"), "initial");
    }
    ret = ret != 0 ? ret : spot_advice_replay(question, "trace", scenario, diag);
    return ret == 0 && question->is_running ? pose_so_far(question, scenario, diag) : ret;
}

/* ---- What is looked at ---- */

/* Sizes of the fleet that are looked at. */
enum { NUM_SIZES = 7 };

/* Of the interval that theory takes for the best one. */
static const double intervals[] = {0.5, 1, 2};

enum { MAX_EVERY = 4, MAX_DEPTHS = 3, MAX_LOOK_AHEAD_PAIRS = 24, LOSS_RUNS = 8, EVERY_BYTES = 64 };

/* Intervals that are closer to each other than this factor are the same. */
#define CLOSE_INTERVALS 1.3

typedef struct {
    const spot_advice_question_t *question;
    const spot_scenario_t *scenario;
    const spot_node_t *root;
    spot_alternatives_t *alternatives;
    int64_t max_fleet;
    train_now_t now;    /* of a job that runs */
    const char *so_far; /* value of so_far that plays its trace; NULL: it has none that
                           can be played */
    const char *anew;   /* the one of a job that is started anew now */
    int64_t peak;       /* most instances that all recordings had; 0: no recordings */
    int num_every;
    char every[MAX_EVERY][EVERY_BYTES]; /* values of job.checkpoint.every */
    size_t num_depths;
    int64_t depths[MAX_DEPTHS];
} proposal_t;

/* ---- Checkpoints ---- */

/* What may be chosen for a training job: the size of the fleet, its market (spot, on
 * demand, or a part on demand), the recovery system, the interval of checkpoints and the
 * pipeline depth. */

/* Mean time between losses of the fleet, from some draws of the trace up to the
 * deadline; 0: there was none. NO_MEMORY. */
static int find_mtbf(const spot_scenario_t *scenario, double *mtbf_ms)
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
        while (
            spot_trace_model_next(trace, state, &event) && event.time_ms <= scenario->deadline_ms) {
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
static void add_interval(proposal_t *self, double interval_ms, double *there, size_t *num_there)
{
    const int64_t rounded_ms = interval_ms < 10 * SPOT_MS_PER_MIN
                                   ? (int64_t) (interval_ms / SPOT_MS_PER_S) * SPOT_MS_PER_S
                                   : (int64_t) (interval_ms / SPOT_MS_PER_MIN) * SPOT_MS_PER_MIN;

    for (size_t j = 0; j < *num_there; j++) {
        if (interval_ms < there[j] * CLOSE_INTERVALS && interval_ms > there[j] / CLOSE_INTERVALS) {
            return;
        }
    }
    if (rounded_ms > 0 && rounded_ms <= SPOT_MAX_DURATION_MS && self->num_every < MAX_EVERY) {
        there[(*num_there)++] = interval_ms;
        spot_duration_text(rounded_ms, self->every[self->num_every++]);
    }
}

/* The interval of the scenario, and some around that of Young. Asynchronous checkpoints
 * without a snapshot cost nothing: they are best back to back. */
static int choose_intervals(proposal_t *self)
{
    const spot_checkpoint_t *checkpoint = &self->scenario->job.checkpoint;
    const spot_node_t *given =
        spot_node_get(spot_node_get(spot_node_get(self->root, "job"), "checkpoint"), "every");
    const int64_t cost_ms =
        checkpoint->mode == SPOT_CHECKPOINT_SYNC ? checkpoint->write_ms : checkpoint->snapshot_ms;
    double there[MAX_EVERY], mtbf_ms;
    size_t num_there = 0;
    int ret = find_mtbf(self->scenario, &mtbf_ms);

    snprintf(self->every[self->num_every++], EVERY_BYTES, "%s",
        given != NULL && given->kind == SPOT_NODE_SCALAR ? given->text : "back-to-back");
    if (checkpoint->every_kind == SPOT_EVERY_DURATION) {
        there[num_there++] = (double) checkpoint->every_ms;
    }
    if (cost_ms > 0 && mtbf_ms > 0) {
        const double best_ms = SPOT_MS_PER_S * spot_theory_young_s(mtbf_ms / SPOT_MS_PER_S,
                                                   (double) cost_ms / SPOT_MS_PER_S);

        for (size_t j = 0; j < sizeof(intervals) / sizeof(intervals[0]); j++) {
            add_interval(self, best_ms * intervals[j], there, &num_there);
        }
    }
    return ret;
}

/* ---- Depths ---- */

/* Steps a ms of the fastest pipelines of a depth that the largest fleet forms. */
static double rate_of_depth(const proposal_t *self, int64_t depth)
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
static void choose_depths(proposal_t *self)
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
    bool has_depth;   /* pipelines have this depth, not what the system chooses */
    bool is_played;   /* runs play the trace so far: nothing is changed */
    bool is_screened; /* it is not searched */
} choice_t;

static const char *recovery_text(const proposal_t *self, const spot_recovery_t *system)
{
    const spot_node_t *given = spot_node_get(self->root, "recovery");
    const bool is_given =
        self->scenario->recovery.system == system && given != NULL && given->kind == SPOT_NODE_MAP;

    return is_given ? spot_advice_flow(&self->alternatives->texts, given) : system->name;
}

static const char *words_of(const proposal_t *self, const choice_t *choice)
{
    spot_texts_t *texts = &self->alternatives->texts;
    const char *fleet =
        choice->is_on_demand
            ? spot_texts_add(texts, "%" PRId64 " instances on demand", choice->size)
        : choice->on_demand > 0
            ? spot_texts_add(texts, "%" PRId64 " instances on spot and %" PRId64 " on demand",
                  choice->size - choice->on_demand, choice->on_demand)
            : spot_texts_add(texts, "%" PRId64 " instances on spot", choice->size);
    const char *depth = choice->has_depth && self->num_depths > 1
                            ? spot_texts_add(texts, ", pipelines of %" PRId64, choice->depth)
                            : "";
    const char *system =
        choice->is_on_demand || strcmp(choice->system, spot_recovery_checkpoint.name) == 0
            ? ""
            : spot_texts_add(texts, ", recovery system %s", choice->system);
    const bool is_back = strcmp(choice->every, "back-to-back") == 0;

    if (choice->is_on_demand) {
        return spot_texts_add(texts, "%s%s", fleet, depth);
    }
    return choice->has_interval
               ? spot_texts_add(texts, "%s%s%s, checkpoints %s%s", fleet, depth, system,
                     is_back ? "" : "every ", is_back ? "back to back" : choice->every)
               : spot_texts_add(texts, "%s%s%s", fleet, depth, system);
}

/* The keys of the fleet of a choice. */
static const char *fleet_text(const proposal_t *self, const choice_t *choice)
{
    const spot_scenario_t *scenario = self->scenario;
    spot_texts_t *texts = &self->alternatives->texts;
    const int64_t spot = choice->size - choice->on_demand;
    const int64_t running = self->question->running, preparing = self->now.num_preparing;
    const int64_t given_back = running > spot ? running - spot : 0;
    int64_t initial = (int64_t) nearbyint(
        (double) scenario->fleet.initial * (double) spot / (double) scenario->fleet.capacity);

    if (self->question->is_running) {
        initial = choice->is_played ? self->now.initial : running - given_back;
    }
    return spot_texts_add(texts, "fleet.capacity: %" PRId64 "%s%s", spot,
        spot_trace_model_has_initial(&scenario->trace)
            ? ""
            : spot_texts_add(texts, ", fleet.initial: %" PRId64, initial),
        preparing == 0
            ? ""
            : spot_texts_add(texts, ", fleet.preparing: %" PRId64,
                  choice->is_played || preparing <= given_back ? 0 : preparing - given_back));
}

static void add_choice(proposal_t *self, const choice_t *choice)
{
    spot_alternatives_t *all = self->alternatives;
    spot_texts_t *texts = &all->texts;
    const int64_t spot = choice->size - choice->on_demand;
    const char *body = spot_texts_add(texts,
        "%s, fleet.on_demand: %" PRId64 ", recovery: %s, job.pipeline_depth: %" PRId64
        ", job.checkpoint.every: %s",
        fleet_text(self, choice), choice->on_demand, choice->recovery,
        choice->has_depth ? choice->depth : self->depths[0], choice->every);
    const char *point = self->so_far == NULL ? spot_texts_add(texts, "{%s}", body)
                                             : spot_texts_add(texts, "{%s, so_far: %s}", body,
                                                   choice->is_played ? self->so_far : self->anew);

    for (size_t j = 0; j < all->num_items; j++) {
        if (strcmp(all->items[j].point, point) == 0) {
            return; /* a depth that does not matter */
        }
    }
    (void) SPOT_ARRAY_PUSH(all, items,
        (spot_alternative_t){.point = point,
            .words = words_of(self, choice),
            .kind = choice->is_on_demand    ? "on demand"
                    : choice->on_demand > 0 ? "mixed"
                                            : "spot",
            .assumed = spot_advice_beyond(texts, self->peak, choice->is_on_demand ? 0 : spot),
            .screened = choice->is_screened
                            ? spot_texts_add(texts, "%s, a research system", choice->system)
                            : NULL,
            .system = choice->system,
            .fleet = spot_texts_add(texts, "%" PRId64 " + %" PRId64,
                choice->is_on_demand ? 0 : spot, choice->on_demand),
            .is_fixed = choice->is_on_demand,
            .size = choice->size,
            .played_ms = choice->is_played ? self->question->elapsed_ms : 0});
}

/* Whether a fleet that never loses an instance could keep the steps in time. */
static bool can_finish(const proposal_t *self, int64_t size, int64_t depth)
{
    spot_job_t job = self->scenario->job;
    int64_t num_pipelines;

    job.pipeline_depth = depth;
    num_pipelines = spot_job_best_pipelines(&job, size);
    return num_pipelines > 0 &&
           (double) spot_job_step_ms(&job, num_pipelines) * (double) self->scenario->until_steps <=
               (double) self->scenario->deadline_ms;
}

/* Whether parcae is searched: the time of a look ahead grows with the pairs (D,P). */
static bool has_parcae(const spot_scenario_t *scenario)
{
    return scenario->recovery.system == &spot_recovery_parcae ||
           scenario->job.step_time.grid.num_pairs <= MAX_LOOK_AHEAD_PAIRS;
}

/* The next name of a list with commas between, without blanks around it; NULL behind the
 * last. */
static const char *next_name(const char **list, spot_texts_t *texts)
{
    const char *text = *list;
    size_t length;

    if (text == NULL) {
        return NULL;
    }
    text += strspn(text, " ");
    length = strcspn(text, ",");
    *list = text[length] == '\0' ? NULL : text + length + 1;
    while (length > 0 && text[length - 1] == ' ') {
        length--;
    }
    return spot_texts_add(texts, "%.*s", (int) length, text);
}

/* Whether names with commas between have one of them, or all. */
static bool lists(const proposal_t *self, const char *names, const char *name)
{
    for (const char *item; (item = next_name(&names, &self->alternatives->texts)) != NULL;) {
        if (strcmp(item, name) == 0 || strcmp(item, "all") == 0) {
            return true;
        }
    }
    return false;
}

/* Whether a system is searched: what can be rented and run today, that of the scenario,
 * and what is asked for. */
static bool is_searched(const proposal_t *self, const spot_recovery_t *system)
{
    const char *asked = self->question->recovery;

    if (asked == NULL) {
        return system == &spot_recovery_checkpoint || system == self->scenario->recovery.system;
    }
    return lists(self, asked, system->name);
}

static void add_systems(proposal_t *self, choice_t choice)
{
    for (size_t j = 0; spot_recovery_systems[j] != NULL; j++) {
        const spot_recovery_t *system = spot_recovery_systems[j];
        const spot_recovery_choice_t *own = &self->scenario->recovery;
        const bool keeps =
            system->traits.is_lossless || (own->system == system && own->traits.keeps_steps);

        /* Others roll back to storage rarely: the interval of the scenario will do. */
        const bool varies =
            !keeps && (system == own->system || system == &spot_recovery_checkpoint ||
                          strcmp(system->name, spot_recovery_varuna.name) == 0);

        if (system == &spot_recovery_ideal || system == &spot_recovery_on_demand ||
            (system == &spot_recovery_parcae && !has_parcae(self->scenario))) {
            continue;
        }
        choice.recovery = recovery_text(self, system);
        choice.system = system->name;
        choice.is_screened = !is_searched(self, system);
        choice.has_interval = !keeps;
        choice.has_depth = !system->traits.chooses_depth || choice.recovery != system->name ||
                           !spot_step_time_is_by_pair(&self->scenario->job.step_time);
        for (int k = 0; k < (varies ? self->num_every : 1); k++) {
            choice.every = self->every[k];
            add_choice(self, &choice);
        }
    }
}

/* All alternatives of a size and a depth. What is on demand is whole pipelines; before:
 * the size that came before. */
static void add_size(proposal_t *self, int64_t size, int64_t before, int64_t depth)
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

/* Sets what the trace of a job that runs says, and how its past is told in points. */
static int settle_now(proposal_t *self, spot_diag_t *diag)
{
    const spot_scenario_t *scenario = self->scenario;
    const spot_advice_question_t *question = self->question;
    spot_texts_t *texts = &self->alternatives->texts;
    const char *path = self->root->file;
    int ret = train_read_now(&self->now, question->now_path, scenario->fleet.preparation_ms, diag);
    FILE *out;

    if (ret != 0) {
        return ret;
    }
    if (self->now.most > scenario->fleet.capacity ||
        scenario->recovery.system->num_on_demand != NULL ||
        spot_trace_model_zones(&scenario->trace)->num_zones > 0) {
        return 0;
    }
    self->anew = spot_advice_flow(texts, spot_node_get(self->root, "so_far"));
    out = spot_texts_begin(texts);
    if (out != NULL) {
        fputs("{trace: ", out);
        spot_advice_write_path(question->now_path, path, out);
        fputs("}", out);
    }
    self->so_far = spot_texts_end(texts, out);
    return texts->error;
}

/* To go on with what the job that runs has. */
static void add_current(proposal_t *self)
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
        .has_depth = true,
        .is_played = self->so_far != NULL};

    add_choice(self, &choice);
    if (self->alternatives->num_items > 0) {
        self->alternatives->items[0].kind = SPOT_ADVICE_AS_IT_IS;
    }
}

/* No fleet is proposed whose pipelines may be larger than what was measured. More
 * instances may be spares, where job.max_pipelines keeps them so. */
static void limit_sizes(proposal_t *self)
{
    const spot_job_t *job = &self->scenario->job;
    const spot_step_time_t *step_time = &job->step_time;
    spot_alternatives_t *all = self->alternatives;
    const int64_t largest =
        spot_step_time_is_by_pair(step_time) ? 0 : spot_step_time_largest(step_time);

    if (largest < job->pipeline_depth || job->max_pipelines * job->pipeline_depth <= largest) {
        return;
    }
    all->largest_known = largest;
    all->why_not_larger = spot_texts_add(&all->texts,
        "larger than %" PRId64 " was not looked at: no step time is known there", largest);
    self->max_fleet = largest < self->max_fleet ? largest : self->max_fleet;
}

/* Sizes in equal ratios, as the cheapest is often near the least that can be in time. */
static void add_sizes(proposal_t *self)
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

/* What the answer to a job that runs rests on. */
static void note_now(proposal_t *self)
{
    const spot_so_far_t *so_far = &self->scenario->so_far;
    spot_alternatives_t *all = self->alternatives;

    (void) SPOT_ARRAY_PUSH(all, notes,
        spot_texts_add(&all->texts, "costs are those of the whole job; so far it has cost %.2f %s",
            so_far->paid_usd, spot_price_currency(&self->scenario->fleet.price)));
    if (self->now.most > self->scenario->fleet.capacity) {
        (void) SPOT_ARRAY_PUSH(all, notes,
            spot_texts_add(&all->texts,
                "the job had up to %" PRId64 " instances, more than fleet.capacity (%" PRId64
                "): its trace so far cannot be played",
                self->now.most, self->scenario->fleet.capacity));
    }
    (void) SPOT_ARRAY_PUSH(all, notes,
        self->so_far == NULL
            ? "steps that are done but in no checkpoint yet are taken as kept, and a "
              "step, checkpoint or pause under way starts anew"
            : "as it is, the job goes on from the state that its trace so far leads to; "
              "of the others steps that are done are taken as kept, and a step, "
              "checkpoint or pause under way starts anew");
}

/* Checks the recovery systems that are asked for. */
static int check_asked(const proposal_t *self, spot_diag_t *diag)
{
    const char *asked = self->question->recovery;
    int ret = 0;

    for (const char *name;
         ret == 0 && (name = next_name(&asked, &self->alternatives->texts)) != NULL;) {
        char hint[SPOT_SUGGEST_HINT_BYTES];
        spot_suggest_t near;

        spot_suggest_init(&near, name);
        if (strcmp(name, spot_recovery_ideal.name) == 0) {
            ret = spot_diag_error(diag, self->root->file, 0, 0,
                "--recovery: %s is a bound, which cannot be rented", name);
        } else if (strcmp(name, "all") != 0 && spot_recovery_find(name, &near) == NULL) {
            ret = spot_diag_error(diag, self->root->file, 0, 0,
                "--recovery: unknown recovery system \"%s\"%s: expected \"all\" or names as "
                "`spotsim recovery` lists them, with commas between",
                name, spot_suggest_hint(&near, hint));
        }
    }
    return ret;
}

static int train_propose(const spot_advice_question_t *question, const void *scenario,
    const spot_node_t *root, spot_alternatives_t *alternatives, spot_diag_t *diag)
{
    const spot_scenario_t *own = scenario;
    proposal_t self = {.question = question,
        .scenario = own,
        .root = root,
        .alternatives = alternatives,
        .max_fleet = question->max_fleet > 0 ? question->max_fleet : spot_scenario_num_slots(own)};
    const spot_model_common_t *played;
    int ret = spot_trace_least_most(
        spot_node_get(spot_node_get(root, "trace"), "recordings"), &self.peak, diag);

    ret = ret == 0 ? check_asked(&self, diag) : ret;
    if (ret == 0 && question->is_running) {
        ret = settle_now(&self, diag);
    }
    ret = ret == 0 ? choose_intervals(&self) : ret;
    if (ret == 0) {
        choose_depths(&self);
        limit_sizes(&self);
        if (question->is_running) {
            add_current(&self);
        }
        add_sizes(&self);
        alternatives->goal = "probability(met_deadline)";
        alternatives->goal_words = spot_texts_add(&alternatives->texts,
            "to keep %" PRId64 " steps %s", own->until_steps,
            spot_advice_by(&alternatives->texts, question, own->deadline_ms, question->is_running));
        if (question->is_running) {
            note_now(&self);
        }
        played = spot_trace_model_common(&own->trace);
        spot_advice_doubt_lossless(
            alternatives, played->num_played, spot_recorded_trace_num_lossless(played));
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

const spot_advice_t spot_train_advice = {
    .cost = "cost_usd",
    .time = "time_to_finish_s",
    .factor_runs = 2048,
    .doubts = spot_train_doubts,
    .pose = train_pose,
    .propose = train_propose,
};
