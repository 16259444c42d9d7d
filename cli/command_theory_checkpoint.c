/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "base/outfile.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/theory_table.h"
#include "models/checkpoint.h"
#include "models/peer_copies.h"

enum {
    OPTION_MTBF = 256,
    OPTION_WRITE,
    OPTION_RESTART,
    OPTION_MODE,
    OPTION_SNAPSHOT,
    OPTION_BUSY,
    OPTION_STEP,
    OPTION_INTERVAL,
    OPTION_MEMORY_EVERY,
    OPTION_FETCH,
    OPTION_MEMORY_SHARE,
    OPTION_INSTANCES,
    OPTION_GROUP_SIZE,
    OPTION_LOST,
    OPTION_JSON
};

typedef struct {
    spot_theory_question_t question;
    bool has_write;
    bool has_restart;
    const char *async_option; /* the latest that only mode async has, or NULL */
    bool has_share;
    bool has_every;
    bool has_fetch;
    const char *memory_option; /* the latest for copies in memory, or NULL */
    int64_t num_instances;     /* 0: not given */
    int64_t group_size;
    int64_t num_lost; /* 0: not given */
    bool is_json;
} arguments_t;

#define MAX_GROUPED 5000 /* within seconds */

static const struct argp_option options[] = {
    {"mtbf", OPTION_MTBF, "TIME", 0,
        "Mean time between failures of the job, not of an instance; a burst of losses "
        "is one failure",
        0},
    {"write", OPTION_WRITE, "TIME", 0, "Time to write a checkpoint until it is durable",
        0},
    {"restart", OPTION_RESTART, "TIME", 0,
        "Time from a failure until the job trains again: detection, reconfiguration and "
        "reload",
        0},
    {"mode", OPTION_MODE, "sync|async", 0,
        "sync (default): the job is stalled for the write time; async: for the snapshot "
        "only, the write is behind it",
        0},
    {"snapshot", OPTION_SNAPSHOT, "TIME", 0,
        "async only: time the job is stalled to take the snapshot (default 0 s)", 0},
    {"busy", OPTION_BUSY, "wait|join", 0,
        "async only: while a write is in flight, snapshot and wait for it (wait, the "
        "default), or wait and then snapshot (join)",
        0},
    {"step", OPTION_STEP, "TIME", 0,
        "Length of a step: print the intervals in whole steps too", 0},
    {"interval", OPTION_INTERVAL, "TIME", 0,
        "Print the efficiency at this work between two checkpoints too", 0},
    {"memory-every", OPTION_MEMORY_EVERY, "TIME", 0,
        "Copies in the memory of peers, as in Gemini: work from one copy to the next; "
        "print the cost of failures with them, to first order",
        0},
    {"fetch", OPTION_FETCH, "TIME", 0,
        "Copies in memory: time from a failure that they cover until the job trains "
        "again",
        0},
    {"memory-share", OPTION_MEMORY_SHARE, "SHARE", 0,
        "Copies in memory: share of the failures that they cover, from 0 to 1; or the "
        "next three",
        0},
    {"instances", OPTION_INSTANCES, "N", 0,
        "Copies in memory: instances of the job; with --lost the share is the "
        "probability that every group keeps a survivor",
        0},
    {"group-size", OPTION_GROUP_SIZE, "N", 0,
        "Copies in memory: instances of a group (default 2)", 0},
    {"lost", OPTION_LOST, "N", 0, "Copies in memory: instances lost at once", 0},
    {"json", OPTION_JSON, NULL, 0, "Print the answer as one JSON object", 0},
    {NULL, 0, NULL, 0, NULL, 0},
};

/* Which of two words text is. */
static bool
is_second(struct argp_state *state, const char *option, const char *text,
    const char *first, const char *second)
{
    if (strcmp(text, first) != 0 && strcmp(text, second) != 0) {
        spot_option_error(
            state, "%s: expected %s or %s, got \"%s\"", option, first, second, text);
    }
    return strcmp(text, second) == 0;
}

/* What copies in memory need. */
static void
check_memory(const arguments_t *arguments, struct argp_state *state)
{
    const bool has_groups = arguments->num_instances > 0 && arguments->num_lost > 0;

    if (arguments->memory_option == NULL) {
        return;
    }
    if (!arguments->has_every || !arguments->has_fetch) {
        spot_option_error(state, "%s: copies in memory need --memory-every and --fetch",
            arguments->memory_option);
    }
    if (arguments->has_share == has_groups ||
        (arguments->has_share &&
            (arguments->num_instances > 0 || arguments->num_lost > 0))) {
        spot_option_error(state,
            "copies in memory need either --memory-share or --instances and --lost");
    }
    if (arguments->num_instances > MAX_GROUPED) {
        spot_option_error(state, "--instances: expected up to %d", MAX_GROUPED);
    }
    if (has_groups && arguments->num_lost > arguments->num_instances) {
        spot_option_error(state, "--lost: there are only %lld instances",
            (long long) arguments->num_instances);
    }
}

static void
check_arguments(const arguments_t *arguments, struct argp_state *state)
{
    const char *missing = arguments->question.mtbf_ms == 0 ? "--mtbf"
                          : !arguments->has_write          ? "--write"
                          : !arguments->has_restart        ? "--restart"
                                                           : NULL;

    if (missing != NULL) {
        spot_option_error(state,
            "%s is missing, e.g. --mtbf 6h --write 300s --restart 10min", missing);
    }
    if (arguments->async_option != NULL && !arguments->question.is_async) {
        spot_option_error(state, "%s is for asynchronous checkpoints: add --mode async",
            arguments->async_option);
    }
    check_memory(arguments, state);
}

static double
parse_share(struct argp_state *state, const char *text)
{
    double share = -1;

    if (spot_number_parse(text, &share) != 0 || share < 0 || share > 1) {
        spot_option_error(
            state, "--memory-share: expected a number from 0 to 1, got \"%s\"", text);
    }
    return share;
}

/* The options for copies in memory. */
static error_t
parse_memory(int key, char *text, struct argp_state *state)
{
    arguments_t *arguments = state->input;
    spot_theory_memory_t *memory = &arguments->question.memory;

    switch (key) {
        case OPTION_MEMORY_EVERY:
            arguments->memory_option = "--memory-every";
            memory->every_s = (double) spot_option_duration_from_0_ms(
                                  state, arguments->memory_option, text) /
                              (double) SPOT_MS_PER_S;
            arguments->has_every = true;
            return 0;
        case OPTION_FETCH:
            arguments->memory_option = "--fetch";
            memory->fetch_s = (double) spot_option_duration_from_0_ms(
                                  state, arguments->memory_option, text) /
                              (double) SPOT_MS_PER_S;
            arguments->has_fetch = true;
            return 0;
        case OPTION_MEMORY_SHARE:
            arguments->memory_option = "--memory-share";
            memory->share = parse_share(state, text);
            arguments->has_share = true;
            return 0;
        case OPTION_INSTANCES:
            arguments->memory_option = "--instances";
            arguments->num_instances =
                spot_option_integer(state, arguments->memory_option, text, 1);
            return 0;
        case OPTION_GROUP_SIZE:
            arguments->memory_option = "--group-size";
            arguments->group_size =
                spot_option_integer(state, arguments->memory_option, text, 1);
            return 0;
        case OPTION_LOST:
            arguments->memory_option = "--lost";
            arguments->num_lost =
                spot_option_integer(state, arguments->memory_option, text, 1);
            return 0;
        default:
            return ARGP_ERR_UNKNOWN;
    }
}

static error_t
parse(int key, char *text, struct argp_state *state)
{
    arguments_t *arguments = state->input;
    spot_theory_question_t *question = &arguments->question;

    switch (key) {
        case OPTION_MTBF:
            question->mtbf_ms = spot_option_duration_ms(state, "--mtbf", text);
            return 0;
        case OPTION_WRITE:
            question->write_ms = spot_option_duration_from_0_ms(state, "--write", text);
            arguments->has_write = true;
            return 0;
        case OPTION_RESTART:
            question->restart_ms =
                spot_option_duration_from_0_ms(state, "--restart", text);
            arguments->has_restart = true;
            return 0;
        case OPTION_MODE:
            question->is_async = is_second(state, "--mode", text, "sync", "async");
            return 0;
        case OPTION_SNAPSHOT:
            question->snapshot_ms =
                spot_option_duration_from_0_ms(state, "--snapshot", text);
            arguments->async_option = "--snapshot";
            return 0;
        case OPTION_BUSY:
            question->busy = is_second(state, "--busy", text, "wait", "join")
                                 ? SPOT_BUSY_JOIN
                                 : SPOT_BUSY_WAIT;
            arguments->async_option = "--busy";
            return 0;
        case OPTION_STEP:
            question->step_ms = spot_option_duration_ms(state, "--step", text);
            return 0;
        case OPTION_INTERVAL:
            question->interval_ms = spot_option_duration_ms(state, "--interval", text);
            return 0;
        case OPTION_JSON:
            arguments->is_json = true;
            return 0;
        case ARGP_KEY_ARG:
            spot_option_error(state, "expected options only, got \"%s\"", text);
            return 0;
        case ARGP_KEY_END:
            check_arguments(arguments, state);
            return 0;
        default:
            return parse_memory(key, text, state);
    }
}

/* What is asked of copies in memory. NO_MEMORY. */
static int
settle_memory(arguments_t *arguments)
{
    spot_theory_question_t *question = &arguments->question;

    question->has_memory = arguments->memory_option != NULL;
    return question->has_memory && !arguments->has_share
               ? spot_peer_recovery_probability(arguments->num_instances,
                     arguments->group_size, arguments->num_lost, &question->memory.share)
               : 0;
}

static int
run(int argc, char **argv)
{
    arguments_t arguments = {.question = {.busy = SPOT_BUSY_WAIT}, .group_size = 2};
    spot_outfile_t file;
    spot_diag_t diag;
    int ret;

    spot_diag_init(&diag);
    spot_command_parse(&spot_command_theory_checkpoint, argc, argv, parse, &arguments);
    ret = spot_outfile_init(&file, NULL, &diag);
    ret = ret == 0 ? settle_memory(&arguments) : ret;
    if (ret == 0) {
        (arguments.is_json ? spot_theory_json_write : spot_theory_table_write)(
            &arguments.question, file.stream);
    }
    return spot_command_finish(&diag, spot_outfile_close(&file, ret, &diag));
}

const spot_command_t spot_command_theory_checkpoint = {
    .name = "theory checkpoint",
    .arguments = "",
    .summary = "How often to write a checkpoint, and what share of the time is kept",
    .doc =
        "The intervals of Young (1974), of Daly (2006) and the exact optimum, and the "
        "share of all time that becomes kept work at each of them, in closed form. "
        "Failures come as a Poisson process, also during restarts, and the size of "
        "the job is constant; 'spotsim run --check-theory' holds a simulated run "
        "against it. Daly's higher-order form could not be compared with the paper's; "
        "it gives the optima that are published there.",
    .examples =
        "  spotsim theory checkpoint --mtbf 6h --write 300s --restart 10min\n"
        "  spotsim theory checkpoint --mtbf 6h --write 300s --restart 10min --step 18s\n"
        "  spotsim theory checkpoint --mtbf 1h --write 89s --restart 10min "
        "--memory-every 18s\n"
        "    --fetch 40s --instances 16 --lost 3\n"
        "  spotsim theory checkpoint --mode async --mtbf 1h --write 89s --restart "
        "135s\n",
    .options = options,
    .run = run,
};
