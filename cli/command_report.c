/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "base/outfile.h"
#include "cli/command.h"
#include "cli/report_terminal.h"
#include "reports/page/page.h"
#include "reports/page/page_side_by_side.h"
#include "reports/paper_pictures.h"
#include "reports/paper_table.h"
#include "reports/report_text.h"
#include "reports/side_by_side_text.h"
#include "reports/table/paper_text.h"
#include "reports/traces/trace_pictures.h"
#include "sim/store/origin.h"

/* What is written to one file each. */
enum { FILE_PAGE, FILE_LATEX, FILE_MARKDOWN, NUM_FILES };

typedef struct {
    const char *store_path;
    const char *second_path;      /* of a store to compare it with, or NULL */
    const char *paths[NUM_FILES]; /* NULL: not asked for; - is standard output */
    spot_paper_folders_t papers;
    bool is_plain;
} arguments_t;

static const spot_option_t options[] = {
    SPOT_OPTION(
        ARGUMENT, "a database of results", 0, "RESULTS.db", store_path, NULL, .min = 1),
    SPOT_OPTION(
        ARGUMENT, "one database, or two to compare", 0, "AFTER.db", second_path, NULL),
    SPOT_OPTION(FILE, "output", 'o', "REPORT.html", paths[FILE_PAGE],
        "Write one self-contained page to this file", .endings = ".html or .htm"),
    SPOT_OPTION(FOLDER, "svg", 0, "DIR", papers.folders[SPOT_FORMAT_SVG],
        "Draw every picture to DIR/STUDY-PICTURE.svg, with what it shows as .csv and "
        "a script of gnuplot that draws the same data beside it; DIR is made if only "
        "its last part is missing"),
    SPOT_OPTION(FOLDER, "png", 0, "DIR", papers.folders[SPOT_FORMAT_PNG],
        "The same as PNG, twice as large (needs rsvg-convert)"),
    SPOT_OPTION(FOLDER, "pdf", 0, "DIR", papers.folders[SPOT_FORMAT_PDF],
        "The same as PDF, with its fonts in it (needs rsvg-convert)"),
    SPOT_OPTION(FILE, "latex", 0, "FILE.tex", paths[FILE_LATEX],
        "Write the means and the differences to the baseline as LaTeX tables, for the "
        "packages booktabs and longtable; - is standard output",
        .endings = ".tex"),
    SPOT_OPTION(FILE, "markdown", 0, "FILE.md", paths[FILE_MARKDOWN],
        "The same as Markdown tables; - is standard output", .endings = ".md"),
    SPOT_OPTION(FLAG, "no-color", 0, NULL, is_plain,
        "No escape codes on the terminal; so does NO_COLOR in the environment"),
    SPOT_OPTION_END,
};

static bool
is_stdout(const char *path)
{
    return path != NULL && strcmp(path, "-") == 0;
}

/* Whether something for papers is asked for, which is of one store. */
static bool
has_paper(const arguments_t *arguments)
{
    bool has_any =
        arguments->paths[FILE_LATEX] != NULL || arguments->paths[FILE_MARKDOWN] != NULL;

    for (int j = 0; j < SPOT_NUM_FORMATS; j++) {
        has_any = has_any || arguments->papers.folders[j] != NULL;
    }
    return has_any;
}

static void
check(spot_call_t *call)
{
    const arguments_t *arguments = call->arguments;
    int num_stdout = 0;

    for (int j = 0; j < NUM_FILES; j++) {
        num_stdout += is_stdout(arguments->paths[j]);
    }
    if (num_stdout > 1) {
        spot_usage_error(call, "expected one output at most on standard output");
    }
    if (arguments->second_path != NULL && has_paper(arguments)) {
        spot_usage_error(call,
            "expected no output but --output with two databases: pictures and tables "
            "for papers are of one");
    }
}

/* ---- What is written ---- */

typedef int (*writer_t)(const arguments_t *arguments, const spot_report_t *report,
    FILE *out, spot_diag_t *diag);

static int
write_page(const arguments_t *arguments, const spot_report_t *report, FILE *out,
    spot_diag_t *diag)
{
    const spot_page_source_t source = {arguments->store_path, report};

    return spot_page_write(&source, out, diag);
}

static int
write_latex(const arguments_t *arguments, const spot_report_t *report, FILE *out,
    spot_diag_t *diag)
{
    (void) arguments;
    (void) diag;
    return report->num_rows == 0
               ? spot_paper_nothing_write(report, spot_paper_latex_text, out)
               : spot_paper_table_write(report, &spot_table_latex, out);
}

static int
write_markdown(const arguments_t *arguments, const spot_report_t *report, FILE *out,
    spot_diag_t *diag)
{
    (void) arguments;
    (void) diag;
    return report->num_rows == 0
               ? spot_paper_nothing_write(report, spot_paper_markdown_text, out)
               : spot_paper_table_write(report, &spot_table_markdown, out);
}

static const writer_t writers[NUM_FILES] = {
    [FILE_PAGE] = write_page,
    [FILE_LATEX] = write_latex,
    [FILE_MARKDOWN] = write_markdown,
};

static int
write_file(const arguments_t *arguments, int file_id, const spot_report_t *report,
    spot_diag_t *diag)
{
    spot_outfile_t file;
    int ret = spot_outfile_init(&file, arguments->paths[file_id], diag);

    if (ret == 0) {
        ret = writers[file_id](arguments, report, file.stream, diag);
    }
    return spot_outfile_close(&file, ret, diag);
}

static bool
is_nothing_asked(const arguments_t *arguments)
{
    return arguments->paths[FILE_PAGE] == NULL && !has_paper(arguments);
}

static int
write_report(const void *context, const spot_terminal_t *terminal, FILE *out)
{
    return spot_report_text_write(context, terminal, out);
}

/* Files before pictures, which need other programs; standard output last, as its reader
 * may stop early. */
static int
write_outputs(
    const arguments_t *arguments, const spot_report_t *report, spot_diag_t *diag)
{
    int ret = 0;

    if (is_nothing_asked(arguments)) {
        return spot_command_print_table(
            NULL, arguments->is_plain, write_report, report, diag);
    }
    for (int j = 0; ret == 0 && j < NUM_FILES; j++) {
        if (arguments->paths[j] != NULL && !is_stdout(arguments->paths[j])) {
            ret = write_file(arguments, j, report, diag);
        }
    }
    if (ret == 0) {
        ret = spot_paper_pictures_write(report, &arguments->papers, diag);
    }
    for (int j = 0; ret == 0 && j < NUM_FILES; j++) {
        if (is_stdout(arguments->paths[j])) {
            ret = write_file(arguments, j, report, diag);
        }
    }
    return ret;
}

/* ---- Two stores ---- */

static int
write_side_by_side(const void *context, const spot_terminal_t *terminal, FILE *out)
{
    return spot_side_by_side_write(context, terminal, out);
}

/* One of two stores, open. */
typedef struct {
    spot_store_t *store;
    spot_report_t report;
    spot_origin_t origin;
} opened_t;

static int
read_side(opened_t *self, spot_side_t *side, const char *path, spot_diag_t *diag)
{
    int ret = spot_command_open_store(&self->store, path, diag);

    if (ret == 0) {
        ret = spot_report_init(&self->report, self->store);
    }
    if (ret == 0) {
        ret = spot_origin_read(&self->origin, self->store);
    }
    *side = (spot_side_t){path, &self->report, self->origin.canonical};
    return ret;
}

static int
write_two(
    const arguments_t *arguments, const spot_side_by_side_t *two, spot_diag_t *diag)
{
    spot_outfile_t file;
    int ret;

    if (arguments->paths[FILE_PAGE] == NULL) {
        return spot_command_print_table(
            NULL, arguments->is_plain, write_side_by_side, two, diag);
    }
    ret = spot_outfile_init(&file, arguments->paths[FILE_PAGE], diag);
    if (ret == 0) {
        ret = spot_page_side_by_side_write(two, file.stream, diag);
    }
    return spot_outfile_close(&file, ret, diag);
}

/* Reads two stores, compares them and writes the page or to the terminal. */
static int
show_two(spot_call_t *call, const arguments_t *arguments)
{
    const char *const paths[] = {arguments->store_path, arguments->second_path};
    spot_side_t sides[SPOT_NUM_SIDES];
    opened_t opened[SPOT_NUM_SIDES] = {{.store = NULL}, {.store = NULL}};
    spot_side_by_side_t two = {.num_metrics = 0};
    int ret = 0;

    for (int side = 0; ret == 0 && side < SPOT_NUM_SIDES; side++) {
        ret = read_side(&opened[side], &sides[side], paths[side], &call->diag);
    }
    if (ret == 0) {
        ret = spot_side_by_side_init(&two, sides);
    }
    if (ret == 0) {
        call->is_reading = false;
        ret = write_two(arguments, &two, &call->diag);
    }
    spot_side_by_side_free(&two);
    for (int side = 0; side < SPOT_NUM_SIDES; side++) {
        spot_origin_free(&opened[side].origin);
        spot_report_free(&opened[side].report);
        ret = spot_command_close_store(opened[side].store, ret, &call->diag);
    }
    return ret;
}

/* ---- The command ---- */

static int
check_outputs(const arguments_t *arguments, spot_diag_t *diag)
{
    static const char *const names[SPOT_NUM_FORMATS] = {
        [SPOT_FORMAT_SVG] = "--svg",
        [SPOT_FORMAT_PNG] = "--png",
        [SPOT_FORMAT_PDF] = "--pdf",
    };
    int ret = spot_files_check((spot_files_t){2, (const char *[]){arguments->store_path,
                                                     arguments->second_path}},
        (spot_files_t){NUM_FILES, arguments->paths}, diag);

    for (int j = 0; ret == 0 && j < SPOT_NUM_FORMATS; j++) {
        ret = spot_pictures_check(names[j], arguments->papers.folders[j], diag);
    }
    return ret;
}

static int
show_one(spot_call_t *call, const arguments_t *arguments)
{
    spot_store_t *store = NULL;
    spot_report_t report = {.num_rows = 0};
    int ret = spot_command_open_store(&store, arguments->store_path, &call->diag);

    if (ret == 0) {
        call->is_reading = false;
        ret = spot_report_init(&report, store);
    }
    if (ret == 0) {
        ret = spot_report_read_pairs(&report);
    }
    if (ret == 0) {
        ret = write_outputs(arguments, &report, &call->diag);
    }
    spot_report_free(&report);
    return spot_command_close_store(store, ret, &call->diag);
}

static int
run(spot_call_t *call)
{
    const arguments_t *arguments = call->arguments;
    const int ret = check_outputs(arguments, &call->diag);

    if (ret != 0) {
        call->is_reading = false;
        return ret;
    }
    return arguments->second_path != NULL ? show_two(call, arguments)
                                          : show_one(call, arguments);
}

const spot_command_t spot_command_report = {
    .name = "report",
    .arguments = "RESULTS.db [AFTER.db]",
    .summary = "Show the results of a study: one page with pictures and tables",
    .doc =
        "RESULTS.db is what `spotsim study -o` made; it may still be growing. The page "
        "works offline and can be sent as one file. For papers, each picture and the "
        "tables are files of their own; several of these may be asked for at once. "
        "Without an output the report goes to the terminal.\n\n"
        "Two databases are shown side by side, before and after: in what their studies "
        "differ, and what that does at the points that both have, matched by their "
        "parameters. Where both were run with the same seed, differences are those of "
        "the same replications, whose intervals are narrower.",
    .examples = "  spotsim report results.db\n"
                "  spotsim report results.db -o report.html\n"
                "  spotsim report results.db --svg figures --pdf figures\n"
                "  spotsim report results.db --latex results.tex --markdown results.md\n"
                "  spotsim report before.db after.db\n"
                "  spotsim report before.db after.db -o changes.html\n",
    .options = options,
    .arguments_bytes = sizeof(arguments_t),
    .check = check,
    .run = run,
};
