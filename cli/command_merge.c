/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/progress_line.h"
#include "sim/analysis/completeness.h"
#include "sim/store/store_sqlite.h"

enum { OPTION_COMPLETE = 256 };

typedef struct {
    bool must_be_complete;
    const char *output_path;
    spot_option_list_t inputs;
} arguments_t;

static const struct argp_option options[] = {
    {"complete", OPTION_COMPLETE, NULL, 0,
        "Fail (exit code 1) if points are not finished afterwards; OUT.db is kept", 0},
    {NULL, 0, NULL, 0, NULL, 0},
};

static error_t
parse(int key, char *text, struct argp_state *state)
{
    arguments_t *arguments = state->input;

    switch (key) {
        case OPTION_COMPLETE:
            arguments->must_be_complete = true;
            return 0;
        case ARGP_KEY_ARG:
            if (arguments->output_path == NULL) {
                arguments->output_path = spot_option_file(
                    state, "OUT.db", text, ".db or .sqlite or .sqlite3");
            } else {
                spot_option_list_add(&arguments->inputs, text);
            }
            return 0;
        case ARGP_KEY_END:
            if (arguments->inputs.num_texts == 0) {
                spot_option_error(state, "expected OUT.db and at least one IN.db");
            }
            return 0;
        default:
            return ARGP_ERR_UNKNOWN;
    }
}

static void
tell_result(const char *path, int64_t num_added, const spot_completeness_t *result)
{
    spot_utf8_print(stderr, path);
    fprintf(stderr, ": %" PRId64 " replications added, %" PRId64 " there now\n",
        num_added, result->num_rows);
    if (result->num_unfinished > 0) {
        spot_utf8_print(stderr, path);
        fprintf(stderr,
            ": %zu of %zu points are not finished: a part is missing, or was not run "
            "to its end\n",
            result->num_unfinished, result->num_points);
    }
}

static int
run(int argc, char **argv)
{
    arguments_t arguments = {0};
    spot_completeness_t result = {0};
    int64_t num_added = 0;
    spot_progress_line_t line;
    spot_watch_t watch;
    spot_diag_t diag;
    int exit_code, ret;

    spot_diag_init(&diag);
    spot_command_parse(&spot_command_merge, argc, argv, parse, &arguments);
    spot_interrupt_watch();
    watch = spot_progress_line_start(&line, "databases", false);
    ret = spot_store_merge(arguments.output_path, arguments.inputs.num_texts,
        arguments.inputs.texts, &watch, &num_added, &diag);
    spot_progress_line_finish(&line);
    if (ret == 0) {
        ret = spot_completeness_read(arguments.output_path, &result, &diag);
    }
    if (ret == 0) {
        tell_result(arguments.output_path, num_added, &result);
    }
    free(arguments.inputs.texts);
    exit_code = spot_command_finish(&diag, ret);
    return ret == 0 && arguments.must_be_complete && result.num_unfinished > 0
               ? SPOT_EXIT_FAILED
               : exit_code;
}

const spot_command_t spot_command_merge = {
    .name = "merge",
    .arguments = "OUT.db IN.db...",
    .summary = "Join the parts of a study that were run apart",
    .doc = "OUT.db is made, or may hold a part already. The databases must be of one "
           "study; replications that are in several of them must be the same, and are "
           "kept once. OUT.db gets everything or stays as it was; merging again changes "
           "nothing.",
    .examples = "  spotsim merge results.db part-*.db\n",
    .options = options,
    .run = run,
};
