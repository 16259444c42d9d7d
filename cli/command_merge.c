/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>

#include "base/utf8.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "sim/bench/analysis/race.h"
#include "sim/bench/store/store_merge.h"
#include "sim/bench/store/store_sqlite.h"

typedef struct {
    bool must_be_complete;
    const char *output_path;
    spot_option_list_t inputs;
} arguments_t;

static const spot_option_t options[] = {
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

static int run(spot_call_t *call)
{
    const arguments_t *arguments = call->arguments;
    spot_completeness_t result = {0};
    int64_t num_added = 0;
    spot_progress_line_t line;
    spot_watch_t watch;
    int ret;

    call->is_reading = false;
    spot_interrupt_watch();
    watch = spot_progress_watch(&line, "databases", call->is_quiet);
    ret = spot_store_merge(arguments->output_path, arguments->inputs.num_texts,
        arguments->inputs.texts, &watch, &num_added, &call->diag);
    spot_progress_finish(&line);
    if (ret == 0) {
        ret = spot_completeness_read(arguments->output_path, &result, &call->diag);
    }
    if (ret == 0) {
        tell_result(arguments->output_path, num_added, &result);
    }
    return ret == 0 && arguments->must_be_complete && result.num_unfinished > 0 ? SPOT_EXIT_FAILED
                                                                                : ret;
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
    .arguments_bytes = sizeof(arguments_t),
    .run = run,
};
