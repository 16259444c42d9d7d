/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _XOPEN_SOURCE 700 /* realpath() */
#include "sim/bench/engine/advice.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/units.h"
#include "base/yaml.h"

void spot_alternatives_free(spot_alternatives_t *self)
{
    spot_texts_free(&self->texts);
    free(self->items);
    free(self->left_out);
    free(self->notes);
    free(self->urgent);
    memset(self, 0, sizeof(*self));
}

int spot_advice_set(spot_yaml_t *scenario, spot_diag_t *diag, const char *format, ...)
{
    spot_texts_t texts = {.error = 0};
    const char *assignment;
    va_list values;
    int ret;

    va_start(values, format);
    assignment = spot_texts_vadd(&texts, format, values);
    va_end(values);
    ret = texts.error != 0 ? texts.error
                           : spot_yaml_assign(scenario, "the question", assignment, diag);
    spot_texts_free(&texts);
    return ret;
}

void spot_advice_write_path(const char *path, const char *scenario_path, FILE *out)
{
    char *absolute = strchr(scenario_path, '/') == NULL ? NULL : realpath(path, NULL);

    spot_json_quote(out, absolute == NULL ? path : absolute, true);
    free(absolute);
}

int spot_advice_replay(const spot_advice_question_t *question, const char *key,
    spot_yaml_t *scenario, spot_diag_t *diag)
{
    const char *path = scenario->root->file;
    const spot_node_t *trace = spot_node_at(scenario->root, key);
    const bool is_short =
        trace != NULL && trace->kind == SPOT_NODE_SCALAR && strstr(trace->text, ".csv") != NULL;
    const spot_node_t *file = is_short ? trace : spot_node_get(trace, "file");
    spot_texts_t texts = {.error = 0};
    FILE *out;
    const char *text;
    int ret;

    if (question->num_traces == 0 && file == NULL) {
        return 0;
    }
    out = spot_texts_begin(&texts);
    if (out == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    fprintf(out, "%s={generator: fleet-replay, recordings: [", key);
    for (size_t j = 0; j < question->num_traces; j++) {
        fputs(j == 0 ? "" : ", ", out);
        spot_advice_write_path(question->traces[j], path, out);
    }
    if (question->num_traces == 0) {
        spot_advice_write_path(file->text, strcmp(file->file, path) == 0 ? "" : path, out);
    }
    fputs("]", out);
    if (question->is_running) {
        fprintf(out, ", running: %" PRId64, question->running);
    }
    fputs("}", out);
    text = spot_texts_end(&texts, out);
    ret = texts.error != 0 ? texts.error : spot_yaml_assign(scenario, path, text, diag);
    spot_texts_free(&texts);
    return ret;
}

bool spot_advice_scale(const spot_node_t *root, const char *numbers, double factor, FILE *out)
{
    bool is_any = false;

    while (*numbers != '\0') {
        const size_t num_bytes = strcspn(numbers, " ");
        const bool is_divided = *numbers == '/';
        const spot_node_t *node;
        char path[80], none[] = "", *end = none;
        double value;

        snprintf(path, sizeof(path), "%.*s", (int) num_bytes - is_divided, numbers + is_divided);
        node = spot_node_place(root, path);
        value = node->kind == SPOT_NODE_SCALAR             ? strtod(node->text, &end)
                : spot_node_get(node, "generator") != NULL ? 1
                                                           : 0;
        if (value > 0 && isfinite(value)) {
            fprintf(out, "%s'%s': %.9g%s", is_any ? ", " : "", path,
                is_divided ? value / factor : value * factor, end);
            is_any = true;
        }
        numbers += num_bytes;
        numbers += *numbers == ' ';
    }
    return is_any;
}

void spot_advice_doubt_lossless(
    spot_alternatives_t *alternatives, size_t num_traces, size_t num_lossless)
{
    const char *text =
        num_lossless < num_traces
            ? spot_texts_add(&alternatives->texts,
                  "in %zu of the %zu recordings nothing was ever lost", num_lossless, num_traces)
        : num_traces == 1 ? "in this recording nothing was ever lost"
                          : "in these recordings nothing was ever lost";

    if (num_lossless > 0) {
        (void) SPOT_ARRAY_PUSH(alternatives, urgent, text);
    }
}

const char *spot_advice_beyond(spot_texts_t *texts, int64_t peak, int64_t num_spot)
{
    return peak > 0 && num_spot > peak
               ? spot_texts_add(texts,
                     "at most %" PRId64 " instances were recorded: those above are lost with them",
                     peak)
               : NULL;
}

const char *spot_advice_flow(spot_texts_t *texts, const spot_node_t *node)
{
    FILE *out = spot_texts_begin(texts);

    if (out != NULL) {
        spot_yaml_write_flow(node, out);
    }
    return spot_texts_end(texts, out);
}

const char *spot_advice_duration(spot_texts_t *texts, int64_t duration_ms)
{
    const double hours = (double) duration_ms / SPOT_MS_PER_H;
    char text[SPOT_DURATION_TEXT_BYTES];

    spot_duration_text(duration_ms, text);
    if (strcspn(text, " ") <= 3) {
        return spot_texts_add(texts, "%s", text);
    }
    return hours < 48 ? spot_texts_add(texts, "%.1f h", hours)
                      : spot_texts_add(texts, "%.2f d", hours / 24);
}

const char *spot_advice_by(spot_texts_t *texts, const spot_advice_question_t *question,
    int64_t duration_ms, bool is_from_now)
{
    const char *duration = spot_advice_duration(texts, duration_ms);

    return question->finish_by_date == NULL
               ? spot_texts_add(texts, "within %s%s", duration, is_from_now ? " from now" : "")
               : spot_texts_add(texts, "by %s, %s %s", question->finish_by_date, duration,
                     is_from_now ? "from now" : "after the start");
}
