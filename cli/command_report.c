/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/outfile.h"
#include "cli/command.h"
#include "cli/report_terminal.h"
#include "reports/page/page.h"
#include "sim/store/store_sqlite.h"

typedef struct {
    const char *store_path;
    const char *second_path; /* of a store to compare it with, or NULL */
    const char *output_path;
    bool is_plain;
} arguments_t;

enum { OPTION_NO_COLOUR = 0x100 };

static const struct argp_option options[] = {
    {"output", 'o', "REPORT.html", 0, "Write one self-contained page to this file", 0},
    {"no-color", OPTION_NO_COLOUR, NULL, 0,
        "No escape codes on the terminal; so does NO_COLOR in the environment", 0},
    {NULL, 0, NULL, 0, NULL, 0},
};

static error_t
parse(int key, char *text, struct argp_state *state)
{
    arguments_t *arguments = state->input;

    switch (key) {
        case 'o':
            arguments->output_path = text;
            return 0;
        case OPTION_NO_COLOUR:
            arguments->is_plain = true;
            return 0;
        case ARGP_KEY_ARG:
            if (arguments->store_path != NULL && arguments->second_path == NULL) {
                arguments->second_path = text;
                return 0;
            }
            if (arguments->second_path != NULL) {
                argp_error(state,
                    "expected one database, or two to compare, got \"%s\" too", text);
            }
            return spot_option_argument(
                state, key, text, &arguments->store_path, "a database of results");
        default:
            return spot_option_argument(
                state, key, text, &arguments->store_path, "a database of results");
    }
}

static int
write_page(const arguments_t *arguments, const spot_report_t *report, spot_diag_t *diag)
{
    const spot_page_source_t source = {arguments->store_path, report};
    spot_outfile_t file;
    int ret;

    if (arguments->output_path == NULL) {
        return spot_report_to_terminal(report, arguments->is_plain, diag);
    }
    ret = spot_outfile_init(&file, arguments->output_path, diag);
    if (ret == 0) {
        ret = spot_page_write(&source, file.stream, diag);
    }
    return spot_outfile_close(&file, ret, diag);
}

static int
run(int argc, char **argv)
{
    arguments_t arguments = {0};
    spot_store_t *store = NULL;
    spot_report_t report;
    spot_diag_t diag;
    int ret, flushed;

    spot_diag_init(&diag);
    spot_command_parse(&spot_command_report, argc, argv, parse, &arguments);
    ret = spot_command_check_outputs(
        (spot_command_files_t){
            2, (const char *[]){arguments.store_path, arguments.second_path}},
        (spot_command_files_t){1, &arguments.output_path}, &diag);
    if (ret != 0) {
        return spot_command_finish(&diag, ret);
    }
    if (arguments.second_path != NULL) {
        return spot_report_two(
            &(spot_report_task_t){{arguments.store_path, arguments.second_path},
                arguments.output_path, arguments.is_plain},
            &diag);
    }
    ret = spot_store_open_sqlite_reader(&store, arguments.store_path, &diag);
    if (ret != 0) {
        return spot_command_finish_reading(&diag, ret);
    }
    ret = spot_report_init(&report, store);
    if (ret == 0) {
        ret = spot_report_read_pairs(&report);
    }
    if (ret == 0) {
        ret = write_page(&arguments, &report, &diag);
    }
    spot_report_free(&report);
    flushed = store->flush(store, &diag); /* says why it was not read */
    store->close(store);
    return spot_command_finish(&diag, flushed != 0 ? flushed : ret);
}

const spot_command_t spot_command_report = {
    .name = "report",
    .arguments = "RESULTS.db [AFTER.db]",
    .summary = "Show the results of a study: one page with pictures and tables",
    .doc =
        "RESULTS.db is what `spotsim study -o` made; it may still be growing. The page "
        "works offline and can be sent as one file. Without an output the report goes "
        "to the terminal.\n\n"
        "Two databases are shown side by side, before and after: in what their studies "
        "differ, and what that does at the points that both have, matched by their "
        "parameters. Where both were run with the same seed, differences are those of "
        "the same replications, whose intervals are narrower.",
    .examples = "  spotsim report results.db\n"
                "  spotsim report results.db -o report.html\n"
                "  spotsim report before.db after.db\n"
                "  spotsim report before.db after.db -o changes.html\n",
    .options = options,
    .run = run,
};
