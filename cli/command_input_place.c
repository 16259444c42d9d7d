/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/command.h"
#include "cli/schedule_tables.h"
#include "cli/serve_call.h"
#include "sim/input/place.h"

typedef struct {
    const char *cluster_path, *jobs_path, *csv_path;
    bool has_weights;
    unsigned policies; /* by bits; the last one: all */
    spot_target_t target;
} arguments_t;

static const arguments_t initial = {.policies = 1};

static const spot_option_t options[] = {
    SPOT_OPTION(ARGUMENT, "a cluster", 0, "CLUSTER", cluster_path, NULL, .min = 1),
    SPOT_OPTION(ARGUMENT, "a file of jobs", 0, "JOBS", jobs_path, NULL, .min = 1),
    SPOT_OPTION(CHOICES, "policy", 0, "A,B,...", policies,
        "csp (default), first-fit, worst-fit, best-fit, or all, side by side",
        .choices = spot_place_policies),
    SPOT_OPTION(FLAG, "weights", 0, NULL, has_weights,
        "List the weights that csp gives to nodes, as JSON always does"),
    SPOT_OPTION_JSON(target.is_json, "Print the tables as one JSON object"),
    SPOT_OPTION(WRITTEN, "csv", 0, "FILE", csv_path,
        "Write the table of jobs as CSV too; - is standard output, in place of all",
        .endings = ".csv"),
    SPOT_OPTION_OUTPUT(target.path, NULL),
    SPOT_OPTION_END,
};

#define KEY(text)                                                                                  \
    {                                                                                              \
        .name = text, .kind = SPOT_TABLE_TEXT, .is_key = true                                      \
    }
#define LIST(text)                                                                                 \
    {                                                                                              \
        .name = text, .kind = SPOT_TABLE_PROSE                                                     \
    }
static const spot_table_column_t columns[] = {KEY("policy"), KEY("job"),
    {.name = "dataset", .kind = SPOT_TABLE_TEXT}, LIST("nodes"), LIST("moved"), LIST("evicted"),
    LIST("gaps"), {.name = "local_chunks"}, {.name = "local_bytes"}, {.name = "time_s"}};
static const spot_table_column_t means[] = {KEY("policy"), {.name = "jobs"}, {.name = "placed"},
    {.name = "local_chunks"}, {.name = "local_bytes"}};
static const spot_table_column_t weights[] = {KEY("policy"), KEY("job"), KEY("instance"),
    KEY("node"), {.name = "weight", .is_fixed = true, .num_decimals = 6}};

static void add_weights(spot_table_t *table, const spot_cluster_t *cluster,
    const spot_place_job_t *job, const char *policy)
{
    const size_t num_nodes = cluster->num_nodes;

    for (size_t j = 0; j < (size_t) job->instances * num_nodes; j++) {
        spot_table_add_row(table);
        spot_table_add_text(table, policy);
        spot_table_add_text(table, job->name);
        spot_table_add_count(table, (int64_t) (j / num_nodes));
        spot_table_add_text(table, cluster->nodes[j % num_nodes].name);
        spot_table_add_number(table, job->weights[j]);
    }
}

static void add_rows(spot_table_t *tables, const spot_cluster_t *cluster, const char *policy)
{
    double chunks = 0, bytes = 0;
    int64_t num_placed = 0;

    for (const spot_place_job_t *job = cluster->jobs; job < cluster->jobs + cluster->num_jobs;
         job++) {
        const double share = job->local_bytes;

        spot_table_add_row(&tables[0]);
        spot_table_add_text(&tables[0], policy);
        spot_table_add_text(&tables[0], job->name);
        spot_table_add_text(&tables[0], job->dataset->name);
        for (int j = 0; j <= SPOT_PLACE_GAPS; j++) {
            spot_table_add_list(&tables[0], job->lists[j].num_items, job->lists[j].items);
        }
        if (job->lists[SPOT_PLACE_GAPS].num_items == 0) {
            num_placed++;
            chunks += job->local_chunks;
            bytes += share;
            spot_table_add_number(&tables[0], job->local_chunks);
            spot_table_add_number(&tables[0], share);
            if (job->local_ns > 0 && job->remote_ns > 0) {
                spot_table_add_number(&tables[0],
                    1e-9 *
                        (share * (double) job->local_ns + (1 - share) * (double) job->remote_ns));
            }
        }
        if (cluster->has_weights) {
            add_weights(&tables[2], cluster, job, policy);
        }
    }
    spot_table_add_row(&tables[1]);
    spot_table_add_text(&tables[1], policy);
    spot_table_add_count(&tables[1], (int64_t) cluster->num_jobs);
    spot_table_add_count(&tables[1], num_placed);
    spot_table_add_number(&tables[1], chunks / (double) num_placed);
    spot_table_add_number(&tables[1], bytes / (double) num_placed);
}

static int run(spot_call_t *call)
{
    const arguments_t *arguments = call->arguments;
    const bool has_weights = arguments->has_weights || arguments->target.is_json;
    spot_table_t tables[] = {{.name = "jobs"}, {.name = "means"}, {.name = "weights"}};
    int ret = 0;

    spot_table_add_columns(&tables[0], sizeof(columns) / sizeof(columns[0]), columns);
    spot_table_add_columns(&tables[1], sizeof(means) / sizeof(means[0]), means);
    spot_table_add_columns(&tables[2], sizeof(weights) / sizeof(weights[0]), weights);
    for (int j = 0; j < SPOT_NUM_PLACE_POLICIES && ret == 0; j++) {
        spot_cluster_t cluster = {0};

        if (((arguments->policies >> j | arguments->policies >> SPOT_NUM_PLACE_POLICIES) & 1) !=
            0) {
            ret = spot_cluster_read(
                &cluster, arguments->cluster_path, arguments->jobs_path, &call->diag);
            cluster.has_weights = has_weights && j == 0;
            ret = ret == 0 ? spot_cluster_place(&cluster, j) : ret;
            if (ret == 0) {
                add_rows(tables, &cluster, spot_place_policies[j]);
            }
        }
        spot_cluster_free(&cluster);
    }
    call->is_reading = ret != 0;
    if (ret == 0) {
        ret = spot_schedule_results(call, &arguments->target, arguments->csv_path,
            spot_serve_put_csv, &tables[0], has_weights ? 3 : 2, tables);
    }
    for (size_t j = 0; j < 3; j++) { /* those that are not printed, too */
        spot_table_free(&tables[j]);
    }
    return ret;
}

const spot_command_t spot_command_input_place = {
    .name = "input place",
    .arguments = "CLUSTER JOBS",
    .summary = "Place jobs on nodes, and their data beside them",
    .doc = "CLUSTER has what is free on the nodes, beside the chunks that are stored: "
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
                "  spotsim input place cluster.yaml jobs.yaml --policy csp,best-fit --json\n",
    .options = options,
    .arguments_bytes = sizeof(arguments_t),
    .initial = &initial,
    .run = run,
};
