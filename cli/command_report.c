/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "base/outfile.h"
#include "cli/command.h"
#include "cli/pictures.h"
#include "cli/report_terminal.h"
#include "reports/page/page.h"
#include "reports/paper_nothing.h"
#include "reports/paper_pictures.h"
#include "reports/paper_table.h"
#include "reports/paper_text.h"

/* What is written to one file each. */
enum { FILE_PAGE, FILE_LATEX, FILE_MARKDOWN, NUM_FILES };

enum {
    OPTION_FORMAT = 256, /* and the formats behind it */
    OPTION_LATEX = OPTION_FORMAT + SPOT_NUM_FORMATS,
    OPTION_MARKDOWN,
    OPTION_NO_COLOUR
};

typedef struct {
    const char *store_path;
    const char *second_path;      /* of a store to compare it with, or NULL */
    const char *paths[NUM_FILES]; /* NULL: not asked for; - is standard output */
    spot_paper_folders_t papers;
    bool is_plain;
} arguments_t;

static const struct argp_option options[] = {
    {"output", 'o', "REPORT.html", 0, "Write one self-contained page to this file", 0},
    {"svg", OPTION_FORMAT + SPOT_FORMAT_SVG, "DIR", 0,
        "Draw every picture to DIR/STUDY-PICTURE.svg, with what it shows as .csv and "
        "the script of gnuplot, which draws it again, beside it; DIR is made if only "
        "its last part is missing (needs gnuplot)",
        0},
    {"png", OPTION_FORMAT + SPOT_FORMAT_PNG, "DIR", 0,
        "The same as PNG, twice as large (by rsvg-convert where it is installed)", 0},
    {"pdf", OPTION_FORMAT + SPOT_FORMAT_PDF, "DIR", 0,
        "The same as PDF, with its fonts in it (by rsvg-convert where it is installed)",
        0},
    {"latex", OPTION_LATEX, "FILE.tex", 0,
        "Write the means and the differences to the baseline as LaTeX tables, for the "
        "packages booktabs and longtable; - is standard output",
        0},
    {"markdown", OPTION_MARKDOWN, "FILE.md", 0,
        "The same as Markdown tables; - is standard output", 0},
    {"no-color", OPTION_NO_COLOUR, NULL, 0,
        "No escape codes on the terminal; so does NO_COLOR in the environment", 0},
    {NULL, 0, NULL, 0, NULL, 0},
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
check_arguments(struct argp_state *state, const arguments_t *arguments)
{
    int num_stdout = 0;

    for (int j = 0; j < NUM_FILES; j++) {
        num_stdout += is_stdout(arguments->paths[j]);
    }
    if (num_stdout > 1) {
        spot_option_error(state, "expected one output at most on standard output");
    }
    if (arguments->second_path != NULL && has_paper(arguments)) {
        spot_option_error(state,
            "expected no output but --output with two databases: pictures and tables "
            "for papers are of one");
    }
}

static error_t
parse(int key, char *text, struct argp_state *state)
{
    arguments_t *arguments = state->input;

    switch (key) {
        case 'o':
            arguments->paths[FILE_PAGE] =
                spot_option_file(state, "-o", text, ".html or .htm");
            return 0;
        case OPTION_FORMAT + SPOT_FORMAT_SVG:
        case OPTION_FORMAT + SPOT_FORMAT_PNG:
        case OPTION_FORMAT + SPOT_FORMAT_PDF:
            arguments->papers.folders[key - OPTION_FORMAT] = text;
            return 0;
        case OPTION_LATEX:
            arguments->paths[FILE_LATEX] =
                spot_option_file(state, "--latex", text, ".tex");
            return 0;
        case OPTION_MARKDOWN:
            arguments->paths[FILE_MARKDOWN] =
                spot_option_file(state, "--markdown", text, ".md");
            return 0;
        case ARGP_KEY_SUCCESS:
            check_arguments(state, arguments);
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
                spot_option_error(state,
                    "expected one database, or two to compare, got \"%s\" too", text);
            }
            return spot_option_argument(
                state, key, text, &arguments->store_path, "a database of results");
        default:
            return spot_option_argument(
                state, key, text, &arguments->store_path, "a database of results");
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
               : spot_paper_table_write(report, &spot_paper_latex, out);
}

static int
write_markdown(const arguments_t *arguments, const spot_report_t *report, FILE *out,
    spot_diag_t *diag)
{
    (void) arguments;
    (void) diag;
    return report->num_rows == 0
               ? spot_paper_nothing_write(report, spot_paper_markdown_text, out)
               : spot_paper_table_write(report, &spot_paper_markdown, out);
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

/* Files before pictures, which need other programs; standard output last, as its reader
 * may stop early. */
static int
write_outputs(
    const arguments_t *arguments, const spot_report_t *report, spot_diag_t *diag)
{
    int ret = 0;

    if (is_nothing_asked(arguments)) {
        return spot_report_to_terminal(report, arguments->is_plain, diag);
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

/* ---- The command ---- */

static int
check_outputs(const arguments_t *arguments, spot_diag_t *diag)
{
    static const char *const names[SPOT_NUM_FORMATS] = {
        [SPOT_FORMAT_SVG] = "--svg",
        [SPOT_FORMAT_PNG] = "--png",
        [SPOT_FORMAT_PDF] = "--pdf",
    };
    int ret = spot_command_check_outputs(
        (spot_command_files_t){
            2, (const char *[]){arguments->store_path, arguments->second_path}},
        (spot_command_files_t){NUM_FILES, arguments->paths}, diag);

    for (int j = 0; ret == 0 && j < SPOT_NUM_FORMATS; j++) {
        ret = spot_pictures_check(names[j], arguments->papers.folders[j], diag);
    }
    return ret;
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
    ret = check_outputs(&arguments, &diag);
    if (ret != 0) {
        return spot_command_finish(&diag, ret);
    }
    if (arguments.second_path != NULL) {
        return spot_report_two(
            &(spot_report_task_t){{arguments.store_path, arguments.second_path},
                arguments.paths[FILE_PAGE], arguments.is_plain},
            &diag);
    }
    ret = spot_command_open_store(&store, arguments.store_path, &diag);
    if (ret != 0) {
        return spot_command_finish_reading(&diag, ret);
    }
    ret = spot_report_init(&report, store);
    if (ret == 0) {
        ret = spot_report_read_pairs(&report);
    }
    if (ret == 0) {
        ret = write_outputs(&arguments, &report, &diag);
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
    .run = run,
};
