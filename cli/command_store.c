/* SPDX-License-Identifier: GPL-3.0-or-later */
/* spotsim merge, export, report: what is done with the databases of studies. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "cli/command.h"
#include "reports/answer.h"
#include "reports/export.h"
#include "reports/page/page.h"
#include "reports/report.h"
#include "reports/report_text.h"
#include "reports/table/table_paper.h"
#include "reports/words.h"
#include "sim/bench/analysis/race.h"
#include "sim/bench/store/store_merge.h"

/* ---- spotsim merge ---- */

typedef struct {
    bool must_be_complete;
    const char *output_path;
    spot_option_list_t inputs;
} merge_arguments_t;

#undef SPOT_OPTIONS_OF
#define SPOT_OPTIONS_OF merge_arguments_t

static const spot_option_t merge_options[] = {
    SPOT_OPTION(ARGUMENT, "OUT.db and at least one IN.db", 0, "OUT.db", output_path, NULL, .min = 1,
        .endings = ".db or .sqlite or .sqlite3"),
    SPOT_OPTION(ARGUMENTS, "OUT.db and at least one IN.db", 0, "IN.db", inputs, NULL, .min = 1),
    SPOT_OPTION(FLAG, "complete", 0, NULL, must_be_complete,
        "Fail (exit code 1) if points are not finished afterwards; OUT.db is kept"),
    SPOT_OPTION_END,
};

static void tell_result(const char *path, int64_t num_added, const spot_completeness_t *result)
{
    spot_utf8_print(stderr, path);
    fprintf(stderr, ": %" PRId64 " replications added, %" PRId64 " there now\n", num_added,
        result->num_rows);
    if (result->num_unfinished > 0) {
        spot_utf8_print(stderr, path);
        fprintf(stderr,
            ": %zu of %zu points are not finished: a part is missing, or was not run "
            "to its end\n",
            result->num_unfinished, result->num_points);
    }
}

static int merge_run(spot_call_t *call)
{
    const merge_arguments_t *arguments = call->arguments;
    spot_completeness_t result = {0};
    int64_t num_added = 0;
    spot_counter_t line;
    spot_watch_t watch;
    int ret;

    call->is_reading = false;
    spot_interrupt_watch();
    watch = spot_counter_watch(&line, "databases", call->is_quiet);
    ret = spot_store_merge(arguments->output_path, arguments->inputs.num_texts,
        arguments->inputs.texts, &watch, &num_added, &call->diag);
    spot_counter_finish(&line);
    if (ret == 0) {
        ret = spot_completeness_read(arguments->output_path, &result, &call->diag);
    }
    if (ret == 0) {
        tell_result(arguments->output_path, num_added, &result);
    }
    return ret == 0 && arguments->must_be_complete && result.num_unfinished > 0 ? SPOT_EXIT_FAILED
                                                                                : ret;
}

const spot_verb_t spot_verb_merge = {
    .name = "merge",
    .arguments = "OUT.db IN.db...",
    .summary = "Join the parts of a study that were run apart",
    .doc = "OUT.db is made, or may hold a part already. The databases must be of one "
           "study; replications that are in several of them must be the same, and are "
           "kept once. OUT.db gets everything or stays as it was; merging again changes "
           "nothing.",
    .examples = "  spotsim merge results.db part-*.db\n",
    .options = merge_options,
    .arguments_bytes = sizeof(merge_arguments_t),
    .run = merge_run,
};

/* ---- spotsim export ---- */

/* What is written: lines of rows or points, or what a study prints when it ends. */
typedef enum { FORM_CSV, FORM_JSONL, FORM_TABLE, FORM_JSON, NUM_FORMS } form_t;

typedef struct {
    const char *store_path;
    const char *output_path;
    bool has_form[NUM_FORMS];
    form_t form;
    int per; /* index into pers; -1: not given */
} export_arguments_t;

static const export_arguments_t export_initial = {.per = -1};

static const char *const pers[] = {"replication", "point", NULL};

#undef SPOT_OPTIONS_OF
#define SPOT_OPTIONS_OF export_arguments_t

static const spot_option_t export_options[] = {
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

static void export_check(spot_call_t *call)
{
    export_arguments_t *arguments = call->arguments;
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

static int export_run(spot_call_t *call)
{
    const export_arguments_t *arguments = call->arguments;
    const spot_target_t target = {arguments->output_path, arguments->form != FORM_TABLE, false};
    const spot_export_format_t format =
        arguments->form == FORM_JSONL ? SPOT_EXPORT_JSONL : SPOT_EXPORT_CSV;
    spot_store_t *store = NULL;
    spot_output_t output;
    FILE *out;
    int ret = spot_verb_open_store(&store, arguments->store_path, &call->diag);

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
    return spot_verb_close_store(store, ret, &call->diag);
}

const spot_verb_t spot_verb_export = {
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
    .options = export_options,
    .arguments_bytes = sizeof(export_arguments_t),
    .initial = &export_initial,
    .check = export_check,
    .run = export_run,
};

/* ---- spotsim report ---- */

/* What is written to one file each. */
enum { FILE_PAGE, FILE_LATEX, FILE_MARKDOWN, NUM_FILES };

typedef struct {
    const char *store_path;
    const char *second_path;      /* refused with a word of help */
    const char *paths[NUM_FILES]; /* NULL: not asked for; - is standard output */
    spot_paper_folders_t papers;
    bool is_plain;
} report_arguments_t;

#undef SPOT_OPTIONS_OF
#define SPOT_OPTIONS_OF report_arguments_t

static const spot_option_t report_options[] = {
    SPOT_OPTION(ARGUMENT, "a database of results", 0, "RESULTS.db", store_path, NULL, .min = 1),
    SPOT_OPTION(ARGUMENT, "one database of results", 0, "RESULTS.db", second_path, NULL),
    SPOT_OPTION(WRITTEN, "output", 'o', "REPORT.html", paths[FILE_PAGE],
        "Write one self-contained page to this file", .endings = ".html or .htm"),
    SPOT_OPTION(PICTURES, "svg", 0, "DIR", papers.folders[SPOT_FORMAT_SVG],
        "Draw every picture to DIR/STUDY-PICTURE.svg, with what it shows as .csv "
        "beside it; DIR is made if only its last part is missing"),
    SPOT_OPTION(PICTURES, "png", 0, "DIR", papers.folders[SPOT_FORMAT_PNG],
        "The same as PNG, twice as large (needs rsvg-convert)"),
    SPOT_OPTION(PICTURES, "pdf", 0, "DIR", papers.folders[SPOT_FORMAT_PDF],
        "The same as PDF, with its fonts in it (needs rsvg-convert)"),
    SPOT_OPTION(WRITTEN, "latex", 0, "FILE.tex", paths[FILE_LATEX],
        "Write the means and the differences to the baseline as LaTeX tables, for the "
        "packages booktabs and longtable; - is standard output",
        .endings = ".tex"),
    SPOT_OPTION(WRITTEN, "markdown", 0, "FILE.md", paths[FILE_MARKDOWN],
        "The same as Markdown tables; - is standard output", .endings = ".md"),
    SPOT_OPTION(FLAG, "no-color", 0, NULL, is_plain,
        "No escape codes on the terminal; so does NO_COLOR in the environment"),
    SPOT_OPTION_END,
};

static bool is_stdout(const char *path)
{
    return path != NULL && strcmp(path, "-") == 0;
}

/* Whether something for papers is asked for. */
static bool has_paper(const report_arguments_t *arguments)
{
    bool has_any = arguments->paths[FILE_LATEX] != NULL || arguments->paths[FILE_MARKDOWN] != NULL;

    for (int j = 0; j < SPOT_NUM_FORMATS; j++) {
        has_any = has_any || arguments->papers.folders[j] != NULL;
    }
    return has_any;
}

static void report_check(spot_call_t *call)
{
    const report_arguments_t *arguments = call->arguments;
    int num_stdout = 0;

    for (int j = 0; j < NUM_FILES; j++) {
        num_stdout += is_stdout(arguments->paths[j]);
    }
    spot_usage_refuse(call, arguments->second_path != NULL,
        "expected one database: export both and put them side by side in pandas, see "
        "docs/python.md");
    spot_usage_refuse(call, num_stdout > 1, "expected one output at most on standard output");
}

/* ---- What is written ---- */

/* In place of the table where there are no replications yet: the question of the study, what
 * is missing and how to get it, as write_text writes text from outside in the language
 * of the document. IO, NO_MEMORY. */
static int paper_nothing_write(
    const spot_report_t *report, void (*write_text)(FILE *out, const char *text), FILE *out)
{
    spot_texts_t texts = {0};
    FILE *stream = spot_texts_begin(&texts);
    int ret = stream == NULL ? SPOT_ERR_NO_MEMORY : spot_answer_write(report, stream);

    write_text(out, spot_study_title(report->head));
    fputs("\n\n", out);
    write_text(out, spot_texts_end(&texts, stream));
    fputc('\n', out);
    ret = spot_error_first(ret, texts.error);
    spot_texts_free(&texts);
    return ret == 0 && ferror(out) ? SPOT_ERR_IO : ret;
}

static int write_file(const report_arguments_t *arguments, int file_id, const spot_report_t *report,
    spot_diag_t *diag)
{
    const spot_page_source_t source = {.path = arguments->store_path, .report = report};
    const bool is_latex = file_id == FILE_LATEX;
    spot_output_t output;
    FILE *out = spot_output_bytes(&output, arguments->paths[file_id], diag);
    int ret = 0;

    if (out != NULL && file_id == FILE_PAGE) {
        ret = spot_page_write(&source, out);
    } else if (out != NULL && report->num_rows == 0) {
        ret = paper_nothing_write(
            report, is_latex ? spot_paper_latex_text : spot_paper_markdown_text, out);
    } else if (out != NULL) {
        ret = spot_paper_table_write(
            report, is_latex ? &spot_table_latex : &spot_table_markdown, out);
    }
    return spot_output_end(&output, ret);
}

/* Those that go to standard output, or the others. */
static int write_files(const report_arguments_t *arguments, bool is_printed,
    const spot_report_t *report, spot_diag_t *diag)
{
    int ret = 0;

    for (int j = 0; ret == 0 && j < NUM_FILES; j++) {
        if (arguments->paths[j] != NULL && is_stdout(arguments->paths[j]) == is_printed) {
            ret = write_file(arguments, j, report, diag);
        }
    }
    return ret;
}

/* Files before pictures, which need other programs; standard output last, as its reader
 * may stop early. */
static int write_outputs(
    const report_arguments_t *arguments, const spot_report_t *report, spot_diag_t *diag)
{
    spot_output_t output;
    FILE *out;
    int ret;

    if (arguments->paths[FILE_PAGE] == NULL && !has_paper(arguments)) {
        out = spot_output_begin(&output, &(spot_target_t){.is_plain = arguments->is_plain}, diag);
        return spot_output_end(
            &output, out == NULL ? 0 : spot_report_text_write(report, &output.terminal, out));
    }
    ret = write_files(arguments, false, report, diag);
    ret = ret != 0 ? ret : spot_paper_pictures_write(report, &arguments->papers, diag);
    return ret != 0 ? ret : write_files(arguments, true, report, diag);
}

static int report_run(spot_call_t *call)
{
    const report_arguments_t *arguments = call->arguments;
    spot_store_t *store = NULL;
    spot_report_t report = {.num_rows = 0};
    int ret = spot_verb_open_store(&store, arguments->store_path, &call->diag);

    call->is_reading = ret != 0;
    ret = ret != 0 ? ret : spot_report_init(&report, store);
    ret = ret != 0 ? ret : spot_report_read_pairs(&report);
    ret = ret != 0 ? ret : write_outputs(arguments, &report, &call->diag);
    spot_report_free(&report);
    return spot_verb_close_store(store, ret, &call->diag);
}

const spot_verb_t spot_verb_report = {
    .name = "report",
    .arguments = "RESULTS.db",
    .summary = "Show the results of a study: one page with pictures and tables",
    .doc = "RESULTS.db is what `spotsim study -o` made; it may still be growing. The "
           "page is one file and works offline. Pictures and tables for papers are "
           "files of their own; several outputs may be asked for at once. Without an "
           "output the report goes to the terminal.",
    .examples = "  spotsim report results.db\n"
                "  spotsim report results.db -o report.html\n"
                "  spotsim report results.db --svg figures --pdf figures\n"
                "  spotsim report results.db --latex results.tex --markdown results.md\n",
    .options = report_options,
    .arguments_bytes = sizeof(report_arguments_t),
    .check = report_check,
    .run = report_run,
};
