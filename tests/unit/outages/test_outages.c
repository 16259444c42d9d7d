/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/base/support.h"
#include "traces/outages/outages.h"

#define S INT64_C(1000000000)
#define NEVER INT64_MAX
#define MAX_STAGES 3

/* A setting that is bound as a scenario binds it, for stages A, B and C. */
typedef struct {
    spot_outage_setting_t setting;
    spot_diag_t diag;
    spot_yaml_t document;
    spot_outages_t *outages;
    int error;
} case_t;

static const spot_field_t document_fields[] = {
    {SPOT_FIELDS(MAP, "preemptions", case_t, setting, spot_outage_fields, "", "outages")},
    {.name = NULL},
};

static void open_setting(case_t *self, const char *keys)
{
    static const char *const names[] = {"ResNet", "KSVM", "Inception"};
    char text[2048];
    spot_bind_t bind = {.diag = &self->diag};

    *self = (case_t){0};
    snprintf(text, sizeof(text), "preemptions: %s\n", keys);
    spot_diag_init(&self->diag);
    assert_int_equal(spot_yaml_parse(&self->document, "case", text, strlen(text), &self->diag), 0);
    self->error = spot_bind_document(document_fields, self->document.root, &self->diag, self);
    if (self->error == 0) {
        self->error = spot_outage_setting_open(&self->setting, &bind,
            spot_node_get(self->document.root, "preemptions"), MAX_STAGES, names);
    }
}

static void close_setting(case_t *self)
{
    spot_outages_delete(self->outages);
    spot_outage_setting_free(&self->setting);
    spot_yaml_free(&self->document);
    spot_diag_free(&self->diag);
}

/* Starts replication 3 for so many slots of the three stages. */
static void start(case_t *self, int32_t num_a, int32_t num_b, int32_t num_c, int64_t last_ns)
{
    const int32_t num_slots[MAX_STAGES] = {num_a, num_b, num_c};

    spot_outages_delete(self->outages);
    assert_int_equal(spot_outages_new(&self->outages, &self->setting, MAX_STAGES, num_slots), 0);
    spot_outages_start(self->outages, 17, 3, last_ns);
}

static void open_case(case_t *self, const char *keys)
{
    open_setting(self, keys);
    if (self->error != 0) {
        spot_diag_print(&self->diag, stderr);
        fail();
    }
}

static spot_outage_t at(case_t *self, size_t stage_id, int32_t slot, size_t k)
{
    const spot_outage_t *outage = spot_outages_at(self->outages, stage_id, slot, k);

    return outage == NULL ? (spot_outage_t){-1, -1, -1} : *outage;
}

/* The outages of a slot, in times of unit_ns: "2-5 7-". */
static void check_slot(
    case_t *self, size_t stage_id, int32_t slot, int64_t unit_ns, const char *expected)
{
    char text[512] = "";
    spot_outage_t outage;
    size_t num_bytes = 0;

    for (size_t k = 0; (outage = at(self, stage_id, slot, k)).order >= 0; k++) {
        const double from = (double) outage.preempted_ns / (double) unit_ns;
        const double to = (double) outage.ready_ns / (double) unit_ns;

        num_bytes += (size_t) snprintf(text + num_bytes, sizeof(text) - num_bytes,
            outage.ready_ns == NEVER ? "%s%.10g-" : "%s%.10g-%.10g", k > 0 ? " " : "", from, to);
    }
    assert_string_equal(text, expected);
}

/* ---- Files ---- */

static void open_file(case_t *self, const char *rows, char path[PATH_BYTES])
{
    char text[1024], keys[PATH_BYTES + 64];

    snprintf(text, sizeof(text), "node,slot,preempted_ns,ready_ns\n%s", rows);
    test_path("outages.csv", path);
    write_file(path, text, strlen(text));
    snprintf(keys, sizeof(keys), "{outages: %s}", path);
    open_setting(self, keys);
    remove(path);
}

static void test_file(void **state)
{
    char path[PATH_BYTES];
    case_t self;

    (void) state;
    open_file(&self,
        "KSVM,0,5,9\nResNet,1,3,4\nResNet,0,0,2\nResNet,1,4,\nResNet,2,1,2\n"
        "KSVM,0,9,11\n",
        path);
    assert_int_equal(self.error, 0);
    assert_int_equal(self.setting.kind, SPOT_OUTAGES_FILE);
    start(&self, 2, 1, 4, 100); /* slot 2 of ResNet is not there */
    check_slot(&self, 0, 0, 1, "0-2");
    check_slot(&self, 0, 1, 1, "3-4 4-");
    check_slot(&self, 1, 0, 1, "5-9 9-11");
    check_slot(&self, 2, 3, 1, "");
    /* by stage, then by row */
    assert_int_equal(at(&self, 0, 1, 0).order, 0);
    assert_int_equal(at(&self, 0, 0, 0).order, 1);
    assert_int_equal(at(&self, 0, 1, 1).order, 2);
    assert_int_equal(at(&self, 1, 0, 0).order, 3);
    assert_int_equal(spot_outages_error(self.outages, NEVER), 0);
    close_setting(&self);
}

static void check_bad_file(const char *rows, const char *line, const char *text)
{
    char path[PATH_BYTES], expected[PATH_BYTES + 256];
    case_t self;

    open_file(&self, rows, path);
    snprintf(expected, sizeof(expected), "%s:%s: %s\n", path, line, text);
    assert_int_equal(self.error, SPOT_ERR_BAD_INPUT);
    assert_report(&self.diag, expected);
    close_setting(&self);
}

static void test_bad_files(void **state)
{
    (void) state;
    check_bad_file("ResNet,1,1,45\nResNet,0,2,3\nResNet,1,40,50\n", "4:10",
        "slot 1 of ResNet: preempted at 40 before it is ready again at 45");
    check_bad_file("ResNet,1,1,\nResNet,1,40,50\n", "3:8",
        "slot 1 of ResNet never comes back, but has a later row");
    check_bad_file("Resnet,0,1,2\n", "2:1", "no stage 'Resnet' (did you mean 'ResNet'?)");
}

static void check_bad_keys(const char *keys, const char *text)
{
    char expected[512];
    case_t self;

    open_setting(&self, keys);
    snprintf(expected, sizeof(expected), "%s\n", text);
    assert_int_equal(self.error, SPOT_ERR_BAD_INPUT);
    assert_report(&self.diag, expected);
    close_setting(&self);
}

static void test_bad_keys(void **state)
{
    (void) state;
    check_bad_keys("{trace: {generator: chance, preempt_per_h: 0, add_per_h: 0, "
                   "initial: 1}}",
        "case:1:22: missing key \"preemptions.trace.capacity\"");
}

/* ---- Hazards ---- */

/* A mean within 4.5 standard errors of an exponential law, and its square as well. */
static void check_exponential(const double *values, size_t num_values, double mean_ns)
{
    double sum = 0, squares = 0, se;

    for (size_t j = 0; j < num_values; j++) {
        sum += values[j] / mean_ns;
        squares += values[j] / mean_ns * (values[j] / mean_ns);
    }
    se = 1 / sqrt((double) num_values);
    assert_true(fabs(sum / (double) num_values - 1) <= 4.5 * se);
    assert_true(fabs(squares / (double) num_values - 2) <= 4.5 * sqrt(20.0) * se);
    assert_true(se <= 0.01);
}

#define NUM_SLOTS 40
#define NUM_OUTAGES 500

static void test_hazard(void **state)
{
    static double ups[NUM_SLOTS * NUM_OUTAGES], outs[NUM_SLOTS * NUM_OUTAGES];
    case_t self;
    size_t n = 0;

    (void) state;
    open_case(&self, "{hazard: {mtbf: 2 h, recover: 10 min}, preparation: 60 s, load: 30 s}");
    assert_int_equal(self.setting.rent.preparation_ns + self.setting.rent.load_ns, 90 * S);
    start(&self, NUM_SLOTS / 2, 0, NUM_SLOTS / 2, 1);
    for (int32_t slot = 0; slot < NUM_SLOTS; slot++) {
        int64_t ready_ns = 0;

        for (size_t k = 0; k < NUM_OUTAGES; k++) {
            const spot_outage_t outage = at(&self, slot % 2 == 0 ? 0 : 2, slot / 2, k);

            ups[n] = (double) (outage.preempted_ns - ready_ns);
            outs[n++] = (double) (outage.ready_ns - outage.preempted_ns - 90 * S);
            assert_true(outage.preempted_ns > ready_ns);
            assert_true(outage.ready_ns > outage.preempted_ns + 90 * S);
            assert_int_equal(outage.order, slot / 2 + (slot % 2 == 0 ? 0 : NUM_SLOTS / 2));
            ready_ns = outage.ready_ns;
        }
    }
    check_exponential(ups, n, 7200e9);
    check_exponential(outs, n, 600e9);
    close_setting(&self);
}

/* Times are at least 1 ns, and lists end where time does. */
static void test_ends_of_time(void **state)
{
    case_t self;

    (void) state;
    open_case(&self, "{hazard: {mtbf: 1 ns, recover: 0 s}}");
    start(&self, 1, 0, 0, 1);
    for (size_t k = 0; k < 1000; k++) {
        const spot_outage_t outage = at(&self, 0, 0, k);

        assert_true(outage.ready_ns == outage.preempted_ns + 1);
        assert_true(k == 0 ? outage.preempted_ns >= 1
                           : outage.preempted_ns > at(&self, 0, 0, k - 1).ready_ns);
    }
    close_setting(&self);
    open_case(&self, "{hazard: {mtbf: 36000 d, recover: 36000 d}, load: 300 d}");
    start(&self, 50, 0, 0, 1);
    for (int32_t slot = 0; slot < 50; slot++) {
        size_t k = 0;

        while (at(&self, 0, slot, k).order >= 0) {
            assert_true(at(&self, 0, slot, k).preempted_ns > 0);
            assert_true(at(&self, 0, slot, k).preempted_ns < INT64_C(1) << 62);
            k++;
        }
        assert_true(k < 20);
    }
    close_setting(&self);
}

/* The list of a slot does not depend on the fleet, nor on the order of questions. */
static void test_other_fleets(void **state)
{
    case_t small, large;

    (void) state;
    open_case(&small, "{hazard: {mtbf: 1 h, recover: 10 min, zones: 2, zone_mtbf: 3 h, "
                      "zone_recover: 1 h}}");
    open_case(&large, "{hazard: {mtbf: 1 h, recover: 10 min, zones: 2, zone_mtbf: 3 h, "
                      "zone_recover: 1 h}}");
    start(&small, 2, 1, 3, 1);
    start(&large, 5, 4, 3, NEVER / 2);
    (void) at(&large, 0, 4, 70);
    for (size_t k = 60; k > 0; k--) {
        for (size_t stage_id = 0; stage_id < MAX_STAGES; stage_id++) {
            const spot_outage_t a = at(&small, stage_id, 0, 60 - k);
            const spot_outage_t b = at(&large, stage_id, 0, 60 - k);

            assert_int_equal(a.preempted_ns, b.preempted_ns);
            assert_int_equal(a.ready_ns, b.ready_ns);
            (void) at(&large, stage_id, 1, k);
        }
    }
    assert_true(at(&small, 0, 0, 0).preempted_ns != at(&small, 0, 1, 0).preempted_ns);
    assert_true(at(&small, 0, 0, 0).preempted_ns != at(&small, 1, 0, 0).preempted_ns);
    close_setting(&small);
    close_setting(&large);
}

/* Whether an outage of a slot covers an instant. */
static bool is_out(case_t *self, size_t stage_id, int32_t slot, int64_t time_ns)
{
    for (size_t k = 0;; k++) {
        const spot_outage_t outage = at(self, stage_id, slot, k);

        if (outage.order < 0 || outage.preempted_ns > time_ns) {
            return false;
        }
        if (outage.ready_ns > time_ns) {
            return true;
        }
    }
}

/* Slot i is out if its own process is, or that of zone i mod zones. */
static void test_zones(void **state)
{
    case_t both, own, zone;
    int num_own = 0, num_zone = 0;

    (void) state;
    open_case(&both, "{hazard: {mtbf: 1 h, recover: 10 min, zones: 2, zone_mtbf: 3 h, "
                     "zone_recover: 1 h}, load: 1 min}");
    open_case(&own, "{hazard: {mtbf: 1 h, recover: 10 min}, load: 1 min}");
    open_case(&zone, "{hazard: {mtbf: 36000 d, recover: 0 s, zones: 2, zone_mtbf: 3 h, "
                     "zone_recover: 1 h}, load: 1 min}");
    start(&both, 3, 2, 0, 1);
    start(&own, 3, 2, 0, 1);
    start(&zone, 3, 2, 0, 1);
    for (int32_t slot = 0; slot < 3; slot++) {
        for (int64_t j = 0; j < 2000; j++) {
            const int64_t time_ns = j * 97 * S;
            const bool is_own = is_out(&own, 0, slot, time_ns);
            const bool is_zone = is_out(&zone, 0, slot, time_ns);

            assert_int_equal(is_zone, is_out(&zone, 1, slot % 2, time_ns));
            assert_int_equal(is_out(&both, 0, slot, time_ns), is_own || is_zone);
            num_own += is_own && !is_zone;
            num_zone += is_zone && !is_own;
        }
        for (size_t k = 1; k < 100; k++) {
            assert_true(at(&both, 0, slot, k).preempted_ns >= at(&both, 0, slot, k - 1).ready_ns);
        }
    }
    assert_true(num_own > 300 && num_zone > 300);
    assert_int_equal(is_out(&zone, 0, 0, 5 * S), is_out(&zone, 0, 2, 5 * S));
    assert_true(at(&zone, 0, 0, 0).preempted_ns != at(&zone, 0, 1, 0).preempted_ns);
    close_setting(&both);
    close_setting(&own);
    close_setting(&zone);
}

/* ---- Traces ---- */

/* A case of a recorded trace in memory. */
static void open_trace(
    case_t *self, spot_trace_t *trace, const char *rows, int64_t preparation_s, int64_t load_s)
{
    char text[1024];

    *self = (case_t){0};
    snprintf(text, sizeof(text),
        "# spotsim-trace: 1\n# kind: named\n# capacity: unbounded\n# name: rows\n"
        "# start: unknown\n# resolution_s: 0.001\ntime_s,event,count,instances\n%s",
        rows);
    spot_diag_init(&self->diag);
    if (spot_trace_read_bytes(trace, "rows", text, strlen(text), true, &self->diag) != 0) {
        spot_diag_print(&self->diag, stderr);
        fail();
    }
    self->setting.kind = SPOT_OUTAGES_TRACE;
    self->setting.rent.preparation_ns = preparation_s * S;
    self->setting.rent.load_ns = load_s * S;
    assert_int_equal(spot_trace_model_of(&self->setting.trace, trace), 0);
}

static void test_trace(void **state)
{
    spot_trace_t trace;
    case_t self;

    (void) state;
    /* slots A0 A1 B0: i1 i2 i3, standby i4; then i5 */
    open_trace(&self, &trace,
        "0,init,4,i1 i2 i3 i4\n"
        "10,preempt,1,i2\n"    /* A1: i4 replaces it: 10 + load */
        "20,preempt,2,i1 i3\n" /* A0 and B0 are out */
        "25,add,1,i5\n"        /* A0, ready at 25 + 3 + 2 */
        "29,preempt,1,i5\n"    /* before it is ready: the outage of A0 goes on */
        "40,add,3,i6 i7 i8\n"  /* A0, B0, standby: 45 */
        "45,preempt,1,i6\n"    /* just ready: a new outage, i8 replaces it */
        "46,stop,1,i8\n"       /* before it is ready */
        "50,preempt,1,i7\n"
        "100,end,1,\n",
        3, 2);
    start(&self, 2, 1, 0, 60 * S);
    check_slot(&self, 0, 0, S, "20-45 45-");
    check_slot(&self, 0, 1, S, "10-12");
    check_slot(&self, 1, 0, S, "20-45 50-");
    /* in order of the trace */
    assert_int_equal(at(&self, 0, 1, 0).order, 0);
    assert_int_equal(at(&self, 0, 0, 0).order, 1);
    assert_int_equal(at(&self, 1, 0, 0).order, 2);
    assert_int_equal(at(&self, 0, 0, 1).order, 3);
    start(&self, 1, 0, 0, 60 * S);       /* three are standby */
    check_slot(&self, 0, 0, S, "20-22"); /* i3, then i4 */
    close_setting(&self);
    spot_trace_free(&trace);
}

/* Instances that come at time 0 serve at once; slots without one are out. */
static void test_trace_at_start(void **state)
{
    spot_trace_t trace;
    case_t self;

    (void) state;
    open_trace(&self, &trace,
        "0,init,2,a b\n0,preempt,1,a\n0,add,1,c\n5,add,1,d\n9,preempt,1,c\n"
        "9,add,1,e\n20,end,3,\n",
        0, 0);
    start(&self, 3, 1, 0, 60 * S);
    check_slot(&self, 0, 1, S, "");
    check_slot(&self, 0, 2, S, "0-5");
    check_slot(&self, 1, 0, S, "0-");
    assert_int_equal(at(&self, 0, 0, 0).preempted_ns, 9 * S); /* c, then e */
    assert_int_equal(at(&self, 0, 0, 0).ready_ns, 9 * S + 1);
    close_setting(&self);
    spot_trace_free(&trace);
}

/* A generator without an end: outages are asked for in any order, and a slot that gets
 * no instance is given up a year behind the last query. */
static void test_endless_trace(void **state)
{
    case_t self, other;
    const char *keys = "{trace: {generator: chance, capacity: 3, initial: 3, "
                       "preempt_per_h: 0.4, add_per_h: 0.5}, preparation: 1 min}";

    (void) state;
    open_case(&self, keys);
    open_case(&other, keys);
    start(&self, 2, 1, 0, 3600 * S);
    start(&other, 2, 1, 0, 3600 * S);
    (void) at(&other, 1, 0, 40);
    for (size_t k = 0; k < 40; k++) {
        const spot_outage_t a = at(&self, 0, 1, k), b = at(&other, 0, 1, k);

        assert_true(a.order >= 0);
        assert_int_equal(a.preempted_ns, b.preempted_ns);
        assert_int_equal(a.ready_ns, b.ready_ns);
        assert_true(k == 0 || a.preempted_ns >= at(&self, 0, 1, k - 1).ready_ns);
        assert_true(a.ready_ns > a.preempted_ns);
    }
    start(&self, 2, 2, 0, 3600 * S); /* a slot more than instances: it gets none */
    assert_int_equal(at(&self, 1, 1, 0).preempted_ns, 0);
    assert_int_equal(at(&self, 1, 1, 0).ready_ns, NEVER);
    close_setting(&self);
    close_setting(&other);
    open_case(&self, "{trace: {generator: chance, capacity: 2, initial: 2, "
                     "preempt_per_h: 0.5, add_per_h: 0}}");
    start(&self, 2, 0, 0, 3600 * S); /* nothing ever comes back */
    assert_true(at(&self, 0, 0, 0).preempted_ns > 0);
    assert_int_equal(at(&self, 0, 0, 0).ready_ns, NEVER);
    assert_int_equal(at(&self, 0, 0, 1).order, -1);
    close_setting(&self);
}

static void test_overdraw(void **state)
{
    case_t self;

    (void) state;
    open_case(&self, "{trace: {generator: seed, variant: loop, compat: [overdraw], "
                     "capacity: 4, initial: 3, tick_s: 5, "
                     "preemption: {per_minute: 1, count: {fixed: 2}}, "
                     "addition: {per_minute: 0, count: {fixed: 2}}}}");
    start(&self, 3, 0, 0, 60 * S);
    for (int32_t slot = 0; slot < 3; slot++) {
        while (at(&self, 0, slot, 0).order >= 0 && at(&self, 0, slot, 1).order >= 0) {
        }
    }
    assert_int_equal(spot_outages_error(self.outages, 0), 0);
    assert_int_equal(spot_outages_error(self.outages, NEVER), SPOT_ERR_OVERDRAW);
    close_setting(&self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_file),
        cmocka_unit_test(test_bad_files),
        cmocka_unit_test(test_bad_keys),
        cmocka_unit_test(test_hazard),
        cmocka_unit_test(test_ends_of_time),
        cmocka_unit_test(test_other_fleets),
        cmocka_unit_test(test_zones),
        cmocka_unit_test(test_trace),
        cmocka_unit_test(test_trace_at_start),
        cmocka_unit_test(test_endless_trace),
        cmocka_unit_test(test_overdraw),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
