/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records of EC2 in every layout in which commands and services of AWS write them, and
 * what the importers know of them. */
#include <string.h>

#include "base/memory.h"
#include "tests/unit/base/support.h"
#include "traces/convert/convert.h"
#include "traces/trace_write.h"

enum { FILE_BYTES = 262144 };

static const spot_convert_t plain = {.kind = -1, .window_ms = -1};

static void assert_rows(const char *format, size_t num_inputs, const spot_record_input_t *inputs,
    const char *expected, const char *remarks)
{
    static char rows[FILE_BYTES];
    char path[PATH_BYTES], list[512] = "";
    spot_convert_report_t report;
    spot_trace_t trace;
    spot_diag_t diag;
    FILE *stream;
    int ret;

    spot_diag_init(&diag);
    ret = spot_convert(&plain, num_inputs, inputs, &trace, &report, &diag);
    assert_report(&diag, "");
    assert_int_equal(ret, 0);
    assert_string_equal(report.format, format);
    test_path("aws.csv", path);
    assert_int_equal(spot_trace_write(&trace, path, &diag), 0);
    stream = fopen(path, "rb");
    assert_non_null(stream);
    rows[fread(rows, 1, sizeof(rows) - 1, stream)] = '\0';
    assert_int_equal(fclose(stream), 0);
    remove(path);
    assert_string_equal(strstr(rows, "time_s,event,count,instances\n") + 29, expected);
    for (size_t j = 0; j < report.num_remarks; j++) {
        if (report.remarks[j].count > 0) {
            snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%s %d",
                *list == '\0' ? "" : ", ", report.remarks[j].key, (int) report.remarks[j].count);
        }
    }
    assert_string_equal(list, remarks);
    spot_convert_report_free(&report);
    spot_trace_free(&trace);
    spot_diag_free(&diag);
}

/* ---- Events ---- */

#define EVENT(type, time, detail)                                                                  \
    "{\"version\": \"0\", \"detail-type\": \"" type "\", \"source\": \"aws.ec2\", "                \
    "\"time\": \"2024-06-03T" time "Z\", \"detail\": {\"instance-id\": " detail "}}"
#define STATE(time, name, state)                                                                   \
    EVENT("EC2 Instance State-change Notification", time, "\"" name "\", \"state\": \"" state "\"")
#define WARNING(time, name)                                                                        \
    EVENT("EC2 Spot Instance Interruption Warning", time,                                          \
        "\"" name "\", \"instance-action\": \"terminate\"")

static const char *const events[] = {
    STATE("10:00:00", "i-1", "running"),
    EVENT("EC2 Spot Instance Request Fulfillment", "10:00:00",
        "\"i-2\", \"spot-instance-request-id\": \"sir-1\""),
    STATE("10:05:00", "i-1", "stopping"),
    WARNING("10:08:00", "i-2"),
    STATE("10:10:00", "i-2", "shutting-down"),
};

enum { NUM_EVENTS = sizeof(events) / sizeof(events[0]) };

static const char event_rows[] =
    "0,init,2,i-1 i-2\n300,stop,1,i-1\n600,preempt,1,i-2\n600,end,0,\n";

/* The text as it stands within a JSON text, escaped so many times. */
static const char *escaped(spot_texts_t *texts, const char *text, int num_times)
{
    if (num_times == 0) {
        return text;
    }
    char *out = spot_texts_room(texts, 2 * strlen(text) + 1), *next = out;

    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\') {
            *next++ = '\\';
        }
        *next++ = *text;
    }
    return escaped(texts, out, num_times - 1);
}

static void assert_events(const char *head, const char *before, const char *behind,
    const char *between, const char *tail, int num_escapes, const char *remarks)
{
    spot_texts_t texts = {.open = NULL};
    const char *log = head;

    for (size_t j = 0; j < NUM_EVENTS; j++) {
        log = spot_texts_add(&texts, "%s%s%s%s%s", log, j == 0 ? "" : between, before,
            escaped(&texts, events[j], num_escapes), behind);
    }
    log = spot_texts_add(&texts, "%s%s", log, tail);
    assert_rows(
        "eventbridge", 1, &(spot_record_input_t){"x", log, strlen(log)}, event_rows, remarks);
    spot_texts_free(&texts);
}

static void test_layouts(void **state)
{
    static const char found[] = "notices 1, explained_by_notice 1, unknown_cause 1, initial 2";
    static const char found_more[] =
        "notices 1, explained_by_notice 1, unknown_cause 1, initial 2, other_records 1";

    (void) state;
    assert_events("", "", "", "\n", "\n", 0, found);
    assert_events("", "", "", "", "", 0, found); /* a bucket, by Firehose */
    assert_events("[\n", "", "", ",\n", "\n]\n", 0, found);
    assert_events("{\"Events\": [3]}\n", "", "", "\n", "\n", 0, found_more);
    /* `aws sqs receive-message`, of a queue and of a topic in a queue */
    assert_events(
        "{\"Messages\": [", "{\"MessageId\": \"1\", \"Body\": \"", "\"}", ",", "]}", 1, found);
    assert_events("{\"Messages\": [",
        "{\"Body\": \"{\\\"Type\\\": \\\"Notification\\\", \\\"Message\\\": \\\"", "\\\"}\"}", ",",
        "]}", 2, found);
    /* what a function gets of a queue */
    assert_events(
        "{\"Records\": [", "{\"messageId\": \"1\", \"body\": \"", "\"}", ",\n", "]}", 1, found);
    /* `aws logs filter-log-events`, `get-query-results`, a query's export */
    assert_events("{\"events\": [", "{\"timestamp\": 1, \"message\": \"", "\", \"eventId\": \"1\"}",
        ",", "], \"searchedLogStreams\": []}", 1, found);
    assert_events("{\"results\": [",
        "[{\"field\": \"@timestamp\", \"value\": \"2024-06-03 10:00:00.000\"}, "
        "{\"field\": \"@message\", \"value\": \"",
        "\"}, {\"field\": \"@ptr\", \"value\": \"Cg==\"}]", ",", "], \"status\": \"Complete\"}", 1,
        found);
    assert_events(
        "[", "{\"@timestamp\": \"2024-06-03\", \"@message\": \"", "\"}", ",", "]", 1, found);
    assert_events("[", "{\"@timestamp\": \"2024-06-03\", \"@message\": ", "}", ",", "]", 0, found);
    assert_events("", "{\"Body\": \"", "\"}", "\n", "{\"Body\": \"{}\"} {\"Body\": 3}", 1,
        "notices 1, explained_by_notice 1, unknown_cause 1, initial 2, other_records 2");
}

/* Records of several files, in any order. */
static void test_two_files(void **state)
{
    const spot_record_input_t inputs[] = {
        {"late", events[4], strlen(events[4])}, {"early", events[1], strlen(events[1])}};

    (void) state;
    assert_rows("eventbridge", 2, inputs, "0,init,1,i-2\n600,stop,1,i-2\n600,end,0,\n",
        "unknown_cause 1, initial 1");
}

/* ---- Lists ---- */

#define INSTANCE(name, launch, state, reason, more)                                                \
    "{\"InstanceId\": \"" name "\", \"LaunchTime\": \"2024-06-03T" launch                          \
    "+00:00\", \"State\": {\"Name\": \"" state "\"}, \"StateTransitionReason\": \"" reason         \
    "\"" more "}"
#define SPOT ", \"InstanceLifecycle\": \"spot\""
#define BECAUSE(code) SPOT ", \"StateReason\": {\"Code\": \"" code "\"}"
#define REQUEST(name, created, code, updated, state)                                               \
    "{\"SpotInstanceRequestId\": \"sir-1\", \"InstanceId\": \"" name                               \
    "\", \"CreateTime\": \"2024-06-03T" created "Z\", \"State\": \"" state                         \
    "\", \"Status\": {\"Code\": \"" code "\", \"UpdateTime\": \"2024-06-03T" updated ".000Z\"}}"

static void assert_list(const char *text, const char *rows, const char *remarks)
{
    assert_rows("ec2", 1, &(spot_record_input_t){"x", text, strlen(text)}, rows, remarks);
}

static void test_instances(void **state)
{
    (void) state;
    /* What --query leaves: lists of instances, lists of lists, one a line. */
    assert_list("[[" INSTANCE("i-1", "10:00:00", "running", "", SPOT) "],\n[" INSTANCE("i-2",
                    "10:01:00", "terminated", "Service initiated (2024-06-03 10:02:00 GMT)",
                    BECAUSE("Server.SpotInstanceTermination")) "]]",
        "0,init,1,i-1\n60,add,1,i-2\n120,preempt,1,i-2\n120,end,1,\n", "initial 1");
    /* The code of the reason, or its text where there is none. */
    assert_list(
        INSTANCE("i-1", "10:00:00", "stopping", "User initiated (2024-06-03 10:01:00 GMT)", SPOT)
            INSTANCE("i-2", "10:00:00", "stopped", "Service initiated (2024-06-03 10:02:00 GMT)",
                BECAUSE("Server.SpotInstanceShutdown")) "\n" INSTANCE("i-3", "10:00:00",
                "shutting-down", "Service initiated (2024-06-03 10:03:00 GMT)", SPOT)
                INSTANCE("i-4", "10:00:00", "terminated",
                    "User initiated (2024-06-03 10:04:00 GMT)", BECAUSE("Server.ScheduledStop"))
                    INSTANCE("i-5", "10:00:00", "terminated",
                        "User initiated (2024-06-03 10:05:00 GMT)", BECAUSE("Client.Novel")),
        "0,init,5,i-1 i-2 i-3 i-4 "
        "i-5\n60,stop,1,i-1\n120,preempt,1,i-2\n180,stop,1,i-3\n"
        "240,preempt,1,i-4\n300,stop,1,i-5\n300,end,0,\n",
        "unknown_cause 2, initial 5");
    /* On-demand instances are left out, unless all are. */
    assert_list("{\"Instances\": [" INSTANCE("i-1", "10:00:00", "running", "", "") "," INSTANCE(
                    "i-2", "10:01:00", "running", "", SPOT) "," INSTANCE("i-3", "10:02:00",
                    "running", "", SPOT) "]}",
        "0,init,1,i-2\n60,add,1,i-3\n60,end,2,\n", "initial 1, not_spot 1");
    assert_list("{\"Instances\": [" INSTANCE("i-1", "10:00:00", "running", "", "") "," INSTANCE(
                    "i-2", "10:01:00", "running", "", "") "]}",
        "0,init,1,i-1\n60,add,1,i-2\n60,end,2,\n", "initial 1");
    /* Listed again and again: i-2 ended between, but when is not known. */
    assert_list(INSTANCE("i-1", "10:00:00", "running", "", SPOT) INSTANCE(
                    "i-2", "10:01:00", "running", "", SPOT) INSTANCE("i-1", "10:00:00", "stopped",
                    "User initiated (2024-06-03 10:05:00 GMT)", SPOT) INSTANCE("i-2", "10:01:00",
                    "terminated", "", BECAUSE("Client.InstanceInitiatedShutdown")) INSTANCE("i-1",
                    "10:07:00", "running", "User initiated (2024-06-03 10:05:00 GMT)", SPOT),
        "0,init,1,i-1\n300,stop,1,i-1\n420,add,1,i-1\n420,end,1,\n",
        "initial 1, repeated 1, unknown_end 2");
}

static void test_requests(void **state)
{
    static const char both[] = "{\"SpotInstanceRequests\": [" REQUEST("i-1", "09:00:00",
        "instance-terminated-no-capacity", "10:05:01",
        "closed") "]}\n"
                  "{\"Reservations\": [{\"Instances\": [" INSTANCE("i-1", "10:00:00", "terminated",
                      "Service initiated (2024-06-03 10:05:00 GMT)", SPOT) "]}]}";

    (void) state;
    /* A request knows its end; when it was fulfilled, only while it is. */
    assert_list(REQUEST("i-1", "10:00:00", "fulfilled", "10:01:00", "active") REQUEST(
                    "i-2", "10:00:00", "instance-terminated-by-price", "10:05:00", "open")
                    REQUEST("i-1", "10:00:00", "instance-terminated-by-user", "10:06:00", "closed"),
        "0,init,1,i-2\n60,add,1,i-1\n300,preempt,1,i-2\n360,stop,1,i-1\n360,end,0,\n",
        "initial 1, assumed_start 1");
    assert_list(REQUEST("i-1", "10:00:00", "request-canceled-and-instance-running", "10:05:00",
                    "cancelled") REQUEST("i-2", "10:00:00", "marked-for-stop", "10:05:00", "active")
                    REQUEST("i-3", "10:00:00", "price-too-low", "10:06:00", "open") REQUEST("i-4",
                        "10:00:00", "instance-terminated-by-service", "10:07:00", "cancelled")
                        REQUEST("", "10:00:00", "fulfiled", "x", "active"),
        "0,init,4,i-1 i-2 i-3 i-4\n360,stop,1,i-3\n420,stop,1,i-4\n420,end,2,\n",
        "notices 1, notices_without_end 1, unknown_cause 2, initial 4, repeated 1, "
        "other_records 1, "
        "assumed_start 4, late_end 1");
    /* Both lists together: the launch of the one, the reason of the other. */
    assert_list(both, "0,init,1,i-1\n300,preempt,1,i-1\n301,end,0,\n", "initial 1, repeated 1");
    /* An instance that the provider took has no time of its end, its request has. It
     * counts for the life before only: i-2 started again and ended once more. */
    assert_list(
        INSTANCE("i-1", "10:00:00", "terminated", "", BECAUSE("Server.SpotInstanceTermination"))
            REQUEST("i-1", "09:00:00", "instance-terminated-no-capacity", "10:05:00", "closed")
                INSTANCE(
                    "i-2", "10:06:00", "terminated", "", BECAUSE("Server.SpotInstanceTermination"))
                    REQUEST("i-2", "09:00:00", "instance-stopped-no-capacity", "10:05:30", "open"),
        "0,init,1,i-1\n300,preempt,1,i-1\n300,end,0,\n", "initial 1, unknown_end 2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layouts),
        cmocka_unit_test(test_two_files),
        cmocka_unit_test(test_instances),
        cmocka_unit_test(test_requests),
    };

    return cmocka_run_group_tests_name("aws_logs", tests, NULL, NULL);
}
