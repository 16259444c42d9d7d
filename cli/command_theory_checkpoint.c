/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <math.h>

#include "base/json.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/report_terminal.h"
#include "models/checkpoint.h"
#include "models/checkpoint_rules.h"
#include "models/peer_copies.h"
#include "reports/table/table_terminal.h"

typedef struct {
    spot_theory_question_t
        question;              /* write, restart, share, ...: below 0 if not given */
    int mode;                  /* 0 sync, 1 async */
    int busy;                  /* -1: not given, 0 wait, 1 join */
    const char *memory_option; /* the latest for copies in memory, or NULL */
    int64_t num_instances;     /* 0: not given */
    int64_t group_size;
    int64_t num_lost; /* 0: not given */
    const char *output_path;
    bool is_json;
} arguments_t;

static const arguments_t initial = {
    .question = {.write_ms = -1,
        .restart_ms = -1,
        .snapshot_ms = -1,
        .memory = {.every_s = -1, .fetch_s = -1, .share = -1}},
    .busy = -1,
    .group_size = 2};

#define MAX_GROUPED 5000 /* within seconds */

static const char *const modes[] = {"sync", "async", NULL};
static const char *const busies[] = {"wait", "join", NULL};

static void
note_memory(spot_call_t *call, const spot_option_t *option, const char *text)
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
        "Copies in memory: instances of a group (default 2)", .min = 1,
        .settle = note_memory),
    SPOT_OPTION(COUNT, "lost", 0, "N", num_lost,
        "Copies in memory: instances lost at once", .min = 1, .settle = note_memory),
    SPOT_OPTION_JSON(is_json, "Print the answer as one JSON object"),
    SPOT_OPTION_OUTPUT(output_path, NULL),
    SPOT_OPTION_END,
};

/* What copies in memory need. */
static void
check_memory(const arguments_t *arguments, const spot_call_t *call)
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
    if (has_share == has_groups ||
        (has_share && (arguments->num_instances > 0 || arguments->num_lost > 0))) {
        spot_usage_error(call,
            "copies in memory need either --memory-share or --instances and --lost");
    }
    if (has_groups && arguments->num_lost > arguments->num_instances) {
        spot_usage_error(call, "--lost: there are only %lld instances",
            (long long) arguments->num_instances);
    }
}

/* What was not given gets its default here. */
static void
check(spot_call_t *call)
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

/* ---- The answer ---- */

static void
write_title(const spot_theory_question_t *question, FILE *out)
{
    char mtbf[SPOT_DURATION_TEXT_BYTES], write[SPOT_DURATION_TEXT_BYTES];
    char snapshot[SPOT_DURATION_TEXT_BYTES], restart[SPOT_DURATION_TEXT_BYTES];

    spot_duration_text(question->mtbf_ms, mtbf);
    spot_duration_text(question->write_ms, write);
    spot_duration_text(question->snapshot_ms, snapshot);
    spot_duration_text(question->restart_ms, restart);
    fprintf(out, "%s checkpoints%s\n",
        question->is_async ? "asynchronous" : "synchronous",
        !question->is_async                ? ""
        : question->busy == SPOT_BUSY_JOIN ? ", busy: join"
                                           : ", busy: wait");
    fprintf(out, "a failure of the job every %s on average; ", mtbf);
    if (question->is_async) {
        fprintf(out, "snapshot %s, ", snapshot);
    }
    fprintf(out, "write %s, restart %s\n\n", write, restart);
}

static void
add_columns(bool has_steps, spot_table_t *table)
{
    const spot_table_column_t columns[] = {
        {.name = "interval", .kind = SPOT_TABLE_TEXT, .is_key = true},
        {.name = "work between", .unit = "s", .is_fixed = true, .num_decimals = 2},
        {.name = "nearest", .unit = "steps"},
        {.name = "with stalls", .unit = "s", .is_fixed = true, .num_decimals = 2},
        {.name = "kept",
            .unit = "% of time",
            .is_fixed = true,
            .num_decimals = 3,
            .factor = 100},
        {.name = "a run takes",
            .unit = "times work",
            .is_fixed = true,
            .num_decimals = 4},
        {.name = "first order",
            .unit = "waste, %",
            .is_fixed = true,
            .num_decimals = 2,
            .factor = 100},
    };

    for (size_t j = 0; j < sizeof(columns) / sizeof(columns[0]); j++) {
        if (j != 2 || has_steps) {
            spot_table_add_column(table, columns[j]);
        }
    }
}

static void
add_row(const spot_checkpoint_row_t *row, bool has_steps, spot_table_t *table)
{
    spot_table_add_row(table);
    spot_table_add_text(table, spot_checkpoint_rules[row->rule].label);
    spot_table_add_number(table, row->interval_s);
    if (has_steps && row->steps > 0) {
        spot_table_add_count(table, row->steps);
    } else if (has_steps) {
        spot_table_add_number(table, (double) NAN);
    }
    spot_table_add_number(table, row->period_s);
    spot_table_add_number(table, row->efficiency);
    spot_table_add_number(table, 1 / row->efficiency);
    /* All time and more: the first order says nothing any more. */
    spot_table_add_number(table, row->waste < 1 ? row->waste : (double) NAN);
}

static int
write_rows(const spot_checkpoint_answer_t *self, const spot_theory_question_t *question,
    const spot_terminal_t *terminal, FILE *out)
{
    const bool has_steps = question->step_ms > 0;
    spot_table_t table = {.name = "intervals"};
    int ret;

    add_columns(has_steps, &table);
    for (size_t j = 0; j < self->num_rows; j++) {
        if (self->rows[j].rule != SPOT_RULE_BEST || question->is_async) {
            add_row(&self->rows[j], has_steps, &table);
        }
    }
    ret = spot_table_write_terminal(&table, terminal, out);
    spot_table_free(&table);
    fputc('\n', out);
    return ret;
}

/* A length of time as people say it. */
static void
write_time(FILE *out, double time_s)
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

static void
write_steps(const spot_checkpoint_answer_t *self, const spot_theory_question_t *question,
    FILE *out)
{
    char step[SPOT_DURATION_TEXT_BYTES];

    spot_duration_text(question->step_ms, step);
    fprintf(out, "in steps of %s: every %" PRId64 " step%s (", step, self->best_steps,
        self->best_steps == 1 ? "" : "s");
    write_time(out, self->best_steps_s);
    fprintf(out, "): %.2f h\n", 100 * self->best_efficiency);
}

/* What the answer means, in hours of a hundred. */
static void
write_meaning(const spot_checkpoint_answer_t *self,
    const spot_theory_question_t *question, FILE *out)
{
    const spot_checkpoint_row_t *best = &self->rows[SPOT_RULE_BEST];
    const spot_checkpoint_row_t *given = &self->rows[SPOT_RULE_GIVEN];

    fprintf(out, "best: a checkpoint ");
    if (best->interval_s > 0) {
        fprintf(out, "every ");
        write_time(out, best->interval_s);
        fprintf(out, " of work");
    } else {
        fprintf(out, "at every step end");
    }
    fprintf(out,
        ": of 100 h the job keeps %.2f h (%.2f h if no failure hit a restart)\n",
        100 * best->efficiency, 100 * best->efficiency_immune);
    if (self->best_steps > 0) {
        write_steps(self, question, out);
    }
    if (question->interval_ms > 0) {
        fprintf(out, "at --interval: %.2f h, %.2f h less\n", 100 * given->efficiency,
            100 * (best->efficiency - given->efficiency));
    }
    if (question->is_async) {
        fprintf(out, "Young, Daly and the exact optimum are those of the snapshot: they "
                     "do not know of the write.\n");
    }
    fprintf(out, "Failures are taken as a Poisson process, the size of the job as "
                 "constant.\n");
}

static int
write_memory(const spot_checkpoint_answer_t *self,
    const spot_theory_question_t *question, const spot_terminal_t *terminal, FILE *out)
{
    const spot_theory_memory_t *memory = &question->memory;
    spot_table_t table = {.name = "memory"};
    int ret;

    fprintf(out,
        "\ncopies in the memory of peers every %g s of work: they recover %.4f %% of "
        "the failures, in %g s\nlost to failures, first order:\n\n",
        memory->every_s, 100 * memory->share, memory->fetch_s);
    spot_table_add_column(
        &table, (spot_table_column_t){.name = "interval", .kind = SPOT_TABLE_TEXT});
    for (int j = 0; j < 2; j++) {
        spot_table_add_column(
            &table, (spot_table_column_t){.name = j == 0 ? "with copies" : "without",
                        .unit = "% of time",
                        .is_fixed = true,
                        .num_decimals = 4,
                        .factor = 100});
    }
    for (size_t j = 0; j < self->num_rows; j++) {
        const spot_checkpoint_row_t *row = &self->rows[j];

        if ((row->rule != SPOT_RULE_BEST || question->is_async) &&
            row->interval_s >= 0) {
            spot_table_add_row(&table);
            spot_table_add_text(&table, spot_checkpoint_rules[row->rule].label);
            spot_table_add_number(&table, row->memory_loss);
            spot_table_add_number(&table, row->memory_loss_without);
        }
    }
    ret = spot_table_write_terminal(&table, terminal, out);
    spot_table_free(&table);
    return ret;
}

/* A title, a table of one line a rule, and what the best of them means. */
static int
write_answer(const void *context, const spot_terminal_t *terminal, FILE *out)
{
    const spot_theory_question_t *question = context;
    spot_checkpoint_answer_t answer;
    int ret;

    spot_checkpoint_answer(&answer, question);
    write_title(question, out);
    ret = write_rows(&answer, question, terminal, out);
    write_meaning(&answer, question, out);
    return ret == 0 && question->has_memory
               ? write_memory(&answer, question, terminal, out)
               : ret;
}

static void
write_json_row(spot_json_t *json, const spot_checkpoint_row_t *row)
{
    spot_json_open(json, NULL, '{');
    spot_json_text(json, "rule", spot_checkpoint_rules[row->rule].name);
    spot_json_number(json, "interval_s", row->interval_s);
    spot_json_number(json, "period_s", row->period_s);
    spot_json_number(json, "efficiency", row->efficiency);
    spot_json_number(json, "efficiency_immune", row->efficiency_immune);
    spot_json_number(json, "expected_s", row->expected_s);
    spot_json_number(json, "expected_immune_s", row->expected_immune_s);
    spot_json_number(json, "run_ratio", 1 / row->efficiency);
    spot_json_number(json, "first_order_waste", row->waste);
    if (row->steps > 0) {
        spot_json_integer(json, "steps", row->steps);
    } else {
        spot_json_text(json, "steps", NULL);
    }
    spot_json_number(json, "steps_efficiency", row->steps_efficiency);
    spot_json_close(json, '}');
}

static void
write_json_question(spot_json_t *json, const spot_theory_question_t *question)
{
    const char *busy = question->busy == SPOT_BUSY_JOIN ? "join" : "wait";

    spot_json_text(json, "theory", "checkpoint");
    spot_json_text(json, "mode", question->is_async ? "async" : "sync");
    spot_json_text(json, "busy", question->is_async ? busy : NULL);
    spot_json_number(json, "mtbf_s", spot_duration_s(question->mtbf_ms));
    spot_json_number(json, "write_s", spot_duration_s(question->write_ms));
    spot_json_number(json, "snapshot_s",
        question->is_async ? spot_duration_s(question->snapshot_ms) : (double) NAN);
    spot_json_number(json, "restart_s", spot_duration_s(question->restart_ms));
    spot_json_number(json, "step_s",
        question->step_ms > 0 ? spot_duration_s(question->step_ms) : (double) NAN);
}

static void
write_json_memory(spot_json_t *json, const spot_checkpoint_answer_t *self,
    const spot_theory_question_t *question)
{
    const spot_theory_memory_t *memory = &question->memory;

    spot_json_open(json, "memory", '{');
    spot_json_number(json, "share", memory->share);
    spot_json_number(json, "every_s", memory->every_s);
    spot_json_number(json, "fetch_s", memory->fetch_s);
    spot_json_open(json, "losses", '[');
    for (size_t j = 0; j < self->num_rows; j++) {
        const spot_checkpoint_row_t *row = &self->rows[j];

        spot_json_open(json, NULL, '{');
        spot_json_text(json, "rule", spot_checkpoint_rules[row->rule].name);
        spot_json_number(json, "interval_s", row->interval_s);
        spot_json_number(json, "loss", row->memory_loss);
        spot_json_number(json, "loss_without", row->memory_loss_without);
        spot_json_close(json, '}');
    }
    spot_json_close(json, ']');
    spot_json_close(json, '}');
}

/* {theory, mode, busy, mtbf_s, write_s, snapshot_s, restart_s, step_s, intervals:
 * [{rule, interval_s, period_s, efficiency, efficiency_immune, expected_s,
 * expected_immune_s, run_ratio, first_order_waste, steps, steps_efficiency}],
 * best_steps: {steps, interval_s, efficiency}, memory: {share, every_s, fetch_s, losses:
 * [{rule, interval_s, loss, loss_without}]}}; null where undefined, infinite or not
 * asked. best_steps is there if the step is, memory if it is asked. */
static int
write_json(const void *context, FILE *out)
{
    const spot_theory_question_t *question = context;
    spot_json_t json;
    spot_checkpoint_answer_t answer;

    spot_checkpoint_answer(&answer, question);
    spot_json_init(&json, out, 2);
    spot_json_open(&json, NULL, '{');
    write_json_question(&json, question);
    spot_json_open(&json, "intervals", '[');
    for (size_t j = 0; j < answer.num_rows; j++) {
        write_json_row(&json, &answer.rows[j]);
    }
    spot_json_close(&json, ']');
    if (answer.best_steps > 0) {
        spot_json_open(&json, "best_steps", '{');
        spot_json_integer(&json, "steps", answer.best_steps);
        spot_json_number(&json, "interval_s", answer.best_steps_s);
        spot_json_number(&json, "efficiency", answer.best_efficiency);
        spot_json_close(&json, '}');
    }
    if (question->has_memory) {
        write_json_memory(&json, &answer, question);
    }
    spot_json_close(&json, '}');
    return 0;
}

/* ---- The command ---- */

static int
run(spot_call_t *call)
{
    arguments_t *arguments = call->arguments;
    spot_theory_memory_t *memory = &arguments->question.memory;
    int ret = 0;

    call->is_reading = false;
    if (arguments->question.has_memory && memory->share < 0) {
        ret = spot_peer_recovery_probability(arguments->num_instances,
            arguments->group_size, arguments->num_lost, &memory->share);
    }
    if (ret != 0) {
        return ret;
    }
    return arguments->is_json ? spot_command_write(arguments->output_path, write_json,
                                    &arguments->question, &call->diag)
                              : spot_command_print_table(arguments->output_path, false,
                                    write_answer, &arguments->question, &call->diag);
}

const spot_command_t spot_command_theory_checkpoint = {
    .name = "theory checkpoint",
    .arguments = "",
    .summary = "How often to write a checkpoint, and what share of the time is kept",
    .doc =
        "The intervals of Young (1974), of Daly (2006) and the exact optimum, and the "
        "share of all time that becomes kept work at each of them, in closed form. "
        "Failures come as a Poisson process, also during restarts, and the size of "
        "the job is constant; 'spotsim run --check-theory' holds a simulated run "
        "against it. Daly's higher-order form could not be compared with the paper's; "
        "it gives the optima that are published there.",
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
