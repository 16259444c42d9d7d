/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedule_run.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/yaml.h"

#define MAX_FILES 8

static char folder[200];
static char paths[MAX_FILES][280];
static size_t num_files;

int schedule_folder_make(void **state)
{
    const char *root = getenv("SPOT_TEST_TMP");

    (void) state;
    snprintf(folder, sizeof(folder), "%s/schedule-XXXXXX", root == NULL ? "/tmp" : root);
    assert_non_null(mkdtemp(folder));
    num_files = 0;
    return 0;
}

int schedule_folder_remove(void **state)
{
    (void) state;
    for (size_t j = 0; j < MAX_FILES; j++) {
        if (paths[j][0] != '\0') {
            unlink(paths[j]);
            paths[j][0] = '\0';
        }
    }
    assert_int_equal(rmdir(folder), 0);
    return 0;
}

const char *schedule_file(const char *name, const char *text)
{
    char *path = paths[num_files++ % MAX_FILES];
    FILE *out;

    if (path[0] != '\0') {
        unlink(path);
    }
    snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
    out = fopen(path, "w");
    assert_non_null(out);
    fputs(text, out);
    assert_int_equal(fclose(out), 0);
    return path;
}

static int bind(schedule_run_t *self, const char *keys, spot_diag_t *diag)
{
    char *text;
    size_t num_bytes;
    FILE *out = open_memstream(&text, &num_bytes);
    spot_yaml_t document;
    int ret;

    assert_non_null(out);
    fprintf(out, "scenario: case\nengine: schedule\n%s", keys);
    assert_int_equal(fclose(out), 0);
    *self = (schedule_run_t){0};
    ret = spot_yaml_parse(&document, "case.yaml", text, num_bytes, diag);
    if (ret == 0) {
        ret = spot_schedule_experiment.bind(&self->bound, document.root, NULL, diag);
    }
    spot_yaml_free(&document);
    free(text);
    self->scenario = self->bound;
    return ret;
}

void schedule_run_open(schedule_run_t *self, const char *keys)
{
    spot_diag_t diag;

    spot_diag_init(&diag);
    if (bind(self, keys, &diag) != 0) {
        spot_diag_print(&diag, stderr);
        fail_msg("%s", keys);
    }
    spot_diag_free(&diag);
    assert_int_equal(spot_schedule_init(&self->schedule, self->scenario), 0);
}

char *schedule_run_refused(const char *keys)
{
    schedule_run_t run;
    spot_diag_t diag;
    char *text;
    size_t num_bytes;
    FILE *out = open_memstream(&text, &num_bytes);

    assert_non_null(out);
    spot_diag_init(&diag);
    assert_int_equal(bind(&run, keys, &diag), SPOT_ERR_BAD_INPUT);
    spot_diag_print(&diag, out);
    spot_diag_free(&diag);
    spot_schedule_experiment.free(run.bound);
    assert_int_equal(fclose(out), 0);
    return text;
}

void schedule_run_close(schedule_run_t *self)
{
    spot_schedule_free(&self->schedule);
    spot_summaries_free(&self->summaries);
    spot_run_recorder_free(&self->recorder);
    if (self->is_recorded) {
        spot_recording_free(&self->recording);
    }
    spot_schedule_experiment.free(self->bound);
}

void schedule_run_once(schedule_run_t *self, uint64_t replication, bool is_recorded)
{
    const spot_replication_t wanted = {.seed = 1, .replication = replication};
    const spot_outputs_t *outputs = &self->scenario->outputs;

    if (self->is_recorded) {
        spot_recording_free(&self->recording);
    }
    self->is_recorded = is_recorded;
    if (is_recorded) {
        assert_int_equal(
            spot_recording_init(&self->recording, outputs->num_series, outputs->series), 0);
    }
    assert_int_equal(spot_run_recorder_start(
                         &self->recorder, &self->schedule, is_recorded ? &self->recording : NULL),
        0);
    assert_int_equal(spot_schedule_run(&self->schedule, &wanted), 0);
    assert_int_equal(spot_schedule_summarise(&self->summaries, &self->schedule), 0);
    assert_int_equal(spot_run_recorder_finish(&self->recorder, &self->summaries), 0);
    for (int32_t j = 0; j < self->schedule.num_vcs; j++) {
        spot_vc_verify(&self->schedule.vcs[j]);
    }
    for (size_t j = 0; is_recorded && j < self->recording.num_series; j++) {
        spot_series_verify(&self->recording.series[j]);
    }
}

spot_job_result_t schedule_run_result(const schedule_run_t *self, const char *id)
{
    const spot_job_log_t *log = self->schedule.log;

    for (int32_t j = 0; j < (int32_t) log->num_jobs; j++) {
        if (strcmp(log->jobs[j].id, id) == 0) {
            return spot_schedule_result(&self->schedule, j);
        }
    }
    fail_msg("no job %s", id);
    return (spot_job_result_t){0};
}

const spot_job_summary_t *schedule_run_summary(const schedule_run_t *self, const char *vc)
{
    const size_t num_vcs = self->scenario->vcs.num_vcs;

    for (size_t j = 0; vc != NULL && j < num_vcs; j++) {
        if (strcmp(self->scenario->vcs.vcs[j].name, vc) == 0) {
            return &self->summaries.summaries[j];
        }
    }
    assert_null(vc);
    return &self->summaries.summaries[num_vcs];
}

double schedule_run_metric(const schedule_run_t *self, const char *name)
{
    const spot_outputs_t *outputs = &self->scenario->outputs;
    const size_t id = spot_outputs_metric_id(outputs, name);
    double *values = calloc(outputs->num_metrics, sizeof(*values));
    double value;

    assert_non_null(values);
    assert_true(id < outputs->num_metrics);
    assert_null(outputs->metrics[id].numerator);
    spot_schedule_yield(&self->schedule, &self->summaries, values);
    value = values[id];
    free(values);
    return value;
}

static void write_cell(const spot_series_t *series, size_t row, size_t place, FILE *out)
{
    const spot_series_column_t *column = &series->kind->columns[place];
    const spot_cell_t *cell = &series->cells[row * series->kind->num_columns + place];

    if (column->kind == SPOT_COLUMN_TEXT || column->kind == SPOT_COLUMN_CATEGORY) {
        fputs(spot_series_text(series, row, place), out);
    } else if (column->kind != SPOT_COLUMN_NUMBER) {
        fprintf(out, "%" PRId64, cell->integer);
    } else if (!isnan(cell->number)) {
        if (column->num_decimals > 0) {
            fprintf(out, "%.*f", spot_series_decimals(column), cell->number);
        } else {
            fprintf(out, "%.17g", cell->number);
        }
    }
}

static void write_series(const spot_series_t *series, FILE *out)
{
    for (size_t k = 0; k < series->kind->num_columns; k++) {
        fprintf(out, "%s%s", k == 0 ? "" : ",", series->kind->columns[k].name);
    }
    fputc('\n', out);
    for (size_t j = 0; j < series->num_rows; j++) {
        for (size_t k = 0; k < series->kind->num_columns; k++) {
            fputs(k == 0 ? "" : ",", out);
            write_cell(series, j, k, out);
        }
        fputc('\n', out);
    }
}

/* name NULL: all. */
static char *series_text(const schedule_run_t *self, const char *name)
{
    char *text;
    size_t num_bytes, num_written = 0;
    FILE *out = open_memstream(&text, &num_bytes);

    assert_non_null(out);
    for (size_t j = 0; j < self->recording.num_series; j++) {
        const spot_series_t *series = &self->recording.series[j];

        if (name == NULL || strcmp(series->kind->name, name) == 0) {
            write_series(series, out);
            num_written++;
        }
    }
    assert_int_equal(fclose(out), 0);
    assert_true(num_written > 0);
    return text;
}

char *schedule_run_series(const schedule_run_t *self, const char *name)
{
    return series_text(self, name);
}

char *schedule_run_all_series(const schedule_run_t *self)
{
    return series_text(self, NULL);
}
