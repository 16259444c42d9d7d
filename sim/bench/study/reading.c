/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/bench/study/reading.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/bench/study/study.h"

/* What the tables bind. */
typedef struct {
    spot_request_t request;
    spot_study_head_t head;
} form_t;

/* ---- Values that other files read ---- */

/* Items of any form, which is checked when they are read; texts; texts that are reported
 * one by one. */
static const spot_field_t any_item = {.type = SPOT_FIELD_TEXT};
static const spot_field_t text_item = {.type = SPOT_FIELD_TEXT};
static const spot_field_t metric_item = {
    .name = "metrics", .type = SPOT_FIELD_TEXT, .expected = "the name of a metric"};
static const spot_field_t condition_item = {.name = "subject_to",
    .type = SPOT_FIELD_TEXT,
    .expected = "a condition such as \"lost_fraction <= 0.05\""};

static const spot_field_t name_or_map[] = {
    {.name = "", .type = SPOT_FIELD_TEXT},
    {.name = "", .type = SPOT_FIELD_DICT, .item = &any_item},
    {.name = NULL},
};
static const spot_field_t map_or_points[] = {
    {.name = "", .type = SPOT_FIELD_DICT, .item = &any_item},
    {.name = "", .type = SPOT_FIELD_LIST, .item = &any_item, .min = 1},
    {.name = NULL},
};
static const spot_field_t text_or_texts[] = {
    {.name = "", .type = SPOT_FIELD_TEXT},
    {.name = "", .type = SPOT_FIELD_LIST, .item = &text_item, .min = 1},
    {.name = NULL},
};

/* Whether a node has the form of a field. An empty text has none. */
static bool has_form(const spot_field_t *field, const spot_node_t *node)
{
    const bool is_one_of = field->type == SPOT_FIELD_ONE_OF;
    const spot_field_t *form = is_one_of ? spot_field_form(field, node) : field;
    bool is_good = form != NULL && (double) node->num_children >= form->min;

    if (node->kind == SPOT_NODE_SCALAR) {
        return is_good && is_one_of && node->text[0] != '\0';
    }
    for (size_t j = 0; is_good && form->item == &text_item && j < node->num_children; j++) {
        is_good = node->children[j]->kind == SPOT_NODE_SCALAR;
    }
    return is_good && (node->kind == SPOT_NODE_MAP) == (form->type == SPOT_FIELD_DICT);
}

/* Keeps a value of the right form as it stands: what it means depends on others. */
static void keep(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    const bool has_words = field->item != NULL && field->item->expected != NULL;

    if (!has_form(field, node)) {
        spot_bind_unexpected(bind, field, node, "");
        return;
    }
    for (size_t j = 0; has_words && j < node->num_children; j++) {
        if (node->children[j]->kind != SPOT_NODE_SCALAR) {
            spot_bind_unexpected(bind, field->item, node->children[j], "");
        }
    }
    *(const spot_node_t **) target = node;
}

int spot_reading_copy(char **text, const char *source)
{
    *text = spot_text_copy(source, strlen(source));
    return *text == NULL ? SPOT_ERR_NO_MEMORY : 0;
}

const spot_node_t *spot_word(const spot_node_t *words, size_t word_id)
{
    if (words == NULL || words->kind == SPOT_NODE_SCALAR) {
        return word_id == 0 ? words : NULL;
    }
    return word_id < words->num_children ? words->children[word_id] : NULL;
}

/* ---- Tables ---- */

#define AT(member) offsetof(form_t, request.member)
#define HEAD(member) offsetof(form_t, head.member)

/* by_default: NULL if the key is required, "" if it may be missing. */
#define FIELD(key, kind, at, by_default, words)                                                    \
    .name = key, .type = kind, .offset = at, .initial = by_default, .help = words
#define TEXT(key, at, by_default, words) FIELD(key, SPOT_FIELD_TEXT, at, by_default, words)
#define NUMBER(key, at, low, high, by_default, words)                                              \
    FIELD(key, SPOT_FIELD_NUMBER, at, by_default, words), .min = low, .max = high
#define INTEGER(key, at, low, high, by_default, words)                                             \
    FIELD(key, SPOT_FIELD_INTEGER, at, by_default, words), .min = low, .max = high
#define MAP(key, table, by_default, words)                                                         \
    FIELD(key, SPOT_FIELD_MAP, 0, by_default, words), .fields = table

/* Values that are kept as they stand: a list, a map, or a value in one of several
 * forms. */
#define KEPT(key, kind, member, by_default, form, words)                                           \
    FIELD(key, kind, AT(member), by_default, words), .bind = keep, .expected = form
#define LIST(key, member, one, form, words)                                                        \
    KEPT(key, SPOT_FIELD_LIST, member, "", form, words), .item = &one
#define DICT(key, member, by_default, form, words)                                                 \
    KEPT(key, SPOT_FIELD_DICT, member, by_default, form, words), .item = &any_item
#define ONE_OF(key, member, forms, by_default, form, words)                                        \
    KEPT(key, SPOT_FIELD_ONE_OF, member, by_default, form, words), .fields = forms

static const spot_field_t until_fields[] = {
    {TEXT("metric", HEAD(until.metric), NULL, "metric whose mean is to be known")},
    {NUMBER("half_width", HEAD(until.half_width), 0, HUGE_VAL, "0",
        "half the width of its confidence interval, in the metric's unit")},
    {NUMBER("relative_half_width", HEAD(until.relative_half_width), 0, 1, "0",
        "the same as a fraction of the mean, instead of half_width")},
    {NUMBER(
        "confidence", HEAD(until.confidence), 0.5, 0.9999, "0.95", "confidence of the interval")},
    {.name = NULL},
};

static const spot_field_t replications_fields[] = {
    {INTEGER("count", AT(count), 1, 1e9, "",
        "replications at each point; where the key is missing as many as the engine "
        "says: 1000 of train, and 1 where they do not differ")},
    {MAP("until", until_fields, "",
        "instead of count: as many as it takes to know the mean of a metric")},
    {INTEGER("min", AT(min), 2, 1e9, "",
        "with until or optimise: replications that each point gets at least, rounded up "
        "to whole batches; where the key is missing as many as the engine says: 256 of "
        "train, in batches of 64")},
    {INTEGER("max", AT(max), 2, 1e9, "100000",
        "with until or optimise: replications that each point gets at most, exactly")},
    {INTEGER(
        "seed", AT(seed), 0, HUGE_VAL, "1", "seed of the study; all points meet the same events")},
    {.name = NULL},
};

static const spot_field_t optimise_fields[] = {
    {TEXT("minimise", AT(minimise), "", "metric whose mean is to be as small as possible")},
    {TEXT("maximise", AT(maximise), "",
        "metric whose mean is to be as large as possible, instead of minimise")},
    {ONE_OF("over", over, map_or_points, NULL,
         "a map from keys of the scenario to their values, at least one, such as "
         "{job.pipeline_depth: [8, 16]}, or a list of points",
         "keys of the scenario and the values among which the best ones are searched, "
         "written as those of a sweep"),
        .min = 1},
    {LIST("subject_to", subject_to, condition_item,
        "a list of conditions such as [\"lost_fraction <= 0.05\"]",
        "limits that the means of metrics keep at the best point")},
    {NUMBER("confidence", HEAD(optimise.confidence), 0.5, 0.9999, "0.95",
        "confidence of the answer as a whole")},
    {NUMBER("indifference", HEAD(optimise.indifference), 0, 1, "0.001",
        "difference to the best that does not matter, as a fraction of its mean: the "
        "race ends when no point can be better by more")},
    {.name = NULL},
};

static const spot_field_t best_fields[] = {
    {TEXT("key", AT(best_key), NULL, "the swept key whose values compete")},
    {TEXT("minimise", AT(best_minimise), "", "metric of which the lowest mean wins")},
    {TEXT("maximise", AT(best_maximise), "",
        "metric of which the highest mean wins, instead of minimise")},
    {LIST("except", best_except, any_item, "a list of values of the key such as [ideal]",
        "values that do not compete, such as bounds; nor do those whose step times, or "
        "the like, were not measured")},
    {FIELD("break_even", SPOT_FIELD_LIST, HEAD(best.keys), "",
         "keys of the scenario, such as [recovery.regroup, trace.frequency]: for each "
         "winner the value is found at which the next one is as good, by more runs, as "
         "the study ends. Its search starts from the value that is given in the "
         "scenario or by the sweep. What lies within best.key, such as an option of the "
         "recovery system, changes for the winner alone, all else for both"),
        .num_offset = HEAD(best.num_keys), .item = &any_item, .item_size = sizeof(char *),
        .expected = "a list of keys of the scenario"},
    {.name = NULL},
};

static const spot_field_t plot_fields[] = {
    {TEXT("x", HEAD(plot.x), "", "swept key to draw along")},
    {TEXT("y", HEAD(plot.y), "", "metric to draw with its confidence band")},
    {TEXT("curves", HEAD(plot.curves), "",
        "swept key with a curve for each of its values in one panel, instead of a panel "
        "each; where best asks for the best of these by y, a strip above the curves "
        "shows which one wins where")},
    {FIELD("stack", SPOT_FIELD_LIST, HEAD(plot.stack), "",
         "metrics that add up to y, drawn as a stack"),
        .num_offset = HEAD(plot.num_stack), .item = &any_item, .item_size = sizeof(char *),
        .expected = "a list of metrics"},
    {TEXT("second_x", HEAD(plot.second_x), "", "metric that labels the x axis a second time")},
    {TEXT("x_label", HEAD(plot.x_label), "", "what x is, in words")},
    {TEXT("second_x_label", HEAD(plot.second_x_label), "", "what second_x is, in words")},
    {.name = NULL},
};

const spot_field_t spot_study_fields[] = {
    {TEXT("study", HEAD(name), NULL, "name of the study")},
    {TEXT("question", HEAD(question), "", "what the study is to answer")},
    {ONE_OF("scenario", scenario, name_or_map, NULL,
        "a scenario file, relative to the study, or the scenario itself", "what is studied")},
    {ONE_OF("sweep", sweep, map_or_points, "",
        "a map from keys of the scenario to lists such as [8, 16] or ranges such as "
        "{from: 0, to: 0.5, points: 11}, or a list of points such as "
        "[{job.pipeline_depth: 8, fleet.initial: 16}]",
        "keys of the scenario and the values that they take. A range has points, both "
        "ends included, or a step, of which from, to is a whole number; with scale: log "
        "its points have equal ratios, and a step rounds them. A list of points has the "
        "same keys in each")},
    {ONE_OF("plan", plan, name_or_map, "",
        "grid, zip, list or {NAME: {points: 64, seed: 1}} with NAME one of "
        "latin-hypercube, sobol and sensitivity",
        "which points the values make. grid (the default): all combinations. zip: the "
        "first values of all keys, then the second ones and so on. list (the default of "
        "a list of points): each point. latin-hypercube and sobol: so many points "
        "spread over all ranges, which have no points then; where a range has a step, "
        "over its steps, otherwise over all numbers, so that whole numbers need step: "
        "1; over lists as choices. More points of a Sobol sequence keep those that were "
        "there, of a Latin hypercube they do not. sensitivity: the design of Saltelli "
        "with N = points base samples of d keys, N (d + 2) points, for first-order and "
        "total Sobol indices of each metric. Points that are the same after rounding "
        "run once")},
    {ONE_OF("where", where, text_or_texts, "",
        "a condition such as \"pipeline_depth <= initial\" or a list of them",
        "which points are kept: those for which all conditions hold. Names are keys of "
        "the scenario, swept or not, or the ends of keys, and have their defaults where "
        "the scenario does not set them; durations need their units: reload < 60 s")},
    {MAP("optimise", optimise_fields, "",
        "instead of sweep: find the best of all combinations by a race, in which points "
        "that are worse with confidence stop early")},
    {MAP("replications", replications_fields, "{}", "how often each point runs")},
    {LIST("metrics", metrics, metric_item, "a list of metrics such as [idle_fraction, cost_usd]",
         "metrics to keep; where the key is missing all of them, or those that optimise "
         "needs"),
        .min = 1},
    {FIELD("ledger", SPOT_FIELD_CHOICE, AT(has_ledger), "yes",
         "with -o FILE.db: keep, beside the metrics asked for, those that reports show: "
         "of train where the time goes (the fractions of prepping to redundant), "
         "usd_per_h and samples_per_s, of which `spotsim report` shows the ledger of "
         "each point and cost against goodput. They are in the database and its "
         "exports, not in tables, and take up to 9 bytes each, 99 a replication of "
         "train. no: only what is asked for. A database that was begun without them "
         "goes on without them"),
        .choices = spot_no_yes},
    {LIST("series", series, any_item, "a list of replications such as [0, 7], or []",
        "with -o FILE.db: the replications of each point of which it keeps the series, "
        "tables such as what the instances of train do over time, for `spotsim report` "
        "to draw and for SQL. They are made when all is run; more of them may be asked "
        "for later. Where the key is missing: the median replication of each point up "
        "to 32 points, without long tables that are not drawn, and [] beyond")},
    {LIST("timelines", timelines, any_item, "a list of replications such as [0, 7], or []",
        "the old name of series")},
    {DICT("baseline", baseline, "",
        "a swept key with one of its values, e.g. {job.pipeline_depth: 8}",
        "value of a swept key that the others are compared with: a second table has the "
        "mean differences of paired replications, which met the same events, with their "
        "own 95 % intervals; also in CSV and JSON")},
    {MAP("best", best_fields, "",
        "a swept key whose best value is reported at each combination of the others, "
        "e.g. which recovery system wins at which preemption rate")},
    {MAP("plot", plot_fields, "", "how the results are drawn")},
    {.name = NULL},
};

/* ---- Messages ---- */

void spot_node_error(
    const spot_reading_t *self, const spot_node_t *node, const char *key, const char *format, ...)
{
    char message[1024];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    spot_diag_error(self->diag, node->file, node->line, node->column, "%s%s%s",
        key == NULL ? "" : key, key == NULL ? "" : ": ", message);
}

/* ---- Keys that exclude each other ---- */

static void exclude(const spot_reading_t *self, const char *key, const char *problem)
{
    const spot_node_t *root = self->study->template->study.root;
    char path[64];

    snprintf(path, sizeof(path), "replications.%s", key);
    if (problem != NULL && spot_node_get(spot_node_get(root, "replications"), key) != NULL) {
        spot_reading_error(self, path, "%s", problem);
    }
}

static void check_replications(const spot_reading_t *self, bool is_race)
{
    const spot_request_t *request = &self->request;
    const spot_until_t *until = &self->study->head.until;
    const bool is_until = until->metric != NULL;
    const char *const no_limits =
        is_until || is_race ? NULL : "is used with until or optimise only";
    const char *const is_raced = is_race ? "is not used with optimise: use min and max" : NULL;

    exclude(self, "count", is_until ? "is not used with until: use min and max" : is_raced);
    exclude(self, "min", no_limits);
    exclude(self, "max", no_limits);
    exclude(self, "until", is_raced);
    if (is_until && (until->half_width > 0) == (until->relative_half_width > 0)) {
        spot_reading_error(
            self, "replications.until", "needs either half_width or relative_half_width, above 0");
    }
    if (request->min > request->max) {
        spot_reading_error(self, "replications.min", "%" PRId64 " is above max, %" PRId64,
            request->min, request->max);
    }
}

/* A race over the keys of optimise.over, in place of a sweep. */
static void settle_optimise(spot_reading_t *self)
{
    spot_request_t *request = &self->request;
    spot_optimise_t *optimise = &self->study->head.optimise;
    char **wanted = request->minimise == NULL ? &request->maximise : &request->minimise;

    if (spot_node_get(self->study->template->study.root, "sweep") != NULL) {
        spot_reading_error(
            self, "sweep", "is not used with optimise: put its keys into optimise.over");
    }
    if ((request->minimise == NULL) == (request->maximise == NULL)) {
        spot_reading_error(self, "optimise", "needs either minimise or maximise");
    }
    request->sweep = request->over;
    optimise->is_maximised = request->minimise == NULL;
    optimise->metric = *wanted;
    *wanted = NULL;
}

int spot_request_read(spot_reading_t *self)
{
    const spot_node_t *root = self->study->template->study.root;
    const spot_node_t *optimise = spot_node_get(root, "optimise");
    form_t form = {.request = {.sweep_key = optimise == NULL ? "sweep" : "optimise.over"}};
    const int ret = spot_bind_document(spot_study_fields, root, self->diag, &form);

    self->request = form.request;
    self->study->head = form.head;
    if (optimise != NULL && optimise->kind == SPOT_NODE_MAP) {
        settle_optimise(self);
    }
    if (root->kind == SPOT_NODE_MAP) {
        check_replications(self, optimise != NULL);
    }
    return ret == SPOT_ERR_NO_MEMORY ? ret : 0;
}

void spot_request_free(spot_request_t *self)
{
    free(self->minimise);
    free(self->maximise);
    free(self->best_key);
    free(self->best_minimise);
    free(self->best_maximise);
}
