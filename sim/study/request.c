/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/study/documents.h"
#include "sim/study/reading.h"

/* What the tables bind. */
typedef struct {
    spot_request_t request;
    const spot_node_t *sweep, *over, *plan;
} form_t;

/* ---- Words ---- */

/* In quotes where a bracket or comma would seem to be that of the list or map around. */
static void
write_inner_scalar(const char *text, FILE *out)
{
    if (strpbrk(text, ",[]{}\"") == NULL) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\') {
            fputc('\\', out);
        }
        fputc(*text, out);
    }
    fputc('"', out);
}

/* A node as YAML on one line. */
static void
write_node(const spot_node_t *node, FILE *out)
{
    const bool is_map = node->kind == SPOT_NODE_MAP;

    if (node->kind == SPOT_NODE_SCALAR) {
        fputs(node->text, out);
        return;
    }
    fputc(is_map ? '{' : '[', out);
    for (size_t j = 0; j < node->num_children; j++) {
        fprintf(out, "%s%s%s", j == 0 ? "" : ", ", is_map ? node->keys[j]->text : "",
            is_map ? ": " : "");
        if (node->children[j]->kind == SPOT_NODE_SCALAR) {
            write_inner_scalar(node->children[j]->text, out);
        } else {
            write_node(node->children[j], out);
        }
    }
    fputc(is_map ? '}' : ']', out);
}

static char *
line_of(const spot_node_t *node)
{
    char *text = NULL;
    size_t num_bytes = 0;
    FILE *stream;

    if (node->kind == SPOT_NODE_SCALAR) {
        return spot_text_copy(node->text, strlen(node->text));
    }
    stream = open_memstream(&text, &num_bytes);
    if (stream == NULL) {
        return NULL;
    }
    write_node(node, stream);
    if (fclose(stream) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

int
spot_word_copy(spot_node_t *word, const spot_node_t *node)
{
    *word = (spot_node_t){.kind = node->kind,
        .is_quoted = node->is_quoted,
        .is_verbatim = node->is_verbatim,
        .file = node->file,
        .line = node->line,
        .column = node->column,
        .num_children = node->num_children,
        .text = line_of(node)};
    return word->text == NULL ? SPOT_ERR_NO_MEMORY : 0;
}

static void
free_words(spot_words_t *self)
{
    for (size_t j = 0; j < self->num_words; j++) {
        free(self->words[j].text);
    }
    free(self->words);
}

static void
keep_word(spot_bind_t *bind, const spot_node_t *node, spot_words_t *words)
{
    const int ret = spot_word_copy(&words->words[words->num_words++], node);

    bind->is_out_of_memory = bind->is_out_of_memory || ret != 0;
}

static bool
make_room(spot_bind_t *bind, size_t num_words, spot_words_t *words)
{
    words->words = spot_calloc(num_words, sizeof(*words->words));
    bind->is_out_of_memory = bind->is_out_of_memory || words->words == NULL;
    return words->words != NULL;
}

/* A list of at least min words. They are scalars where the item says what is expected;
 * without an item it may be one word alone, and all of it is wrong if an item is. */
static void
bind_words(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    const bool is_list =
        node->kind == SPOT_NODE_LIST && (double) node->num_children >= field->min;
    const bool wants_scalars = field->item == NULL || field->item->expected != NULL;
    bool is_good = is_list || (field->item == NULL && node->kind == SPOT_NODE_SCALAR &&
                                  node->text[0] != '\0');
    spot_words_t *words = target;

    for (size_t j = 0; is_list && field->item == NULL && j < node->num_children; j++) {
        is_good = is_good && node->children[j]->kind == SPOT_NODE_SCALAR;
    }
    if (!is_good) {
        spot_bind_unexpected(bind, field, node, "");
    } else if (make_room(bind, is_list ? node->num_children : 1, words)) {
        for (size_t j = 0; is_list && j < node->num_children; j++) {
            if (!wants_scalars || node->children[j]->kind == SPOT_NODE_SCALAR) {
                keep_word(bind, node->children[j], words);
            } else {
                spot_bind_unexpected(bind, field->item, node->children[j], "");
            }
        }
        if (!is_list) {
            keep_word(bind, node, words);
        }
    }
}

/* ---- Other shapes ---- */

/* A scenario or a plan, in full or by name: a list is none, and neither is nothing. */
static bool
check_map_or_name(spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node)
{
    const bool is_good = node->kind == SPOT_NODE_MAP ||
                         (node->kind == SPOT_NODE_SCALAR && node->text[0] != '\0');

    if (!is_good) {
        spot_bind_unexpected(bind, field, node, "");
    }
    return is_good;
}

static void
bind_scenario(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    ((form_t *) target)->request.has_scenario = check_map_or_name(bind, field, node);
}

static void
bind_plan(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    if (check_map_or_name(bind, field, node)) {
        ((form_t *) target)->plan = node;
    }
}

/* A map of keys, or a list of points. */
static void
bind_sweep(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    if (node->kind == SPOT_NODE_MAP ||
        (node->kind == SPOT_NODE_LIST && node->num_children > 0)) {
        ((form_t *) target)->sweep = node;
    } else {
        spot_bind_unexpected(bind, field, node, "");
    }
}

static void
bind_over(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    if (node->kind == SPOT_NODE_MAP && node->num_children > 0) {
        ((form_t *) target)->over = node;
    } else {
        spot_bind_unexpected(bind, field, node, "");
    }
}

static void
bind_baseline(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    spot_request_t *request = &((form_t *) target)->request;

    if (node->kind != SPOT_NODE_MAP) {
        spot_bind_unexpected(bind, field, node, "");
        return;
    }
    request->has_baseline = true;
    if (make_room(bind, node->num_children, &request->baseline_keys) &&
        make_room(bind, node->num_children, &request->baseline_values)) {
        for (size_t j = 0; j < node->num_children; j++) {
            keep_word(bind, node->keys[j], &request->baseline_keys);
            keep_word(bind, node->children[j], &request->baseline_values);
        }
    }
}

/* ---- Tables ---- */

#define AT(member) offsetof(form_t, request.member)

/* An optional text, and a list of words. */
#define TEXT(key, member, words)                                                        \
    {                                                                                   \
        .name = key, .type = SPOT_FIELD_TEXT, .offset = AT(member), .initial = "",      \
        .help = words                                                                   \
    }
#define WORDS(key, member, least, one, form, words)                                     \
    {                                                                                   \
        .name = key, .type = SPOT_FIELD_CUSTOM, .offset = AT(member), .initial = "",    \
        .bind = bind_words, .min = least, .item = one, .expected = form, .help = words  \
    }

static const spot_field_t any_item = {.name = NULL};
static const spot_field_t metric_item = {
    .name = "metrics", .expected = "the name of a metric"};
static const spot_field_t stack_item = {.name = "stack", .expected = "a text"};
static const spot_field_t condition_item = {
    .name = "subject_to", .expected = "a condition such as \"lost_fraction <= 0.05\""};

static const spot_field_t until_fields[] = {
    {.name = "metric",
        .type = SPOT_FIELD_TEXT,
        .offset = AT(replications.until.metric),
        .help = "metric whose mean is to be known"},
    {.name = "half_width",
        .type = SPOT_FIELD_NUMBER,
        .offset = AT(replications.until.half_width),
        .max = HUGE_VAL,
        .initial = "0",
        .help = "half the width of its confidence interval, in the metric's unit"},
    {.name = "relative_half_width",
        .type = SPOT_FIELD_NUMBER,
        .offset = AT(replications.until.relative_half_width),
        .max = 1,
        .initial = "0",
        .help = "the same as a fraction of the mean, instead of half_width"},
    {.name = "confidence",
        .type = SPOT_FIELD_NUMBER,
        .offset = AT(replications.until.confidence),
        .min = 0.5,
        .max = 0.9999,
        .initial = "0.95",
        .help = "confidence of the interval"},
    {.name = NULL},
};

static const spot_field_t replications_fields[] = {
    {.name = "count",
        .type = SPOT_FIELD_INTEGER,
        .offset = AT(replications.count),
        .min = 1,
        .max = 1e9,
        .initial = "",
        .help = "replications at each point; where the key is missing as many as the "
                "engine says: 1000 of train, and 1 where they do not differ"},
    {.name = "until",
        .type = SPOT_FIELD_MAP,
        .initial = "",
        .fields = until_fields,
        .help = "instead of count: as many as it takes to know the mean of a metric"},
    {.name = "min",
        .type = SPOT_FIELD_INTEGER,
        .offset = AT(replications.min),
        .min = 2,
        .max = 1e9,
        .initial = "",
        .help = "with until or optimise: replications that each point gets at least, "
                "rounded up to whole batches; where the key is missing as many as the "
                "engine says: 256 of train, in batches of 64"},
    {.name = "max",
        .type = SPOT_FIELD_INTEGER,
        .offset = AT(replications.max),
        .min = 2,
        .max = 1e9,
        .initial = "100000",
        .help = "with until or optimise: replications that each point gets at most, "
                "exactly"},
    {.name = "seed",
        .type = SPOT_FIELD_INTEGER,
        .offset = AT(replications.seed),
        .max = HUGE_VAL,
        .initial = "1",
        .help = "seed of the study; all points meet the same events"},
    {.name = NULL},
};

static const spot_field_t optimise_fields[] = {
    TEXT("minimise", minimise, "metric whose mean is to be as small as possible"),
    TEXT("maximise", maximise,
        "metric whose mean is to be as large as possible, instead of minimise"),
    {.name = "over",
        .type = SPOT_FIELD_CUSTOM,
        .bind = bind_over,
        .expected =
            "a map from keys of the scenario to their values, at least one, such as "
            "{job.pipeline_depth: [8, 16]}",
        .help = "keys of the scenario and the values among which the best are looked "
                "for, written as those of a sweep"},
    WORDS("subject_to", subject_to, 0, &condition_item,
        "a list of conditions such as [\"lost_fraction <= 0.05\"]",
        "limits that the means of metrics keep at the best point"),
    {.name = "confidence",
        .type = SPOT_FIELD_NUMBER,
        .offset = AT(confidence),
        .min = 0.5,
        .max = 0.9999,
        .initial = "0.95",
        .help = "confidence of the answer as a whole"},
    {.name = "indifference",
        .type = SPOT_FIELD_NUMBER,
        .offset = AT(indifference),
        .max = 1,
        .initial = "0.001",
        .help =
            "difference to the best that does not matter, as a fraction of its mean: "
            "the race ends when no point can be better by more"},
    {.name = NULL},
};

static const spot_field_t best_fields[] = {
    {.name = "key",
        .type = SPOT_FIELD_TEXT,
        .offset = AT(best_key),
        .help = "the swept key whose values compete"},
    TEXT("minimise", best_minimise, "metric of which the lowest mean wins"),
    TEXT("maximise", best_maximise,
        "metric of which the highest mean wins, instead of minimise"),
    WORDS("except", best_except, 0, &any_item,
        "a list of values of the key such as [ideal]",
        "values that do not compete, such as bounds"),
    {.name = NULL},
};

static const spot_field_t plot_fields[] = {
    TEXT("x", plot.x, "swept key to draw along"),
    TEXT("y", plot.y, "metric to draw with its confidence band"),
    TEXT("curves", plot.curves,
        "swept key with a curve for each of its values in one panel, instead of a panel "
        "each; where best asks for the best of these by y, a strip above the curves "
        "shows who wins where"),
    WORDS("stack", plot_stack, 0, &stack_item, "a list of metrics",
        "metrics that add up to y, drawn as a stack"),
    TEXT("second_x", plot.second_x, "metric that labels the x axis a second time"),
    TEXT("x_label", plot.x_label, "what x is, in words"),
    TEXT("second_x_label", plot.second_x_label, "what second_x is, in words"),
    {.name = NULL},
};

const spot_field_t spot_study_fields[] = {
    {.name = "study",
        .type = SPOT_FIELD_TEXT,
        .offset = AT(name),
        .help = "name of the study"},
    TEXT("question", question, "what the study is to answer"),
    {.name = "scenario",
        .type = SPOT_FIELD_CUSTOM,
        .bind = bind_scenario,
        .expected = "a scenario file, relative to the study, or the scenario itself",
        .help = "what is studied"},
    {.name = "sweep",
        .type = SPOT_FIELD_CUSTOM,
        .initial = "",
        .bind = bind_sweep,
        .expected =
            "a map from keys of the scenario to lists such as [8, 16] or ranges such "
            "as {from: 0, to: 0.5, points: 11}, or a list of points such as "
            "[{job.pipeline_depth: 8, fleet.initial: 16}]",
        .help =
            "keys of the scenario and the values that they take. A range has points, "
            "both ends included, or a step, of which from, to is a whole number; with "
            "scale: log its points have equal ratios, and a step rounds them. A list of "
            "points has the same keys in each"},
    {.name = "plan",
        .type = SPOT_FIELD_CUSTOM,
        .initial = "",
        .bind = bind_plan,
        .expected = "grid, zip, list or {NAME: {points: 64, seed: 1}} with NAME one of "
                    "latin-hypercube, sobol and sensitivity",
        .help =
            "which points the values make. grid (the default): all combinations. zip: "
            "the first values of all keys, then the second ones and so on. list (the "
            "default of a list of points): each point. latin-hypercube and sobol: so "
            "many points spread over all ranges, which have no points then; where a "
            "range has a step, over its steps, otherwise over all numbers, so that "
            "whole "
            "numbers need step: 1; over lists as choices. More points of a Sobol "
            "sequence keep those that were there, of a Latin hypercube they do not. "
            "sensitivity: the design of Saltelli with N = points base samples of d "
            "keys, "
            "N (d + 2) points, for first-order and total Sobol indices of each metric. "
            "Points that are the same after rounding run once"},
    WORDS("where", where, 1, NULL,
        "a condition such as \"pipeline_depth <= initial\" or a list of them",
        "which points are kept: those for which all conditions hold. Names are keys of "
        "the scenario, swept or not, or the ends of keys, and have their defaults where "
        "the scenario does not set them; durations need their units: reload < 60 s"),
    {.name = "optimise",
        .type = SPOT_FIELD_MAP,
        .initial = "",
        .fields = optimise_fields,
        .help = "instead of sweep: look for the best of all combinations by a race, in "
                "which points that are worse with confidence stop early"},
    {.name = "replications",
        .type = SPOT_FIELD_MAP,
        .initial = "{}",
        .fields = replications_fields,
        .help = "how often each point runs"},
    WORDS("metrics", metrics, 1, &metric_item,
        "a list of metrics such as [idle_fraction, cost_usd]",
        "metrics to keep; where the key is missing all of them, or those that optimise "
        "needs"),
    {.name = "ledger",
        .type = SPOT_FIELD_CHOICE,
        .offset = AT(has_ledger),
        .choices = spot_no_yes,
        .initial = "yes",
        .help =
            "with -o FILE.db: keep, beside the metrics asked for, those that reports "
            "show: of train where the time goes (the fractions of prepping to "
            "redundant), usd_per_h and samples_per_s, of which `spotsim report` shows "
            "the ledger of each point and cost against goodput. They are in the "
            "database and its exports, not in tables, and take up to 9 bytes each, 99 a "
            "replication of train. no: only what is asked for. A database that was "
            "begun without them goes on without them"},
    WORDS("series", series, 0, &any_item, "a list of replications such as [0, 7], or []",
        "with -o FILE.db: the replications of each point of which it keeps the series, "
        "such as the timeline of train, what all instances do over time, for `spotsim "
        "report` to draw. They are made when all is run; more of them may be asked for "
        "later. Where the key is missing [0] up to 32 points, and [] beyond"),
    WORDS("timelines", timelines, 0, &any_item,
        "a list of replications such as [0, 7], or []", "the old name of series"),
    {.name = "baseline",
        .type = SPOT_FIELD_CUSTOM,
        .initial = "",
        .bind = bind_baseline,
        .expected = "a swept key with one of its values, e.g. {job.pipeline_depth: 8}",
        .help = "value of a swept key that the others are compared with: a second table "
                "has the mean differences of paired replications, which met the same "
                "events, with their own 95 % intervals; also in CSV and JSON"},
    {.name = "best",
        .type = SPOT_FIELD_MAP,
        .initial = "",
        .fields = best_fields,
        .help = "a swept key whose best value is told at each combination of the "
                "others, e.g. which recovery system wins at which preemption rate"},
    {.name = "plot",
        .type = SPOT_FIELD_MAP,
        .initial = "",
        .fields = plot_fields,
        .help = "how the results are drawn"},
    {.name = NULL},
};

/* ---- Messages ---- */

static void SPOT_PRINTF(4, 0) report(const spot_reading_t *self,
    const spot_node_t *place, const char *key, const char *format, va_list arguments)
{
    char message[1024];

    vsnprintf(message, sizeof(message), format, arguments);
    spot_diag_error(self->diag, place->file, place->line, place->column, "%s%s%s",
        key == NULL ? "" : key, key == NULL ? "" : ": ", message);
}

void
spot_reading_error(const spot_reading_t *self, const char *key, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    report(self, spot_node_place(spot_documents_study(self->study->documents), key), key,
        format, arguments);
    va_end(arguments);
}

void
spot_word_error(const spot_reading_t *self, const spot_node_t *word, const char *key,
    const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    report(self, word, key, format, arguments);
    va_end(arguments);
}

/* ---- Keys that exclude each other ---- */

static bool
has_key(const spot_reading_t *self, const char *map, const char *key)
{
    const spot_node_t *root = spot_documents_study(self->study->documents);

    return spot_node_get(map == NULL ? root : spot_node_get(root, map), key) != NULL;
}

static void
exclude(const spot_reading_t *self, const char *key, const char *problem)
{
    char path[64];

    snprintf(path, sizeof(path), "replications.%s", key);
    if (problem != NULL && has_key(self, "replications", key)) {
        spot_reading_error(self, path, "%s", problem);
    }
}

static void
check_optimise(const spot_reading_t *self)
{
    const spot_request_t *request = &self->request;

    if (has_key(self, NULL, "sweep")) {
        spot_reading_error(
            self, "sweep", "is not used with optimise: put its keys into optimise.over");
    }
    if ((request->minimise == NULL) == (request->maximise == NULL)) {
        spot_reading_error(self, "optimise", "needs either minimise or maximise");
    }
}

static void
check_replications(const spot_reading_t *self, bool is_race)
{
    const spot_replications_t *replications = &self->request.replications;
    const spot_until_t *until = &replications->until;
    const bool is_until = until->metric != NULL;
    const char *const no_limits =
        is_until || is_race ? NULL : "is used with until or optimise only";
    const char *const is_raced =
        is_race ? "is not used with optimise: use min and max" : NULL;

    exclude(
        self, "count", is_until ? "is not used with until: use min and max" : is_raced);
    exclude(self, "min", no_limits);
    exclude(self, "max", no_limits);
    exclude(self, "until", is_raced);
    if (is_until && (until->half_width > 0) == (until->relative_half_width > 0)) {
        spot_reading_error(self, "replications.until",
            "needs either half_width or relative_half_width, above 0");
    }
    if (replications->min > replications->max) {
        spot_reading_error(self, "replications.min",
            "%" PRId64 " is above max, %" PRId64, replications->min, replications->max);
    }
}

/* ---- The whole ---- */

/* The head takes over what it has as it stands in the file. */
static int
fill_head(spot_reading_t *self, bool is_race)
{
    spot_study_head_t *head = &self->study->head;
    spot_request_t *request = &self->request;
    spot_optimise_t *optimise = &head->optimise;
    char **wanted = request->minimise == NULL ? &request->maximise : &request->minimise;
    const size_t num_stack = request->plot_stack.num_words;

    head->name = request->name;
    head->question = request->question;
    request->name = request->question = NULL;
    head->until = request->replications.until;
    request->replications.until.metric = NULL;
    if (is_race) {
        optimise->is_maximised = request->minimise == NULL;
        optimise->metric = *wanted;
        *wanted = NULL;
        optimise->confidence = request->confidence;
        optimise->indifference = request->indifference;
    }
    head->plot = request->plot;
    memset(&request->plot, 0, sizeof(request->plot));
    head->plot.stack = spot_calloc(num_stack, sizeof(*head->plot.stack));
    if (head->plot.stack == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < num_stack; j++) {
        const char *text = request->plot_stack.words[j].text;

        head->plot.stack[head->plot.num_stack++] = spot_text_copy(text, strlen(text));
        if (head->plot.stack[j] == NULL) {
            return SPOT_ERR_NO_MEMORY;
        }
    }
    return 0;
}

int
spot_request_read(spot_reading_t *self)
{
    const spot_node_t *root = spot_documents_study(self->study->documents);
    const bool is_race = has_key(self, NULL, "optimise");
    form_t form = {.sweep = NULL};
    int ret = spot_bind_document(spot_study_fields, root, self->diag, &form);

    self->request = form.request;
    self->request.sweep = is_race ? "optimise.over" : "sweep";
    if (is_race && spot_node_get(root, "optimise")->kind == SPOT_NODE_MAP) {
        check_optimise(self);
        form.sweep = form.over;
    }
    if (root->kind == SPOT_NODE_MAP) {
        check_replications(self, is_race);
    }
    if (ret != SPOT_ERR_NO_MEMORY) {
        ret = fill_head(self, is_race);
    }
    return ret == 0 ? spot_request_read_sweep(self, form.sweep, form.plan) : ret;
}

void
spot_request_free(spot_request_t *self)
{
    char *texts[] = {self->name, self->question, self->replications.until.metric,
        self->best_key, self->best_minimise, self->best_maximise, self->minimise,
        self->maximise, self->plot.x, self->plot.y, self->plot.curves,
        self->plot.second_x, self->plot.x_label, self->plot.second_x_label};
    spot_words_t *words[] = {&self->where, &self->metrics, &self->series,
        &self->timelines, &self->baseline_keys, &self->baseline_values,
        &self->best_except, &self->subject_to, &self->plot_stack};

    for (size_t j = 0; j < sizeof(texts) / sizeof(texts[0]); j++) {
        free(texts[j]);
    }
    for (size_t j = 0; j < sizeof(words) / sizeof(words[0]); j++) {
        free_words(words[j]);
    }
    for (size_t j = 0; j < self->num_swept; j++) {
        spot_swept_t *swept = &self->swept[j];

        for (size_t k = 0; swept->drawn != NULL && k < swept->num_items; k++) {
            free(swept->drawn[k]);
        }
        free(swept->path);
        free_words(&swept->items);
        free(swept->drawn);
        free(swept->value_ids);
        free(swept->item_ids);
    }
    free(self->swept);
}
