/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/log_options.h"

#include <string.h>

#include "cli/command.h"
#include "traces/convert/convert.h"

const char *const spot_log_causes[] = {"stop", "preempt", NULL};

const char *const spot_log_units[] = {"ms", "s", "h", NULL};

const char *spot_log_format_name(size_t j)
{
    return spot_importers[j] == NULL ? NULL : spot_importers[j]->name;
}

/* What a header line can hold. */
void spot_log_check_value(spot_call_t *call, const spot_option_t *option, const char *value)
{
    const size_t num_bytes = strlen(value);
    bool is_good = num_bytes > 0 && value[0] != ' ' && value[num_bytes - 1] != ' ';

    for (const char *byte = value; *byte != '\0'; byte++) {
        is_good &= (unsigned char) *byte >= ' ' && *byte != 0x7f && *byte != ',' && *byte != '"';
    }
    if (!is_good) {
        spot_usage_error(call,
            "--%s: expected text without comma, double quote, line end and blanks "
            "around, "
            "got \"%s\"",
            option->name, value);
    }
}

void spot_log_check_start(spot_call_t *call, const spot_option_t *option, const char *text)
{
    (void) option;
    if (!spot_trace_start_is(text)) {
        spot_usage_error(call, "--start: expected " SPOT_TRACE_START_EXPECTED ", got \"%s\"", text);
    }
}

/* --until, or --now, which is stored at the same place. */
void spot_log_take_until(spot_call_t *call, const spot_option_t *option, const char *text)
{
    spot_convert_t *task = (spot_convert_t *) (void *) ((char *) call->arguments + option->offset -
                                                        offsetof(spot_convert_t, now));

    (void) text;
    if (task->now_option != NULL && strcmp(task->now_option, option->name) != 0) {
        spot_usage_error(call, "--%s and --%s say the same: expected one of them", task->now_option,
            option->name);
    }
    task->now_option = option->name;
}

void spot_log_take_capacity(spot_call_t *call, const spot_option_t *option, const char *text)
{
    int64_t *capacity = (int64_t *) (void *) ((char *) call->arguments + option->offset);

    *capacity = SPOT_UNBOUNDED;
    if (strcmp(text, "unbounded") != 0 &&
        (spot_integer_parse(text, capacity) != 0 || *capacity < 1 || *capacity >= SPOT_UNBOUNDED)) {
        spot_usage_error(call,
            "--capacity: expected an integer from 1 to %lld or unbounded, got \"%s\"",
            (long long) SPOT_UNBOUNDED - 1, text);
    }
}

void spot_log_options_check(spot_log_options_t *self)
{
    static const int64_t units_ms[] = {1, SPOT_MS_PER_S, SPOT_MS_PER_H};

    if (self->unit >= 0) {
        self->task.unit_ms = units_ms[self->unit];
    }
}

bool spot_log_options_are_given(const spot_log_options_t *self)
{
    const spot_convert_t *task = &self->task;

    return task->format != NULL || task->name != NULL || task->start != NULL ||
           task->resolution_ms > 0 || task->capacity != 0 || task->kind >= 0 || self->unit >= 0 ||
           task->num_poll_copies > 0 || task->window_ms >= 0 || task->now != NULL ||
           task->unknown != 0 || task->notice_ms > 0 || task->initial > 0 || task->only != NULL ||
           task->columns != NULL || task->events != NULL || task->is_strict;
}
