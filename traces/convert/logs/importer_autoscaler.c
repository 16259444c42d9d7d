/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The log of cluster-autoscaler: sizes that it gives a group, and nodes that it removes,
 * which are stops. The log names no node that comes and knows no preemption. Its lines
 * begin as those of klog, "Lmmdd hh:mm:ss.uuuuuu PID FILE:LINE] ", in the year before
 * --until, or with a stamp before (kubectl logs --timestamps). Sources:
 * cluster-autoscaler core/scaleup, core/scaledown/actuation; klog. */
#include <fnmatch.h>
#include <string.h>

#include "traces/convert/logs/instance_log.h"

typedef struct {
    spot_instance_log_t log;
    size_t input_id;
    char group[256];      /* "": unknown; else the trace has begun */
    bool has_others;      /* the log has other groups */
    spot_names_t removed; /* nodes */
    int64_t num_sizes;    /* records of its size */
    int64_t last_ms;      /* latest line */
} state_t;

static bool sniff(const spot_convert_head_t *head)
{
    return strstr(head->line, ".go:") != NULL && strchr("IWEF2", *head->line) != NULL &&
           *head->line != '\0' &&
           (strstr(head->text, "] Scale-up: ") || strstr(head->text, "] Scale-down: ") ||
               strstr(head->text, "] \"Scale-down: "));
}

/* Reads the time of a line, which klog writes without a year. A line that is earlier
 * than the one before it counts as of its time. */
static int take_time(state_t *self, const spot_log_place_t *place, const char *text)
{
    char stamp[64];
    int64_t time_ms;
    int ret;

    if (*text >= '0' && *text <= '9') {
        snprintf(stamp, sizeof(stamp), "%.*s", (int) strcspn(text, " "), text);
        ret = spot_instance_log_time(&self->log, place, "time", stamp, &time_ms);
    } else {
        snprintf(stamp, sizeof(stamp), "%.2s-%.2s %.15s", text + 1, text + 3, text + 6);
        ret = spot_instance_log_time_of_year(&self->log, place, stamp, &time_ms);
    }
    if (ret != 0) {
        return ret;
    }
    self->last_ms = time_ms > self->last_ms ? time_ms : self->last_ms;
    return 0;
}

static int take_size(state_t *self, const spot_log_place_t *place, const char *group, int32_t size)
{
    const char *only = self->log.import->task->only;

    if (only != NULL && fnmatch(only, group, 0) != 0) {
        self->has_others = true;
        self->log.num_other++;
        return 0;
    }
    if (*self->group != '\0' && strcmp(group, self->group) != 0) {
        return spot_instance_log_expected(
            &self->log, place, "group", "one group, or --only for one", group);
    }
    self->num_sizes++;
    snprintf(self->group, sizeof(self->group), "%s", group);
    return spot_instance_log_resize(&self->log, self->last_ms, size, SPOT_SAYS_GONE);
}

/* "removing [empty ]node NAME", quoted or as a key; each node is removed once. */
static int take_removal(state_t *self, const spot_log_place_t *place, const char *text)
{
    const char *name = strstr(text, "node");
    const size_t num_names = self->removed.num_names;
    int32_t name_id;
    int ret;

    name = name == NULL ? "" : name + 4;
    name += strspn(name, "\" ");
    name += strncmp(name, "node=\"", 6) == 0 ? 6 : 0;
    if (*name == '\0') {
        return spot_instance_log_expected(&self->log, place, "node", "its name", "");
    }
    ret = spot_names_add(&self->removed, name, strcspn(name, "\", "), &name_id);
    if (ret != 0 || *self->group == '\0' || self->removed.num_names == num_names ||
        self->log.size == 0) {
        self->log.num_other++;
        return ret;
    }
    self->num_sizes++;
    return spot_instance_log_resize(
        &self->log, self->last_ms, self->log.size - 1, SPOT_SAYS_STOPPED);
}

static int take_row(void *context, const spot_csv_row_t *row)
{
    state_t *self = context;
    const spot_log_place_t place = {self->input_id, row->line, 1};
    const char *text = strstr(row->text, "] ");
    char group[256], size[16];
    int32_t count;
    int ret;

    if (text == NULL || strstr(row->text, ".go:") == NULL) {
        self->log.num_other++;
        return 0;
    }
    ret = take_time(self, &place, row->text);
    text += text[2] == '"' ? 3 : 2;
    if (ret != 0) {
        return ret;
    }
    if (sscanf(text, "Scale-up: setting group %255s size to %15s", group, size) == 2 &&
        spot_import_count_parse(size, &count) == 0) {
        return take_size(self, &place, group, count);
    }
    if (strncmp(text, "Scale-up: setting group ", 24) == 0) {
        return spot_instance_log_expected(
            &self->log, &place, "size", "'setting group NAME size to NUMBER'", text);
    }
    if (strncmp(text, "Scale-down: removing ", 21) == 0) {
        return take_removal(self, &place, text + 21);
    }
    self->log.num_other++;
    return 0;
}

static int finish(state_t *self)
{
    spot_import_t *import = self->log.import;
    int ret;

    if (*self->group == '\0') {
        return spot_diag_error(
            import->diag, import->inputs[0].path, 0, 0, "no line says the size of a group");
    }
    self->log.last_ms = self->last_ms;
    ret = spot_instance_log_finish(&self->log);
    import->report->num_records = self->num_sizes + self->log.num_other;
    SPOT_IMPORT_REMARK(import, SPOT_REMARK_UNCERTAIN, "asked", 0,
        "sizes are those asked for: nodes come later, and preemptions are not in the "
        "log");
    if (self->has_others) {
        SPOT_IMPORT_REMARK(import, SPOT_REMARK_UNCERTAIN, "other_groups", 0,
            "removed nodes may be of other groups, whose sizes --only leaves out");
    }
    return ret;
}

static int read_autoscaler(spot_import_t *import)
{
    state_t self = {.last_ms = INT64_MIN};
    int ret = spot_instance_log_init(&self.log, import);

    for (; ret == 0 && self.input_id < import->num_inputs; self.input_id++) {
        ret = spot_import_lines(import, self.input_id, take_row, &self);
    }
    ret = ret == 0 ? finish(&self) : ret;
    spot_names_free(&self.removed);
    spot_instance_log_free(&self.log);
    return ret;
}

const spot_importer_t spot_importer_autoscaler = {
    .name = "autoscaler",
    .doc = "lines of cluster-autoscaler's log: sizes asked for of one group (--only), and "
           "nodes it removes, as counts",
    .source = "cluster-autoscaler",
    .takes = SPOT_TAKES_LOG,
    .sniff = sniff,
    .read = read_autoscaler,
};
