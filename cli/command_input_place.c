/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/command.h"
#include "cli/schedule_tables.h"
#include "reports/table/table_machine.h"
#include "sim/input/place.h"

typedef struct {
    const char *cluster_path, *jobs_path, *csv_path;
    bool has_weights;
    int policy_id; /* SPOT_NUM_PLACE_POLICIES: all */
    spot_target_t target;
} arguments_t;

static const spot_option_t options[] = {
    SPOT_OPTION(ARGUMENT, "a cluster", 0, "CLUSTER", cluster_path, NULL, .min = 1),
    SPOT_OPTION(ARGUMENT, "a file of jobs", 0, "JOBS", jobs_path, NULL, .min = 1),
    SPOT_OPTION(CHOICE, "policy", 0, "POLICY", policy_id,
        "csp (default), first-fit, worst-fit, best-fit, or all side by side",
        .choices = spot_place_policies),
    SPOT_OPTION(FLAG, "weights", 0, NULL, has_weights,
        "List the weights that csp gives to nodes"),
    SPOT_OPTION_JSON(target.is_json, "Print the tables as one JSON object"),
    SPOT_OPTION(WRITTEN, "csv", 0, "FILE", csv_path,
        "Write the table of jobs as CSV too; - is standard output, in place of all",
        .endings = ".csv"),
    SPOT_OPTION_OUTPUT(target.path, NULL),
    SPOT_OPTION_END,
};

static const spot_table_column_t columns[] = {
    {.name = "policy", .kind = SPOT_TABLE_TEXT, .is_key = true},
    {.name = "job", .kind = SPOT_TABLE_TEXT, .is_key = true},
    {.name = "dataset", .kind = SPOT_TABLE_TEXT},
    {.name = "nodes", .kind = SPOT_TABLE_PROSE},
    {.name = "moved", .kind = SPOT_TABLE_PROSE},
    {.name = "evicted", .kind = SPOT_TABLE_PROSE},
    {.name = "gaps", .kind = SPOT_TABLE_PROSE},
    {.name = "weights", .kind = SPOT_TABLE_PROSE}, {.name = "local_chunks"},
    {.name = "local_bytes"}, {.name = "time_s"}};
static const spot_table_column_t means[] = {{.name = "policy", .kind = SPOT_TABLE_TEXT},
    {.name = "jobs"}, {.name = "placed"}, {.name = "local_chunks"},
    {.name = "local_bytes"}};

static void
add_rows(spot_table_t *tables, const spot_cluster_t *cluster, const char *policy)
{
    double chunks = 0, bytes = 0;
    int64_t num_placed = 0;

    for (const spot_place_job_t *job = cluster->jobs;
         job < cluster->jobs + cluster->num_jobs; job++) {
        const bool is_placed = job->lists[SPOT_PLACE_GAPS][0] == '\0';

        spot_table_add_row(&tables[0]);
        spot_table_add_text(&tables[0], policy);
        spot_table_add_text(&tables[0], job->name);
        spot_table_add_text(&tables[0], job->dataset->name);
        for (size_t j = 0; j < SPOT_PLACE_LISTS; j++) {
            spot_table_add_text(&tables[0], job->lists[j]);
        }
        if (is_placed) {
            num_placed++;
            chunks += job->local_chunks;
            bytes += job->local_bytes;
            spot_table_add_number(&tables[0], job->local_chunks);
            spot_table_add_number(&tables[0], job->local_bytes);
        }
        if (is_placed && job->local_ns > 0 && job->remote_ns > 0) {
            spot_table_add_number(&tables[0],
                1e-9 * (job->local_bytes * (double) job->local_ns +
                           (1 - job->local_bytes) * (double) job->remote_ns));
        }
    }
    spot_table_add_row(&tables[1]);
    spot_table_add_text(&tables[1], policy);
    spot_table_add_count(&tables[1], (int64_t) cluster->num_jobs);
    spot_table_add_count(&tables[1], num_placed);
    spot_table_add_number(&tables[1], chunks / (double) num_placed);
    spot_table_add_number(&tables[1], bytes / (double) num_placed);
}

static void
write_csv(const void *jobs, FILE *out)
{
    if (spot_table_write_csv_head(jobs, out) != 0 ||
        spot_table_write_csv_rows(jobs, out) != 0) {
        fputs("\n", out); /* the file is incomplete, which its end reports */
    }
}

static int
run(spot_call_t *call)
{
    const arguments_t *arguments = call->arguments;
    spot_table_t tables[] = {{.name = "jobs"}, {.name = "means"}};
    int ret = 0;

    spot_table_add_columns(&tables[0], sizeof(columns) / sizeof(columns[0]), columns);
    spot_table_add_columns(&tables[1], sizeof(means) / sizeof(means[0]), means);
    for (int j = 0; j < SPOT_NUM_PLACE_POLICIES && ret == 0; j++) {
        spot_cluster_t cluster = {0};

        if (arguments->policy_id == SPOT_NUM_PLACE_POLICIES ||
            arguments->policy_id == j) {
            ret = spot_cluster_read(
                &cluster, arguments->cluster_path, arguments->jobs_path, &call->diag);
            cluster.has_weights = arguments->has_weights;
            ret = ret == 0 ? spot_cluster_place(&cluster, j) : ret;
            if (ret == 0) {
                add_rows(tables, &cluster, spot_place_policies[j]);
                ret = tables[0].error;
            }
        }
        spot_cluster_free(&cluster);
    }
    if (ret == 0) {
        call->is_reading = false;
        return spot_schedule_results(call, &arguments->target, arguments->csv_path,
            write_csv, &tables[0], 2, tables);
    }
    spot_table_free(&tables[0]);
    spot_table_free(&tables[1]);
    return ret;
}

const spot_command_t spot_command_input_place = {
    .name = "input place",
    .arguments = "CLUSTER JOBS",
    .summary = "Place jobs on nodes, and their data beside them",
    .doc =
        "CLUSTER has what is free on the nodes, beside the chunks that are stored: "
        "nodes: {A: {gpus: 4, storage: 90 GB}}, datasets: {D: {chunks: [60 GB, {size: "
        "40 GB, on: A, used: yes}]}}. A chunk that nothing uses may be evicted; uses: "
        "[{age: 2 h, cost: 30 s}] lists its past uses, each worth cost / age x "
        "attenuation^(-step x age), with eviction: {attenuation: 2, step: 0.001}, "
        "step per second. JOBS has jobs: [{name: j, dataset: D, gpus: 2}], if need be "
        "with instances, cpus, first (on its dataset: yes, no, auto), and the times "
        "of a batch, local and remote.\n\n"
        "The first node by the policy that fits takes an instance; the first one with "
        "room takes a chunk that is stored nowhere. With a gap, an instance or a chunk "
        "without room, the whole job is undone. local_chunks and local_bytes are the "
        "shares on the node of their instance; time_s follows from local_bytes.",
    .examples = "  spotsim input place cluster.yaml jobs.yaml\n"
                "  spotsim input place cluster.yaml jobs.yaml --policy all --json\n",
    .options = options,
    .arguments_bytes = sizeof(arguments_t),
    .run = run,
};
