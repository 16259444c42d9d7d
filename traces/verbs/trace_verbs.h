/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The verbs on traces but `trace generate`, which can read a scenario and so is in sim/train; and
 * what other verbs need to take a log: the options that say how a log becomes a trace, and a log
 * that was read as one.
 *
 * The struct of a command's arguments has a spot_log_options_t called log, which starts
 * as SPOT_LOG_OPTIONS_INITIAL; its table has SPOT_LOG_OPTIONS among its rows, and its
 * check() calls spot_log_options_check(). */
#pragma once

#include "base/units.h"
#include "base/verb/verb.h"
#include "traces/convert/convert.h"
#include "traces/describe/describe.h"

typedef struct {
    spot_convert_t task;
    int unit; /* index into spot_log_units; -1: the format's own */
} spot_log_options_t;

#define SPOT_LOG_OPTIONS_INITIAL                                                                   \
    {                                                                                              \
        .task = {.kind = -1, .window_ms = -1}, .unit = -1                                          \
    }

extern const char *const spot_log_units[];  /* ms, s, h */
extern const char *const spot_log_causes[]; /* stop, preempt */

/* The name of the j-th format; NULL behind the last. */
const char *spot_log_format_name(size_t j);

/* For settle of the rows below. */
void spot_log_check_value(struct spot_call *call, const spot_option_t *option, const char *value);
void spot_log_check_start(struct spot_call *call, const spot_option_t *option, const char *text);
void spot_log_take_until(struct spot_call *call, const spot_option_t *option, const char *text);
void spot_log_take_capacity(struct spot_call *call, const spot_option_t *option, const char *text);

#define SPOT_LOG_OPTIONS                                                                           \
    SPOT_OPTION(TEXT, "from", 0, "FORMAT", log.task.format,                                        \
        "The format of the input (default: recognised from its content)", .what = "format",        \
        .words = spot_log_format_name),                                                            \
        SPOT_OPTION(TEXT, "name", 0, "NAME", log.task.name,                                        \
            "Name of the trace (default: that of the file without folder and ending)",             \
            .settle = spot_log_check_value),                                                       \
        SPOT_OPTION(TEXT, "start", 0, "TIME", log.task.start,                                      \
            "When it starts: a date, a date-time such as 2024-06-07T17:00:00Z, or unknown",        \
            .settle = spot_log_check_start),                                                       \
        SPOT_OPTION(SECONDS, "resolution", 0, "DURATION", log.task.resolution_ms,                  \
            "Tick of the recorder (default: as the format's rule has it)",                         \
            .example = "\"60 s\" or 60", .min = 1),                                                \
        SPOT_OPTION(OWN, "capacity", 0, "N", log.task.capacity,                                    \
            "Instances that were asked for, or unbounded (default: the largest number)",           \
            .settle = spot_log_take_capacity),                                                     \
        SPOT_OPTION(CHOICE, "kind", 0, "named|counts|availability", log.task.kind,                 \
            "What the numbers are (default: as the format has it)",                                \
            .choices = spot_trace_kind_names),                                                     \
        SPOT_OPTION(CHOICE, "unit", 0, "ms|s|h", log.unit,                                         \
            "Unit of the times, for bamboo, parcae (default ms), step (default s) and "            \
            "mapping (default: that of a time since 1970)",                                        \
            .choices = spot_log_units),                                                            \
        SPOT_OPTION(COUNT, "poll-copies", 0, "N", log.task.num_poll_copies,                        \
            "gcloud: every poll may be there N times, its copies 60 s apart; they are "            \
            "dropped",                                                                             \
            .min = 1),                                                                             \
        SPOT_OPTION(SECONDS, "window", 0, "DURATION", log.task.window_ms,                          \
            "node-count: a termination belongs to the first row of counts within "                 \
            "(default 0)",                                                                         \
            .example = "\"60 s\" or 60"),                                                          \
        SPOT_OPTION(TEXT, "until", 0, "TIME", log.task.now,                                        \
            "Logs: until when they were watched (default: the last record), and when ages "        \
            "in them were printed, such as 2024-06-07T17:00:00Z",                                  \
            .settle = spot_log_take_until),                                                        \
        SPOT_OPTION(CHOICE, "cause", 0, "stop|preempt", log.task.unknown,                          \
            "Logs: what a loss is whose cause they do not say (default stop)",                     \
            .choices = spot_log_causes),                                                           \
        SPOT_OPTION(SECONDS, "notice", 0, "DURATION", log.task.notice_ms,                          \
            "Logs: count a notice without a loss as a preemption so much later (default: a "       \
            "notice is no loss)",                                                                  \
            .example = "\"120 s\" or 120", .min = 1),                                              \
        SPOT_OPTION(COUNT, "initial", 0, "N", log.task.initial,                                    \
            "Logs: instances that ran when the log starts, named in it or not (default: "          \
            "those that it names without a start)",                                                \
            .min = 1, .max = SPOT_MAX_INSTANCES),                                                  \
        SPOT_OPTION(TEXT, "only", 0, "PATTERN", log.task.only,                                     \
            "Logs: only instances whose names match, with * and ? as in a shell"),                 \
        SPOT_OPTION(TEXT, "columns", 0, "KEY=COLUMN,...", log.task.columns,                        \
            "mapping: which column or member is what, such as "                                    \
            "time=Timestamp,instance=node,event=reason"),                                          \
        SPOT_OPTION(TEXT, "events", 0, "WORD=KIND,...", log.task.events,                           \
            "mapping: what the words of the events mean, such as "                                 \
            "launched=add,terminated=preempt"),                                                    \
        SPOT_OPTION(FLAG, "strict", 0, NULL, log.task.is_strict,                                   \
            "Refuse what would have to be repaired, and times between ticks")

/* Sets what several options say together. */
void spot_log_options_check(spot_log_options_t *self);

/* Whether one of them was given. */
bool spot_log_options_are_given(const spot_log_options_t *self);

/* ---- A log as a trace ---- */

/* A log of any format that 'spotsim trace convert' recognises. Zero it to start. */
typedef struct {
    spot_trace_t trace;
    spot_convert_report_t report;
    spot_describe_t figures;
} spot_taken_log_t;

/* Converts a log as task says (NULL: by its content), and writes the trace to a file
 * unless written is NULL. BAD_INPUT with the reasons in diag, IO, NO_MEMORY; free self
 * even then. */
SPOT_MUST_CHECK int spot_taken_log_read(spot_taken_log_t *self, const char *path,
    const spot_convert_t *task, const char *written, spot_diag_t *diag);
void spot_taken_log_free(spot_taken_log_t *self);

/* ---- Verbs ---- */

extern const spot_verb_t spot_verb_trace_convert, spot_verb_trace_describe, spot_verb_trace_fit,
    spot_verb_trace_compare;
