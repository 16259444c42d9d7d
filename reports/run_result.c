/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/run_result.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "reports/table/table_terminal.h"
#include "reports/table/text_cell.h"

static void
fill_table(const spot_run_result_t *self, spot_table_t *table)
{
    spot_table_add_column(
        table, (spot_table_column_t){.name = "metric", .kind = SPOT_TABLE_TEXT});
    spot_table_add_column(table, (spot_table_column_t){.name = "value"});
    spot_table_add_column(
        table, (spot_table_column_t){.name = "unit", .kind = SPOT_TABLE_TEXT});
    for (size_t j = 0; j < self->outputs->num_metrics; j++) {
        const spot_metric_t *metric = &self->outputs->metrics[j];

        spot_table_add_row(table);
        spot_table_add_text(table, metric->name);
        spot_table_add_number(table, self->metrics[j]);
        spot_table_add_text(table, strcmp(metric->unit, "1") == 0 ? "" : metric->unit);
    }
    for (size_t j = 0; j < self->experiment->num_warnings; j++) {
        if (self->warnings[j]) {
            spot_table_add_note(table, "warning", self->experiment->warnings[j].text);
        }
    }
}

int
spot_run_result_text(
    const spot_run_result_t *self, const spot_terminal_t *terminal, FILE *out)
{
    spot_table_t table = {.name = "metrics"};
    int ret;

    spot_text_write(out, self->name == NULL ? self->experiment->name : self->name);
    fprintf(out, ": engine %s, seed %" PRIu64 ", replication %" PRIu64 "\n\n",
        self->experiment->name, self->seed, self->replication);
    fill_table(self, &table);
    ret = spot_table_write_terminal(&table, terminal, out);
    spot_table_free(&table);
    return ret;
}

void
spot_run_result_json(const spot_run_result_t *self, FILE *out)
{
    spot_json_t json;

    spot_json_init(&json, out, 2);
    spot_json_open(&json, NULL, '{');
    spot_json_text(&json, "engine", self->experiment->name);
    spot_json_text(&json, "scenario", self->name);
    spot_json_open(&json, "metrics", '{');
    for (size_t j = 0; j < self->outputs->num_metrics; j++) {
        spot_json_open(&json, self->outputs->metrics[j].name, '{');
        spot_json_number(&json, "value", self->metrics[j]);
        spot_json_text(&json, "unit", self->outputs->metrics[j].unit);
        spot_json_close(&json, '}');
    }
    spot_json_close(&json, '}');
    spot_json_open(&json, "warnings", '[');
    for (size_t j = 0; j < self->experiment->num_warnings; j++) {
        if (self->warnings[j]) {
            spot_json_text(&json, NULL, self->experiment->warnings[j].name);
        }
    }
    spot_json_close(&json, ']');
    spot_json_unsigned(&json, "seed", self->seed);
    spot_json_unsigned(&json, "replication", self->replication);
    spot_json_close(&json, '}');
}
