/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/command.h"
#include "reports/export.h"
#include "reports/study_parts.h"

/* What is written: lines of rows or points, or what a study prints when it ends. */
typedef enum { FORM_CSV, FORM_JSONL, FORM_TABLE, FORM_JSON, NUM_FORMS } form_t;

typedef struct {
    const char *store_path;
    const char *output_path;
    bool has_form[NUM_FORMS];
    form_t form;
    int per; /* index into pers; -1: not given */
} arguments_t;

static const arguments_t initial = {.per = -1};

static const char *const pers[] = {"replication", "point", NULL};

static const spot_option_t options[] = {
    SPOT_OPTION(ARGUMENT, "a database of results", 0, "RESULTS.db", store_path, NULL, .min = 1),
    SPOT_OPTION(
        FLAG, "csv", 0, NULL, has_form[FORM_CSV], "Write CSV with a row of names (default)"),
    SPOT_OPTION(FLAG, "jsonl", 0, NULL, has_form[FORM_JSONL], "Write JSON objects, one a line"),
    SPOT_OPTION(FLAG, "table", 0, NULL, has_form[FORM_TABLE],
        "Write the tables that `spotsim study` prints, with differences to the baseline "
        "and the best values of a key where the study asks for them"),
    SPOT_OPTION(FLAG, "json", 0, NULL, has_form[FORM_JSON],
        "Write the same as JSON, as `spotsim study --json`"),
    SPOT_OPTION(CHOICE, "per", 0, "WHAT", per, "One line per replication (default) or per point",
        .choices = pers),
    SPOT_OPTION_OUTPUT(output_path, NULL),
    SPOT_OPTION_END,
};

/* Of the files that hold a form. */
static const char *const endings[] = {[FORM_CSV] = ".csv",
    [FORM_JSONL] = ".jsonl or .ndjson",
    [FORM_TABLE] = "",
    [FORM_JSON] = ".json"};

static void check(spot_call_t *call)
{
    arguments_t *arguments = call->arguments;
    int num_forms = 0;

    for (int j = 0; j < NUM_FORMS; j++) {
        if (arguments->has_form[j]) {
            arguments->form = (form_t) j;
            num_forms++;
        }
    }
    spot_usage_refuse(call, num_forms > 1, "--csv, --jsonl, --table and --json exclude each other");
    spot_usage_refuse(call, arguments->per >= 0 && arguments->form >= FORM_TABLE,
        "--per is for --csv and --jsonl");
    spot_option_check_ending(call, "-o", arguments->output_path, endings[arguments->form]);
}

static int run(spot_call_t *call)
{
    const arguments_t *arguments = call->arguments;
    const spot_target_t target = {arguments->output_path, arguments->form != FORM_TABLE, false};
    const spot_export_format_t format =
        arguments->form == FORM_JSONL ? SPOT_EXPORT_JSONL : SPOT_EXPORT_CSV;
    spot_store_t *store = NULL;
    spot_output_t output;
    FILE *out;
    int ret = spot_command_open_store(&store, arguments->store_path, &call->diag);

    if (ret == 0) {
        call->is_reading = false;
        out = spot_output_begin(&output, &target, &call->diag);
        if (out != NULL) {
            ret = arguments->form == FORM_TABLE
                      ? spot_result_table_write(store, NULL, &output.terminal, out)
                  : arguments->form == FORM_JSON ? spot_result_json_write(store, out)
                  : arguments->per == 1          ? spot_export_points(store, format, out)
                                                 : spot_export_replications(store, format, out);
        }
        ret = spot_output_end(&output, ret);
    }
    return spot_command_close_store(store, ret, &call->diag);
}

const spot_command_t spot_command_export = {
    .name = "export",
    .arguments = "RESULTS.db",
    .summary = "Write the results of a study for other programs, as CSV or JSON lines",
    .doc = "RESULTS.db is what `spotsim study -o` made; it may still be growing. "
           "Columns: point, the swept keys (with their unit, e.g. job.reload_s), "
           "replication, the metrics, named with their units (empty or null where "
           "undefined), and warnings, the names of those that held. Per point: "
           "replications, of each metric _mean, _std, _stderr, _ci95_low, _ci95_high, "
           "_p05, _median, _p95 and _nulls, and warnings with their numbers of "
           "replications (clipped:12;flat_step_time:3); of a study with optimise also "
           "fate: racing (may be the best), dominated, infeasible or undefined.",
    .examples = "  spotsim export results.db --csv -o rows.csv\n"
                "  spotsim export results.db --jsonl --per point\n"
                "  spotsim export results.db --table\n",
    .options = options,
    .arguments_bytes = sizeof(arguments_t),
    .initial = &initial,
    .check = check,
    .run = run,
};
