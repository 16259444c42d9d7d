/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/stop.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "cli/study_task.h"
#include "cli/taken_log.h"
#include "reports/advice_chart.h"
#include "reports/advice_report.h"
#include "reports/page/page.h"
#include "sim/bench/advise/advise.h"
#include "sim/engines.h"
#include "traces/trace.h"

/* The exit code where the goal of a job that runs is lost. */
enum { EXIT_LOST = 3 };

/* The first line of what is written: only such files are written over. */
#define WRITTEN_BY "# Written by `spotsim advise`"

typedef struct {
    spot_advice_question_t question;
    const char *path, *page_path, *now_path;
    int64_t seed, num_threads;
    int progress;
    bool is_json;
    spot_option_list_t traces, sets;
} arguments_t;

static const arguments_t initial = {
    .question = {.sure = 0.95, .budget = (double) INFINITY}, .seed = 1};

static const spot_option_t options[] = {
    SPOT_OPTION(
        ARGUMENT, "a scenario, the job that is asked about", 0, "JOB.yaml", path, NULL, .min = 1),
    SPOT_OPTION(
        COUNT, "steps", 0, "N", question.num_steps, "train: steps that are to be kept", .min = 1),
    SPOT_OPTION(DURATION, "finish-by", 0, "DURATION", question.finish_by_ms,
        "train, schedule: when they, or all jobs, are to be done, from the start",
        .example = "\"5 d\"", .min = 1),
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
    SPOT_OPTION(TEXTS, "trace", 0, "LOG", traces,
        "A recorded trace, replayed from random starts in place of the scenario's, or a "
        "log that `spotsim trace convert` recognises, which gets its trace beside it; "
        "several weigh the same",
        .example = "week-1.csv"),
    SPOT_OPTION(INPUT, "now", 0, "LOG", now_path,
        "The job runs already: its own trace or log, from its start to now"),
    SPOT_OPTION(
        COUNT, "progress", 0, "N", question.progress, "With --now: steps that it has kept so far"),
    SPOT_OPTION(WRITTEN, "output", 'o', "ADVICE.html", page_path,
        "Write a page with the answer and the search to this file", .endings = ".html or .htm"),
    SPOT_OPTION(TEXTS, "set", 0, "KEY=VALUE", sets,
        "Set a key of the scenario; may be given several times", .example = "job.reload=\"60 s\""),
    SPOT_OPTION_SEED(seed),
    SPOT_OPTION(COUNT, "threads", 0, "N", num_threads,
        "Threads to run on (default: all processors); the answer is the same", .min = 1,
        .max = 1024),
    SPOT_OPTION_JSON(is_json, "Print the answer as JSON"),
    SPOT_OPTION(CHOICE, "progress-form", 0, "FORM", progress,
        "The form of the progress on standard error: auto, line, lines, json, none",
        .choices = spot_progress_form_names),
    SPOT_OPTION_END,
};

static void check(spot_call_t *call)
{
    const arguments_t *arguments = call->arguments;
    const spot_advice_question_t *question = &arguments->question;

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

/* Converts a log that is no trace yet to one beside it, and takes that in its place. */
static int take_log(spot_call_t *call, const char **path)
{
    const char *made = spot_texts_add(&call->texts, "%s.trace.csv", *path);
    spot_taken_log_t log = {.figures = {.name = NULL}};
    int ret;

    if (access(*path, R_OK) != 0 || spot_csv_begins(*path, TRACE_BEGIN)) {
        return 0; /* a file that is not there is reported where it is read */
    }
    if (access(made, F_OK) == 0 && !spot_csv_begins(made, TRACE_BEGIN)) {
        return spot_diag_error(&call->diag, made, 0, 0,
            "exists and is no trace: move it away, or convert %s with `spotsim trace "
            "convert`",
            *path);
    }
    ret = spot_taken_log_read(&log, *path, made, &call->diag);
    if (ret == 0 && !call->is_quiet) {
        fprintf(stderr, "%s is the trace of %s:\n", made, *path);
        spot_convert_report_print(&log.report, &log.trace, stderr);
    }
    *path = made;
    spot_taken_log_free(&log);
    return ret;
}

static int take_logs(spot_call_t *call)
{
    arguments_t *arguments = call->arguments;
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < arguments->traces.num_texts; j++) {
        ret = take_log(call, &arguments->traces.texts[j]);
    }
    if (ret == 0 && arguments->now_path != NULL) {
        ret = take_log(call, &arguments->now_path);
    }
    return ret;
}

/* What the trace of the job so far says of now. */
static int read_now(arguments_t *self, spot_diag_t *diag)
{
    spot_trace_t trace;
    int ret = 0;

    if (self->now_path == NULL) {
        return 0;
    }
    spot_trace_init(&trace);
    ret = spot_trace_read(&trace, self->now_path, false, diag);
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

static int write_yaml(spot_call_t *call, const char *path, const char *what, const char *text)
{
    spot_output_t output;
    FILE *out;

    if (access(path, F_OK) == 0 && !spot_csv_begins(path, WRITTEN_BY)) {
        return spot_diag_error(&call->diag, path, 0, 0,
            "exists and was not written by `spotsim advise`: move it away");
    }
    out = spot_output_bytes(&output, path, &call->diag);
    if (out != NULL) {
        fprintf(out, "%s: %s\n%s", WRITTEN_BY, what, text);
    }
    return spot_output_end(&output, 0);
}

static void write_preface(const void *context, spot_document_t *document)
{
    spot_document_section(document, "advice", "The answer");
    spot_advice_document(context, document);
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
        spot_advice_json(result, out);
    } else if (out != NULL) {
        spot_document_t document;

        spot_output_assumed(&output, &store->head->assumed);
        spot_document_to_terminal(&document, &output.terminal, out);
        spot_advice_document(result, &document);
        ret = spot_document_end(&document);
    }
    return spot_output_end(&output, ret);
}

static int write_results(
    spot_call_t *call, const spot_advice_result_t *result, const spot_store_t *store)
{
    const arguments_t *arguments = call->arguments;
    const char *scenario = spot_advice_beside(&call->texts, arguments->path, ".advice.yaml");
    const char *study = spot_advice_beside(&call->texts, arguments->path, SPOT_ADVICE_STUDY_ENDING);
    int ret = print_answer(call, result, store);

    ret = ret != 0 ? ret
                   : write_yaml(call, scenario,
                         result->is_yes ? "the scenario that it recommends"
                                        : "the scenario that comes nearest",
                         result->scenario_text);
    ret = ret != 0 ? ret : write_yaml(call, study, "the study that it ran", result->study_text);
    return ret == 0 && arguments->page_path != NULL ? write_page(call, result, store) : ret;
}

static int run(spot_call_t *call)
{
    arguments_t *arguments = call->arguments;
    const long num_processors = sysconf(_SC_NPROCESSORS_ONLN);
    spot_progress_line_t line;
    spot_advise_request_t request = {.engines = spot_engines,
        .path = arguments->path,
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
    int ret = take_logs(call);

    ret = ret == 0 ? read_now(arguments, &call->diag) : ret;
    spot_interrupt_watch();
    arguments->question.num_traces = arguments->traces.num_texts;
    arguments->question.traces = arguments->traces.texts;
    request.num_sets = arguments->sets.num_texts;
    request.sets = arguments->sets.texts;
    request.question = arguments->question;
    spot_progress_start(&line, call->is_quiet || arguments->is_json
                                   ? SPOT_PROGRESS_NONE
                                   : (spot_progress_form_t) arguments->progress);
    ret = ret == 0 ? spot_advise(&request, &result, &study, &store, &call->diag) : ret;
    spot_progress_finish(&line);
    if (ret == 0) {
        call->is_reading = false;
        ret = write_results(call, &result, store);
    }
    if (ret == 0 && arguments->question.is_running) {
        ret = spot_advice_keeps_on(&result) ? SPOT_EXIT_GOOD : EXIT_LOST;
    } else if (ret == 0) {
        ret = result.is_yes ? SPOT_EXIT_GOOD : SPOT_EXIT_FAILED;
    }
    if (store != NULL) {
        store->close(store);
    }
    spot_study_free(&study);
    spot_advice_result_free(&result);
    return ret;
}

const spot_command_t spot_command_advise = {
    .name = "advise",
    .arguments = "JOB.yaml",
    .summary = "What to rent, so that the work is done in time at the least cost",
    .doc = "Searches what the engine of the scenario lets choose: of a training job spot, "
           "on demand or a part on demand, the recovery systems whose figures are known, "
           "the interval of checkpoints, the pipeline depth (where a table by (D,P) says "
           "what it does) and the size of the fleet. It minimises the mean cost, with a "
           "probability of --sure to be done in time; late runs go on, up to three "
           "deadlines. The figures of the answer come from runs that the search did not "
           "choose by. Then it looks at what would change the answer. JOB.advice.yaml gets "
           "the scenario that it recommends, JOB.advice-study.yaml the study that it ran. "
           "The exit code is 1 if the answer is no. With --now the question is asked in "
           "the middle of a run, and the exit code is 3 if the job, as it is, does not "
           "keep the goal.\n\nOf a serving pipeline (engine: serve) it searches the "
           "cheapest configuration of the planners, on demand, on spot or mixed, that "
           "keeps slo; of a cluster (engine: schedule) the nodes, how many of them are "
           "reserved and how many on spot, and the policy. Without --finish-by its jobs "
           "may take twice their duration in the mean.",
    .examples = "  spotsim advise job.yaml --steps 2000 --finish-by \"5 d\"\n"
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
