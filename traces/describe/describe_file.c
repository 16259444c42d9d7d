/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/describe/describe_file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "traces/describe/notebook.h"
#include "traces/recorder.h"

/* Looking into what can be read only once would take it away. */
static bool is_regular(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

/* In place of trace, what a coarser recorder would have seen of it. */
static int record(const spot_describe_request_t *request, const char *path, spot_trace_t *trace,
    spot_diag_t *diag)
{
    const int64_t tick_ms = request->tick_ms > 0 ? request->tick_ms : trace->resolution_ms;
    spot_trace_t recorded;
    int ret;

    if (request->tick_ms == 0 && !request->is_net) {
        return 0;
    }
    if (tick_ms < trace->resolution_ms) {
        char text[SPOT_TRACE_TIME_BYTES];

        spot_trace_time_text(trace->resolution_ms, text);
        return spot_diag_error(
            diag, path, 0, 0, "--tick: expected at least the resolution of the trace, %s s", text);
    }
    ret = spot_recorder_trace(trace, tick_ms, request->is_net, &recorded);
    if (ret != 0) {
        spot_trace_free(&recorded);
        return ret;
    }
    spot_trace_free(trace);
    *trace = recorded;
    return 0;
}

static int take_name(spot_description_t *self, const char *name)
{
    self->name = spot_text_copy(name, strlen(name));
    return self->name == NULL ? SPOT_ERR_NO_MEMORY : 0;
}

static int describe_trace(const spot_describe_request_t *request, const char *path,
    spot_description_t *self, spot_diag_t *diag)
{
    spot_trace_t trace;
    int ret;

    if (request->where != NULL) {
        return spot_diag_error(diag, path, 0, 0, "--where: expected a lifetimes file");
    }
    ret = spot_trace_read(&trace, path, request->is_strict, diag);
    ret = ret == 0 ? record(request, path, &trace, diag) : ret;
    if (ret == 0 && request->is_notebook) {
        ret = take_name(self, spot_trace_key(&trace, "name"));
        ret = ret == 0 ? spot_notebook_init(&self->notebook, &trace) : ret;
    } else if (ret == 0) {
        ret = spot_describe_init(&self->figures, &trace);
        spot_describe_warn(&self->figures, path, diag);
    }
    if (ret == 0 && request->look != NULL) {
        request->look(request->context, path, &trace, NULL);
    }
    spot_trace_free(&trace);
    return ret;
}

static int describe_lifetimes(const spot_describe_request_t *request, const char *path,
    const char *name, spot_description_t *self, spot_diag_t *diag)
{
    spot_lifetimes_t lifetimes;
    int ret;

    if (request->tick_ms > 0 || request->is_net || request->is_notebook) {
        return spot_diag_error(diag, path, 0, 0,
            "--tick, --net and --notebook: expected a trace, this is a lifetimes file");
    }
    ret = spot_lifetimes_read(&lifetimes, path, diag);
    if (ret == 0 && request->where != NULL) {
        ret = spot_lifetimes_keep(&lifetimes, "--where", request->where, diag);
    }
    if (ret == 0) {
        ret = spot_describe_init_lifetimes(&self->figures, &lifetimes, name);
    }
    if (ret == 0 && request->look != NULL) {
        request->look(request->context, path, NULL, &lifetimes);
    }
    spot_lifetimes_free(&lifetimes);
    return ret;
}

int spot_describe_file(spot_description_t *self, const char *path, const char *name,
    const spot_describe_request_t *request, spot_diag_t *diag)
{
    memset(self, 0, sizeof(*self));
    return is_regular(path) && spot_lifetimes_is_file(path)
               ? describe_lifetimes(request, path, name, self, diag)
               : describe_trace(request, path, self, diag);
}

int spot_describe_logs(
    spot_description_t *self, const char *const paths[2], const char *name, spot_diag_t *diag)
{
    spot_stamped_counts_t nodes, terminations;
    int ret = spot_stamped_counts_read(&nodes, paths[0], "count", 1, diag);
    const int other = spot_stamped_counts_read(&terminations, paths[1], "number", 0, diag);

    memset(self, 0, sizeof(*self));
    ret = spot_error_first(ret, other);
    if (ret == 0) {
        spot_notebook_init_logs(&self->notebook, &nodes, &terminations);
        ret = take_name(self, name);
    }
    spot_stamped_counts_free(&nodes);
    spot_stamped_counts_free(&terminations);
    return ret;
}

bool spot_describe_is_log(const char *path)
{
    return is_regular(path) && spot_stamped_counts_is_file(path, "count");
}

void spot_description_free(spot_description_t *self)
{
    free(self->name);
    spot_describe_free(&self->figures);
    memset(self, 0, sizeof(*self));
}
