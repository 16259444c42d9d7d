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

/* Puts integers outside of texts into quotes. */
cJSON *tasks_parse(const char *text)
{
    char *quoted = malloc(3 * strlen(text) + 1), *to = quoted;
    cJSON *json;

    assert_non_null(quoted);
    while (*text != '\0') {
        const size_t num_bytes = strspn(text, "-+.eE0123456789");
        const size_t num_digits = strspn(text, "-0123456789");

        if (*text == '"') {
            do {
                *to++ = *text;
                if (*text == '\\') {
                    *to++ = *++text;
                }
                text++;
            } while (*text != '"');
            *to++ = *text++;
        } else if (isdigit((unsigned char) *text) || *text == '-') {
            const bool is_integer = num_bytes == num_digits;

            to += snprintf(
                to, num_bytes + 3, is_integer ? "\"%.*s\"" : "%.*s", (int) num_bytes, text);
            text += num_bytes;
        } else {
            *to++ = *text++;
        }
    }
    *to = '\0';
    json = cJSON_Parse(quoted);
    free(quoted);
    assert_non_null(json);
    return json;
}

cJSON *tasks_case_json(const tasks_case_t *self)
{
    char *text = tasks_case_text(self);
    cJSON *json = tasks_parse(text);

    free(text);
    return json;
}

static bool is_near(double found, double expected, bool is_beta)
{
    return fabs(found - expected) <= (is_beta ? 1e-6 : 1e-12) * fabs(expected);
}

void assert_tasks_json(const char *path, const cJSON *found, const cJSON *expected)
{
    const cJSON *item, *other;
    char name[512];

    if (found == NULL) {
        fail_msg("%s is missing", path);
    } else if (cJSON_IsNumber(expected)) {
        const bool is_beta = strlen(path) > 5 && strcmp(strrchr(path, '/'), "/beta") == 0;
        const double value =
            cJSON_IsString(found) ? strtod(found->valuestring, NULL) : found->valuedouble;

        if (!is_near(value, expected->valuedouble, is_beta)) {
            fail_msg("%s: %.17g, expected %.17g", path, value, expected->valuedouble);
        }
    } else if (cJSON_IsString(expected)) {
        if (!cJSON_IsString(found) || strcmp(found->valuestring, expected->valuestring) != 0) {
            char *text = cJSON_PrintUnformatted(found);

            fail_msg("%s: %s, expected %s", path, text, expected->valuestring);
        }
    } else if (cJSON_IsNull(expected)) {
        assert_true(cJSON_IsNull(found));
    } else {
        assert_int_equal(found->type, expected->type);
        if (cJSON_GetArraySize(found) != cJSON_GetArraySize(expected)) {
            fail_msg("%s has %d members, expected %d", path, cJSON_GetArraySize(found),
                cJSON_GetArraySize(expected));
        }
        other = found->child;
        cJSON_ArrayForEach(item, expected)
        {
            const bool is_object = cJSON_IsObject(expected);

            snprintf(name, sizeof(name), "%s/%s", path, is_object ? item->string : "[]");
            assert_tasks_json(name,
                is_object ? cJSON_GetObjectItemCaseSensitive(found, item->string) : other, item);
            other = other->next;
        }
    }
}

const char *tasks_member(const cJSON *json, const char *path)
{
    static char number[40];
    char key[256];

    while (json != NULL && *path != '\0') {
        const size_t num_bytes = strcspn(path, "/");

        assert_true(num_bytes < sizeof(key));
        memcpy(key, path, num_bytes);
        key[num_bytes] = '\0';
        json = cJSON_IsArray(json) ? cJSON_GetArrayItem(json, atoi(key))
                                   : cJSON_GetObjectItemCaseSensitive(json, key);
        path += num_bytes + (path[num_bytes] == '/');
    }
    if (json == NULL || cJSON_IsNull(json)) {
        return json == NULL ? "missing" : "null";
    }
    if (cJSON_IsString(json)) {
        return json->valuestring;
    }
    assert_true(cJSON_IsNumber(json));
    snprintf(number, sizeof(number), "%.9g", json->valuedouble);
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

cJSON *tasks_results(const char *script, const tasks_options_t *options)
{
    char *text = tasks_lines(script);
    tasks_case_t self;
    cJSON *json;

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
