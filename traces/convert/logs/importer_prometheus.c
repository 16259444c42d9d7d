/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Range queries of Prometheus: JSON of /api/v1/query_range or of `promtool query range
 * -o json`, and CSV of a Grafana panel, its series joined by time. One series is a
 * count; several are instances, there where the value is above 0: one step without it is
 * held, two are a loss. Prometheus, "HTTP API"; Grafana, "Inspect data". */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/units.h"
#include "traces/convert/logs/instance_log.h"

static const char *const lists[] = {"data.result", NULL};
/* Labels that name an instance, best first: many exporters set the last to their own. */
static const char *const labels[] = {"node", "nodename", "host", "hostname", "instance", NULL};

typedef struct {
    int64_t time_ms; /* since 1970 */
    int32_t series_id, value;
} sample_t;

typedef struct {
    spot_instance_log_t log;
    spot_log_place_t place;
    spot_texts_t texts;
    spot_names_t series; /* by labels: ', node="n1", job="kubelet"' */
    size_t num_columns, max_columns;
    int32_t *columns; /* [num_columns] series of the CSV file, from the second on */
    size_t num_samples, max_samples;
    sample_t *samples;       /* [num_samples] */
    int64_t step_ms, end_ms; /* of all series */
} state_t;

static bool sniff(const spot_convert_head_t *head)
{
    return *head->line == '{' || *head->line == '['
               ? strstr(head->text, "\"resultType\"") || strstr(head->text, "\"errorType\"") ||
                     (strstr(head->text, "\"metric\"") && strstr(head->text, "\"values\""))
               : strncmp(head->line, "\"Time\",", 7) == 0 || strncmp(head->line, "Time,", 5) == 0;
}

static int add_sample(state_t *self, int32_t series_id, const char *time, const char *text)
{
    sample_t sample = {.series_id = series_id};
    double number;
    int ret = 0;

    if (spot_number_parse(time, &number) != 0 ||
        spot_duration_from_s(number < 1e11 ? number : number / SPOT_MS_PER_S, &sample.time_ms) !=
            0) {
        ret = spot_instance_log_time(&self->log, &self->place, "time", time, &sample.time_ms);
    }
    if (ret != 0 || strcmp(text, "NaN") == 0) {
        return ret; /* not known, as if it was missing */
    }
    if (spot_number_parse(text, &number) != 0 || number < 0 || number > INT32_MAX ||
        number != (double) (int32_t) number) {
        return spot_instance_log_expected(
            &self->log, &self->place, "value", "a whole number from 0, or NaN", text);
    }
    sample.value = (int32_t) number;
    return SPOT_ARRAY_APPEND(self, samples, sample);
}

static int take_record(void *context, const spot_json_value_t *record)
{
    state_t *self = context;
    const spot_json_value_t *metric = spot_json_member(record, "metric");
    const spot_json_value_t *item = spot_json_member(record, "values");
    const char *series = "";
    int32_t series_id;
    int ret;

    self->place = spot_log_place(self->place.input_id, record);
    if (metric == NULL || item == NULL) {
        return spot_instance_log_expected(&self->log, &self->place, "answer",
            "the series of a range query", spot_json_text_at(record, "error"));
    }
    for (metric = metric->first; metric != NULL; metric = metric->next) {
        series = spot_texts_add(&self->texts, "%s, %s=\"%s\"", series, metric->key, metric->text);
    }
    ret = spot_names_add(&self->series, series, strlen(series), &series_id);
    for (item = item->first; item != NULL && ret == 0; item = item->next) {
        self->place = spot_log_place(self->place.input_id, item);
        ret = add_sample(self, series_id, spot_json_text_at(item->first, ""),
            spot_json_text_at(item->first == NULL ? NULL : item->first->next, ""));
    }
    return ret;
}

static int take_row(void *context, const spot_csv_row_t *row)
{
    state_t *self = context;
    spot_import_t *import = self->log.import;
    const bool is_head = self->num_columns == 0;
    int ret =
        is_head ? 0
                : spot_import_num_fields(import, self->place.input_id, row, self->num_columns + 1);

    for (size_t j = 1; j < row->num_fields && ret == 0; j++) {
        const char *text = row->fields[j], *first = strchr(text, '{');
        int32_t series_id;

        self->place.line = row->line;
        self->place.column = row->columns[j];
        if (is_head) {
            text = spot_texts_add(&self->texts, ", %s", first == NULL ? text : first + 1);
            ret = spot_names_add(&self->series, text, strlen(text), &series_id);
            ret = ret == 0 ? SPOT_ARRAY_APPEND(self, columns, series_id) : ret;
        } else if (*text != '\0') {
            ret = add_sample(self, self->columns[j - 1], row->fields[0], text);
        }
    }
    return ret;
}

static int compare_samples(const void *left, const void *right)
{
    const sample_t *a = left, *b = right;

    return a->series_id != b->series_id
               ? (a->series_id > b->series_id) - (a->series_id < b->series_id)
           : a->time_ms != b->time_ms ? (a->time_ms > b->time_ms ? 1 : -1)
                                      : (a->value > b->value) - (a->value < b->value);
}

/* The text of the label that names the instance of a series, "": none. */
static const char *find_name(state_t *self, const char *series)
{
    const char *at = NULL, *start = "", *chosen = self->log.import->task->columns;

    for (size_t j = 0; at == NULL && labels[j] != NULL; j++) {
        start = spot_texts_add(
            &self->texts, ", %s=\"", chosen == NULL ? labels[j] : chosen + strlen("instance="));
        at = strstr(series, start);
    }
    at = at == NULL ? "" : at + strlen(start);
    return spot_texts_add(&self->texts, "%.*s", (int) strcspn(at, "\""), at);
}

/* Adds what the samples above 0 say of their instances, which have one series each. */
static int write_instances(state_t *self)
{
    const spot_import_t *import = self->log.import;
    const char *name = "";
    bool is_lost = false;
    int ret = 0;

    for (size_t j = 0; j < self->num_samples && ret == 0; j++) {
        const sample_t *sample = &self->samples[j];
        const bool is_last = j + 1 == self->num_samples || sample[1].series_id != sample->series_id;
        const char *series = self->series.names[sample->series_id];
        const int64_t next_ms = is_last ? self->end_ms + self->step_ms : sample[1].time_ms;

        if (j == 0 || sample[-1].series_id != sample->series_id) {
            name = find_name(self, series);
            is_lost = true;
            if (*name == '\0' || spot_names_find(&self->log.names, name, strlen(name)) >= 0) {
                return spot_diag_error(import->diag, import->inputs[0].path, 0, 0,
                    "%s: expected one series, or a label in each that names an instance "
                    "of its own (--from prometheus --columns instance=LABEL)",
                    *series == '\0' ? "no labels" : series + 2);
            }
        }
        if (is_lost) {
            ret = spot_instance_log_add(
                &self->log, &self->place, sample->time_ms, SPOT_SAYS_RUNS, name);
        }
        is_lost = 2 * (next_ms - sample->time_ms) > 5 * self->step_ms;
        if (is_lost && ret == 0) {
            ret = spot_instance_log_add(
                &self->log, &self->place, sample->time_ms + self->step_ms, SPOT_SAYS_GONE, name);
        }
    }
    SPOT_IMPORT_REMARK(self->log.import, SPOT_REMARK_UNCERTAIN, "held", 0,
        "one step without an instance is taken as running, two and more as a loss");
    return ret;
}

/* Of samples at one time the largest holds. */
static int write_count(state_t *self)
{
    int ret = 0;

    for (size_t j = 0; j < self->num_samples && ret == 0; j++) {
        const sample_t *sample = &self->samples[j];

        if (j + 1 == self->num_samples || sample[1].time_ms > sample->time_ms) {
            ret = spot_instance_log_resize(
                &self->log, sample->time_ms, sample->value, SPOT_SAYS_GONE);
        }
    }
    SPOT_IMPORT_REMARK(self->log.import, SPOT_REMARK_UNCERTAIN, "counts", 0,
        "a count hides changes that cancel out");
    return ret;
}

/* Finds the step and the end of all series, and writes the trace. */
static int finish(state_t *self)
{
    spot_import_t *import = self->log.import;
    const bool is_count = self->series.num_names == 1 && import->task->columns == NULL;
    size_t num_kept = 0;
    int ret = 0;

    if (self->num_samples > 0) {
        qsort(self->samples, self->num_samples, sizeof(*self->samples), compare_samples);
    }
    for (size_t j = 0; j < self->num_samples; j++) {
        const sample_t sample = self->samples[j], *before = &self->samples[j - (j > 0)];
        const int64_t step_ms = sample.time_ms - before->time_ms;

        if (step_ms > 0 && sample.series_id == before->series_id &&
            (self->step_ms == 0 || step_ms < self->step_ms)) {
            self->step_ms = step_ms;
        }
        self->end_ms = sample.time_ms > self->end_ms ? sample.time_ms : self->end_ms;
        self->samples[num_kept] = sample;
        num_kept += is_count || sample.value > 0;
    }
    self->num_samples = num_kept;
    self->place = (spot_log_place_t){0};
    self->log.now_ms = self->log.now_ms == INT64_MIN ? self->end_ms : self->log.now_ms;
    ret = num_kept == 0 ? spot_diag_error(import->diag, import->inputs[0].path, 0, 0,
                              "expected at least one value above 0")
          : is_count    ? write_count(self)
                        : write_instances(self);
    ret = ret == 0 ? spot_instance_log_finish(&self->log) : ret;
    if (is_count) {
        import->report->num_records = (int64_t) self->num_samples;
    }
    import->resolution_s = spot_duration_s(self->step_ms);
    return ret;
}

static int read_prometheus(spot_import_t *import)
{
    state_t self = {.step_ms = 0};
    int ret = spot_instance_log_init(&self.log, import);

    if (ret == 0 &&
        ((import->task->columns != NULL && strncmp(import->task->columns, "instance=", 9) != 0) ||
            import->task->events != NULL)) {
        ret = spot_diag_error(import->diag, import->inputs[0].path, 0, 0,
            "format prometheus: expected --columns instance=LABEL, and no --events");
    }
    for (; ret == 0 && self.place.input_id < import->num_inputs; self.place.input_id++) {
        self.num_columns = 0;
        ret = spot_instance_log_read(
            &self.log, self.place.input_id, lists, take_record, true, take_row, &self);
    }
    ret = ret == 0 ? finish(&self) : ret;
    spot_instance_log_free(&self.log);
    spot_texts_free(&self.texts);
    spot_names_free(&self.series);
    free(self.columns);
    free(self.samples);
    return ret;
}

const spot_importer_t spot_importer_prometheus = {
    .name = "prometheus",
    .doc = "range queries, JSON or CSV: a count of instances, or a series for each",
    .source = "Prometheus, Grafana",
    .takes = SPOT_TAKES_LOG | SPOT_TAKES_MAPPING,
    .sniff = sniff,
    .read = read_prometheus,
};
