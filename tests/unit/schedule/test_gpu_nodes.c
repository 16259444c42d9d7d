/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who holds which GPU, by cases and against a slow twin that keeps an array of GPUs and
 * sorts nodes as the rules say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "sim/schedule/gpu_nodes.h"

#define MAX_NODES 12
#define MAX_JOBS 64

/* ---- The twin ---- */

typedef struct {
    int32_t node_id, gpu;
} place_t;

typedef struct {
    int32_t num_places;                             /* 0: the job does not run */
    place_t places[MAX_NODES * SPOT_NODE_MAX_GPUS]; /* in order of allocation */
} twin_job_t;

typedef struct {
    int32_t gpus_per_node, num_listed;
    int32_t list[MAX_NODES];                   /* node ids */
    int32_t holders[1000][SPOT_NODE_MAX_GPUS]; /* jobs on a GPU, by node id */
    bool is_closed[1000];
    twin_job_t jobs[MAX_JOBS];
} twin_t;

static int32_t twin_room(const twin_t *self, int32_t node_id)
{
    int32_t room = 0;

    for (int32_t j = 0; j < self->gpus_per_node && !self->is_closed[node_id]; j++) {
        room += self->holders[node_id][j] == 0;
    }
    return room;
}

/* The list, the freest nodes first, by a stable sort. */
static void twin_sort(const twin_t *self, int32_t *order)
{
    for (int32_t j = 0; j < self->num_listed; j++) {
        int32_t place = j;

        for (; place > 0 && twin_room(self, order[place - 1]) < twin_room(self, self->list[j]);
             place--) {
            order[place] = order[place - 1];
        }
        order[place] = self->list[j];
    }
}

static void twin_grab(twin_t *self, twin_job_t *job, int32_t node_id, int32_t num_gpus)
{
    for (int32_t j = 0; j < self->gpus_per_node && num_gpus > 0; j++) {
        if (self->holders[node_id][j] == 0) {
            self->holders[node_id][j] = 1;
            job->places[job->num_places++] = (place_t){node_id, j};
            num_gpus--;
        }
    }
}

/* Takes what each node of an order has until there are enough. */
static void twin_grab_in_order(
    twin_t *self, twin_job_t *job, const int32_t *order, int32_t num_gpus)
{
    for (int32_t j = 0; j < self->num_listed && num_gpus > job->num_places; j++) {
        const int32_t room = twin_room(self, order[j]);
        const int32_t left = num_gpus - job->num_places;

        twin_grab(self, job, order[j], room < left ? room : left);
    }
}

static void twin_consolidate(twin_t *self, twin_job_t *job, int32_t num_gpus)
{
    const int32_t whole = num_gpus / self->gpus_per_node;
    const int32_t rest = num_gpus % self->gpus_per_node;
    int32_t order[MAX_NODES], best = -1;

    if (num_gpus <= self->gpus_per_node) {
        for (int32_t j = 0; j < self->num_listed; j++) {
            const int32_t room = twin_room(self, self->list[j]);

            if (room >= num_gpus && (best < 0 || room < twin_room(self, best))) {
                best = self->list[j];
            }
        }
        if (best >= 0) {
            twin_grab(self, job, best, num_gpus);
        }
        return;
    }
    twin_sort(self, order);
    for (int32_t j = 0; j < whole; j++) {
        if (j >= self->num_listed || twin_room(self, order[j]) < self->gpus_per_node) {
            return;
        }
    }
    if (rest > 0 && (whole >= self->num_listed || twin_room(self, order[whole]) < rest)) {
        return;
    }
    twin_grab_in_order(self, job, order, num_gpus);
}

static bool twin_take(twin_t *self, int32_t job_id, spot_placer_t placer, int32_t num_gpus)
{
    twin_job_t *job = &self->jobs[job_id];
    int32_t order[MAX_NODES], num_free = 0;

    for (int32_t j = 0; j < self->num_listed; j++) {
        num_free += twin_room(self, self->list[j]);
    }
    job->num_places = 0;
    if (num_free < num_gpus) {
        return false;
    }
    if (placer == SPOT_PLACER_RANDOM) {
        twin_grab_in_order(self, job, self->list, num_gpus);
        return true;
    }
    twin_consolidate(self, job, num_gpus);
    if (job->num_places == 0 && placer == SPOT_PLACER_CONSOLIDATE_FIRST) {
        twin_sort(self, order);
        twin_grab_in_order(self, job, order, num_gpus);
    }
    return job->num_places > 0;
}

/* Gives back the places from the first one on that are on a node (-1: any). */
static void twin_give(twin_t *self, int32_t job_id, int32_t first, int32_t node_id)
{
    twin_job_t *job = &self->jobs[job_id];
    int32_t num_kept = 0;

    for (int32_t j = 0; j < job->num_places; j++) {
        const place_t place = job->places[j];

        if (j >= first && (node_id < 0 || place.node_id == node_id)) {
            self->holders[place.node_id][place.gpu]--;
        } else {
            job->places[num_kept++] = place;
        }
    }
    job->num_places = num_kept;
}

/* ---- Comparison ---- */

/* Whether a job holds the same GPUs, node by node in the same order. */
static void assert_same_job(const spot_gpu_nodes_t *nodes, int32_t part, const twin_job_t *job)
{
    int32_t num_done = 0;

    for (; part >= 0; part = nodes->parts[part].next) {
        const spot_gpu_part_t *at = &nodes->parts[part];

        for (int32_t j = 0; j < nodes->gpus_per_node; j++) {
            if ((at->gpus >> j & 1) != 0) {
                assert_true(num_done < job->num_places);
                assert_int_equal(job->places[num_done].node_id, at->node_id);
                assert_int_equal(job->places[num_done].gpu, j);
                num_done++;
            }
        }
    }
    assert_int_equal(num_done, job->num_places);
}

static void assert_same(const spot_gpu_nodes_t *nodes, const int32_t *parts, const twin_t *twin)
{
    spot_gpu_nodes_verify(nodes);
    assert_int_equal(nodes->num_listed, twin->num_listed);
    for (int32_t j = 0; j < twin->num_listed; j++) {
        const int32_t node_id = twin->list[j];

        assert_int_equal(nodes->list[j], node_id);
        for (int32_t k = 0; k < twin->gpus_per_node; k++) {
            const spot_gpu_node_t *node = &nodes->nodes[node_id];
            const int32_t num_jobs = twin->holders[node_id][k];

            assert_int_equal(node->free >> k & 1, num_jobs == 0);
            assert_int_equal(node->shared >> k & 1, num_jobs == 2);
        }
    }
    for (int32_t j = 0; j < MAX_JOBS; j++) {
        assert_same_job(nodes, parts[j], &twin->jobs[j]);
    }
}

/* ---- Random histories ---- */

typedef struct {
    spot_gpu_nodes_t nodes;
    twin_t twin;
    int32_t parts[MAX_JOBS];    /* -1: the job does not run */
    int32_t partners[MAX_JOBS]; /* it shares all its GPUs with; -1: none */
    spot_rng_t rng;
} history_t;

static int32_t draw(history_t *self, int32_t limit)
{
    return (int32_t) (spot_rng_bits(&self->rng) % (uint64_t) limit);
}

static void end_job(history_t *self, int32_t job)
{
    spot_gpu_nodes_give(&self->nodes, self->parts[job]);
    twin_give(&self->twin, job, 0, -1);
    self->parts[job] = -1;
    if (self->partners[job] >= 0) {
        self->partners[self->partners[job]] = -1;
        self->partners[job] = -1;
    }
}

static void start_job(history_t *self, int32_t job)
{
    const spot_placer_t placer = (spot_placer_t) draw(self, SPOT_NUM_PLACERS);
    const int32_t num_gpus = 1 + draw(self, 3 * self->nodes.gpus_per_node);

    self->parts[job] = spot_gpu_nodes_take(&self->nodes, placer, num_gpus);
    assert_int_equal(twin_take(&self->twin, job, placer, num_gpus), self->parts[job] >= 0);
}

static void share(history_t *self, int32_t guest, int32_t host)
{
    if (self->parts[guest] >= 0 || self->parts[host] < 0 || self->partners[host] >= 0) {
        return;
    }
    self->parts[guest] = spot_gpu_nodes_share(&self->nodes, self->parts[host]);
    assert_true(self->parts[guest] >= 0);
    self->partners[guest] = host;
    self->partners[host] = guest;
    self->twin.jobs[guest] = self->twin.jobs[host];
    for (int32_t j = 0; j < self->twin.jobs[host].num_places; j++) {
        const place_t *place = &self->twin.jobs[host].places[j];

        self->twin.holders[place->node_id][place->gpu]++;
    }
    assert_int_equal(spot_gpu_nodes_count_shared(&self->nodes, self->parts[host]),
        self->twin.jobs[host].num_places);
}

static void shrink(history_t *self, int32_t job)
{
    const int32_t held = self->twin.jobs[job].num_places;
    const int32_t left = held == 0 ? 0 : 1 + draw(self, held);

    if (self->parts[job] >= 0 && self->partners[job] < 0) {
        self->parts[job] = spot_gpu_nodes_shrink(&self->nodes, self->parts[job], left);
        twin_give(&self->twin, job, left, -1);
        assert_int_equal(spot_gpu_nodes_count(&self->nodes, self->parts[job]), left);
    }
}

static void move(history_t *self, int32_t job)
{
    const spot_placer_t placer = (spot_placer_t) draw(self, SPOT_NUM_PLACERS);
    const int32_t num_gpus = 1 + draw(self, 3 * self->nodes.gpus_per_node);
    const twin_job_t before = self->twin.jobs[job];
    int32_t moved;

    if (self->parts[job] < 0 || self->partners[job] >= 0) {
        return;
    }
    moved = spot_gpu_nodes_take_instead(&self->nodes, self->parts[job], placer, num_gpus);
    twin_give(&self->twin, job, 0, -1);
    if (twin_take(&self->twin, job, placer, num_gpus)) {
        assert_true(moved >= 0);
        spot_gpu_nodes_forget(&self->nodes, self->parts[job]);
        self->parts[job] = moved;
    } else {
        assert_int_equal(moved, -1);
        self->twin.jobs[job] = before;
        for (int32_t j = 0; j < before.num_places; j++) {
            self->twin.holders[before.places[j].node_id][before.places[j].gpu]++;
        }
    }
}

static void add_node(history_t *self)
{
    if (self->twin.num_listed < MAX_NODES && self->nodes.num_nodes < 1000) {
        self->twin.list[self->twin.num_listed++] = spot_gpu_nodes_add(&self->nodes, 0, 0, 0);
    }
}

/* A node closes, every job on it gives what it holds there, and it goes. */
static void lose_node(history_t *self)
{
    const int32_t place = self->twin.num_listed == 0 ? 0 : draw(self, self->twin.num_listed);
    const int32_t node_id = self->twin.list[place];

    if (self->twin.num_listed < 2) {
        return;
    }
    for (int32_t job = 0; job < MAX_JOBS; job++) {
        if (self->parts[job] >= 0) {
            self->parts[job] = spot_gpu_nodes_give_node(&self->nodes, self->parts[job], node_id);
            twin_give(&self->twin, job, 0, node_id);
        }
    }
    assert_true(spot_gpu_nodes_is_idle(&self->nodes, node_id));
    spot_gpu_nodes_remove(&self->nodes, node_id);
    self->twin.num_listed--;
    memmove(&self->twin.list[place], &self->twin.list[place + 1],
        (size_t) (self->twin.num_listed - place) * sizeof(int32_t));
}

static void run_history(history_t *self, uint64_t number, int32_t gpus_per_node)
{
    spot_rng_seek(&self->rng, 3, number, SPOT_STREAM_OWN, 0);
    spot_gpu_nodes_clear(&self->nodes, gpus_per_node);
    memset(&self->twin, 0, sizeof(self->twin));
    self->twin.gpus_per_node = gpus_per_node;
    memset(self->parts, -1, sizeof(self->parts));
    memset(self->partners, -1, sizeof(self->partners));
    for (int j = 0; j < 6; j++) {
        add_node(self);
    }
    for (int j = 0; j < 400; j++) {
        const int32_t job = draw(self, MAX_JOBS);
        const int32_t kind = draw(self, 40);

        if (kind == 0) {
            add_node(self);
        } else if (kind == 1) {
            lose_node(self);
        } else if (kind == 2 && self->twin.num_listed > 2) {
            const int32_t node_id = self->twin.list[draw(self, self->twin.num_listed)];

            spot_gpu_nodes_close(&self->nodes, node_id);
            self->twin.is_closed[node_id] = true;
        } else if (kind < 8) {
            share(self, job, draw(self, MAX_JOBS));
        } else if (kind < 12) {
            shrink(self, job);
        } else if (kind < 18) {
            move(self, job);
        } else if (self->parts[job] >= 0) {
            end_job(self, job);
        } else {
            start_job(self, job);
        }
        assert_same(&self->nodes, self->parts, &self->twin);
    }
}

static void test_random(void **state)
{
    static const int32_t sizes[] = {1, 2, 4, 8, 8, 8, 16, 64};
    static history_t history;

    (void) state;
    for (uint64_t j = 0; j < 400; j++) {
        run_history(&history, j, sizes[j % (sizeof(sizes) / sizeof(sizes[0]))]);
    }
    spot_gpu_nodes_free(&history.nodes);
}

/* ---- Cases ---- */

/* Nodes of 8 GPUs with so many in use, each by a job of its own. */
static void make_nodes(spot_gpu_nodes_t *self, size_t num_nodes, const int32_t *used)
{
    *self = (spot_gpu_nodes_t){0};
    spot_gpu_nodes_clear(self, 8);
    for (size_t j = 0; j < num_nodes; j++) {
        assert_int_equal(spot_gpu_nodes_add(self, -1, (int32_t) j, 0), (int32_t) j);
    }
    for (size_t j = 0; j < num_nodes; j++) {
        spot_gpu_node_t *node = &self->nodes[j];

        /* as a job of so many GPUs that was placed there */
        node->free &= ~((UINT64_C(1) << used[j]) - 1);
        self->num_free -= used[j];
        self->num_idle -= used[j];
    }
    spot_gpu_nodes_verify(self);
}

typedef struct {
    int32_t used[4];
    spot_placer_t placer;
    int32_t num_gpus;
    int32_t expected[4][2]; /* node and GPUs of each part; 0 GPUs: no more */
} placing_t;

static void test_placing(void **state)
{
    const spot_placer_t whole = SPOT_PLACER_CONSOLIDATE, any = SPOT_PLACER_RANDOM,
                        first = SPOT_PLACER_CONSOLIDATE_FIRST;
    const placing_t cases[] = {
        {{0, 0, 0, 0}, whole, 1, {{0, 1}}},
        {{0, 4, 6, 4}, whole, 2, {{2, 2}}},          /* the least room that is enough */
        {{0, 4, 6, 4}, whole, 3, {{1, 3}}},          /* the first of equals */
        {{6, 6, 6, 6}, whole, 3, {{0, 0}}},          /* 8 are free, on four nodes */
        {{8, 8, 8, 7}, whole, 2, {{0, 0}}},          /* too few */
        {{1, 0, 0, 1}, whole, 16, {{1, 8}, {2, 8}}}, /* whole nodes */
        {{1, 0, 0, 1}, whole, 17, {{1, 8}, {2, 8}, {0, 1}}},
        {{5, 0, 0, 4}, whole, 20, {{1, 8}, {2, 8}, {3, 4}}}, /* the freest has the rest */
        {{5, 0, 0, 5}, whole, 20, {{0, 0}}},
        {{0, 0, 4, 0}, whole, 12, {{0, 8}, {1, 4}}}, /* even a node that is free */
        {{8, 1, 1, 1}, whole, 9, {{0, 0}}},
        {{6, 5, 8, 0}, any, 7, {{0, 2}, {1, 3}, {3, 2}}},
        {{6, 5, 8, 0}, any, 14, {{0, 0}}},
        {{6, 5, 8, 0}, any, 2, {{0, 2}}},
        {{6, 5, 8, 0}, first, 7, {{3, 7}}},
        {{6, 5, 8, 2}, first, 7, {{3, 6}, {1, 1}}}, /* the freest first */
        {{4, 4, 4, 4}, first, 10, {{0, 4}, {1, 4}, {2, 2}}},
        {{8, 8, 8, 2}, first, 7, {{0, 0}}},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        spot_gpu_nodes_t nodes;
        int32_t part;
        size_t num_parts = 0;

        make_nodes(&nodes, 4, cases[j].used);
        part = spot_gpu_nodes_take(&nodes, cases[j].placer, cases[j].num_gpus);
        assert_int_equal(part >= 0, cases[j].expected[0][1] > 0);
        for (; part >= 0; part = nodes.parts[part].next, num_parts++) {
            const spot_gpu_part_t *at = &nodes.parts[part];
            const int32_t *expected = cases[j].expected[num_parts];
            const uint64_t low = ((UINT64_C(1) << expected[1]) - 1) << cases[j].used[expected[0]];

            assert_int_equal(at->node_id, expected[0]);
            assert_true(at->gpus == low); /* the lowest free ones */
        }
        assert_true(num_parts == 4 || cases[j].expected[num_parts][1] == 0);
        spot_gpu_nodes_verify(&nodes);
        spot_gpu_nodes_free(&nodes);
    }
}

/* A node that will go takes no job, but its jobs go on. */
static void test_closed(void **state)
{
    spot_gpu_nodes_t nodes;
    int32_t part;

    (void) state;
    make_nodes(&nodes, 2, (const int32_t[]){0, 0});
    part = spot_gpu_nodes_take(&nodes, SPOT_PLACER_CONSOLIDATE, 3);
    spot_gpu_nodes_close(&nodes, 0);
    assert_int_equal(nodes.num_free, 8);
    assert_int_equal(nodes.num_idle, 13);
    assert_int_equal(nodes.num_open, 1);
    assert_int_equal(spot_gpu_nodes_take(&nodes, SPOT_PLACER_RANDOM, 9), -1);
    spot_gpu_nodes_give(&nodes, part);
    assert_int_equal(nodes.num_free, 8);
    part = spot_gpu_nodes_take(&nodes, SPOT_PLACER_CONSOLIDATE, 1);
    assert_int_equal(nodes.parts[part].node_id, 1);
    spot_gpu_nodes_give(&nodes, part);
    spot_gpu_nodes_remove(&nodes, 0);
    spot_gpu_nodes_verify(&nodes);
    assert_int_equal(nodes.num_listed, 1);
    spot_gpu_nodes_free(&nodes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_placing),
        cmocka_unit_test(test_closed),
        cmocka_unit_test(test_random),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
