/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Samples of recorded traces by the names that the reference tables use. Include after
 * cmocka.h. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/memory.h"
#include "tests/unit/base/shared_data.h"
#include "traces/describe/sample.h"
#include "traces/trace.h"

#define DATA_FOLDER SHARED_DATA "traces/"
#define MAX_LINE 2048
#define MAX_CELLS 32
#define DAY_S 86400.0

/* Cuts a line at its commas; empty cells are "". */
static inline size_t split(char *line, char **cells)
{
    size_t num_cells = 0;

    line[strcspn(line, "\r\n")] = '\0';
    for (char *cell = line; cell != NULL && num_cells < MAX_CELLS;) {
        char *comma = strchr(cell, ',');

        cells[num_cells++] = cell;
        if (comma != NULL) {
            *comma++ = '\0';
        }
        cell = comma;
    }
    return num_cells;
}

/* Columns duration_s, status and machine_type of the lifetimes file; machine_type NULL:
 * all rows. */
static inline void read_lifetimes(spot_sample_t *sample, const char *path, const char *machine_type)
{
    FILE *file = fopen(path, "r");
    char line[MAX_LINE], *cells[MAX_CELLS];
    size_t num_lines = 0;

    memset(sample, 0, sizeof(*sample));
    assert_non_null(file);
    while (fgets(line, sizeof(line), file) != NULL) {
        num_lines++;
    }
    rewind(file);
    SPOT_ARENA_ARRAY(&sample->memory, sample->values, num_lines);
    SPOT_ARENA_ARRAY(&sample->memory, sample->is_censored, num_lines);
    assert_int_equal(sample->memory.error, 0);
    while (fgets(line, sizeof(line), file) != NULL) {
        if (line[0] == '#' || strncmp(line, "start_s", 7) == 0) {
            continue;
        }
        assert_int_equal(split(line, cells), 7);
        if (machine_type == NULL || strcmp(cells[4], machine_type) == 0) {
            sample->values[sample->num_values] = atof(cells[1]);
            sample->is_censored[sample->num_values++] = strcmp(cells[2], "stopped") == 0;
        }
    }
    fclose(file);
}

/* From a day on nothing is seen. */
static inline void cut_at_a_day(spot_sample_t *sample)
{
    for (size_t j = 0; j < sample->num_values; j++) {
        if (sample->values[j] >= DAY_S) {
            sample->values[j] = DAY_S;
            sample->is_censored[j] = true;
        }
    }
}

static inline spot_sample_kind_t kind_of(const char *quantity)
{
    for (int j = 0; spot_sample_kind_names[j] != NULL; j++) {
        if (strcmp(quantity, spot_sample_kind_names[j]) == 0) {
            return (spot_sample_kind_t) j;
        }
    }
    fail_msg("unknown quantity %s", quantity);
    return SPOT_SAMPLE_PREEMPT_GAP;
}

/* name: a trace, or trace/machine_type. *resolution_s of the trace; lives: 1 s. */
static inline void read_recorded(
    spot_sample_t *sample, const char *name, const char *quantity, double *resolution_s)
{
    const char *machine_type = strchr(name, '/');
    const int num_bytes =
        (int) (machine_type != NULL ? (size_t) (machine_type - name) : strlen(name));
    char path[MAX_LINE];
    spot_trace_t trace;
    spot_diag_t diag;

    *resolution_s = 1;
    snprintf(path, sizeof(path), "%slifetimes-%.*s.csv", DATA_FOLDER, num_bytes, name);
    if (strncmp(quantity, "lifetime", 8) == 0 && access(path, R_OK) == 0) {
        read_lifetimes(sample, path, machine_type != NULL ? machine_type + 1 : NULL);
        if (strcmp(quantity, "lifetime-cut-24h") == 0) {
            cut_at_a_day(sample);
        } else if (strcmp(quantity, "lifetime-preempted-only") == 0) {
            spot_sample_keep_complete(sample);
        }
        return;
    }
    snprintf(path, sizeof(path), "%s%s.csv", DATA_FOLDER, name);
    spot_diag_init(&diag);
    assert_int_equal(spot_trace_read(&trace, path, false, &diag), 0);
    *resolution_s = (double) trace.resolution_ms / 1000;
    assert_int_equal(spot_sample_init(sample, &trace, kind_of(quantity)), 0);
    spot_trace_free(&trace);
    spot_diag_free(&diag);
}

/* The table, behind its first line, or NULL: skip_without_data(). */
static inline FILE *open_reference(const char *file_name)
{
    char path[MAX_LINE], line[MAX_LINE];
    FILE *file;

    snprintf(path, sizeof(path), "%sreference/%s", DATA_FOLDER, file_name);
    file = fopen(path, "r");
    if (file != NULL) {
        assert_non_null(fgets(line, sizeof(line), file));
    }
    return file;
}
