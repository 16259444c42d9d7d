/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Made-up traces to draw, and the files that a picture leaves. */
#pragma once

#include "base/diag.h"
#include "traces/trace.h"

/* Header values as in a file, then its rows from init to end. */
typedef struct {
    const char *name;
    const char *start;
    const char *resolution_s;
    const char *kind;
    const char *capacity;
    const char *rows;
} trace_sample_t;

/* Free it. */
void trace_sample_read(spot_trace_t *trace, const trace_sample_t *sample);

/* A folder of this test that is not there yet; valid until the next call. */
const char *trace_sample_folder(void);

/* FOLDER/FILE holds exactly this text. Removes it. */
void trace_sample_assert_file(const char *folder, const char *file, const char *text);

/* The text of FOLDER/FILE, which is removed; the caller frees it. */
char *trace_sample_take(const char *folder, const char *file);

void trace_sample_assert_start(const char *text, const char *start);

/* sample_assert_drawn() of FOLDER/FILE. */
void trace_sample_assert_drawn(int ret, spot_diag_t *diag, const char *folder, const char *file);

/* One warning with this text behind the path, and no picture FOLDER/FILE. */
void trace_sample_assert_not_drawn(
    int ret, spot_diag_t *diag, const char *folder, const char *file, const char *problem);

/* The folder is empty; removes it. */
void trace_sample_end(const char *folder);

/* Before each test that draws or prints: done when the sample is linked. */
void trace_sample_set_dialects(void);
