/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the tests of task logs share: logs from short scripts, results as JSON in which
 * integers are texts, and looking at members of them. */
#pragma once

#include "tests/unit/base/json_tree.h"
#include "tests/unit/base/shared_data.h"
#include "traces/tasks/task_analysis.h"
#include "traces/tasks/task_compare.h"

/* Options of a reading and of an analysis. Texts are those of files, NULL: none. */
typedef struct {
    const char *edges, *controller;
    spot_task_names_t names;
    spot_task_rules_t rules;
    bool skips_bad;
} tasks_options_t;

typedef struct {
    spot_task_log_t log;
    spot_task_analysis_t analysis; /* unless the log is of markers */
    spot_task_markers_t markers;
    spot_diag_t diag;
    int ret; /* the first error of all calls */
} tasks_case_t;

/* Reads and analyses a log of num_bytes; warnings and errors are in diag, in which the
 * files are "log", "edges" and "controller". options NULL: the defaults. */
void tasks_case_read(
    tasks_case_t *self, const char *text, size_t num_bytes, const tasks_options_t *options);
/* The same of a file. */
void tasks_case_read_file(tasks_case_t *self, const char *path, const char *edges_path);
void tasks_case_free(tasks_case_t *self);

/* The results as text, which the caller frees. */
char *tasks_case_text(const tasks_case_t *self);
/* The same parsed: integers are texts, and no digit of them is lost. */
json_t *tasks_case_json(const tasks_case_t *self);
json_t *tasks_parse(const char *text);

/* JSON lines from a script: events "CODE ID WORKER AT [MODE];" in which CODE is t or x,
 * for a task or transmit, and P, E, S, L or F. A worker "h0:w0" is w0 of host h0; one
 * without colon is of host fiab. Other lines that begin with { are copied up to their
 * newline. The caller frees the text. */
char *tasks_lines(const char *script);
/* Reads and analyses a script. */
json_t *tasks_results(const char *script, const tasks_options_t *options);

/* Compares integers and texts exactly, other numbers to 1e-12, beta to 1e-6, and all
 * members of objects, whatever their order. */
void assert_tasks_json(const char *path, json_t *found, json_t *expected);

/* A member by its path, "tasks/run/sum", as text: integers in digits, "null", or another
 * number with up to 9 of them. "missing" where it is not there. */
const char *tasks_member(json_t *json, const char *path);
#define assert_member(json, path, expected) assert_string_equal(tasks_member(json, path), expected)

/* The whole report of a case. */
void assert_tasks_report(const tasks_case_t *self, const char *expected);

#define TASKS_DATA SHARED_DATA "tasks/"
