/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>

#include "traces/tasks/task_analysis.h"
#include "traces/tasks/task_log_internal.h"

static void put_log(const spot_task_analysis_t *self, const spot_task_log_t *log, spot_json_t *json)
{
    spot_json_open(json, "log", '{');
    spot_json_integer(json, "lines", log->num_lines);
    spot_json_integer(json, "task_events", (int64_t) self->tasks.num_events);
    spot_json_integer(json, "transmit_events", (int64_t) self->transmits.num_events);
    spot_json_integer(json, "controller_lines", log->num_controller_lines);
    spot_json_integer(json, "input_records", log->num_input_records);
    spot_json_integer(json, "unknown_actions", log->num_unknown_actions);
    spot_json_integer(json, "workers", (int64_t) log->num_workers);
    spot_json_integer(json, "hosts", (int64_t) log->num_hosts);
    spot_json_optional(json, "t0", log->num_events > 0, self->t0);
    spot_json_optional(json, "t1", log->num_events > 0, self->t1);
    spot_json_wide(json, "makespan", self->makespan);
    if (log->num_skipped_lines > 0) {
        spot_json_integer(json, "skipped_lines", log->num_skipped_lines);
    }
    spot_json_close(json, '}');
    spot_json_open(json, "checks", '{');
    spot_json_integer(
        json, "duplicate_events", self->tasks.num_duplicates + self->transmits.num_duplicates);
    spot_json_integer(json, "mode_conflicts", self->mode_conflicts);
    spot_json_integer(json, "no_planned", self->no_planned);
    spot_json_integer(json, "negative_intervals", self->negative_intervals);
    spot_json_integer(json, "overlapping_tasks", self->overlapping_tasks);
    spot_json_close(json, '}');
}

static void put_tasks(
    const spot_task_analysis_t *self, const spot_task_log_t *log, spot_json_t *json)
{
    const int64_t attempts = (int64_t) self->tasks.num_attempts;

    spot_json_open(json, "tasks", '{');
    spot_json_integer(json, "attempts", attempts);
    spot_json_integer(json, "distinct", self->distinct);
    spot_json_integer(json, "completed", self->completed);
    spot_json_integer(json, "incomplete_attempts", self->incomplete);
    spot_json_integer(json, "retries", attempts - self->distinct);
    for (size_t j = 0; j < SPOT_NUM_TASK_DURATIONS; j++) {
        spot_durations_json(json, spot_task_spans[j].name, &self->task[j], SPOT_DURATIONS_ALL);
    }
    spot_task_groups_json(
        json, "per_worker", log->num_workers, self->per_worker, SPOT_DURATIONS_MEAN);
    spot_task_groups_json(
        json, "per_class", self->num_classes, self->per_class, SPOT_DURATIONS_MEAN);
    spot_json_close(json, '}');
}

static void put_by_number(
    spot_json_t *json, const char *key, bool is_time, size_t num, const int64_t *values)
{
    char name[24];

    spot_json_open(json, key, '{');
    for (size_t j = 0; j < num; j++) {
        if (values[j] != 0) {
            snprintf(name, sizeof(name), "%zu", j);
            if (is_time) {
                spot_json_wide(json, name, values[j]);
            } else {
                spot_json_integer(json, name, values[j]);
            }
        }
    }
    spot_json_close(json, '}');
}

/* A number of each mode that occurs. totals: NULL puts the counts. */
static void put_modes(
    spot_json_t *json, const char *key, const int64_t *counts, const spot_wide_t *totals)
{
    spot_json_open(json, key, '{');
    for (size_t mode = SPOT_MODE_LOCAL; mode < SPOT_NUM_MODES; mode++) {
        if (counts[mode] > 0 && totals != NULL) {
            spot_json_wide(json, spot_task_mode_names[mode], totals[mode]);
        } else if (counts[mode] > 0) {
            spot_json_integer(json, spot_task_mode_names[mode], counts[mode]);
        }
    }
    spot_json_close(json, '}');
}

static void put_transmits(
    const spot_task_analysis_t *self, const spot_task_log_t *log, spot_json_t *json)
{
    spot_json_open(json, "transmits", '{');
    spot_json_integer(json, "attempts", (int64_t) self->transmits.num_attempts);
    spot_json_integer(json, "unfinished", self->transmits_unfinished);
    spot_json_integer(json, "without_mode", self->mode_counts[SPOT_MODE_NONE]);
    put_modes(json, "mode_counts", self->mode_counts, NULL);
    put_modes(json, "raw_mode_lines", log->num_mode_lines, NULL);
    for (size_t j = 0; j < SPOT_NUM_TRANSMIT_DURATIONS; j++) {
        spot_durations_json(
            json, spot_transmit_spans[j].name, &self->transmit[j], SPOT_DURATIONS_ALL);
        if (j == SPOT_TRANSMIT_TOTAL) {
            put_modes(json, "total_per_mode", self->mode_counts, self->mode_totals);
        }
    }
    spot_json_integer(json, "datasets", self->datasets);
    put_by_number(json, "per_dataset_histogram", false, self->num_sent, self->sent);
    spot_json_close(json, '}');
}

static void put_workers(
    const spot_task_analysis_t *self, const spot_task_log_t *log, spot_json_t *json)
{
    spot_wide_t sums[SPOT_NUM_IDLE] = {0};

    spot_json_open(json, "workers", '{');
    for (size_t j = 0; j < log->num_workers; j++) {
        const spot_worker_time_t *time = &self->times.workers[j];
        const int64_t busy = time->split[SPOT_IDLE_BUSY];

        spot_json_open(json, log->workers[j].name, '{');
        spot_json_text(json, "host", log->hosts[log->workers[j].host_id]);
        spot_json_integer(json, "tasks", time->tasks);
        spot_json_wide(json, "busy", busy);
        spot_json_wide(json, "idle", self->makespan - busy);
        spot_json_number(json, "utilisation", spot_wide_ratio(busy, self->makespan));
        spot_json_integer(json, "gaps", time->gaps);
        spot_json_wide(json, "gap_max", time->gap_max);
        spot_json_open(json, "idle_split", '{');
        for (size_t k = SPOT_IDLE_QUEUE; k < SPOT_NUM_IDLE; k++) {
            spot_json_integer(json, spot_idle_names[k], time->split[k]);
        }
        spot_json_close(json, '}');
        spot_json_wide(json, "transmit_in_flight", time->in_flight);
        spot_json_wide(json, "transmit_hidden", time->hidden);
        spot_json_wide(json, "transmit_exposed", time->in_flight - time->hidden);
        spot_json_close(json, '}');
        for (size_t k = 0; k < SPOT_NUM_IDLE; k++) {
            sums[k] += time->split[k];
        }
    }
    spot_json_close(json, '}');
    spot_json_open(json, "balance", '{');
    if (log->num_workers > 0) {
        spot_json_wide(json, "worker_time", (spot_wide_t) log->num_workers * self->makespan);
    }
    for (size_t k = 0; k < SPOT_NUM_IDLE && log->num_workers > 0; k++) {
        spot_json_wide(json, spot_idle_names[k], sums[k]);
    }
    spot_json_close(json, '}');
}

static void put_times(
    const spot_task_analysis_t *self, const spot_task_log_t *log, spot_json_t *json)
{
    const spot_worker_times_t *times = &self->times;

    spot_json_open(json, "concurrency", '{');
    put_by_number(json, "all", true, times->all.num_ns, times->all.ns);
    spot_json_open(json, "hosts", '{');
    for (size_t j = 0; j < log->num_hosts; j++) {
        put_by_number(json, log->hosts[j], true, times->hosts[j].num_ns, times->hosts[j].ns);
    }
    spot_json_close(json, '}');
    spot_json_close(json, '}');
    spot_json_open(json, "overlap", '{');
    spot_json_wide(json, "task_any", times->task_any);
    spot_json_wide(json, "transmit_any", times->transmit_any);
    spot_json_wide(json, "both", times->both);
    spot_json_close(json, '}');
    spot_json_open(json, "head_of_line", '{');
    spot_json_wide(json, "window", times->window);
    spot_json_wide(json, "comm_sum", times->comm_sum);
    spot_json_wide(json, "matched_sum", times->matched_sum);
    spot_json_number(json, "share", spot_wide_ratio(times->matched_sum, times->comm_sum));
    spot_json_number(json, "chance",
        spot_wide_ratio(times->covered, (spot_wide_t) log->num_hosts * self->makespan));
    spot_json_close(json, '}');
    spot_json_open(json, "clock_offset", '{');
    for (size_t j = 0; j < log->num_hosts; j++) {
        const spot_clock_offset_t *offset = &self->offsets[j];

        spot_json_open(json, log->hosts[j], '{');
        spot_json_optional(json, "low", offset->low > INT64_MIN, offset->low);
        spot_json_optional(json, "high", offset->high < INT64_MAX, offset->high);
        if (offset->subtracted != 0) {
            spot_json_wide(json, "subtracted", offset->subtracted);
        }
        spot_json_close(json, '}');
    }
    spot_json_close(json, '}');
}

static void put_controller(
    const spot_task_analysis_t *self, const spot_task_log_t *log, spot_json_t *json)
{
    const spot_task_rounds_t *rounds = &self->rounds;

    spot_json_open(json, "controller", '{');
    if (log->num_reports > 0) {
        spot_json_integer(json, "iterations", (int64_t) log->num_reports);
        spot_durations_json(json, "act", &rounds->act, SPOT_DURATIONS_ALL);
        spot_durations_json(json, "wait", &rounds->wait, SPOT_DURATIONS_ALL);
        spot_json_integer(json, "without_wait", rounds->without_wait);
        for (size_t j = 0; j < SPOT_REPORT_COUNTERS; j++) {
            spot_json_integer(
                json, spot_task_key_names[SPOT_LINE_COUNTERS + j], (int64_t) rounds->counters[j]);
        }
        spot_json_wide(json, "busy_during_wait", rounds->busy_during_wait);
        spot_json_number(json, "mean_busy_during_wait",
            spot_wide_ratio(rounds->busy_during_wait, rounds->wait.sum));
    }
    spot_json_close(json, '}');
}

static void put_graph(
    const spot_task_analysis_t *self, const spot_task_log_t *log, spot_json_t *json)
{
    const spot_task_graph_t *graph = &self->graph;
    const spot_task_chain_t *chain = &graph->chain;
    spot_wide_t ready = 0, unplanned = 0;

    spot_json_open(json, "graph", '{');
    for (size_t j = 0; j < log->num_workers; j++) {
        ready += self->times.workers[j].unplanned_ready;
        unplanned += self->times.workers[j].split[SPOT_IDLE_UNPLANNED];
    }
    if (graph->has_edges) {
        spot_json_integer(json, "tasks", graph->tasks);
        spot_json_integer(json, "edges", graph->edges);
        spot_json_integer(json, "missing_inputs", graph->missing_inputs);
        spot_json_wide(json, "critical_run", graph->critical_run);
        spot_json_open(json, "critical_tasks", '[');
        for (size_t j = 0; j < graph->num_critical; j++) {
            spot_json_text(json, NULL, log->ids.names[graph->critical[j]]);
        }
        spot_json_close(json, ']');
        spot_json_wide(json, "work", graph->work);
        spot_json_number(json, "parallelism", spot_wide_ratio(graph->work, graph->critical_run));
        spot_json_integer(json, "zero_slack", graph->zero_slack);
        spot_durations_json(json, "decision_delay", &graph->decision_delay, SPOT_DURATIONS_ALL);
        spot_json_wide(json, "unplanned_ready", ready);
        spot_json_wide(json, "unplanned_starved", unplanned - ready);
        spot_json_open(json, "chain", '{');
        spot_json_integer(json, "tasks", chain->tasks);
        spot_json_text(json, "first", chain->first < 0 ? NULL : log->ids.names[chain->first]);
        spot_json_text(json, "last", chain->last < 0 ? NULL : log->ids.names[chain->last]);
        spot_json_wide(json, "run", chain->run);
        spot_json_wide(json, "queue", chain->queue);
        spot_json_wide(json, "comm", chain->comm);
        spot_json_wide(json, "inputs", chain->inputs);
        spot_json_wide(json, "controller", chain->controller);
        spot_json_wide(json, "total", chain->total);
        spot_json_close(json, '}');
    }
    spot_json_close(json, '}');
}

void spot_task_analysis_json(
    const spot_task_analysis_t *self, const spot_task_log_t *log, spot_json_t *json)
{
    spot_json_open(json, NULL, '{');
    put_log(self, log, json);
    put_tasks(self, log, json);
    put_transmits(self, log, json);
    put_workers(self, log, json);
    put_times(self, log, json);
    put_controller(self, log, json);
    put_graph(self, log, json);
    spot_json_close(json, '}');
}
