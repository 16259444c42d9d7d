/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The engine serve against its slow twin: random cases, equal to the last nanosecond. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/serve/serve_random.h"
#include "tests/unit/serve/serve_twin.h"
#include "tests/unit/serve/serve_verify.h"

#define NUM_CASES (12000 / SPOT_FEWER)
#define NUM_STEPPED 1500
#define NUM_WITHOUT_OUTAGES 3000

/* What a message says of a number that differs. */
typedef struct {
    const serve_case_t *serve;
    uint64_t seed;
    size_t stage_id;
} place_t;

static void check(const place_t *place, const char *what, int64_t number, int64_t expected)
{
    if (number != expected) {
        serve_random_print(place->serve, place->seed);
        fail_msg("case %" PRIu64 ", stage or query %zu, %s: %" PRId64
                 ", and the twin says %" PRId64,
            place->seed, place->stage_id, what, number, expected);
    }
}

static void check_stage(
    const place_t *place, const spot_serve_stage_t *stage, const twin_stage_t *twin)
{
    const spot_stage_result_t *result = &stage->result;

    check(place, "queries", result->queries, twin->queries);
    check(place, "batches", result->batches, twin->batches);
    check(place, "batches_cut", result->batches_cut, twin->batches_cut);
    check(place, "queue_max", result->queue_max, twin->queue_max);
    check(place, "queue_area_ns", result->queue_area_ns, twin->queue_area_ns);
    check(place, "seen", result->seen, twin->seen);
    check(place, "wait_sum_ns", result->wait_sum_ns, twin->wait_sum_ns);
    check(place, "busy_ns", result->busy_ns, twin->busy_ns);
    check(place, "wasted_ns", result->wasted_ns, twin->wasted_ns);
    check(place, "fallback_launches", result->fallback_launches, twin->fallback_launches);
    for (int j = 0; j < 2; j++) {
        check(place, j == 0 ? "on_demand_ns" : "spot_ns", result->paid_ns[j], twin->paid_ns[j]);
        check(place, j == 0 ? "serving_ns" : "spot_serving_ns", result->serving_ns[j],
            twin->serving_ns[j]);
    }
    for (int64_t j = 0; j <= stage->option.batch; j++) {
        check(place, "histogram", stage->histogram[j], twin->histogram[j]);
    }
    check(place, "tries_max", result->tries_max, twin->tries_max);
}

static void check_stamps(const place_t *place, const spot_serve_stage_t *stage,
    const twin_stage_t *twin, size_t num_queries)
{
    const spot_stage_stamps_t *stamps = &stage->stamps;

    for (size_t j = 0; j < num_queries; j++) {
        const twin_stamp_t *stamp = &twin->stamps[j];

        if (stage->can_be_cut) {
            check(place, "first_dequeue_ns", stamps->first_dequeue_ns[j], stamp->first_dequeue_ns);
            check(place, "tries", stamps->tries[j], stamp->tries);
        }
        check(place, "dequeue_ns", stamps->dequeue_ns[j], stamp->dequeue_ns);
        check(place, "done_ns", stamps->done_ns[j], stamp->done_ns);
        if (stamp->enqueue_ns >= 0) {
            check(place, "enqueue_ns", stamps->enqueue_ns[j], stamp->enqueue_ns);
        }
        if (stamp->dequeue_ns >= 0) {
            check(place, "batch", stamps->batch[j], stamp->batch);
            check(place, "replica", stamps->replica[j], stamp->replica);
        }
    }
}

static void check_run(place_t *place, const twin_t *twin, bool is_recorded)
{
    const spot_serve_t *serve = &place->serve->serve;
    const size_t num_queries = place->serve->num_arrivals;

    for (place->stage_id = 0; place->stage_id < num_queries; place->stage_id++) {
        check(place, "sink_ns", serve->sink_ns[place->stage_id], twin->sink_ns[place->stage_id]);
    }
    check(place, "end_ns", serve->end_ns, twin->end_ns);
    for (size_t j = 0; j < serve->num_stages; j++) {
        place->stage_id = j;
        check_stage(place, &serve->stages[j], &twin->stages[j]);
        if (is_recorded) {
            check_stamps(place, &serve->stages[j], &twin->stages[j], num_queries);
        }
    }
    for (size_t j = 0; j < serve->num_nodes; j++) {
        if (place->serve->pipeline.nodes[j].stage_id >= 0) {
            continue;
        }
        check(place, "join max_waiting", serve->joins[j].max_waiting, twin->joins[j].max_waiting);
        check(place, "join num_waiting", serve->joins[j].num_waiting, twin->joins[j].num_waiting);
        for (size_t k = 0; k < num_queries && is_recorded; k++) {
            check(place, "join_ns", serve->joins[j].join_ns[k], twin->joins[j].join_ns[k]);
        }
    }
}

static void run_twin(twin_t *twin, twin_setting_t *setting, const serve_case_t *serve)
{
    *setting = (twin_setting_t){.pipeline = &serve->pipeline,
        .rent = &serve->rent,
        .plans = serve->plans,
        .num_queries = (int32_t) serve->num_arrivals,
        .source_ns = serve->arrivals,
        .num_outages = serve->outage_setting.file.num_rows,
        .outages = serve->outage_setting.file.rows};
    twin_run(twin, setting);
}

/* What the cases have met. */
typedef struct {
    int64_t lost, unfinished, cut, launches, retries, joined_late, drained, by_delay;
} tally_t;

static void count(tally_t *self, const serve_case_t *serve, const twin_t *twin)
{
    for (size_t j = 0; j < serve->num_arrivals; j++) {
        self->lost += twin->sink_ns[j] == SPOT_QUERY_LOST;
        self->unfinished += twin->sink_ns[j] == SPOT_QUERY_UNFINISHED;
    }
    for (size_t j = 0; j < serve->pipeline.num_stages; j++) {
        const twin_stage_t *stage = &twin->stages[j];

        self->cut += stage->batches_cut;
        self->launches += stage->fallback_launches;
        self->retries += stage->retries;
        self->by_delay += serve->plans[j].option.delay_ns > 0 ? stage->batches : 0;
        for (int32_t k = 0; k < stage->num_slots; k++) {
            self->drained += stage->slots[k].state == TWIN_DRAINED;
        }
    }
    for (size_t j = 0; j < serve->pipeline.num_nodes; j++) {
        self->joined_late += twin->joins[j].max_waiting > 1;
    }
}

/* Of a run in which no query is lost or left behind. */
static void check_whole_run(const place_t *place)
{
    const spot_serve_t *serve = &place->serve->serve;

    for (size_t j = 0; j < serve->num_stages; j++) {
        const spot_serve_stage_t *stage = &serve->stages[j];
        const spot_service_time_t *time = stage->time;
        int64_t num_taken = 0, num_tries = 0, useful_ns = 0;

        for (int64_t k = 1; k <= stage->option.batch; k++) {
            num_taken += k * stage->histogram[k];
        }
        for (size_t k = 0; k < place->serve->num_arrivals; k++) {
            num_tries += stage->can_be_cut ? stage->stamps.tries[k] : 1;
        }
        for (size_t k = 0; k < serve->num_records; k++) {
            const spot_serve_record_t *record = &serve->records[k];

            useful_ns += record->stage_id == (int16_t) j && record->kind == SPOT_SERVE_RETURN
                             ? time->busy_ns[record->value]
                             : 0;
        }
        for (int32_t k = 0; k < stage->num_slots; k++) {
            useful_ns +=
                stage->slots[k].state == SPOT_SLOT_BUSY ? time->busy_ns[stage->slots[k].size] : 0;
        }
        check(place, "queries of batches", num_taken, num_tries);
        check(place, "useful and wasted time", stage->result.busy_ns,
            useful_ns + stage->result.wasted_ns);
    }
    for (size_t j = 0; j < serve->num_nodes; j++) {
        check(place, "queries at a join", serve->joins[j].num_waiting, 0);
    }
}

static void test_random_cases(void **state)
{
    tally_t tally = {0};

    (void) state;
    for (uint64_t seed = 1; seed <= NUM_CASES; seed++) {
        serve_case_t serve;
        place_t place = {.serve = &serve, .seed = seed};
        twin_setting_t setting;
        twin_t twin;

        serve_random_open(&serve, seed);
        run_twin(&twin, &setting, &serve);
        for (int j = 0; j < 3; j++) { /* the last one in memory of the others */
            serve_case_run(&serve, j != 1);
            check_run(&place, &twin, j != 1);
        }
        if (serve.serve.num_sunk == serve.num_arrivals) {
            check_whole_run(&place);
        }
        if (serve.rent.in_flight != SPOT_IN_FLIGHT_LOSE) {
            check(&place, "lost", (int64_t) serve.serve.num_lost, 0);
        }
        count(&tally, &serve, &twin);
        twin_free(&twin);
        serve_case_close(&serve);
    }
    assert_true(tally.lost > NUM_CASES / 10 && tally.unfinished > NUM_CASES / 20);
    assert_true(tally.cut > NUM_CASES / 4 && tally.retries > NUM_CASES / 4);
    assert_true(tally.launches > NUM_CASES / 4 && tally.joined_late > NUM_CASES / 2);
    assert_true(tally.drained > NUM_CASES / 100 && tally.by_delay > NUM_CASES);
}

/* One event per call, and all invariants after each. */
static void test_steps(void **state)
{
    const spot_replication_t replication = {.seed = 1};
    int64_t num_steps = 0;

    (void) state;
    for (uint64_t seed = 1; seed <= NUM_STEPPED; seed++) {
        serve_case_t serve;
        spot_serve_run_t run;

        serve_random_open(&serve, seed);
        serve_case_run(&serve, true);
        run = serve.serve.run;
        if (run.outages != NULL) {
            spot_outages_start(run.outages, replication.seed, replication.replication,
                run.source_ns[run.num_queries - 1]);
        }
        assert_int_equal(spot_serve_start(&serve.serve, &run, serve.plans), 0);
        do {
            serve_verify(&serve.serve);
            num_steps++;
        } while (serve.serve.num_left < run.num_queries && spot_serve_step(&serve.serve));
        serve_case_close(&serve);
    }
    assert_true(num_steps > 50 * NUM_STEPPED);
}

/* Spot replicas that are not taken away are on-demand ones at another price. */
static void test_no_outages(void **state)
{
    (void) state;
    for (uint64_t seed = 1; seed <= NUM_WITHOUT_OUTAGES; seed++) {
        serve_case_t serve;
        place_t place = {.serve = &serve, .seed = seed};
        twin_setting_t setting;
        twin_t twin;

        serve_random_open(&serve, seed);
        serve.outage_setting.file.num_rows = 0;
        serve_case_run(&serve, true);
        for (size_t j = 0; j < serve.pipeline.num_stages; j++) {
            spot_stage_option_t *option = &serve.plans[j].option;
            spot_stage_result_t *result = &serve.serve.stages[j].result;

            option->replicas += option->overprovision;
            option->market = SPOT_MARKET_ON_DEMAND;
            for (int k = 0; k < 2; k++) {
                int64_t *ns = k == 0 ? result->paid_ns : result->serving_ns;

                ns[0] += ns[1];
                ns[1] = 0;
            }
        }
        run_twin(&twin, &setting, &serve);
        check_run(&place, &twin, true);
        twin_free(&twin);
        serve_case_close(&serve);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_cases),
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_no_outages),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
