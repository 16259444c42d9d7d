/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/command.h"
#include "models/checkpoint.h"
#include "models/checkpoint_theory.h"
#include "reports/theory_report.h"

typedef struct {
    spot_theory_question_t question; /* write, restart, share, ...: below 0 if not given */
    int mode;                        /* 0 sync, 1 async */
    int busy;                        /* -1: not given, 0 wait, 1 join */
    const char *memory_option;       /* the latest for copies in memory, or NULL */
    int64_t num_instances;           /* 0: not given */
    int64_t group_size;
    int64_t num_lost; /* 0: not given */
    spot_target_t target;
} arguments_t;

static const arguments_t initial = {.question = {.write_ms = -1,
                                        .restart_ms = -1,
                                        .snapshot_ms = -1,
                                        .memory = {.every_s = -1, .fetch_s = -1, .share = -1}},
    .busy = -1,
    .group_size = 2};

#define MAX_GROUPED 5000 /* within seconds */

static const char *const modes[] = {"sync", "async", NULL};
static const char *const busies[] = {"wait", "join", NULL};

static void note_memory(spot_call_t *call, const spot_option_t *option, const char *text)
{
    (void) text;
    ((arguments_t *) call->arguments)->memory_option = option->name;
}

static const spot_option_t options[] = {
    SPOT_OPTION(DURATION, "mtbf", 0, "TIME", question.mtbf_ms,
        "Mean time between failures of the job, not of an instance; a burst of losses "
        "is one failure",
        .min = 1),
    SPOT_OPTION(DURATION, "write", 0, "TIME", question.write_ms,
        "Time to write a checkpoint until it is durable"),
    SPOT_OPTION(DURATION, "restart", 0, "TIME", question.restart_ms,
        "Time from a failure until the job trains again: detection, reconfiguration and "
        "reload"),
    SPOT_OPTION(CHOICE, "mode", 0, "sync|async", mode,
        "sync (default): the job is stalled for the write time; async: for the snapshot "
        "only, the write is behind it",
        .choices = modes),
    SPOT_OPTION(DURATION, "snapshot", 0, "TIME", question.snapshot_ms,
        "async only: time the job is stalled to take the snapshot (default 0 s)"),
    SPOT_OPTION(CHOICE, "busy", 0, "wait|join", busy,
        "async only: while a write is in flight, snapshot and wait for it (wait, the "
        "default), or wait and then snapshot (join)",
        .choices = busies),
    SPOT_OPTION(DURATION, "step", 0, "TIME", question.step_ms,
        "Length of a step: print the intervals in whole steps too", .min = 1),
    SPOT_OPTION(DURATION, "interval", 0, "TIME", question.interval_ms,
        "Print the efficiency at this work between two checkpoints too", .min = 1),
    SPOT_OPTION(DURATION, "memory-every", 0, "TIME", question.memory.every_s,
        "Copies in the memory of peers, as in Gemini: work from one copy to the next; "
        "print the cost of failures with them, to first order",
        .is_real = true, .settle = note_memory),
    SPOT_OPTION(DURATION, "fetch", 0, "TIME", question.memory.fetch_s,
        "Copies in memory: time from a failure that they cover until the job trains "
        "again",
        .is_real = true, .settle = note_memory),
    SPOT_OPTION(NUMBER, "memory-share", 0, "SHARE", question.memory.share,
        "Copies in memory: share of the failures that they cover, from 0 to 1; or the "
        "next three",
        .max = 1, .settle = note_memory),
    SPOT_OPTION(COUNT, "instances", 0, "N", num_instances,
        "Copies in memory: instances of the job; with --lost the share is the "
        "probability that every group keeps a survivor",
        .min = 1, .max = MAX_GROUPED, .settle = note_memory),
    SPOT_OPTION(COUNT, "group-size", 0, "N", group_size,
        "Copies in memory: instances of a group (default 2)", .min = 1, .settle = note_memory),
    SPOT_OPTION(COUNT, "lost", 0, "N", num_lost, "Copies in memory: instances lost at once",
        .min = 1, .settle = note_memory),
    SPOT_OPTION_JSON(target.is_json, "Print the answer as one JSON object"),
    SPOT_OPTION_OUTPUT(target.path, NULL),
    SPOT_OPTION_END,
};

/* What copies in memory need. */
static void check_memory(const arguments_t *arguments, const spot_call_t *call)
{
    const spot_theory_memory_t *memory = &arguments->question.memory;
    const bool has_share = memory->share >= 0;
    const bool has_groups = arguments->num_instances > 0 && arguments->num_lost > 0;

    if (arguments->memory_option == NULL) {
        return;
    }
    if (memory->every_s < 0 || memory->fetch_s < 0) {
        spot_usage_error(call, "--%s: copies in memory need --memory-every and --fetch",
            arguments->memory_option);
    }
    spot_usage_refuse(call,
        has_share == has_groups ||
            (has_share && (arguments->num_instances > 0 || arguments->num_lost > 0)),
        "copies in memory need either --memory-share or --instances and --lost");
    if (has_groups && arguments->num_lost > arguments->num_instances) {
        spot_usage_error(
            call, "--lost: there are only %lld instances", (long long) arguments->num_instances);
    }
}

/* What was not given gets its default here. */
static void check(spot_call_t *call)
{
    arguments_t *arguments = call->arguments;
    spot_theory_question_t *question = &arguments->question;
    const char *missing = question->mtbf_ms == 0     ? "--mtbf"
                          : question->write_ms < 0   ? "--write"
                          : question->restart_ms < 0 ? "--restart"
                                                     : NULL;
    const char *async_option = arguments->busy >= 0         ? "--busy"
                               : question->snapshot_ms >= 0 ? "--snapshot"
                                                            : NULL;

    if (missing != NULL) {
        spot_usage_error(
            call, "%s is missing, e.g. --mtbf 6h --write 300s --restart 10min", missing);
    }
    if (async_option != NULL && arguments->mode == 0) {
        spot_usage_error(
            call, "%s is for asynchronous checkpoints: add --mode async", async_option);
    }
    check_memory(arguments, call);
    question->is_async = arguments->mode == 1;
    question->busy = arguments->busy == 1 ? SPOT_BUSY_JOIN : SPOT_BUSY_WAIT;
    question->snapshot_ms = question->snapshot_ms < 0 ? 0 : question->snapshot_ms;
    question->has_memory = arguments->memory_option != NULL;
}

static int run(spot_call_t *call)
{
    arguments_t *arguments = call->arguments;
    spot_theory_memory_t *memory = &arguments->question.memory;
    spot_output_t output;
    FILE *out;
    int ret = 0;

    call->is_reading = false;
    if (arguments->question.has_memory && memory->share < 0) {
        ret = spot_peer_recovery_probability(
            arguments->num_instances, arguments->group_size, arguments->num_lost, &memory->share);
    }
    if (ret != 0) {
        return ret;
    }
    out = spot_output_begin(&output, &arguments->target, &call->diag);
    if (out != NULL) {
        ret = arguments->target.is_json
                  ? spot_theory_report_json(&arguments->question, out)
                  : spot_theory_report_text(&arguments->question, &output.terminal, out);
    }
    return spot_output_end(&output, ret);
}

const spot_command_t spot_command_theory_checkpoint = {
    .name = "theory checkpoint",
    .arguments = "",
    .summary = "How often to write a checkpoint, and what share of the time is kept",
    .doc = "The intervals of Young (1974), of Daly (2006) and the exact optimum, and "
           "the share of all time that becomes kept work at each of them, in closed "
           "form. Failures come as a Poisson process, also during restarts, and the "
           "size of the job is constant; 'spotsim run --check-theory' holds a "
           "simulated run against it. Daly's higher-order form was checked against "
           "his published optima only.",
    .examples = "  spotsim theory checkpoint --mtbf 6h --write 300s --restart 10min\n"
                "  spotsim theory checkpoint --mtbf 6h --write 300s --restart 10min \\\n"
                "      --step 18s\n"
                "  spotsim theory checkpoint --mtbf 1h --write 89s --restart 10min \\\n"
                "      --memory-every 18s --fetch 40s --instances 16 --lost 3\n"
                "  spotsim theory checkpoint --mode async --mtbf 1h --write 89s \\\n"
                "      --restart 135s\n",
    .options = options,
    .arguments_bytes = sizeof(arguments_t),
    .initial = &initial,
    .check = check,
    .run = run,
};
