/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/result_table.h"

#include <stdlib.h>

#include "reports/difference_table.h"
#include "reports/point_table.h"
#include "reports/race_text.h"
#include "reports/result_title.h"
#include "reports/sensitivity_report.h"
#include "reports/table/table_terminal.h"
#include "reports/winner_report.h"

static int
write_means(const spot_report_t *report, const spot_race_answer_t *answer,
    const spot_terminal_t *terminal, FILE *out)
{
    spot_table_t table = {.name = report->head->name};
    int ret;

    spot_point_table_fill(
        &(spot_point_table_t){.report = report, .answer = answer}, &table);
    fputc('\n', out);
    ret = spot_table_write_terminal(&table, terminal, out);
    spot_table_free(&table);
    return ret;
}

/* The answer of the race, if there is one, and the means. */
static int
write_answer_and_means(
    const spot_report_t *report, const spot_terminal_t *terminal, FILE *out)
{
    const bool is_race = report->head->optimise.metric != NULL;
    spot_race_answer_t answer = {0};
    int ret = is_race ? spot_race_answer_init(&answer, report->store) : 0;

    if (ret == 0 && is_race) {
        spot_race_text_write(&answer, out);
    }
    if (ret == 0) {
        ret = write_means(report, is_race ? &answer : NULL, terminal, out);
    }
    if (is_race) {
        spot_race_answer_free(&answer);
    }
    return ret;
}

int
spot_result_tables_write(
    const spot_report_t *report, const spot_terminal_t *terminal, FILE *out)
{
    const spot_study_head_t *head = report->head;
    int ret = 0;

    spot_result_basis_write(report->store, report->summaries, out);
    if (head->plan.kind == SPOT_PLAN_SENSITIVITY) {
        ret = spot_sensitivity_table_write(report->store, terminal, out);
    }
    if (ret == 0) {
        ret = write_answer_and_means(report, terminal, out);
    }
    if (ret == 0 && head->has_baseline) {
        ret = spot_difference_table_write(report, terminal, out);
    }
    if (ret == 0 && head->best.is_asked) {
        ret = spot_winner_table_write(report, terminal, out);
    }
    return ret == 0 && ferror(out) ? SPOT_ERR_IO : ret;
}

int
spot_result_table_write(
    const spot_store_t *store, const spot_terminal_t *terminal, FILE *out)
{
    spot_report_t report;
    int ret = spot_report_init(&report, store);

    if (ret == 0) {
        ret = spot_report_read_pairs(&report);
    }
    if (ret == 0) {
        spot_result_title_write(store->head, out);
        ret = spot_result_tables_write(&report, terminal, out);
    }
    spot_report_free(&report);
    return ret;
}
