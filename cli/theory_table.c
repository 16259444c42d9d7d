/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/theory_table.h"

#include <inttypes.h>
#include <math.h>

#include "base/json.h"
#include "base/units.h"
#include "models/checkpoint_theory.h"

enum { ROW_YOUNG, ROW_DALY_FIRST, ROW_DALY_HIGHER, ROW_EXACT, ROW_BEST, ROW_GIVEN };
#define MAX_ROWS 6

static const struct {
    const char *name;
    const char *label;
} rules[MAX_ROWS] = {
    [ROW_YOUNG] = {"young", "Young"},
    [ROW_DALY_FIRST] = {"daly_first_order", "Daly, first order"},
    [ROW_DALY_HIGHER] = {"daly_higher_order", "Daly, higher order"},
    [ROW_EXACT] = {"exact", "exact optimum"},
    [ROW_BEST] = {"best", "best with one write at a time"},
    [ROW_GIVEN] = {"given", "--interval"},
};

/* One rule's interval and what it comes to. */
typedef struct {
    int rule;
    double interval_s; /* NAN, as what follows from it, where the rule gives none */
    double period_s;
    double efficiency;
    double efficiency_immune; /* if no failure hits a restart */
    double expected_s;        /* until the work of an interval is kept */
    double expected_immune_s;
    double waste;  /* first order */
    int64_t steps; /* the nearest number of them, 0: not asked */
    double steps_efficiency;
} row_t;

typedef struct {
    const spot_theory_question_t *question;
    spot_theory_t theory;
    size_t num_rows;
    row_t rows[MAX_ROWS];
    int64_t best_steps; /* 0: not asked */
} answer_t;

static int64_t
nearest_steps(double interval_s, double step_s)
{
    const double steps = round(interval_s / step_s);

    return steps < 1 ? 1 : (int64_t) fmin(steps, (double) SPOT_MAX_STEPS);
}

static void
add_row(answer_t *self, int rule, double interval_s)
{
    const spot_theory_t *theory = &self->theory;
    const double step_s = spot_duration_s(self->question->step_ms);
    row_t *row = &self->rows[self->num_rows++];

    *row = (row_t){rule, (double) NAN, (double) NAN, (double) NAN, (double) NAN,
        (double) NAN, (double) NAN, (double) NAN, 0, (double) NAN};
    if (interval_s < 0) {
        return;
    }
    row->interval_s = interval_s;
    row->period_s = spot_theory_period_s(theory, interval_s);
    row->efficiency = spot_theory_efficiency(theory, interval_s);
    row->expected_s = spot_theory_segment_s(theory, interval_s);
    row->expected_immune_s = spot_theory_segment_immune_s(theory, interval_s);
    row->efficiency_immune = spot_theory_efficiency_immune(theory, interval_s);
    row->waste = spot_theory_waste(theory, interval_s);
    if (step_s > 0) {
        row->steps = nearest_steps(interval_s, step_s);
        row->steps_efficiency =
            spot_theory_efficiency(theory, (double) row->steps * step_s);
    }
}

static void
find_answer(answer_t *self, const spot_theory_question_t *question)
{
    const double mtbf_s = spot_duration_s(question->mtbf_ms);
    const double stall_s =
        spot_duration_s(question->is_async ? question->snapshot_ms : question->write_ms);

    *self = (answer_t){.question = question};
    self->theory = (spot_theory_t){
        .mtbf_s = mtbf_s,
        .stall_s = stall_s,
        .persist_s = question->is_async ? spot_duration_s(question->write_ms) : 0,
        .restart_s = spot_duration_s(question->restart_ms),
        .busy = question->is_async ? question->busy : SPOT_BUSY_WAIT,
    };
    spot_bug_assert(spot_theory_is_valid(&self->theory));
    add_row(self, ROW_YOUNG, spot_theory_young_s(mtbf_s, stall_s));
    add_row(self, ROW_DALY_FIRST, spot_theory_daly_first_s(mtbf_s, stall_s));
    add_row(self, ROW_DALY_HIGHER, spot_theory_daly_higher_s(mtbf_s, stall_s));
    add_row(self, ROW_EXACT, spot_theory_exact_s(mtbf_s, stall_s));
    add_row(self, ROW_BEST, spot_theory_best_s(&self->theory));
    if (question->interval_ms > 0) {
        add_row(self, ROW_GIVEN, spot_duration_s(question->interval_ms));
    }
    if (question->step_ms > 0) {
        self->best_steps =
            spot_theory_best_steps(&self->theory, spot_duration_s(question->step_ms));
    }
}

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
write_row(const answer_t *self, const row_t *row, FILE *out)
{
    fprintf(out, "%-30s", rules[row->rule].label);
    write_number(out, 13, 2, row->interval_s);
    if (self->question->step_ms > 0 && row->steps > 0) {
        fprintf(out, "%12" PRId64, row->steps);
    } else if (self->question->step_ms > 0) {
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
write_rows(const answer_t *self, FILE *out)
{
    const bool has_steps = self->question->step_ms > 0;

    fprintf(out, "%-30s%13s%s%13s%11s%13s%13s\n", "", "work between",
        has_steps ? "     nearest" : "", "with stalls", "kept", "a run takes",
        "first order");
    fprintf(out, "%-30s%13s%s%13s%11s%13s%13s\n", "", "s",
        has_steps ? "       steps" : "", "s", "% of time", "times work", "waste, %");
    for (size_t j = 0; j < self->num_rows; j++) {
        if (self->rows[j].rule != ROW_BEST || self->question->is_async) {
            write_row(self, &self->rows[j], out);
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
write_steps(const answer_t *self, FILE *out)
{
    const double step_s = spot_duration_s(self->question->step_ms);
    const double work_s = (double) self->best_steps * step_s;
    char step[SPOT_DURATION_TEXT_BYTES];

    spot_duration_text(self->question->step_ms, step);
    fprintf(out, "in steps of %s: every %" PRId64 " step%s (", step, self->best_steps,
        self->best_steps == 1 ? "" : "s");
    write_time(out, work_s);
    fprintf(out, "): %.2f h\n", 100 * spot_theory_efficiency(&self->theory, work_s));
}

/* What the answer means, in hours of a hundred. */
static void
write_meaning(const answer_t *self, FILE *out)
{
    const row_t *best = &self->rows[ROW_BEST];
    const row_t *given = &self->rows[ROW_GIVEN];

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
        write_steps(self, out);
    }
    if (self->question->interval_ms > 0) {
        fprintf(out, "at --interval: %.2f h, %.2f h less\n", 100 * given->efficiency,
            100 * (best->efficiency - given->efficiency));
    }
    if (self->question->is_async) {
        fprintf(out, "Young, Daly and the exact optimum are those of the snapshot: they "
                     "do not know of the write.\n");
    }
    fprintf(out, "Failures are taken as a Poisson process, the size of the job as "
                 "constant.\n");
}

/* At the row's interval with copies in memory, or without; NAN where failures cost all
 * time and more: the first order says nothing any more. */
static double
memory_loss(const answer_t *self, const row_t *row, bool has_memory)
{
    static const spot_theory_memory_t none = {0};

    return spot_theory_memory_loss(
        &self->theory, has_memory ? &self->question->memory : &none, row->interval_s);
}

static void
write_memory(const answer_t *self, FILE *out)
{
    const spot_theory_memory_t *memory = &self->question->memory;

    fprintf(out,
        "\ncopies in the memory of peers every %g s of work: they recover %.4f %% of "
        "the failures, in %g s\nlost to failures, first order, %% of time:\n",
        memory->every_s, 100 * memory->share, memory->fetch_s);
    for (size_t j = 0; j < self->num_rows; j++) {
        const row_t *row = &self->rows[j];

        if ((row->rule != ROW_BEST || self->question->is_async) &&
            row->interval_s >= 0) {
            fprintf(out, "%-30s", rules[row->rule].label);
            write_number(out, 13, 4, 100 * memory_loss(self, row, true));
            fprintf(out, ", without the copies");
            write_number(out, 13, 4, 100 * memory_loss(self, row, false));
            putc('\n', out);
        }
    }
}

void
spot_theory_table_write(const spot_theory_question_t *question, FILE *out)
{
    answer_t answer;

    find_answer(&answer, question);
    write_title(question, out);
    write_rows(&answer, out);
    write_meaning(&answer, out);
    if (question->has_memory) {
        write_memory(&answer, out);
    }
}

static void
write_json_row(spot_json_t *json, const row_t *row)
{
    spot_json_open(json, NULL, '{');
    spot_json_text(json, "rule", rules[row->rule].name);
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
write_json_memory(spot_json_t *json, const answer_t *self)
{
    const spot_theory_memory_t *memory = &self->question->memory;

    spot_json_open(json, "memory", '{');
    spot_json_number(json, "share", memory->share);
    spot_json_number(json, "every_s", memory->every_s);
    spot_json_number(json, "fetch_s", memory->fetch_s);
    spot_json_open(json, "losses", '[');
    for (size_t j = 0; j < self->num_rows; j++) {
        const row_t *row = &self->rows[j];

        spot_json_open(json, NULL, '{');
        spot_json_text(json, "rule", rules[row->rule].name);
        spot_json_number(json, "interval_s", row->interval_s);
        spot_json_number(json, "loss", memory_loss(self, row, true));
        spot_json_number(json, "loss_without", memory_loss(self, row, false));
        spot_json_close(json, '}');
    }
    spot_json_close(json, ']');
    spot_json_close(json, '}');
}

void
spot_theory_json_write(const spot_theory_question_t *question, FILE *out)
{
    spot_json_t json;
    answer_t answer;

    find_answer(&answer, question);
    spot_json_init(&json, out, 2);
    spot_json_open(&json, NULL, '{');
    write_json_question(&json, question);
    spot_json_open(&json, "intervals", '[');
    for (size_t j = 0; j < answer.num_rows; j++) {
        write_json_row(&json, &answer.rows[j]);
    }
    spot_json_close(&json, ']');
    if (answer.best_steps > 0) {
        const double work_s =
            (double) answer.best_steps * spot_duration_s(question->step_ms);

        spot_json_open(&json, "best_steps", '{');
        spot_json_integer(&json, "steps", answer.best_steps);
        spot_json_number(&json, "interval_s", work_s);
        spot_json_number(
            &json, "efficiency", spot_theory_efficiency(&answer.theory, work_s));
        spot_json_close(&json, '}');
    }
    if (question->has_memory) {
        write_json_memory(&json, &answer);
    }
    spot_json_close(&json, '}');
}
