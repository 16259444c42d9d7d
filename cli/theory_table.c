/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/theory_table.h"

#include <inttypes.h>
#include <math.h>

#include "base/json.h"
#include "base/units.h"
#include "reports/table/table_terminal.h"

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

int
spot_theory_table_write(
    const spot_theory_question_t *question, const spot_terminal_t *terminal, FILE *out)
{
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

void
spot_theory_json_write(const spot_theory_question_t *question, FILE *out)
{
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
}
