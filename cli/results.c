/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/results.h"

#include <string.h>

#include "base/json.h"
#include "reports/table/table.h"
#include "reports/table/table_terminal.h"

static int write_json(FILE *out, size_t num_tables, spot_table_t *tables)
{
    spot_json_t json;
    int ret = 0;

    spot_json_init(&json, out, 2);
    spot_json_open(&json, NULL, '{');
    for (size_t j = 0; j < num_tables && ret == 0; j++) {
        spot_json_open(&json, tables[j].name, '[');
        ret = spot_table_write_json(&tables[j], &json);
        spot_json_close(&json, ']');
    }
    spot_json_close(&json, '}');
    fputc('\n', out);
    return ret;
}

static int print(
    spot_call_t *call, const spot_target_t *target, size_t num_tables, spot_table_t *tables)
{
    spot_output_t output;
    FILE *out = spot_output_begin(&output, target, &call->diag);
    int ret = 0;

    if (out != NULL && target->is_json) {
        ret = write_json(out, num_tables, tables);
    }
    for (size_t j = 0; j < num_tables && out != NULL && !target->is_json && ret == 0; j++) {
        if (j > 0) {
            fputc('\n', out);
        }
        ret = spot_table_write_terminal(&tables[j], &output.terminal, out);
    }
    return spot_output_end(&output, ret);
}

int spot_results_write(spot_call_t *call, const char *path,
    void (*write)(const void *what, FILE *out), const void *what)
{
    spot_output_t output;
    FILE *out = spot_output_bytes(&output, path, &call->diag);

    if (out != NULL) {
        write(what, out);
    }
    return spot_output_end(&output, 0);
}

int spot_results_print(spot_call_t *call, const spot_target_t *target, const char *path,
    void (*write)(const void *what, FILE *out), const void *what, size_t num_tables,
    spot_table_t *tables)
{
    int ret = path == NULL ? 0 : spot_results_write(call, path, write, what);

    if (ret == 0 && (path == NULL || strcmp(path, "-") != 0)) {
        ret = print(call, target, num_tables, tables);
    }
    for (size_t j = 0; j < num_tables; j++) {
        spot_table_free(&tables[j]);
    }
    return ret;
}

void spot_results_put_csv(const void *table, FILE *out)
{
    (void) !spot_table_write_csv(table, out);
}

int spot_results_write_csv(spot_call_t *call, const char *path, const spot_table_t *table)
{
    const int ret = spot_results_write(call, path, spot_results_put_csv, table);

    return ret != 0 ? ret : table->error;
}
