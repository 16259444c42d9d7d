/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Placement: the published example, rules one by one, and random clusters against a slow
 * twin of the weights and the laws of conservation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/input/place.h"

#define CLUSTER_PATH "place_cluster.yaml"
#define JOBS_PATH "place_jobs.yaml"

static void write_file(const char *path, const char *text)
{
    FILE *out = fopen(path, "w");

    assert_non_null(out);
    assert_true(fputs(text, out) >= 0);
    assert_int_equal(fclose(out), 0);
}

static void read_cluster(spot_cluster_t *cluster, const char *text, const char *jobs)
{
    spot_diag_t diag;
    int ret;

    spot_diag_init(&diag);
    write_file(CLUSTER_PATH, text);
    write_file(JOBS_PATH, jobs);
    ret = spot_cluster_read(cluster, CLUSTER_PATH, JOBS_PATH, &diag);
    if (ret != 0) {
        spot_diag_print(&diag, stderr);
    }
    assert_int_equal(ret, 0);
    spot_diag_free(&diag);
    remove(CLUSTER_PATH);
    remove(JOBS_PATH);
}

static void assert_list(
    const spot_cluster_t *cluster, size_t job_id, int list, const char *expected)
{
    const spot_place_list_t *items = &cluster->jobs[job_id].lists[list];
    spot_texts_t texts = {0};
    const char *text = "";

    for (size_t j = 0; j < items->num_items; j++) {
        text = spot_texts_join(&texts, text, ", ", items->items[j]);
    }
    assert_string_equal(text, expected);
    spot_texts_free(&texts);
}

/* ---- The published example ---- */

#define EXAMPLE                                                                                    \
    "nodes: {A: {gpus: 4, storage: 100 B}, B: {gpus: 8, storage: 50 B}, "                          \
    "C: {gpus: 0, storage: 300 B}}\n"                                                              \
    "datasets: {D: {chunks: [60 B, {size: 40 B, on: B}, 30 B, 20 B]}}\n"

static void check_example(const char *jobs, const double weights[3])
{
    spot_cluster_t cluster;

    read_cluster(&cluster, EXAMPLE, jobs);
    cluster.has_weights = true;
    assert_int_equal(spot_cluster_place(&cluster, 0), 0);
    for (size_t j = 0; j < 3; j++) {
        assert_true(fabs(cluster.jobs[0].weights[j] - weights[j]) < 1e-6);
    }
    assert_list(&cluster, 0, SPOT_PLACE_NODES, "B");
    assert_list(&cluster, 0, SPOT_PLACE_MOVED, "D[0] to A, D[2] to B, D[3] to B");
    assert_list(&cluster, 0, SPOT_PLACE_GAPS, "");
    assert_true(cluster.jobs[0].local_chunks == 0.75);
    assert_true(fabs(cluster.jobs[0].local_bytes - 0.6) < 1e-12);
    spot_cluster_free(&cluster);
}

static void test_example(void **state)
{
    static const double later[3] = {1.162963, 1.348148, 0.179259};
    static const double first[3] = {0.496296, 1.014815, 0.179259};

    (void) state;
    check_example("jobs: [{name: j, dataset: D, gpus: 2, first: no}]", later);
    check_example("jobs: [{name: j, dataset: D, gpus: 2, first: yes}]", first);
    check_example("jobs: [{name: j, dataset: D, gpus: 2}]", first);
}

/* ---- Rules ---- */

/* What a policy says about one job on D: its nodes, its chunks and its gaps. */
static void check_policy(int policy_id, const char *text, const char *jobs, const char *nodes,
    const char *moved, const char *gaps)
{
    spot_cluster_t cluster;

    read_cluster(&cluster, text, jobs);
    assert_int_equal(spot_cluster_place(&cluster, policy_id), 0);
    assert_list(&cluster, 0, SPOT_PLACE_NODES, nodes);
    assert_list(&cluster, 0, SPOT_PLACE_MOVED, moved);
    assert_list(&cluster, 0, SPOT_PLACE_GAPS, gaps);
    spot_cluster_free(&cluster);
}

static void test_policies(void **state)
{
    static const char job[] = "jobs: [{name: j, dataset: D, gpus: 2}]";

    (void) state;
    check_policy(1, EXAMPLE, job, "A", "D[0] to A, D[2] to A, D[3] to B", "");
    check_policy(2, EXAMPLE, job, "B", "D[0] to C, D[2] to C, D[3] to C", "");
    check_policy(3, EXAMPLE, job, "A", "D[0] to A, D[2] to A, D[3] to B", "");
    check_policy(0, EXAMPLE, "jobs: [{name: j, dataset: D, gpus: 9}]", "", "", "an instance");
    check_policy(0,
        "nodes: {A: {gpus: 1, cpus: 2, storage: 9 B}, B: {gpus: 1, storage: 2 B}}\n"
        "datasets: {D: {chunks: [4 B, 10 B, 9 B]}}",
        "jobs: [{name: j, dataset: D, gpus: 1, cpus: 3}]", "", "", "D[1], D[0]");
}

static void test_instances(void **state)
{
    spot_cluster_t cluster;

    (void) state;
    /* Parts of 3 and 2 chunks; job 2 has fewer instances and comes first. */
    read_cluster(&cluster,
        "nodes: {A: {gpus: 3, storage: 6 B}, B: {gpus: 2, storage: 9 B}}\n"
        "datasets: {D: {chunks: [1 B, 2 B, 3 B, 4 B, 5 B]}, E: {chunks: [1 B]}}",
        "jobs: [{name: x, dataset: D, gpus: 1, instances: 2}, "
        "{name: e, dataset: E, gpus: 9}, {name: y, dataset: D, gpus: 1, first: no}]");
    assert_int_equal(spot_cluster_place(&cluster, 1), 0);
    assert_list(&cluster, 2, SPOT_PLACE_NODES, "A");
    assert_list(
        &cluster, 2, SPOT_PLACE_MOVED, "D[4] to A, D[3] to B, D[2] to B, D[1] to B, D[0] to A");
    assert_list(&cluster, 0, SPOT_PLACE_NODES, "A, A");
    assert_list(&cluster, 0, SPOT_PLACE_MOVED, "");
    assert_list(&cluster, 1, SPOT_PLACE_GAPS, "an instance");
    assert_true(cluster.jobs[0].local_chunks == 0.4); /* D[0] and D[4] */
    assert_true(fabs(cluster.jobs[0].local_bytes - 6.0 / 15) < 1e-12);
    spot_cluster_free(&cluster);
    /* Each part is weighed by itself: the second one is all on B. */
    read_cluster(&cluster,
        "nodes: {A: {gpus: 1, storage: 9 B}, B: {gpus: 1, storage: 9 B}}\n"
        "datasets: {D: {chunks: [{size: 1 B, on: A}, 2 B, {size: 3 B, on: B}, "
        "{size: 4 B, on: B}]}}",
        "jobs: [{name: x, dataset: D, gpus: 1, instances: 2, first: no}]");
    assert_int_equal(spot_cluster_place(&cluster, 0), 0);
    assert_list(&cluster, 0, SPOT_PLACE_NODES, "A, B");
    assert_list(&cluster, 0, SPOT_PLACE_MOVED, "D[1] to A");
    assert_true(cluster.jobs[0].local_chunks == 1);
    spot_cluster_free(&cluster);
}

static void test_eviction(void **state)
{
    spot_cluster_t cluster;
    const spot_place_chunk_t *old;
    static const char text[] =
        "nodes: {A: {gpus: 1, storage: 0 B}}\n"
        "datasets: {old: {chunks: ["
        "{size: 20 B, on: A, uses: [{age: 10 s, cost: 40 s}, {age: 20 s, cost: 40 s}]}, "
        "{size: 15 B, on: A, uses: [{age: 10 s, cost: 30 s}]}, "
        "{size: 16 B, on: A, uses: [{age: 10 s, cost: 10 s}]}, "
        "{size: 99 B, on: A, used: yes}]}, new: {chunks: [30 B]}}\n"
        "eviction: {attenuation: 4, step: 0.05}";

    (void) state;
    read_cluster(&cluster, text, "jobs: [{name: j, dataset: new, gpus: 1}]");
    old = cluster.datasets[0].chunks;
    /* 4^(-1/2) = 1/2 and 4^-1 = 1/4. */
    assert_true(fabs(old[0].value_per_byte - (4 * 0.5 + 2 * 0.25) / 20) < 1e-15);
    assert_true(fabs(old[1].value_per_byte - 3 * 0.5 / 15) < 1e-15);
    assert_int_equal(cluster.nodes[0].evictable_bytes, 51);
    assert_int_equal(spot_cluster_place(&cluster, 0), 0);
    /* 16 bytes released leave 14 to release; another 15 are needed for them. */
    assert_list(&cluster, 0, SPOT_PLACE_EVICTED, "old[2] from A, old[1] from A");
    assert_int_equal(cluster.nodes[0].free_bytes, 1);
    assert_int_equal(cluster.nodes[0].evictable_bytes, 20);
    spot_cluster_free(&cluster);
    /* What is used is never evicted, nor are chunks of the job's own dataset. */
    read_cluster(&cluster,
        "nodes: {A: {gpus: 1, storage: 1 B}}\n"
        "datasets: {D: {chunks: [{size: 5 B, on: A}, 4 B]}}",
        "jobs: [{name: j, dataset: D, gpus: 1}]");
    assert_int_equal(spot_cluster_place(&cluster, 0), 0);
    assert_list(&cluster, 0, SPOT_PLACE_GAPS, "D[1]");
    assert_int_equal(cluster.nodes[0].evictable_bytes, 5); /* again */
    spot_cluster_free(&cluster);
}

/* ---- Random clusters ---- */

static int64_t draw(int64_t num)
{
    static uint64_t seed = 7;

    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int64_t) ((seed >> 33) % (uint64_t) num);
}

static void make_random(spot_cluster_t *cluster, int64_t num_jobs)
{
    static char text[20000], jobs[2000];
    const int64_t num_nodes = 1 + draw(5), num_datasets = 1 + draw(3);
    FILE *out = fmemopen(text, sizeof(text), "w");

    assert_non_null(out);
    fprintf(out, "nodes:\n");
    for (int64_t j = 0; j < num_nodes; j++) {
        fprintf(out, "  n%d: {gpus: %d, cpus: %d, storage: %d B}\n", (int) j, (int) draw(6),
            (int) draw(20), (int) draw(120));
    }
    fprintf(out, "datasets:\n");
    for (int64_t d = 0; d < num_datasets; d++) {
        fprintf(out, "  d%d: {chunks: [%d B", (int) d, (int) (1 + draw(40)));
        for (int64_t j = draw(8); j > 0; j--) {
            fprintf(out, ", {size: %d B", (int) (1 + draw(40)));
            if (draw(2) == 0) {
                fprintf(out, ", on: n%d, used: %s, uses: [{age: %d s, cost: 5 s}]",
                    (int) draw(num_nodes), draw(3) == 0 ? "yes" : "no", (int) (1 + draw(50)));
            }
            fprintf(out, "}");
        }
        fprintf(out, "]}\n");
    }
    fclose(out);
    out = fmemopen(jobs, sizeof(jobs), "w");
    assert_non_null(out);
    fprintf(out, "jobs:\n");
    for (int64_t j = 0; j < num_jobs; j++) {
        fprintf(out, "  - {name: j%d, dataset: d%d, gpus: %d, cpus: %d, instances: %d}\n", (int) j,
            (int) draw(num_datasets), (int) draw(3), (int) draw(4),
            num_jobs == 1 ? 1 : (int) (1 + draw(4)));
    }
    fclose(out);
    read_cluster(cluster, text, jobs);
}

static int64_t sum_bytes(
    const spot_cluster_t *cluster, const spot_place_node_t *node, bool is_evictable)
{
    int64_t bytes = 0;

    for (size_t d = 0; d < cluster->num_datasets; d++) {
        for (size_t j = 0; j < cluster->datasets[d].num_chunks; j++) {
            const spot_place_chunk_t *chunk = &cluster->datasets[d].chunks[j];

            if (chunk->node == node && (!is_evictable || chunk->num_users == 0)) {
                bytes += chunk->bytes;
            }
        }
    }
    return bytes;
}

/* The weight of a node for a job of one instance, by the text of the rules. */
static double twin_weight(
    const spot_cluster_t *cluster, const spot_place_job_t *job, size_t node_id)
{
    const spot_place_node_t *node = &cluster->nodes[node_id];
    int64_t gpus = 0, on_node = 0, missing = 0, all = 0, mine = 0, room = 0, my_room = 0;
    bool is_first = true;
    double weight = 0;

    for (size_t j = 0; j < job->dataset->num_chunks; j++) {
        const spot_place_chunk_t *chunk = &job->dataset->chunks[j];

        all += chunk->bytes;
        missing += chunk->node == NULL ? chunk->bytes : 0;
        on_node += chunk->node == node ? chunk->bytes : 0;
        is_first = is_first && chunk->num_users == 0;
    }
    for (size_t j = 0; j < cluster->num_nodes; j++) {
        int64_t bytes = cluster->nodes[j].free_bytes + sum_bytes(cluster, &cluster->nodes[j], true);

        for (size_t k = 0; k < job->dataset->num_chunks; k++) {
            const spot_place_chunk_t *chunk = &job->dataset->chunks[k];

            /* The job itself uses its chunks: they are not evictable. */
            mine = chunk->node == &cluster->nodes[j] && chunk->num_users == 0 ? chunk->bytes : 0;
            bytes -= mine;
        }
        gpus += cluster->nodes[j].gpus;
        room += bytes;
        my_room = j == node_id ? bytes : my_room;
    }
    if (node->gpus >= job->gpus && node->cpus >= job->cpus) {
        weight = 1 + 1e-9;
        if (is_first) {
            weight = gpus == 0 ? 0 : weight * (double) node->gpus / (double) gpus;
        }
    }
    weight += (double) on_node / (double) all;
    if (room > 0) {
        weight += (double) missing / (double) all *
                  (double) (my_room < missing ? my_room : missing) / (double) room;
    }
    return weight;
}

static void test_weights(void **state)
{
    int num_placed = 0, num_gaps = 0;

    (void) state;
    for (int k = 0; k < 400; k++) {
        spot_cluster_t cluster;
        double weights[5];
        size_t best = 5;

        make_random(&cluster, 1);
        for (size_t j = 0; j < cluster.num_nodes; j++) {
            const spot_place_job_t *job = cluster.jobs;
            const bool fits =
                cluster.nodes[j].gpus >= job->gpus && cluster.nodes[j].cpus >= job->cpus;

            weights[j] = twin_weight(&cluster, job, j);
            if (fits && (best == 5 || weights[j] > weights[best] + 1e-12)) {
                best = j;
            }
        }
        assert_int_equal(spot_cluster_place(&cluster, 0), 0);
        if (cluster.jobs[0].lists[SPOT_PLACE_GAPS].num_items == 0) {
            num_placed++;
            assert_true(best < 5);
            assert_list(&cluster, 0, SPOT_PLACE_NODES, cluster.nodes[best].name);
            for (size_t j = 0; j < cluster.num_nodes; j++) {
                assert_true(fabs(cluster.nodes[j].weight - weights[j]) < 1e-12);
            }
        } else {
            num_gaps++;
        }
        spot_cluster_free(&cluster);
    }
    assert_true(num_placed > 100 && num_gaps > 20);
}

/* What each node holds, and what is left of GPUs. */
static void check_state(const spot_cluster_t *cluster, const int64_t *capacity_bytes, int64_t gpus)
{
    for (size_t j = 0; j < cluster->num_nodes; j++) {
        const spot_place_node_t *node = &cluster->nodes[j];

        assert_true(node->free_bytes >= 0 && node->gpus >= 0 && node->cpus >= 0);
        assert_int_equal(node->free_bytes + sum_bytes(cluster, node, false), capacity_bytes[j]);
        assert_int_equal(node->evictable_bytes, sum_bytes(cluster, node, true));
        gpus -= node->gpus;
    }
    for (size_t j = 0; j < cluster->num_jobs; j++) {
        const spot_place_job_t *job = &cluster->jobs[j];

        if (job->lists[SPOT_PLACE_GAPS].num_items > 0) {
            assert_int_equal(job->lists[SPOT_PLACE_MOVED].num_items, 0);
            continue;
        }
        gpus -= job->instances * job->gpus;
        assert_true(job->local_chunks >= 0 && job->local_chunks <= 1);
        assert_true(job->local_bytes >= 0 && job->local_bytes <= 1 + 1e-12);
        for (size_t k = 0; k < job->dataset->num_chunks; k++) {
            assert_non_null(job->dataset->chunks[k].node);
            assert_true(job->dataset->chunks[k].num_users > 0);
        }
    }
    assert_int_equal(gpus, 0);
}

static void test_conservation(void **state)
{
    int num_evicted = 0, num_undone = 0;

    (void) state;
    for (int k = 0; k < 800; k++) {
        spot_cluster_t cluster;
        spot_place_node_t nodes[5];
        spot_place_chunk_t chunks[64];
        int64_t capacity_bytes[5], gpus = 0;
        bool has_placed = false;

        make_random(&cluster, 2 + draw(5));
        assert_true(cluster.num_chunks <= 64);
        for (size_t j = 0; j < cluster.num_nodes; j++) {
            nodes[j] = cluster.nodes[j];
            capacity_bytes[j] = nodes[j].free_bytes + sum_bytes(&cluster, &cluster.nodes[j], false);
            gpus += nodes[j].gpus;
        }
        for (size_t j = 0; j < cluster.num_chunks; j++) {
            chunks[j] = *cluster.chunks[j];
            assert_true(j == 0 || chunks[j].bytes <= chunks[j - 1].bytes);
        }
        assert_int_equal(spot_cluster_place(&cluster, k % SPOT_NUM_PLACE_POLICIES), 0);
        check_state(&cluster, capacity_bytes, gpus);
        for (size_t j = 0; j < cluster.num_jobs; j++) {
            const spot_place_job_t *job = &cluster.jobs[j];

            has_placed = has_placed || job->lists[SPOT_PLACE_GAPS].num_items == 0;
            num_evicted += job->lists[SPOT_PLACE_EVICTED].num_items > 0;
        }
        if (!has_placed) { /* all are undone: nothing has changed */
            num_undone++;
            for (size_t j = 0; j < cluster.num_nodes; j++) {
                assert_int_equal(cluster.nodes[j].gpus, nodes[j].gpus);
                assert_int_equal(cluster.nodes[j].cpus, nodes[j].cpus);
                assert_int_equal(cluster.nodes[j].free_bytes, nodes[j].free_bytes);
            }
            for (size_t j = 0; j < cluster.num_chunks; j++) {
                assert_ptr_equal(cluster.chunks[j]->node, chunks[j].node);
                assert_int_equal(cluster.chunks[j]->num_users, chunks[j].num_users);
            }
        }
        spot_cluster_free(&cluster);
    }
    assert_true(num_evicted > 30 && num_undone > 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_example),
        cmocka_unit_test(test_policies),
        cmocka_unit_test(test_instances),
        cmocka_unit_test(test_eviction),
        cmocka_unit_test(test_weights),
        cmocka_unit_test(test_conservation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
