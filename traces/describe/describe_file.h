/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Describes files: traces, lifetimes files, and the two logs of the seed study. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "traces/describe/describe.h"
#include "traces/describe/notebook.h"
#include "traces/lifetimes.h"
#include "traces/trace.h"

typedef struct {
    const char *where; /* these rows of a lifetimes file, or NULL: all */
    int64_t tick_ms;   /* as a recorder of this tick would have seen it; 0: as it is */
    bool is_net;       /* that recorder sees the net change only */
    bool is_notebook;  /* the figures of the notebook instead */
    bool is_strict;
    /* Called with what was read, a trace or lifetimes, the other NULL; may be NULL. */
    void (*look)(void *context, const char *path, const spot_trace_t *trace,
        const spot_lifetimes_t *lifetimes);
    void *context;
} spot_describe_request_t;

/* What is known of one file. */
typedef struct {
    char *name;
    spot_describe_t figures;
    spot_notebook_t notebook; /* if it is asked for */
} spot_description_t;

/* Describes the file at path. name: that of a trace that has none of its own. BAD_INPUT
 * with the reasons in diag, IO, NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_describe_file(spot_description_t *self, const char *path, const char *name,
    const spot_describe_request_t *request, spot_diag_t *diag);

/* The two logs of the notebook, nodes and terminations, are one description. */
SPOT_MUST_CHECK int spot_describe_logs(
    spot_description_t *self, const char *const paths[2], const char *name, spot_diag_t *diag);
bool spot_describe_is_log(const char *path);

void spot_description_free(spot_description_t *self);
