/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A question about a training job, put into its scenario. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/inputs.h"
#include "base/json.h"
#include "base/units.h"
#include "sim/train/advice.h"

/* Late runs go on up to so many deadlines. */
enum { HORIZON_DEADLINES = 3 };

/* Writes the recordings, as the scenario has to spell their paths, and what runs. */
static int
write_trace(const spot_advice_question_t *question, const char *base_path,
    const spot_node_t *file, FILE *out)
{
    fputs("{generator: fleet-replay, recordings: [", out);
    for (size_t j = 0; j < question->num_traces; j++) {
        char *path = spot_path_beside(base_path, question->traces[j]);

        if (path == NULL) {
            return SPOT_ERR_NO_MEMORY;
        }
        fputs(j == 0 ? "" : ", ", out);
        spot_json_quote(out, path, true);
        free(path);
    }
    if (question->num_traces == 0) {
        spot_json_quote(out, file->text, true);
    }
    fputs("]", out);
    if (question->is_running) {
        fprintf(out, ", running: %" PRId64, question->running);
    }
    fputs("}", out);
    return 0;
}

/* Replays what was recorded, from random starts. */
static int
set_trace(
    const spot_advice_question_t *question, spot_yaml_t *scenario, spot_diag_t *diag)
{
    const char *base_path = scenario->root->file;
    const spot_node_t *trace = spot_node_get(scenario->root, "trace");
    const spot_node_t *file = spot_node_get(trace, "file");
    spot_yaml_t value = {0};
    char *text = NULL;
    size_t num_bytes;
    FILE *out;
    int ret;

    if (question->num_traces == 0 && file == NULL) {
        return 0;
    }
    out = open_memstream(&text, &num_bytes);
    if (out == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    ret = write_trace(question, base_path, file, out);
    ret = fclose(out) != 0 ? SPOT_ERR_NO_MEMORY : ret;
    ret = ret == 0 ? spot_yaml_parse(&value, base_path, text, num_bytes, diag) : ret;
    if (ret == 0) {
        spot_node_t *root = value.root;

        spot_node_drop(spot_node_get(scenario->root, "fleet"), "initial");
        ret = spot_yaml_adopt(scenario, &value);
        ret = ret == 0 ? spot_yaml_set(scenario, "trace", root) : ret;
    }
    spot_yaml_free(&value);
    free(text);
    return ret;
}

int
spot_train_pose(
    const spot_advice_question_t *question, spot_yaml_t *scenario, spot_diag_t *diag)
{
    const int64_t left_ms = question->finish_by_ms - question->elapsed_ms;
    const int64_t num_steps = question->num_steps - question->progress;
    char deadline[SPOT_DURATION_TEXT_BYTES], horizon[SPOT_DURATION_TEXT_BYTES];
    int ret;

    if (question->num_steps == 0 || question->finish_by_ms == 0) {
        return spot_diag_error(diag, scenario->root->file, 0, 0,
            "a training job is asked about with --steps and --finish-by");
    }
    spot_duration_text(left_ms, deadline);
    spot_duration_text(HORIZON_DEADLINES * left_ms, horizon);
    ret = spot_advice_set(scenario, diag, "horizon=%s", horizon);
    ret = ret != 0
              ? ret
              : spot_advice_set(scenario, diag, "until={steps: %" PRId64 "}", num_steps);
    ret = ret != 0 ? ret : spot_advice_set(scenario, diag, "deadline=%s", deadline);
    if (ret == 0 && question->is_running) {
        ret =
            spot_advice_set(scenario, diag, "fleet.initial=%" PRId64, question->running);
    }
    return ret != 0 ? ret : set_trace(question, scenario, diag);
}
