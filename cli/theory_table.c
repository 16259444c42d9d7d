/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/theory_table.h"

#include <inttypes.h>
#include <math.h>

#include "base/json.h"
#include "base/units.h"

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

/* "-" where it is undefined or infinite. */
static void
write_number(FILE *out, int width, int num_decimals, double value)
{
    if (!isfinite(value)) {
        fprintf(out, "%*s", width, "-");
    } else if (value < 1e8) {
        fprintf(out, "%*.*f", width, num_decimals, value);
    } else {
        fprintf(out, "%*.3g", width, value);
    }
}

static void
write_row(
    const spot_theory_question_t *question, const spot_checkpoint_row_t *row, FILE *out)
{
    fprintf(out, "%-30s", spot_checkpoint_rules[row->rule].label);
    write_number(out, 13, 2, row->interval_s);
    if (question->step_ms > 0 && row->steps > 0) {
        fprintf(out, "%12" PRId64, row->steps);
    } else if (question->step_ms > 0) {
        fprintf(out, "%12s", "-");
    }
    write_number(out, 13, 2, row->period_s);
    write_number(out, 11, 3, 100 * row->efficiency);
    write_number(out, 13, 4, 1 / row->efficiency);
    /* All time and more: the first order says nothing any more. */
    write_number(out, 13, 2, row->waste < 1 ? 100 * row->waste : (double) NAN);
    putc('\n', out);
}

static void
write_rows(const spot_checkpoint_answer_t *self, const spot_theory_question_t *question,
    FILE *out)
{
    const bool has_steps = question->step_ms > 0;

    fprintf(out, "%-30s%13s%s%13s%11s%13s%13s\n", "", "work between",
        has_steps ? "     nearest" : "", "with stalls", "kept", "a run takes",
        "first order");
    fprintf(out, "%-30s%13s%s%13s%11s%13s%13s\n", "", "s",
        has_steps ? "       steps" : "", "s", "% of time", "times work", "waste, %");
    for (size_t j = 0; j < self->num_rows; j++) {
        if (self->rows[j].rule != SPOT_RULE_BEST || question->is_async) {
            write_row(question, &self->rows[j], out);
        }
    }
    putc('\n', out);
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

static void
write_memory(const spot_checkpoint_answer_t *self,
    const spot_theory_question_t *question, FILE *out)
{
    const spot_theory_memory_t *memory = &question->memory;

    fprintf(out,
        "\ncopies in the memory of peers every %g s of work: they recover %.4f %% of "
        "the failures, in %g s\nlost to failures, first order, %% of time:\n",
        memory->every_s, 100 * memory->share, memory->fetch_s);
    for (size_t j = 0; j < self->num_rows; j++) {
        const spot_checkpoint_row_t *row = &self->rows[j];

        if ((row->rule != SPOT_RULE_BEST || question->is_async) &&
            row->interval_s >= 0) {
            fprintf(out, "%-30s", spot_checkpoint_rules[row->rule].label);
            write_number(out, 13, 4, 100 * row->memory_loss);
            fprintf(out, ", without the copies");
            write_number(out, 13, 4, 100 * row->memory_loss_without);
            putc('\n', out);
        }
    }
}

void
spot_theory_table_write(const spot_theory_question_t *question, FILE *out)
{
    spot_checkpoint_answer_t answer;

    spot_checkpoint_answer(&answer, question);
    write_title(question, out);
    write_rows(&answer, question, out);
    write_meaning(&answer, question, out);
    if (question->has_memory) {
        write_memory(&answer, question, out);
    }
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
