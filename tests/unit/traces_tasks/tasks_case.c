/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/traces_tasks/tasks_case.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "tests/unit/base/support.h"
#include "traces/tasks/task_log_read.h"

/* ---- Reading ---- */

static void analyse(tasks_case_t *self, const char *file, const spot_task_rules_t *rules)
{
    if (self->ret == 0 && self->log.is_markers) {
        self->ret =
            spot_task_markers_init(&self->markers, &self->log, rules->dup, file, &self->diag);
    } else if (self->ret == 0) {
        self->ret = spot_task_analysis_init(&self->analysis, &self->log, rules, file, &self->diag);
        if (self->ret == 0) {
            spot_task_analysis_warn(&self->analysis, &self->log, file, &self->diag);
        }
    }
}

/* Writes a text into the folder of tests, unless it is NULL. */
static const char *write_text(const char *text, const char *name, char path[PATH_BYTES])
{
    if (text == NULL) {
        return NULL;
    }
    test_path(name, path);
    write_file(path, text, strlen(text));
    return path;
}

void tasks_case_read(
    tasks_case_t *self, const char *text, size_t num_bytes, const tasks_options_t *options)
{
    static const tasks_options_t defaults = {.edges = NULL};
    const tasks_options_t *chosen = options == NULL ? &defaults : options;
    char log[PATH_BYTES], edges[PATH_BYTES], controller[PATH_BYTES];
    const spot_task_reading_t reading = {.edges_path = write_text(chosen->edges, "edges", edges),
        .controller_path = write_text(chosen->controller, "controller", controller),
        .names = chosen->names,
        .skips_bad = chosen->skips_bad};

    memset(self, 0, sizeof(*self));
    spot_diag_init(&self->diag);
    test_path("log", log);
    write_file(log, text, num_bytes);
    self->ret = spot_task_log_read(&self->log, log, &reading, &self->diag);
    analyse(self, log, &chosen->rules);
    unlink(log);
    if (reading.edges_path != NULL) {
        unlink(edges);
    }
    if (reading.controller_path != NULL) {
        unlink(controller);
    }
}

void tasks_case_read_file(tasks_case_t *self, const char *path, const char *edges_path)
{
    const spot_task_reading_t reading = {.edges_path = edges_path};
    const spot_task_rules_t rules = {.dup = SPOT_DUP_FIRST};

    memset(self, 0, sizeof(*self));
    spot_diag_init(&self->diag);
    self->ret = spot_task_log_read(&self->log, path, &reading, &self->diag);
    analyse(self, path, &rules);
}

void tasks_case_free(tasks_case_t *self)
{
    spot_task_analysis_free(&self->analysis);
    spot_task_markers_free(&self->markers);
    spot_task_log_free(&self->log);
    spot_diag_free(&self->diag);
}

/* ---- Results ---- */

char *tasks_case_text(const tasks_case_t *self)
{
    char *text = NULL;
    size_t num_bytes = 0;
    FILE *out = open_memstream(&text, &num_bytes);
    spot_json_t json;

    assert_non_null(out);
    spot_json_init(&json, out, 1);
    if (self->log.is_markers) {
        spot_task_markers_json(&self->markers, &json);
    } else {
        spot_task_analysis_json(&self->analysis, &self->log, &json);
    }
    assert_int_equal(fclose(out), 0);
    return text;
}

/* Makes integers texts. */
static void quote_integers(json_t *value)
{
    spot_json_value_t *own = (spot_json_value_t *) (uintptr_t) value;

    if (value->kind == SPOT_JSON_WORD && strspn(value->text, "-0123456789") == value->num_bytes) {
        own->kind = SPOT_JSON_TEXT;
    }
    for (json_t *item = value->first; item != NULL; item = item->next) {
        quote_integers(item);
    }
}

json_t *tasks_parse(const char *text)
{
    json_t *json = json_parse(text);

    quote_integers(json);
    return json;
}

json_t *tasks_case_json(const tasks_case_t *self)
{
    char *text = tasks_case_text(self);
    json_t *json = tasks_parse(text);

    free(text);
    return json;
}

static bool is_near(double found, double expected, bool is_beta)
{
    return fabs(found - expected) <= (is_beta ? 1e-6 : 1e-12) * fabs(expected);
}

void assert_tasks_json(const char *path, json_t *found, json_t *expected)
{
    json_t *item, *other;
    char name[512];

    if (found == NULL) {
        fail_msg("%s is missing", path);
    } else if (json_is_number(expected)) {
        const bool is_beta = strlen(path) > 5 && strcmp(strrchr(path, '/'), "/beta") == 0;
        const double value = json_number(found);

        if (!is_near(value, json_number(expected), is_beta)) {
            fail_msg("%s: %.17g, expected %.17g", path, value, json_number(expected));
        }
    } else if (json_is_text(expected)) {
        if (!json_is_text(found) || strcmp(found->text, expected->text) != 0) {
            fail_msg("%s: %s, expected %s", path, found->text, expected->text);
        }
    } else if (json_is_word(expected, "null")) {
        assert_true(json_is_word(found, "null"));
    } else {
        assert_int_equal(found->kind, expected->kind);
        if (json_size(found) != json_size(expected)) {
            fail_msg("%s has %d members, expected %d", path, json_size(found), json_size(expected));
        }
        other = found->first;
        for (item = json_first(expected); item != NULL; item = item->next) {
            const bool is_object = json_is_object(expected);

            snprintf(name, sizeof(name), "%s/%s", path, is_object ? item->key : "[]");
            assert_tasks_json(name, is_object ? spot_json_member(found, item->key) : other, item);
            other = other->next;
        }
    }
}

const char *tasks_member(json_t *json, const char *path)
{
    static char number[40];
    char key[256];

    while (json != NULL && *path != '\0') {
        const size_t num_bytes = strcspn(path, "/");

        assert_true(num_bytes < sizeof(key));
        memcpy(key, path, num_bytes);
        key[num_bytes] = '\0';
        json = json_is_list(json) ? json_item(json, atoi(key)) : spot_json_member(json, key);
        path += num_bytes + (path[num_bytes] == '/');
    }
    if (json == NULL || json_is_word(json, "null")) {
        return json == NULL ? "missing" : "null";
    }
    if (json_is_text(json)) {
        return json->text;
    }
    assert_true(json_is_number(json));
    snprintf(number, sizeof(number), "%.9g", json_number(json));
    return number;
}

/* ---- Scripts ---- */

/* One event of a script as a line. */
static void put_event(FILE *out, const char *event, size_t num_bytes)
{
    static const char *const names[] = {"Planned", "Enqueued", "Started", "Loaded", "Finished"};
    char text[512], code[8], id[128], worker[64], at[32], mode[32] = "";
    const char *host = "fiab", *local = worker;
    char *colon;
    size_t stage;
    bool is_planned;

    assert_true(num_bytes < sizeof(text));
    memcpy(text, event, num_bytes);
    text[num_bytes] = '\0';
    assert_true(sscanf(text, "%7s %127s %63s %31s %31s", code, id, worker, at, mode) >= 4);
    stage = (size_t) (strchr("PESLF", code[1]) - "PESLF");
    is_planned = stage == 0;
    fprintf(out, "{\"action\": \"%s%s\", \"%s\": \"%s\", \"at\": %s",
        code[0] == 't' ? "task" : "transmit", names[stage], code[0] == 't' ? "task" : "dataset", id,
        at);
    if (mode[0] != '\0') {
        fprintf(out, ", \"mode\": \"%s\"", mode);
    }
    if (!is_planned) {
        colon = strrchr(worker, ':');
        if (colon != NULL) {
            *colon = '\0';
            host = worker;
            local = colon + 1;
        }
    }
    fprintf(
        out, ", \"host\": \"%s\", \"worker\": \"%s\"}\n", is_planned ? "controller" : host, local);
}

char *tasks_lines(const char *script)
{
    char *text = NULL;
    size_t num_bytes = 0;
    FILE *out = open_memstream(&text, &num_bytes);

    assert_non_null(out);
    while (*script != '\0') {
        const bool is_line = *script == '{';
        const size_t num = strcspn(script, is_line ? "\n" : ";");

        if (is_line) {
            fprintf(out, "%.*s\n", (int) num, script);
        } else if (*script != ' ' && *script != '\n') {
            put_event(out, script, num);
        } else {
            script++;
            continue;
        }
        script += num + (script[num] != '\0');
    }
    assert_int_equal(fclose(out), 0);
    return text;
}

json_t *tasks_results(const char *script, const tasks_options_t *options)
{
    char *text = tasks_lines(script);
    tasks_case_t self;
    json_t *json;

    tasks_case_read(&self, text, strlen(text), options);
    if (self.ret != 0) {
        spot_diag_print(&self.diag, stderr);
    }
    assert_int_equal(self.ret, 0);
    json = tasks_case_json(&self);
    tasks_case_free(&self);
    free(text);
    return json;
}

/* ---- Reports ---- */

void assert_tasks_report(const tasks_case_t *self, const char *expected)
{
    char path[PATH_BYTES], *text = NULL, *found;
    const size_t folder_bytes = (test_path("", path), strlen(path));
    size_t num_bytes = 0;
    FILE *out = open_memstream(&text, &num_bytes);

    assert_non_null(out);
    spot_diag_print(&self->diag, out);
    assert_int_equal(fclose(out), 0);
    while ((found = strstr(text, path)) != NULL) {
        memmove(found, found + folder_bytes, strlen(found + folder_bytes) + 1);
    }
    assert_string_equal(text, expected);
    free(text);
}
