/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/run_result.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "reports/text_cell.h"
#include "reports/text_table.h"

static int
add_row(spot_text_table_t *table, const char *metric, const char *value,
    const char *unit, spot_style_t style)
{
    int ret = spot_text_table_add(table, metric, style);

    ret = ret == 0 ? spot_text_table_add(table, value, style) : ret;
    return ret == 0 ? spot_text_table_add(table, unit, style) : ret;
}

static int
fill_table(const spot_run_result_t *self, spot_text_table_t *table)
{
    int ret = add_row(table, "metric", "value", "unit", SPOT_STYLE_BOLD);

    for (size_t j = 0; ret == 0 && j < self->outputs->num_metrics; j++) {
        const spot_metric_t *metric = &self->outputs->metrics[j];
        char value[32] = "-";

        if (isfinite(self->metrics[j])) {
            snprintf(value, sizeof(value), "%.6g", self->metrics[j]);
        }
        ret = add_row(table, metric->name, value,
            strcmp(metric->unit, "1") == 0 ? "" : metric->unit, SPOT_STYLE_PLAIN);
    }
    return ret;
}

int
spot_run_result_text(
    const spot_run_result_t *self, const spot_terminal_t *terminal, FILE *out)
{
    spot_text_table_t table = {.num_columns = 3};
    const int ret = fill_table(self, &table);

    if (ret == 0) {
        spot_text_write(out, self->name == NULL ? self->experiment->name : self->name);
        fprintf(out, ": engine %s, seed %" PRIu64 ", replication %" PRIu64 "\n\n",
            self->experiment->name, self->seed, self->replication);
        spot_text_table_write(&table, terminal, out);
    }
    for (size_t j = 0; ret == 0 && j < self->experiment->num_warnings; j++) {
        if (self->warnings[j]) {
            fprintf(out, "warning: %s\n", self->experiment->warnings[j].text);
        }
    }
    spot_text_table_free(&table);
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
