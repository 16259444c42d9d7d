/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results that another implementation of the same rules has found, files of
 * ../shared/data/tasks, skipped without them; a log from a recipe; and what may not
 * change results: the order of lines, and the epoch of the clock. */
#include <string.h>

#include <sha256.h>

#include "tests/unit/base/support.h"
#include "tests/unit/traces_tasks/recipe.h"
#include "tests/unit/traces_tasks/tasks_case.h"

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    const size_t max_bytes = (size_t) 4 << 20;
    char *text = malloc(max_bytes);
    size_t num_bytes;

    assert_non_null(file);
    assert_non_null(text);
    num_bytes = fread(text, 1, max_bytes - 1, file);
    text[num_bytes] = '\0';
    fclose(file);
    return text;
}

static json_t *read_json(const char *path)
{
    char *text = read_text(path);
    json_t *json = tasks_parse(text);

    free(text);
    return json;
}

/* A log of ../shared against its file of results; part: of the found object, or NULL. */
static void check_file(
    const char *name, const char *edges, const char *expected_name, const char *part)
{
    char path[PATH_BYTES], edges_path[PATH_BYTES], expected_path[PATH_BYTES];
    json_t *found, *expected;
    tasks_case_t self;

    snprintf(path, sizeof(path), TASKS_DATA "%s", name);
    snprintf(edges_path, sizeof(edges_path), TASKS_DATA "%s", edges == NULL ? "" : edges);
    snprintf(expected_path, sizeof(expected_path), TASKS_DATA "%s", expected_name);
    need_data(path);
    tasks_case_read_file(&self, path, edges == NULL ? NULL : edges_path);
    assert_int_equal(self.ret, 0);
    assert_int_equal(self.diag.num_errors, 0);
    found = tasks_case_json(&self);
    expected = read_json(expected_path);
    if (part == NULL && !self.log.is_markers) {
        /* the files have no controller, and this one is empty */
        assert_int_equal(json_size(spot_json_member(found, "controller")), 0);
        json_remove(found, "controller");
    }
    assert_tasks_json(name, part == NULL ? found : spot_json_member(found, part), expected);
    json_delete(found);
    json_delete(expected);
    tasks_case_free(&self);
}

static void test_logs(void **state)
{
    (void) state;
    check_file("f1.jsonl", "edges.jsonl", "f1.expected.json", NULL);
    check_file("f4.jsonl", "edges.jsonl", "f4.expected.json", NULL);
    check_file("m2_2.jsonl", "edges.jsonl", "m2_2.expected.json", NULL);
}

static void test_formats(void **state)
{
    (void) state;
    check_file("m2_2.raw.txt", "edges.jsonl", "m2_2.expected.json", NULL);
    check_file("m2_2.controller.jsonl", NULL, "m2_2.controller.expected.json", "controller");
    check_file("m2_2.markers.txt", NULL, "m2_2.markers.expected.json", NULL);
}

static void check_compare(const char *second, const char *expected_name)
{
    char path[PATH_BYTES], *text = NULL;
    size_t num_bytes = 0;
    spot_task_comparison_t result;
    tasks_case_t cases[2];
    spot_json_t json;
    json_t *found, *expected;
    FILE *out;

    need_data(TASKS_DATA "f1.jsonl"); /* may not return */
    out = open_memstream(&text, &num_bytes);
    snprintf(path, sizeof(path), TASKS_DATA "%s", second);
    tasks_case_read_file(&cases[0], TASKS_DATA "f1.jsonl", NULL);
    tasks_case_read_file(&cases[1], path, NULL);
    const spot_task_run_t runs[] = {
        {"f1", &cases[0].log, &cases[0].analysis}, {second, &cases[1].log, &cases[1].analysis}};

    assert_int_equal(
        spot_task_comparison_init(&result, &runs[0], &runs[1], SPOT_SCOPE_MACHINE, &cases[0].diag),
        0);
    spot_json_init(&json, out, 0);
    spot_task_comparison_json(&result, &cases[0].log, &json);
    fclose(out);
    found = tasks_parse(text);
    snprintf(path, sizeof(path), TASKS_DATA "%s", expected_name);
    expected = read_json(path);
    assert_tasks_json(expected_name, found, expected);
    json_delete(found);
    json_delete(expected);
    free(text);
    spot_task_comparison_free(&result);
    tasks_case_free(&cases[0]);
    tasks_case_free(&cases[1]);
}

static void test_comparisons(void **state)
{
    (void) state;
    check_compare("f4.jsonl", "compare_f1_f4.expected.json");
    check_compare("m2_2.jsonl", "compare_f1_m2_2.expected.json");
}

/* ---- The recipe ---- */

static char *recipe(uint64_t num_tasks, size_t *num_bytes)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, num_bytes);

    assert_non_null(out);
    recipe_write(out, num_tasks);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void test_recipe(void **state)
{
    static const struct {
        uint64_t num_tasks;
        size_t num_bytes;
        const char *sha256, *lines, *total, *comm, *queue, *run, *local, *remote, *redundant,
            *transmits;
    } rows[] = {
        {64, 56874, "6420ce3a87f37a319a75918f9878ec73f18dc6fda6cd7b72dce267b6e8ffb223", "318",
            "5174058337", "52293366", "647048979", "4474715992", "1", "15", "missing", "402568027"},
        {1024, 1429274, "2dcb797d56e22be7f989a24514bd366c9da5c896f0decfae8cd46310d37a060e", "7754",
            "82162239417", "817723334", "10242821164", "71101694919", "123", "771", "82",
            "22777384183"}};

    (void) state;
    for (size_t j = 0; j < sizeof(rows) / sizeof(rows[0]); j++) {
        size_t num_bytes;
        char *text = recipe(rows[j].num_tasks, &num_bytes);
        char sha256[SHA256_DIGEST_STRING_LENGTH];
        tasks_case_t self;
        json_t *json;

        assert_int_equal(num_bytes, rows[j].num_bytes);
        SHA256Data((const uint8_t *) text, num_bytes, sha256);
        assert_string_equal(sha256, rows[j].sha256);
        tasks_case_read(&self, text, num_bytes, NULL);
        assert_int_equal(self.ret, 0);
        json = tasks_case_json(&self);
        assert_member(json, "log/lines", rows[j].lines);
        assert_member(json, "tasks/total/sum", rows[j].total);
        assert_member(json, "tasks/comm/sum", rows[j].comm);
        assert_member(json, "tasks/queue/sum", rows[j].queue);
        assert_member(json, "tasks/run/sum", rows[j].run);
        assert_member(json, "transmits/mode_counts/local", rows[j].local);
        assert_member(json, "transmits/mode_counts/remote", rows[j].remote);
        assert_member(json, "transmits/mode_counts/redundant", rows[j].redundant);
        assert_member(json, "transmits/total/sum", rows[j].transmits);
        json_delete(json);
        tasks_case_free(&self);
        free(text);
    }
}

static void test_recipe_expected(void **state)
{
    size_t num_bytes;
    tasks_case_t self;
    json_t *found, *expected;
    char *text;

    (void) state;
    need_data(TASKS_DATA "recipe_1024.expected.json");
    text = recipe(1024, &num_bytes);
    tasks_case_read(&self, text, num_bytes, NULL);
    found = tasks_case_json(&self);
    expected = read_json(TASKS_DATA "recipe_1024.expected.json");
    json_remove(found, "controller");
    json_remove(found, "graph"); /* the log has no edges */
    assert_tasks_json("recipe", found, expected);
    json_delete(found);
    json_delete(expected);
    tasks_case_free(&self);
    free(text);
}

/* ---- What may not matter ---- */

/* Retries, repeated events, edges, modes that differ, and lines of two hosts. */
static const char mixed[] =
    "tP a h0:w0 10; tE a h0:w0 20; tS a h0:w0 20; tP a h0:w0 50; tE a h0:w0 55;"
    "tS a h0:w0 60; tF a h0:w0 90; tF a h0:w0 91; tP b h1:w0 12; tE b h1:w0 15;"
    "tS b h1:w0 15; tL b h1:w0 18; tF b h1:w0 70; xP a h1:w0 95; xS a h1:w0 97 remote;"
    "xL a h1:w0 99 remote; xF a h1:w0 120 redundant; xP b h1:w1 75; xF b h1:w1 80 local;"
    "tP c(1):x h1:w0 100; tE c(1):x h1:w0 130; tS c(1):x h1:w0 140; tF c(1):x h1:w0 150;"
    "tP c(2):y h1:w1 76; tE c(2):y h1:w1 78; tS c(2):y h1:w1 81; tF c(2):y h1:w1 85;"
    "tS d h1:w1 84; tF d h1:w1 89;"
    "{\"action\": \"taskInputs\", \"task\": \"c(1):x\", \"inputs\": [\"a\", \"b\"]}\n"
    "{\"action\": \"taskInputs\", \"task\": \"c(2):y\", \"inputs\": [\"b\", \"q\"]}\n";

/* Lines of a text in another order, which the seed decides. */
static char *shuffle(const char *text, uint64_t seed)
{
    const size_t num_bytes = strlen(text);
    const char *lines[16384];
    char *shuffled = malloc(num_bytes + 1), *to = shuffled;
    size_t num = 0;

    assert_non_null(shuffled);
    for (const char *at = text; *at != '\0'; at = strchr(at, '\n') + 1) {
        assert_true(num < sizeof(lines) / sizeof(lines[0]));
        lines[num++] = at;
    }
    for (size_t j = num; j > 1; j--) {
        const size_t other = recipe_mix(seed * 65536 + j) % j;
        const char *line = lines[j - 1];

        lines[j - 1] = lines[other];
        lines[other] = line;
    }
    for (size_t j = 0; j < num; j++) {
        const size_t length = strcspn(lines[j], "\n") + 1;

        memcpy(to, lines[j], length);
        to += length;
    }
    *to = '\0';
    return shuffled;
}

/* The text of the results, with the number of conflicts taken out. */
static char *results(const char *text)
{
    tasks_case_t self;
    char *json;

    tasks_case_read(&self, text, strlen(text), NULL);
    assert_int_equal(self.ret, 0);
    self.analysis.mode_conflicts = 0;
    json = tasks_case_text(&self);
    tasks_case_free(&self);
    return json;
}

static void test_shuffled(void **state)
{
    size_t num_bytes;
    char *texts[] = {tasks_lines(mixed), recipe(256, &num_bytes)};

    (void) state;
    for (size_t j = 0; j < 2; j++) {
        char *expected = results(texts[j]);

        for (uint64_t seed = 0; seed < 20; seed++) {
            char *text = shuffle(texts[j], seed), *found = results(text);

            assert_string_equal(found, expected);
            free(text);
            free(found);
        }
        free(expected);
        free(texts[j]);
    }
}

/* A mode further down the file is the other one once lines have changed places. */
static void test_conflicts_of_order(void **state)
{
    static const char first[] = "xP a w 1; xS a w 2 remote; xF a w 5 redundant;";
    static const char second[] = "xF a w 5 redundant; xP a w 1; xS a w 2 remote;";
    const tasks_options_t last = {.rules = {.has_last_line = true}};
    json_t *json;

    (void) state;
    json = tasks_results(first, NULL);
    assert_member(json, "checks/mode_conflicts", "0");
    assert_member(json, "transmits/mode_counts/redundant", "1");
    json_delete(json);
    json = tasks_results(second, NULL);
    assert_member(json, "checks/mode_conflicts", "1");
    assert_member(json, "transmits/mode_counts/redundant", "1");
    json_delete(json);
    json = tasks_results(second, &last);
    assert_member(json, "checks/mode_conflicts", "1");
    assert_member(json, "transmits/mode_counts/remote", "1");
    assert_member(json, "transmits/mode_counts/redundant", "missing");
    json_delete(json);
}

/* A copy of a text whose stamps are later. */
static char *shift(const char *text, int64_t by)
{
    char *shifted = NULL;
    size_t num_bytes = 0;
    FILE *out = open_memstream(&shifted, &num_bytes);
    const char *at;

    assert_non_null(out);
    while ((at = strstr(text, "\"at\": ")) != NULL) {
        char *end;
        const int64_t stamp = strtoll(at + 6, &end, 10);

        fprintf(out, "%.*s%lld", (int) (at + 6 - text), text, (long long) (stamp + by));
        text = end;
    }
    fprintf(out, "%s", text);
    assert_int_equal(fclose(out), 0);
    return shifted;
}

static void test_shifted(void **state)
{
    size_t num_bytes;
    char *texts[] = {tasks_lines(mixed), recipe(256, &num_bytes)};

    (void) state;
    for (size_t j = 0; j < 2; j++) {
        char *text = shift(texts[j], INT64_C(1730000000000000000));
        json_t *logs[2];
        tasks_case_t cases[2];

        for (size_t k = 0; k < 2; k++) {
            tasks_case_read(
                &cases[k], k == 0 ? texts[j] : text, strlen(k == 0 ? texts[j] : text), NULL);
            assert_int_equal(cases[k].ret, 0);
        }
        assert_int_equal(cases[1].analysis.t0 - cases[0].analysis.t0, INT64_C(1730000000000000000));
        assert_int_equal(cases[1].analysis.t1 - cases[0].analysis.t1, INT64_C(1730000000000000000));
        for (size_t k = 0; k < 2; k++) {
            logs[k] = tasks_case_json(&cases[k]);
            json_remove(spot_json_member(logs[k], "log"), "t0");
            json_remove(spot_json_member(logs[k], "log"), "t1");
            tasks_case_free(&cases[k]);
        }
        assert_tasks_json("", logs[0], logs[1]);
        json_delete(logs[0]);
        json_delete(logs[1]);
        free(text);
        free(texts[j]);
    }
}

/* Sums of time close to the nanosecond. */
static void check_sums(const char *text, const char *edges)
{
    const tasks_options_t options = {.edges = edges};
    tasks_case_t self;
    const spot_task_analysis_t *analysis = &self.analysis;
    const spot_worker_times_t *times = &analysis->times;
    const spot_task_chain_t *chain = &analysis->graph.chain;
    int64_t last = INT64_MIN;

    tasks_case_read(&self, text, strlen(text), &options);
    assert_int_equal(self.ret, 0);
    for (size_t j = 0; j < self.log.num_workers; j++) {
        int64_t sum = 0;

        for (size_t k = 0; k < SPOT_NUM_IDLE; k++) {
            assert_true(times->workers[j].split[k] >= 0);
            sum += times->workers[j].split[k];
        }
        assert_int_equal(sum, analysis->makespan);
    }
    for (size_t j = 0; j <= self.log.num_hosts; j++) {
        const spot_concurrency_t *list = j == 0 ? &times->all : &times->hosts[j - 1];
        int64_t sum = 0;

        for (size_t k = 0; k < list->num_ns; k++) {
            sum += list->ns[k];
        }
        assert_int_equal(sum, analysis->makespan);
    }
    for (size_t j = 0; j < analysis->tasks.num_attempts; j++) {
        const spot_attempt_t *task = &analysis->tasks.attempts[j];

        if (spot_attempt_has(task, SPOT_TASK_FINISHED) && task->at[SPOT_TASK_FINISHED] > last) {
            last = task->at[SPOT_TASK_FINISHED];
        }
    }
    if (analysis->graph.has_edges) {
        assert_true(chain->total == last - analysis->t0);
        assert_true(chain->run + chain->queue + chain->comm + chain->inputs + chain->controller ==
                    chain->total);
    }
    tasks_case_free(&self);
}

static void test_sums(void **state)
{
    size_t num_bytes;
    char *texts[] = {tasks_lines(mixed), recipe(1024, &num_bytes)};

    (void) state;
    for (size_t j = 0; j < 2; j++) {
        check_sums(texts[j], NULL);
        free(texts[j]);
    }
}

static void test_sums_of_files(void **state)
{
    static const char *const names[] = {"f1.jsonl", "f4.jsonl", "m2_2.jsonl"};
    char *edges;

    (void) state;
    need_data(TASKS_DATA "edges.jsonl");
    edges = read_text(TASKS_DATA "edges.jsonl");
    for (size_t j = 0; j < 3; j++) {
        char path[PATH_BYTES], *text;

        snprintf(path, sizeof(path), TASKS_DATA "%s", names[j]);
        text = read_text(path);
        check_sums(text, edges);
        free(text);
    }
    free(edges);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_logs), cmocka_unit_test(test_formats),
        cmocka_unit_test(test_comparisons), cmocka_unit_test(test_recipe),
        cmocka_unit_test(test_recipe_expected), cmocka_unit_test(test_shuffled),
        cmocka_unit_test(test_conflicts_of_order), cmocka_unit_test(test_shifted),
        cmocka_unit_test(test_sums), cmocka_unit_test(test_sums_of_files)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
