/* SPDX-License-Identifier: GPL-3.0-or-later */
/* spotsim theory checkpoint: how often to write a checkpoint, as text and as JSON. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "base/units.h"
#include "base/verb/table.h"
#include "base/verb/terminal.h"
#include "base/verb/verb.h"
#include "models/checkpoint.h"
#include "models/checkpoint_theory.h"

/* How often to write a checkpoint, as `spotsim theory checkpoint` answers it. */

/* ---- Tables ---- */

/* A column: the key of programs, and its form for people if they see it. */
typedef struct {
    const char *key;
    size_t offset; /* in spot_checkpoint_row_t */
    spot_table_column_t column;
} field_t;

#define MEMBER(member) offsetof(spot_checkpoint_row_t, member)
#define HEAD(head, unit_, decimals, factor_)                                                       \
    {                                                                                              \
        .name = head, .unit = unit_, .is_fixed = true, .num_decimals = decimals, .factor = factor_ \
    }
static const field_t interval_fields[] = {
    {"interval_s", MEMBER(interval_s), HEAD("work between", "s", 2, 1)},
    {"period_s", MEMBER(period_s), HEAD("with stalls", "s", 2, 1)},
    {"efficiency", MEMBER(efficiency), HEAD("kept", "% of time", 3, 100)},
    {"efficiency_immune", MEMBER(efficiency_immune), {.name = NULL}},
    {"expected_s", MEMBER(expected_s), {.name = NULL}},
    {"expected_immune_s", MEMBER(expected_immune_s), {.name = NULL}},
    {"run_ratio", MEMBER(run_ratio), HEAD("a run takes", "times work", 4, 1)},
    {"first_order_waste", MEMBER(waste), HEAD("first order", "waste, %", 2, 100)},
    {"steps", MEMBER(steps), HEAD("nearest", "steps", 0, 1)},
    {"steps_efficiency", MEMBER(steps_efficiency), {.name = NULL}},
    {.key = NULL},
};

static const field_t memory_fields[] = {
    {"interval_s", MEMBER(interval_s), {.name = NULL}},
    {"loss", MEMBER(memory_loss), HEAD("with copies", "% of time", 4, 100)},
    {"loss_without", MEMBER(memory_loss_without), HEAD("without", "% of time", 4, 100)},
    {.key = NULL},
};

/* People see a column with a head, that of steps if there are any. */
static bool is_shown(const field_t *field, const spot_theory_question_t *question, bool is_json)
{
    return is_json || (field->column.name != NULL &&
                          (field->offset != MEMBER(steps) || question->step_ms > 0));
}

static void add_value(
    spot_table_t *table, const field_t *field, const spot_checkpoint_row_t *row, bool is_json)
{
    double value = (double) NAN;

    if (field->offset == MEMBER(steps) && row->steps > 0) {
        spot_table_add_count(table, row->steps);
        return;
    }
    if (field->offset != MEMBER(steps)) {
        memcpy(&value, (const char *) row + field->offset, sizeof(value));
    }
    if (!is_json && field->offset == MEMBER(waste) && value >= 1) {
        value = (double) NAN; /* all time and more says nothing */
    }
    spot_table_add_number(table, value);
}

/* Without a snapshot the best is the exact optimum, which people see once. */
static void fill(spot_table_t *table, const field_t *fields, const spot_checkpoint_answer_t *answer,
    const spot_theory_question_t *question, bool is_json)
{
    spot_table_add_column(
        table, (spot_table_column_t){
                   .name = is_json ? "rule" : "interval", .kind = SPOT_TABLE_TEXT, .is_key = true});
    for (const field_t *field = fields; field->key != NULL; field++) {
        spot_table_column_t column = field->column;

        column.name = is_json ? field->key : column.name;
        if (is_shown(field, question, is_json)) {
            spot_table_add_column(table, column);
        }
    }
    for (size_t j = 0; j < answer->num_rows; j++) {
        const spot_checkpoint_row_t *row = &answer->rows[j];
        const spot_checkpoint_rule_t *rule = &spot_checkpoint_rules[row->rule];

        if (row->rule == SPOT_RULE_BEST && !is_json && !question->is_async) {
            continue;
        }
        spot_table_add_row(table);
        spot_table_add_text(table, is_json ? rule->name : rule->label);
        for (const field_t *field = fields; field->key != NULL; field++) {
            if (is_shown(field, question, is_json)) {
                add_value(table, field, row, is_json);
            }
        }
    }
}

static int write_table(const field_t *fields, const spot_checkpoint_answer_t *answer,
    const spot_theory_question_t *question, const spot_terminal_t *terminal, FILE *out)
{
    spot_table_t table = {.name = "intervals"};
    int ret;

    fill(&table, fields, answer, question, false);
    ret = spot_output_put_table(&table, terminal, out);
    spot_table_free(&table);
    return ret;
}

static int write_list(spot_json_t *json, const char *key, const field_t *fields,
    const spot_checkpoint_answer_t *answer, const spot_theory_question_t *question)
{
    spot_table_t table = {.name = NULL};
    int ret;

    fill(&table, fields, answer, question, true);
    spot_json_open(json, key, '[');
    ret = spot_table_write_json(&table, json);
    spot_json_close(json, ']');
    spot_table_free(&table);
    return ret;
}

/* ---- Text ---- */

static void write_duration(FILE *out, const char *before, int64_t duration_ms, const char *behind)
{
    char text[SPOT_DURATION_TEXT_BYTES];

    spot_duration_text(duration_ms, text);
    fprintf(out, "%s%s%s", before, text, behind);
}

static const char *busy_of(const spot_theory_question_t *question)
{
    return question->busy == SPOT_BUSY_JOIN ? "join" : "wait";
}

static void write_title(const spot_theory_question_t *question, FILE *out)
{
    fprintf(out, "%s checkpoints%s%s\n", question->is_async ? "asynchronous" : "synchronous",
        question->is_async ? ", busy: " : "", question->is_async ? busy_of(question) : "");
    write_duration(out, "a failure of the job every ", question->mtbf_ms, " on average");
    if (question->is_async) {
        write_duration(out, "; snapshot ", question->snapshot_ms, "");
    }
    write_duration(out, question->is_async ? ", write " : "; write ", question->write_ms, "");
    write_duration(out, ", restart ", question->restart_ms, "\n\n");
}

/* A length of time as people say it. */
static void write_time(FILE *out, double time_s)
{
    if (time_s < 180) {
        fprintf(out, "%.3g s", time_s);
    } else if (time_s < 3 * 3600) {
        fprintf(out, "%.1f min", time_s / 60);
    } else if (time_s < 3 * 86400) {
        fprintf(out, "%.1f h", time_s / 3600);
    } else {
        fprintf(out, "%.1f d", time_s / 86400);
    }
}

/* What the answer means, in hours of a hundred. */
static void write_meaning(
    const spot_checkpoint_answer_t *self, const spot_theory_question_t *question, FILE *out)
{
    const spot_checkpoint_row_t *best = &self->rows[SPOT_RULE_BEST];
    const spot_checkpoint_row_t *given = &self->rows[SPOT_RULE_GIVEN];

    if (best->interval_s > 0) {
        fputs("best: a checkpoint every ", out);
        write_time(out, best->interval_s);
        fputs(" of work", out);
    } else {
        fputs("best: a checkpoint at every step end", out);
    }
    fprintf(out, ": of 100 h the job keeps %.2f h (%.2f h if no failure hit a restart)\n",
        100 * best->efficiency, 100 * best->efficiency_immune);
    if (self->best_steps > 0) {
        write_duration(out, "in steps of ", question->step_ms, ": every ");
        fprintf(out, "%" PRId64 " step%s (", self->best_steps, self->best_steps == 1 ? "" : "s");
        write_time(out, self->best_steps_s);
        fprintf(out, "): %.2f h\n", 100 * self->best_efficiency);
    }
    if (question->interval_ms > 0) {
        fprintf(out, "at --interval: %.2f h, %.2f h less\n", 100 * given->efficiency,
            100 * (best->efficiency - given->efficiency));
    }
    if (question->is_async) {
        fputs("Young, Daly and the exact optimum are those of the snapshot: they do not "
              "know of the write.\n",
            out);
    }
    fputs("Failures are taken as a Poisson process, the size of the job as constant.\n", out);
}

/* A title, a table of one line a rule, and what the best of them means. NO_MEMORY, IO.
 */
static int theory_report_text(
    const spot_theory_question_t *question, const spot_terminal_t *terminal, FILE *out)
{
    const spot_theory_memory_t *memory = &question->memory;
    spot_checkpoint_answer_t answer;
    int ret;

    spot_checkpoint_answer(&answer, question);
    write_title(question, out);
    ret = write_table(interval_fields, &answer, question, terminal, out);
    fputc('\n', out);
    write_meaning(&answer, question, out);
    if (ret == 0 && question->has_memory) {
        fprintf(out,
            "\ncopies in the memory of peers every %g s of work: they recover %.4f %% "
            "of the failures, in %g s\nlost to failures, first order:\n\n",
            memory->every_s, 100 * memory->share, memory->fetch_s);
        ret = write_table(memory_fields, &answer, question, terminal, out);
    }
    return ret;
}

/* ---- JSON ---- */

/* is_asked false: null. */
static void write_seconds(spot_json_t *json, const char *key, int64_t duration_ms, bool is_asked)
{
    spot_json_number(json, key, is_asked ? spot_duration_s(duration_ms) : (double) NAN);
}

/* {theory, mode, busy, mtbf_s, write_s, snapshot_s, restart_s, step_s, intervals:
 * [{rule, interval_s, period_s, efficiency, efficiency_immune, expected_s,
 * expected_immune_s, run_ratio, first_order_waste, steps, steps_efficiency}],
 * best_steps: {steps, interval_s, efficiency}, memory: {share, every_s, fetch_s, losses:
 * [{rule, interval_s, loss, loss_without}]}}; null where undefined, infinite or not
 * asked. best_steps is there if the step is, memory if it is asked. NO_MEMORY. */
static int theory_report_json(const spot_theory_question_t *question, FILE *out)
{
    const spot_theory_memory_t *memory = &question->memory;
    const bool is_async = question->is_async;
    spot_checkpoint_answer_t answer;
    spot_json_t json;
    int ret;

    spot_checkpoint_answer(&answer, question);
    spot_json_init(&json, out, 2);
    spot_json_open(&json, NULL, '{');
    spot_json_text(&json, "theory", "checkpoint");
    spot_json_text(&json, "mode", is_async ? "async" : "sync");
    spot_json_text(&json, "busy", is_async ? busy_of(question) : NULL);
    write_seconds(&json, "mtbf_s", question->mtbf_ms, true);
    write_seconds(&json, "write_s", question->write_ms, true);
    write_seconds(&json, "snapshot_s", question->snapshot_ms, is_async);
    write_seconds(&json, "restart_s", question->restart_ms, true);
    write_seconds(&json, "step_s", question->step_ms, question->step_ms > 0);
    ret = write_list(&json, "intervals", interval_fields, &answer, question);
    if (answer.best_steps > 0) {
        spot_json_open(&json, "best_steps", '{');
        spot_json_integer(&json, "steps", answer.best_steps);
        spot_json_number(&json, "interval_s", answer.best_steps_s);
        spot_json_number(&json, "efficiency", answer.best_efficiency);
        spot_json_close(&json, '}');
    }
    if (question->has_memory) {
        spot_json_open(&json, "memory", '{');
        spot_json_number(&json, "share", memory->share);
        spot_json_number(&json, "every_s", memory->every_s);
        spot_json_number(&json, "fetch_s", memory->fetch_s);
        ret = spot_error_first(ret, write_list(&json, "losses", memory_fields, &answer, question));
        spot_json_close(&json, '}');
    }
    spot_json_close(&json, '}');
    return ret;
}

/* ---- spotsim theory checkpoint ---- */

typedef struct {
    spot_theory_question_t question; /* write, restart, share, ...: below 0 if not given */
    int mode;                        /* 0 sync, 1 async */
    int busy;                        /* -1: not given, 0 wait, 1 join */
    const char *memory_option;       /* the latest for copies in memory, or NULL */
    int64_t num_instances;           /* 0: not given */
    int64_t group_size;
    int64_t num_lost; /* 0: not given */
    spot_target_t target;
} arguments_t;

static const arguments_t initial = {.question = {.write_ms = -1,
                                        .restart_ms = -1,
                                        .snapshot_ms = -1,
                                        .memory = {.every_s = -1, .fetch_s = -1, .share = -1}},
    .busy = -1,
    .group_size = 2};

#define MAX_GROUPED 5000 /* within seconds */

static const char *const modes[] = {"sync", "async", NULL};
static const char *const busies[] = {"wait", "join", NULL};

static void note_memory(spot_call_t *call, const spot_option_t *option, const char *text)
{
    (void) text;
    ((arguments_t *) call->arguments)->memory_option = option->name;
}

static const spot_option_t options[] = {
    SPOT_OPTION(DURATION, "mtbf", 0, "TIME", question.mtbf_ms,
        "Mean time between failures of the job, not of an instance; a burst of losses "
        "is one failure",
        .min = 1),
    SPOT_OPTION(DURATION, "write", 0, "TIME", question.write_ms,
        "Time to write a checkpoint until it is durable"),
    SPOT_OPTION(DURATION, "restart", 0, "TIME", question.restart_ms,
        "Time from a failure until the job trains again: detection, reconfiguration and "
        "reload"),
    SPOT_OPTION(CHOICE, "mode", 0, "sync|async", mode,
        "sync (default): the job is stalled for the write time; async: for the snapshot "
        "only, the write is behind it",
        .choices = modes),
    SPOT_OPTION(DURATION, "snapshot", 0, "TIME", question.snapshot_ms,
        "async only: time the job is stalled to take the snapshot (default 0 s)"),
    SPOT_OPTION(CHOICE, "busy", 0, "wait|join", busy,
        "async only: while a write is in flight, snapshot and wait for it (wait, the "
        "default), or wait and then snapshot (join)",
        .choices = busies),
    SPOT_OPTION(DURATION, "step", 0, "TIME", question.step_ms,
        "Length of a step: print the intervals in whole steps too", .min = 1),
    SPOT_OPTION(DURATION, "interval", 0, "TIME", question.interval_ms,
        "Print the efficiency at this work between two checkpoints too", .min = 1),
    SPOT_OPTION(DURATION, "memory-every", 0, "TIME", question.memory.every_s,
        "Copies in the memory of peers, as in Gemini: work from one copy to the next; "
        "print the cost of failures with them, to first order",
        .is_real = true, .settle = note_memory),
    SPOT_OPTION(DURATION, "fetch", 0, "TIME", question.memory.fetch_s,
        "Copies in memory: time from a failure that they cover until the job trains "
        "again",
        .is_real = true, .settle = note_memory),
    SPOT_OPTION(NUMBER, "memory-share", 0, "SHARE", question.memory.share,
        "Copies in memory: share of the failures that they cover, from 0 to 1; or the "
        "next three",
        .max = 1, .settle = note_memory),
    SPOT_OPTION(COUNT, "instances", 0, "N", num_instances,
        "Copies in memory: instances of the job; with --lost the share is the "
        "probability that every group keeps a survivor",
        .min = 1, .max = MAX_GROUPED, .settle = note_memory),
    SPOT_OPTION(COUNT, "group-size", 0, "N", group_size,
        "Copies in memory: instances of a group (default 2)", .min = 1, .settle = note_memory),
    SPOT_OPTION(COUNT, "lost", 0, "N", num_lost, "Copies in memory: instances lost at once",
        .min = 1, .settle = note_memory),
    SPOT_OPTION_JSON(target.is_json, "Print the answer as one JSON object"),
    SPOT_OPTION_OUTPUT(target.path, NULL),
    SPOT_OPTION_END,
};

/* What copies in memory need. */
static void check_memory(const arguments_t *arguments, const spot_call_t *call)
{
    const spot_theory_memory_t *memory = &arguments->question.memory;
    const bool has_share = memory->share >= 0;
    const bool has_groups = arguments->num_instances > 0 && arguments->num_lost > 0;

    if (arguments->memory_option == NULL) {
        return;
    }
    if (memory->every_s < 0 || memory->fetch_s < 0) {
        spot_usage_error(call, "--%s: copies in memory need --memory-every and --fetch",
            arguments->memory_option);
    }
    spot_usage_refuse(call,
        has_share == has_groups ||
            (has_share && (arguments->num_instances > 0 || arguments->num_lost > 0)),
        "copies in memory need either --memory-share or --instances and --lost");
    if (has_groups && arguments->num_lost > arguments->num_instances) {
        spot_usage_error(
            call, "--lost: there are only %lld instances", (long long) arguments->num_instances);
    }
}

/* What was not given gets its default here. */
static void check(spot_call_t *call)
{
    arguments_t *arguments = call->arguments;
    spot_theory_question_t *question = &arguments->question;
    const char *missing = question->mtbf_ms == 0     ? "--mtbf"
                          : question->write_ms < 0   ? "--write"
                          : question->restart_ms < 0 ? "--restart"
                                                     : NULL;
    const char *async_option = arguments->busy >= 0         ? "--busy"
                               : question->snapshot_ms >= 0 ? "--snapshot"
                                                            : NULL;

    if (missing != NULL) {
        spot_usage_error(
            call, "%s is missing, e.g. --mtbf 6h --write 300s --restart 10min", missing);
    }
    if (async_option != NULL && arguments->mode == 0) {
        spot_usage_error(
            call, "%s is for asynchronous checkpoints: add --mode async", async_option);
    }
    check_memory(arguments, call);
    question->is_async = arguments->mode == 1;
    question->busy = arguments->busy == 1 ? SPOT_BUSY_JOIN : SPOT_BUSY_WAIT;
    question->snapshot_ms = question->snapshot_ms < 0 ? 0 : question->snapshot_ms;
    question->has_memory = arguments->memory_option != NULL;
}

static int run(spot_call_t *call)
{
    arguments_t *arguments = call->arguments;
    spot_theory_memory_t *memory = &arguments->question.memory;
    spot_output_t output;
    FILE *out;
    int ret = 0;

    call->is_reading = false;
    if (arguments->question.has_memory && memory->share < 0) {
        ret = spot_peer_recovery_probability(
            arguments->num_instances, arguments->group_size, arguments->num_lost, &memory->share);
    }
    if (ret != 0) {
        return ret;
    }
    out = spot_output_begin(&output, &arguments->target, &call->diag);
    if (out != NULL) {
        ret = arguments->target.is_json
                  ? theory_report_json(&arguments->question, out)
                  : theory_report_text(&arguments->question, &output.terminal, out);
    }
    return spot_output_end(&output, ret);
}

const spot_verb_t spot_verb_theory_checkpoint = {
    .name = "theory checkpoint",
    .arguments = "",
    .summary = "How often to write a checkpoint, and what share of the time is kept",
    .doc = "The intervals of Young (1974), of Daly (2006) and the exact optimum, and "
           "the share of all time that becomes kept work at each of them, in closed "
           "form. Failures come as a Poisson process, also during restarts, and the "
           "size of the job is constant; 'spotsim run --check-theory' holds a "
           "simulated run against it. Daly's higher-order form was checked against "
           "his published optima only.",
    .examples = "  spotsim theory checkpoint --mtbf 6h --write 300s --restart 10min\n"
                "  spotsim theory checkpoint --mtbf 6h --write 300s --restart 10min \\\n"
                "      --step 18s\n"
                "  spotsim theory checkpoint --mtbf 1h --write 89s --restart 10min \\\n"
                "      --memory-every 18s --fetch 40s --instances 16 --lost 3\n"
                "  spotsim theory checkpoint --mode async --mtbf 1h --write 89s \\\n"
                "      --restart 135s\n",
    .options = options,
    .arguments_bytes = sizeof(arguments_t),
    .initial = &initial,
    .check = check,
    .run = run,
};
