/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/outfile.h"
#include "cli/command.h"
#include "reports/page/page.h"
#include "sim/store/store_sqlite.h"

typedef struct {
    const char *store_path;
    const char *output_path;
} arguments_t;

static const struct argp_option options[] = {
    {"output", 'o', "REPORT.html", 0, "Write one self-contained page to this file", 0},
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
    int ret = spot_outfile_init(&file, arguments->output_path, diag);

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
    ret = spot_command_check_outputs((spot_command_files_t){1, &arguments.store_path},
        (spot_command_files_t){1, &arguments.output_path}, &diag);
    if (ret != 0) {
        return spot_command_finish(&diag, ret);
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
    .arguments = "RESULTS.db",
    .summary = "Show the results of a study: one page with pictures and tables",
    .doc =
        "RESULTS.db is what `spotsim study -o` made; it may still be growing. The page "
        "works offline and can be sent as one file.",
    .examples = "  spotsim report results.db -o report.html\n",
    .options = options,
    .run = run,
};
