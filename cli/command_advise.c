/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/datetime.h"
#include "base/files.h"
#include "base/inputs.h"
#include "base/memory.h"
#include "base/units.h"
#include "base/watch.h"
#include "base/yaml.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "reports/advice_report.h"
#include "reports/page/page.h"
#include "sim/bench/advise/advise.h"
#include "sim/bench/study/study.h"
#include "sim/engines.h"
#include "traces/trace.h"
#include "traces/trace_write.h"
#include "traces/verbs/trace_verbs.h"

/* The first line of what is written: only such files are written over. A trace has a
 * header key instead. */
#define WRITTEN_BY "# Written by `spotsim advise`"
#define MADE_BY_KEY "made_by"
#define MADE_BY "spotsim advise"

typedef struct {
    spot_advice_question_t question;
    spot_log_options_t log;
    const char *path, *page_path, *now_path, *save_folder;
    bool has_date, has_start;  /* of --finish-by and --starts-at: */
    int64_t date_ms, start_ms; /* since 1970 */
    const char *date;          /* of --finish-by, as it was given */
    int64_t seed, num_threads, max_replications, max_runs;
    int progress;
    bool is_json, is_verbose;
    spot_option_list_t traces, sets;
} arguments_t;

static const arguments_t initial = {.question = {.sure = 0.95, .budget = (double) INFINITY},
    .log = SPOT_LOG_OPTIONS_INITIAL,
    .seed = 1,
    .max_replications = 20000};

/* ---- Dates ---- */

#define DATE_EXPECTED                                                                              \
    "a date with a zone such as 2026-06-07T12:00:00Z or \"2026-06-07 12:00 +02:00\""

/* Whether the first num_bytes bytes are a date with a time and no zone. */
static bool is_zoneless(const char *text, size_t num_bytes)
{
    char part[2 * SPOT_DATETIME_BYTES];
    bool has_zone = true;
    int64_t time_ms;

    if (num_bytes >= sizeof(part)) {
        return false;
    }
    memcpy(part, text, num_bytes);
    part[num_bytes] = '\0';
    return spot_moment_parse(part, &time_ms, &has_zone) && !has_zone;
}

/* What is wrong with a text that begins with a day and is no date with a time and a zone. */
static const char *date_problem(spot_texts_t *texts, const char *text, const char *behind_day)
{
    const size_t num_bytes = strlen(text);
    size_t end = num_bytes; /* of the time */

    if (*behind_day == '\0') {
        return "without a time and a zone it may be hours off";
    }
    if (is_zoneless(text, num_bytes)) {
        return "without a zone it may be hours off";
    }
    while (end > (size_t) (behind_day - text) && !is_zoneless(text, end)) {
        end--;
    }
    if (end <= (size_t) (behind_day - text)) {
        return "the time is not hh:mm or hh:mm:ss of a day";
    }
    end += strspn(text + end, " ");
    return spot_texts_add(texts,
        strchr("+-", text[end]) != NULL
            ? "there is no zone %s: offsets are from -12:00 to +14:00"
            : "the zone %s is not known: Z, UTC, GMT and offsets from -12:00 to +14:00 are",
        text + end);
}

/* Reads a date; one without a zone is refused. Returns false if the text is no date. */
static bool take_date(
    spot_call_t *call, const spot_option_t *option, const char *text, int64_t *time_ms)
{
    const char *behind_day = text;
    bool has_zone = false;
    int64_t day_id;

    if (spot_moment_parse(text, time_ms, &has_zone) && has_zone) {
        return true;
    }
    if (spot_date_scan(&behind_day, &day_id)) {
        spot_usage_error(call, "--%s: expected " DATE_EXPECTED ", got \"%s\": %s", option->name,
            text, date_problem(&call->texts, text, behind_day));
    }
    return false;
}

static void take_finish(spot_call_t *call, const spot_option_t *option, const char *text)
{
    arguments_t *arguments = call->arguments;
    const char *problem = "";

    arguments->has_date = take_date(call, option, text, &arguments->date_ms);
    arguments->date = text;
    if (!arguments->has_date &&
        (spot_duration_parse(text, &arguments->question.finish_by_ms, &problem) != 0 ||
            arguments->question.finish_by_ms < 1)) {
        spot_usage_error(call,
            "--finish-by: expected a duration above 0 such as \"5 d\" or \"30 hours\", "
            "or " DATE_EXPECTED ", got \"%s\"",
            text);
    }
}

static void take_start(spot_call_t *call, const spot_option_t *option, const char *text)
{
    arguments_t *arguments = call->arguments;

    arguments->has_start = take_date(call, option, text, &arguments->start_ms);
    spot_usage_refuse(call, !arguments->has_start, "--starts-at: expected " DATE_EXPECTED);
}

static const spot_option_t options[] = {
    SPOT_OPTION(
        ARGUMENT, "a scenario, the job that is asked about", 0, "JOB.yaml", path, NULL, .min = 1),
    SPOT_OPTION(
        COUNT, "steps", 0, "N", question.num_steps, "train: steps that are to be kept", .min = 1),
    SPOT_OPTION(OWN, "finish-by", 0, "TIME", question.finish_by_ms,
        "train, schedule: when they, or all jobs, are to be done: a duration from the start, "
        "or a date with a zone, such as \"2026-06-07 12:00 +02:00\"",
        .example = "\"5 days\"", .settle = take_finish),
    SPOT_OPTION(OWN, "starts-at", 0, "TIME", start_ms,
        "When the job starts, for a --finish-by that is a date (default: with --now as its "
        "trace says)",
        .settle = take_start),
    SPOT_OPTION(NUMBER, "sure", 0, "P", question.sure,
        "Probability to keep the goal, below 1 (default 0.95)", .max = 1),
    SPOT_OPTION(NUMBER, "budget", 0, "AMOUNT", question.budget,
        "Most that 95 % of the runs may cost, in the currency of the prices (serve: an "
        "hour; with --now: with what the job has cost so far; default: no limit)",
        .max = 1000000000000),
    SPOT_OPTION(COUNT, "max-fleet", 0, "N", question.max_fleet,
        "Most instances, nodes or replicas at a time (default: those of the scenario; "
        "serve: any)",
        .min = 1),
    SPOT_OPTION(TEXT, "recovery", 0, "all|NAME,...", question.recovery,
        "train: recovery systems that are searched (default: checkpoint and that of the "
        "scenario; of the others the best one is named if it is cheaper)",
        .example = "checkpoint,bamboo"),
    SPOT_OPTION(COUNT, "max-replications", 0, "N", max_replications,
        "Most runs that an alternative gets to show whether it keeps the goal (default "
        "20000)",
        .min = 64, .max = 10000000),
    SPOT_OPTION(COUNT, "max-runs", 0, "N", max_runs,
        "Most runs of all alternatives together, about (default: what a processor does in some "
        "minutes, if a run simulates 100,000 jobs or queries, or more)",
        .min = 64, .max = 1000000000),
    SPOT_OPTION(TEXTS, "trace", 0, "LOG", traces,
        "A recorded trace, replayed from random starts in place of the scenario's, or a "
        "log that `spotsim trace convert` recognises; several weigh the same",
        .example = "week-1.csv"),
    SPOT_OPTION(INPUT, "now", 0, "LOG", now_path,
        "The job runs already: its own trace or log, from its start to now"),
    SPOT_OPTION(
        COUNT, "progress", 0, "N", question.progress, "With --now: steps that it has kept so far"),
    SPOT_LOG_OPTIONS,
    SPOT_OPTION(FOLDER, "save", 0, "FOLDER", save_folder,
        "Write to this folder the scenario of the answer, JOB.advice.yaml, the study that was "
        "run, JOB.advice-study.yaml, and the traces of logs"),
    SPOT_OPTION(WRITTEN, "output", 'o', "ADVICE.html", page_path,
        "Write a page with the answer and the search to this file; - is standard output, "
        "instead of the answer",
        .endings = ".html or .htm"),
    SPOT_OPTION(TEXTS, "set", 0, "KEY=VALUE", sets,
        "Set a key of the scenario; may be given several times", .example = "job.reload=\"60 s\""),
    SPOT_OPTION_SEED(seed),
    SPOT_OPTION(COUNT, "threads", 0, "N", num_threads,
        "Threads to run on (default: all processors); the answer is the same", .min = 1,
        .max = 1024),
    SPOT_OPTION(
        FLAG, "verbose", 0, NULL, is_verbose, "Print all that was looked at, as the page has it"),
    SPOT_OPTION_JSON(is_json, "Print the answer as JSON"),
    SPOT_OPTION(CHOICE, "progress-form", 0, "FORM", progress,
        "The form of the progress on standard error: auto, line, lines, json, none",
        .choices = spot_progress_form_names),
    SPOT_OPTION_END,
};

static void check(spot_call_t *call)
{
    arguments_t *arguments = call->arguments;
    const spot_advice_question_t *question = &arguments->question;

    spot_log_options_check(&arguments->log);
    spot_usage_refuse(call, arguments->has_start && !arguments->has_date,
        "--starts-at is for a --finish-by that is a date");
    spot_usage_refuse(call,
        arguments->has_date && !arguments->has_start && arguments->now_path == NULL,
        "--finish-by: a date needs --starts-at TIME, when the job starts: the same inputs give "
        "the same answer, whenever they are asked");
    spot_usage_refuse(call, question->sure >= 1,
        "--sure: no number of runs shows that something never fails: expected less than "
        "1");
    spot_usage_refuse(call, question->progress > 0 && arguments->now_path == NULL,
        "--progress needs --now LOG: since when the job runs");
    spot_usage_refuse(call, question->num_steps > 0 && question->progress >= question->num_steps,
        "--progress: the steps are done already");
    spot_usage_refuse(call,
        arguments->page_path != NULL && spot_has_suffix(arguments->page_path, ".txt"),
        "-o: expected a file that ends in .html or .htm");
}

/* ---- Logs ---- */

/* What a canonical trace begins with. */
#define TRACE_BEGIN "# spotsim-trace:"

/* The logs that were converted, each with its trace in memory and, with --save, its
 * place. */
typedef struct {
    spot_memory_files_t files;
    const char **saved; /* [files.num_files] */
    spot_file_names_t names;
    size_t num_remarks, max_remarks;
    const char **remarks; /* [num_remarks] what stays uncertain in them, in texts of the call */
} logs_t;

/* "FOLDER/week.jsonl.trace.csv" of a log, that of no other one. NULL: no memory. */
static const char *saved_name(spot_call_t *call, logs_t *logs, const char *path)
{
    const arguments_t *arguments = call->arguments;
    const char *slash = strrchr(path, '/');
    const char *name = spot_file_names_add(&logs->names, slash == NULL ? path : slash + 1);

    return name == NULL
               ? NULL
               : spot_texts_add(&call->texts, "%s/%s.trace.csv", arguments->save_folder, name);
}

/* Keeps the trace of a log in memory, where readers find it under the path of the log. */
static int keep_trace(spot_call_t *call, logs_t *logs, const char *path, spot_trace_t *trace)
{
    const arguments_t *arguments = call->arguments;
    const char *saved = arguments->save_folder == NULL ? "" : saved_name(call, logs, path);
    size_t max_saved = logs->files.num_files;
    FILE *out = spot_texts_begin(&call->texts);
    const char *text;
    int ret = spot_keys_set(&trace->header, MADE_BY_KEY, MADE_BY, strlen(MADE_BY));

    if (out != NULL && ret == 0) {
        ret = spot_trace_write_stream(trace, out, path, &call->diag);
    }
    text = spot_texts_end(&call->texts, out);
    ret = spot_error_first(ret, saved == NULL ? SPOT_ERR_NO_MEMORY : call->texts.error);
    ret = ret != 0
              ? ret
              : spot_array_reserve(&logs->saved, &max_saved, max_saved + 1, sizeof(*logs->saved));
    if (ret == 0) {
        logs->saved[logs->files.num_files] = saved;
        ret = spot_memory_files_add(&logs->files, path, text, strlen(text));
    }
    return ret;
}

/* Keeps what stays uncertain in a log. */
static int keep_remarks(
    spot_call_t *call, logs_t *logs, const char *path, const spot_convert_report_t *report)
{
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < report->num_remarks; j++) {
        if (report->remarks[j].kind == SPOT_REMARK_UNCERTAIN) {
            ret = SPOT_ARRAY_APPEND(logs, remarks,
                spot_texts_add(&call->texts, "%s: uncertain: %s", path, report->remarks[j].text));
        }
    }
    return ret;
}

/* Converts a log that is no trace yet. */
static int take_log(spot_call_t *call, logs_t *logs, const char *path)
{
    const arguments_t *arguments = call->arguments;
    spot_taken_log_t log = {.figures = {.name = NULL}};
    int ret;

    if (access(path, R_OK) != 0 || spot_memory_files_find(&logs->files, path) != NULL) {
        return 0; /* a file that is not there is reported where it is read */
    }
    ret = spot_csv_begins(path, TRACE_BEGIN);
    if (ret != 0) {
        return ret < 0 ? ret : 0;
    }
    ret = spot_taken_log_read(&log, path, &arguments->log.task, NULL, &call->diag);
    if (ret == 0 && !call->is_quiet) {
        fprintf(stderr, "%s as a trace:\n", path);
        spot_convert_report_print(&log.report, &log.trace, stderr);
    }
    ret = ret == 0 ? keep_trace(call, logs, path, &log.trace) : ret;
    ret = ret == 0 ? keep_remarks(call, logs, path, &log.report) : ret;
    spot_taken_log_free(&log);
    return ret;
}

static int take_logs(spot_call_t *call, logs_t *logs)
{
    const arguments_t *arguments = call->arguments;
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < arguments->traces.num_texts; j++) {
        ret = take_log(call, logs, arguments->traces.texts[j]);
    }
    if (ret == 0 && arguments->now_path != NULL) {
        ret = take_log(call, logs, arguments->now_path);
    }
    spot_usage_refuse(call,
        ret == 0 && logs->files.num_files == 0 && spot_log_options_are_given(&arguments->log),
        "--from, --until, --notice and the like say how a log becomes a trace: no file of "
        "--trace and --now is a log");
    return ret;
}

/* Turns a date into the time since the start of the job, which the trace of a job that
 * runs may say. */
static int settle_date(arguments_t *self, const spot_trace_t *now, spot_diag_t *diag)
{
    const char *start = now == NULL ? NULL : spot_trace_key(now, "start");
    const char *where = now == NULL ? "--starts-at" : self->now_path;
    char text[SPOT_DATETIME_BYTES];
    int64_t start_ms = 0;
    bool has_zone = false;

    if (!self->has_date) {
        return 0;
    }
    if (start != NULL && spot_instant_parse(start, &start_ms, &has_zone) && has_zone) {
        if (self->has_start && start_ms != self->start_ms) {
            return spot_diag_error(
                diag, where, 0, 0, "starts at %s: --starts-at says another time", start);
        }
        self->start_ms = start_ms;
    } else if (!self->has_start) {
        return spot_diag_error(diag, where, 0, 0,
            "does not say when it starts, which a --finish-by that is a date needs: expected "
            "--starts-at TIME");
    }
    self->question.finish_by_ms = self->date_ms - self->start_ms;
    self->question.finish_by_date = self->date;
    spot_instant_text(self->start_ms, text);
    if (self->question.finish_by_ms < 1 || self->question.finish_by_ms > SPOT_MAX_DURATION_MS) {
        return spot_diag_error(diag, "--finish-by", 0, 0,
            "expected a date within 100 years after the start of the job, %s", text);
    }
    return 0;
}

/* What the trace of the job so far says of now. */
static int read_now(arguments_t *self, spot_diag_t *diag)
{
    spot_trace_t trace;
    int ret = 0;

    if (self->now_path == NULL) {
        return settle_date(self, NULL, diag);
    }
    ret = spot_trace_read(&trace, self->now_path, false, diag);
    ret = ret == 0 ? settle_date(self, &trace, diag) : ret;
    if (ret == 0) {
        self->question.is_running = true;
        self->question.elapsed_ms = trace.end_ms;
        self->question.running = trace.final;
        self->question.now_path = self->now_path;
        if (self->question.finish_by_ms > 0 && trace.end_ms >= self->question.finish_by_ms) {
            ret = spot_diag_error(
                diag, self->now_path, 0, 0, "the job runs longer than --finish-by already");
        }
    }
    spot_trace_free(&trace);
    return ret;
}

/* ---- What is written ---- */

/* The names of the files of --save. */
typedef struct {
    const char *scenario, *study;
} saving_t;

/* Whether a trace was written by advise: its header says so. */
static bool is_own_trace(const char *path)
{
    char head[8192];
    FILE *stream = fopen(path, "rb");
    size_t num_bytes = stream == NULL ? 0 : fread(head, 1, sizeof(head) - 1, stream);

    head[num_bytes] = '\0';
    if (stream != NULL) {
        (void) fclose(stream);
    }
    return strncmp(head, TRACE_BEGIN, strlen(TRACE_BEGIN)) == 0 &&
           strstr(head, "\n# " MADE_BY_KEY ": " MADE_BY "\n") != NULL;
}

/* is_own: 1 if the file was written by this verb, 0 if not, or an error. */
static int refuse_foreign(spot_call_t *call, const char *path, int is_own)
{
    return is_own < 0 ? is_own
           : is_own == 1 || access(path, F_OK) != 0
               ? 0
               : spot_diag_error(&call->diag, path, 0, 0,
                     "exists and was not written by `spotsim advise`: move it away");
}

/* Before the search: looks whether the folder can be made, and whether files are in the way.
 * What is made is there at the end: an interrupt leaves no empty folder. */
static int start_saving(spot_call_t *call, const logs_t *logs, saving_t *saving)
{
    const arguments_t *arguments = call->arguments;
    const char *folder = arguments->save_folder, *slash = strrchr(arguments->path, '/');
    const char *path;
    bool is_made = false;
    int ret;

    if (folder == NULL) {
        return 0;
    }
    path =
        spot_texts_add(&call->texts, "%s/%s", folder, slash == NULL ? arguments->path : slash + 1);
    saving->scenario = spot_advice_beside(&call->texts, path, ".advice.yaml");
    saving->study = spot_advice_beside(&call->texts, path, SPOT_ADVICE_STUDY_ENDING);
    ret = spot_folder_make(folder, &is_made, &call->diag);
    if (ret != 0) {
        return ret;
    }
    ret = refuse_foreign(call, saving->scenario, spot_csv_begins(saving->scenario, WRITTEN_BY));
    ret = spot_error_first(
        ret, refuse_foreign(call, saving->study, spot_csv_begins(saving->study, WRITTEN_BY)));
    for (size_t j = 0; j < logs->files.num_files; j++) {
        ret = spot_error_first(
            ret, refuse_foreign(call, logs->saved[j], is_own_trace(logs->saved[j])));
    }
    if (is_made) {
        (void) rmdir(folder);
    }
    return ret;
}

/* Writes a document, whose paths are those of the study beside the scenario. */
static int write_yaml(spot_call_t *call, const spot_yaml_move_t *move, const char *path,
    const char *what, const char *text)
{
    const char *moved = spot_yaml_moved(move, text, &call->texts, &call->diag);
    spot_output_t output;
    FILE *out;

    if (moved == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    out = spot_output_bytes(&output, path, &call->diag);
    if (out != NULL) {
        fprintf(out, "%s: %s\n%s", WRITTEN_BY, what, moved);
    }
    return spot_output_end(&output, 0);
}

static int save_trace(spot_call_t *call, const logs_t *logs, size_t j)
{
    spot_output_t output;
    FILE *out = spot_output_bytes(&output, logs->saved[j], &call->diag);

    if (out != NULL) {
        fwrite(logs->files.files[j].bytes, 1, logs->files.files[j].num_bytes, out);
    }
    return spot_output_end(&output, 0);
}

static int save_all(spot_call_t *call, const spot_advice_result_t *result,
    const spot_study_t *study, const logs_t *logs, const saving_t *saving)
{
    const arguments_t *arguments = call->arguments;
    const size_t num_files = logs->files.num_files;
    spot_moved_file_t *moved = spot_calloc(2 * num_files + 1, sizeof(*moved));
    spot_yaml_move_t move = {
        .file = spot_advice_beside(&call->texts, arguments->path, SPOT_ADVICE_STUDY_ENDING),
        .inputs = study->inputs,
        .folder = arguments->save_folder,
        .moved = moved};
    bool is_made = false;
    int ret = moved == NULL ? SPOT_ERR_NO_MEMORY
                            : spot_folder_make(arguments->save_folder, &is_made, &call->diag);

    for (size_t j = 0; ret == 0 && j < num_files; j++) {
        const spot_memory_file_t *file = &logs->files.files[j];
        const char *name = strrchr(logs->saved[j], '/') + 1;

        moved[move.num_moved++] = (spot_moved_file_t){file->path, name};
        if (file->absolute_path != NULL) {
            moved[move.num_moved++] = (spot_moved_file_t){file->absolute_path, name};
        }
        ret = save_trace(call, logs, j);
    }
    ret = ret != 0 ? ret
                   : write_yaml(call, &move, saving->scenario,
                         result->verdict == SPOT_VERDICT_YES ? "the scenario that it recommends"
                                                             : "the scenario that comes nearest",
                         result->scenario_text);
    ret = ret != 0
              ? ret
              : write_yaml(call, &move, saving->study, "the study that it ran", result->study_text);
    if (ret < 0 && is_made) {
        (void) rmdir(arguments->save_folder); /* unless it has files */
    }
    free(moved);
    return ret;
}

static void write_preface(const void *context, spot_document_t *document)
{
    spot_document_section(document, "advice", "The answer");
    spot_advice_document(context, NULL, true, document); /* the head of the page has assumed */
}

static int write_page(
    spot_call_t *call, const spot_advice_result_t *result, const spot_store_t *store)
{
    const arguments_t *arguments = call->arguments;
    spot_output_t output;
    spot_report_t report;
    FILE *out;
    int ret = spot_report_init(&report, store);

    if (ret == 0) {
        const spot_page_preface_t preface = {
            .write = write_preface, .declare = spot_advice_declare, .context = result};
        const spot_page_source_t source = {
            .path = arguments->page_path, .report = &report, .preface = &preface};

        out = spot_output_bytes(&output, arguments->page_path, &call->diag);
        ret = spot_output_end(&output, out == NULL ? 0 : spot_page_write(&source, out));
    }
    spot_report_free(&report);
    return ret;
}

static int print_answer(
    spot_call_t *call, const spot_advice_result_t *result, const spot_store_t *store)
{
    const arguments_t *arguments = call->arguments;
    const spot_target_t target = {.is_json = arguments->is_json};
    spot_output_t output;
    FILE *out = spot_output_begin(&output, &target, &call->diag);
    int ret = 0;

    if (out != NULL && arguments->is_json) {
        spot_advice_json(result, &store->head->assumed, out);
    } else if (out != NULL) {
        spot_document_t document;

        spot_document_to_terminal(&document, &output.terminal, out);
        spot_advice_document(result, &store->head->assumed, arguments->is_verbose, &document);
        ret = spot_document_end(&document);
    }
    return spot_output_end(&output, ret);
}

static int write_results(spot_call_t *call, const spot_advice_result_t *result,
    const spot_study_t *study, const spot_store_t *store, const logs_t *logs,
    const saving_t *saving)
{
    const arguments_t *arguments = call->arguments;
    int ret = spot_files_is_dash(arguments->page_path) ? 0 : print_answer(call, result, store);

    if (ret == 0 && arguments->save_folder != NULL) {
        ret = save_all(call, result, study, logs, saving);
    }
    return ret == 0 && arguments->page_path != NULL ? write_page(call, result, store) : ret;
}

static int run(spot_call_t *call)
{
    arguments_t *arguments = call->arguments;
    const long num_processors = sysconf(_SC_NPROCESSORS_ONLN);
    spot_progress_line_t line;
    spot_advise_request_t request = {.engines = spot_engines,
        .path = arguments->path,
        .max_replications = arguments->max_replications,
        .max_runs = arguments->max_runs,
        .seed = (uint64_t) arguments->seed,
        .num_threads = arguments->num_threads > 0 ? arguments->num_threads
                       : num_processors > 0       ? num_processors
                                                  : 1,
        .stop = &spot_stop,
        .progress = spot_progress_of_study,
        .context = &line};
    spot_advice_result_t result = {.num_advised = 0};
    spot_study_t study = {.experiment = NULL};
    spot_store_t *store = NULL;
    saving_t saving = {.scenario = NULL};
    logs_t logs = {.saved = NULL};
    int ret = take_logs(call, &logs);

    call->diag.memory = &logs.files;
    ret = ret == 0 ? read_now(arguments, &call->diag) : ret;
    ret = ret == 0 ? start_saving(call, &logs, &saving) : ret;
    arguments->question.num_traces = arguments->traces.num_texts;
    arguments->question.traces = arguments->traces.texts;
    request.num_sets = arguments->sets.num_texts;
    request.sets = arguments->sets.texts;
    request.question = arguments->question;
    request.num_remarks = logs.num_remarks;
    request.remarks = logs.remarks;
    spot_progress_start(&line, call->is_quiet || arguments->is_json
                                   ? SPOT_PROGRESS_NONE
                                   : (spot_progress_form_t) arguments->progress);
    line.has_stages = true;
    ret = ret == 0 ? spot_advise(&request, &result, &study, &store, &call->diag) : ret;
    spot_counter_finish(&line.counter);
    if (ret == 0) {
        call->is_reading = false;
        ret = write_results(call, &result, &study, store, &logs, &saving);
    }
    if (ret == 0 && arguments->question.is_running) {
        const spot_advised_t *current = spot_advice_current(&result);

        spot_bug_assert(current != NULL);
        ret = current->verdict == SPOT_VERDICT_NO ? SPOT_EXIT_LOST
                                                  : spot_exit_of_verdict(current->verdict);
    } else if (ret == 0) {
        ret = spot_exit_of_verdict(result.verdict);
    }
    if (store != NULL) {
        store->close(store);
    }
    spot_study_free(&study);
    spot_advice_result_free(&result);
    call->diag.memory = NULL;
    spot_memory_files_free(&logs.files);
    free(logs.saved);
    spot_file_names_free(&logs.names);
    free(logs.remarks);
    return ret;
}

const spot_verb_t spot_verb_advise = {
    .name = "advise",
    .arguments = "JOB.yaml",
    .summary = "What to rent, so that the work is done in time at the least cost",
    .doc = "Searches what the engine of the scenario lets choose: of a training job spot, "
           "on demand or a part on demand, the recovery systems of --recovery, "
           "the interval of checkpoints, the pipeline depth (where a table by (D,P) says "
           "what it does) and the size of the fleet. It minimises the mean cost, with a "
           "probability of --sure to be done in time; late runs go on, up to three "
           "deadlines. The figures of the answer come from runs that the search did not "
           "choose by. Then it looks at what would change the answer. It writes nothing but what "
           "-o and --save name. A log is converted in memory, as the options say that are also "
           "those of `spotsim trace convert`; -q leaves out the report of it. "
           "The exit code is 0 for yes, 1 for no and 4 where the runs leave it open. With --now "
           "the question is asked in "
           "the middle of a run, and the exit code is 3 if the job, as it is, does not "
           "keep the goal.\n\nOf a serving pipeline (engine: serve) it searches the "
           "cheapest configuration of the planners, on demand, on spot or mixed, that "
           "keeps slo; of a cluster (engine: schedule) the nodes, how many of them are "
           "reserved and how many on spot, and the policy. Without --finish-by its jobs "
           "may take twice their duration in the mean.",
    .examples = "  spotsim advise job.yaml --steps 2000 --finish-by \"5 d\"\n"
                "  spotsim advise job.yaml --steps 2000 --finish-by \"5 d\" \\\n"
                "      --trace warnings.json --notice 120s --initial 24 --save answer\n"
                "  spotsim advise job.yaml --steps 2000 --finish-by \"5 d\" \\\n"
                "      --sure 0.9 --budget 30000 --trace week.csv -o advice.html\n"
                "  spotsim advise job.yaml --steps 2000 --finish-by \"5 d\" \\\n"
                "      --now so-far.csv --progress 1200 --json\n"
                "  spotsim advise pipeline.yaml --sure 0.9 --trace week.csv\n"
                "  spotsim advise cluster.yaml --finish-by \"2 d\" --max-fleet 20\n",
    .options = options,
    .arguments_bytes = sizeof(arguments_t),
    .initial = &initial,
    .check = check,
    .run = run,
};
