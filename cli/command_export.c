/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "base/outfile.h"
#include "cli/command.h"
#include "reports/export.h"
#include "reports/result_json.h"
#include "reports/result_table.h"

enum { OPTION_CSV = 256, OPTION_JSONL, OPTION_TABLE, OPTION_JSON, OPTION_PER };

/* What is written: lines of rows or points, or what a study prints when it ends. */
typedef enum { FORM_CSV, FORM_JSONL, FORM_TABLE, FORM_JSON } form_t;

typedef struct {
    const char *store_path;
    const char *output_path;
    form_t form;
    bool has_form;
    bool is_per_point;
    bool has_per;
} arguments_t;

static const struct argp_option options[] = {
    {"csv", OPTION_CSV, NULL, 0, "Write CSV with a row of names (default)", 0},
    {"jsonl", OPTION_JSONL, NULL, 0, "Write JSON objects, one a line", 0},
    {"table", OPTION_TABLE, NULL, 0,
        "Write the tables that `spotsim study` prints, with differences to the baseline "
        "and the best values of a key where the study asks for them",
        0},
    {"json", OPTION_JSON, NULL, 0, "Write the same as JSON, as `spotsim study --json`",
        0},
    {"per", OPTION_PER, "WHAT", 0, "One line per replication (default) or per point", 0},
    {"output", 'o', "FILE", 0, "Write to FILE (default: standard output)", 0},
    {NULL, 0, NULL, 0, NULL, 0},
};

static void
set_form(struct argp_state *state, arguments_t *arguments, form_t form)
{
    if (arguments->has_form && arguments->form != form) {
        spot_option_error(
            state, "--csv, --jsonl, --table and --json exclude each other");
    }
    arguments->has_form = true;
    arguments->form = form;
}

static bool
is_of_results(const arguments_t *arguments)
{
    return arguments->form == FORM_TABLE || arguments->form == FORM_JSON;
}

/* Of the files that hold a form. */
static const char *const endings[] = {[FORM_CSV] = ".csv",
    [FORM_JSONL] = ".jsonl or .ndjson",
    [FORM_TABLE] = "",
    [FORM_JSON] = ".json"};

static error_t
parse(int key, char *text, struct argp_state *state)
{
    arguments_t *arguments = state->input;

    switch (key) {
        case OPTION_CSV:
            set_form(state, arguments, FORM_CSV);
            return 0;
        case OPTION_JSONL:
            set_form(state, arguments, FORM_JSONL);
            return 0;
        case OPTION_TABLE:
            set_form(state, arguments, FORM_TABLE);
            return 0;
        case OPTION_JSON:
            set_form(state, arguments, FORM_JSON);
            return 0;
        case OPTION_PER:
            if (strcmp(text, "replication") != 0 && strcmp(text, "point") != 0) {
                spot_option_error(
                    state, "--per: expected replication or point, got \"%s\"", text);
            }
            arguments->has_per = true;
            arguments->is_per_point = strcmp(text, "point") == 0;
            return 0;
        case 'o':
            arguments->output_path = text;
            return 0;
        case ARGP_KEY_SUCCESS:
            if (is_of_results(arguments) && arguments->has_per) {
                spot_option_error(state, "--per is for --csv and --jsonl");
            }
            if (arguments->output_path != NULL) {
                (void) spot_option_file(
                    state, "-o", arguments->output_path, endings[arguments->form]);
            }
            return 0;
        default:
            return spot_option_argument(
                state, key, text, &arguments->store_path, "a database of results");
    }
}

static int
write_lines(const arguments_t *arguments, const spot_store_t *store, FILE *out)
{
    const spot_export_format_t format =
        arguments->form == FORM_JSONL ? SPOT_EXPORT_JSONL : SPOT_EXPORT_CSV;

    return arguments->is_per_point ? spot_export_points(store, format, out)
                                   : spot_export_replications(store, format, out);
}

static int
write_rows(const arguments_t *arguments, const spot_store_t *store, spot_diag_t *diag)
{
    spot_outfile_t file;
    int ret;

    ret = spot_outfile_init(&file, arguments->output_path, diag);
    if (ret == 0) {
        ret = arguments->form == FORM_TABLE ? spot_result_table_write(store, file.stream)
              : arguments->form == FORM_JSON
                  ? spot_result_json_write(store, file.stream)
                  : write_lines(arguments, store, file.stream);
    }
    return spot_outfile_close(&file, ret, diag);
}

static int
run(int argc, char **argv)
{
    arguments_t arguments = {0};
    spot_store_t *store = NULL;
    spot_diag_t diag;
    int ret, flushed;

    spot_diag_init(&diag);
    spot_command_parse(&spot_command_export, argc, argv, parse, &arguments);
    ret = spot_command_check_outputs((spot_command_files_t){1, &arguments.store_path},
        (spot_command_files_t){1, &arguments.output_path}, &diag);
    if (ret != 0) {
        return spot_command_finish(&diag, ret);
    }
    ret = spot_command_open_store(&store, arguments.store_path, &diag);
    if (ret != 0) {
        return spot_command_finish_reading(&diag, ret);
    }
    ret = write_rows(&arguments, store, &diag);
    flushed = store->flush(store, &diag); /* says why it was not read */
    store->close(store);
    return spot_command_finish(&diag, flushed != 0 ? flushed : ret);
}

const spot_command_t spot_command_export = {
    .name = "export",
    .arguments = "RESULTS.db",
    .summary = "Write the results of a study for other programs, as CSV or JSON lines",
    .doc =
        "RESULTS.db is what `spotsim study -o` made; it may still be growing. Columns: "
        "point, the swept keys (with their unit, e.g. job.reload_s), replication, the "
        "metrics of the study, whose names say their units (what is undefined is empty, "
        "or null), and warnings, the names of those that held. Per point: replications, "
        "and of each metric _mean, _std, _stderr, _ci95_low, _ci95_high, _p05, _median, "
        "_p95 and _nulls, and warnings with the number of replications that met each "
        "(clipped:12;flat_step_time:3); of a study with optimise also fate, the last "
        "column: racing (may be the best), dominated, infeasible or undefined.",
    .examples = "  spotsim export results.db --csv -o rows.csv\n"
                "  spotsim export results.db --jsonl --per point\n"
                "  spotsim export results.db --table\n",
    .options = options,
    .run = run,
};
