/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random tables bound from random documents. A value is drawn with what it means, and
 * written in YAML in one of many ways; what is then found in memory, walked by the same
 * table, must mean the same. Documents of one meaning have one canonical form, which is
 * a document of that meaning too. A fault at one place is one error that names the
 * place. */
#include <math.h>
#include <string.h>

#include "base/bind.h"
#include "base/canonical.h"
#include "base/rng.h"
#include "tests/unit/base/support.h"

enum { NUM_TABLES = 300, NUM_DOCUMENTS = 12, MAX_FIELDS = 5, MAX_DEPTH = 3, MAX_NEWS = 4000 };

static const char *const names[] = {"k0", "k1", "k2", "k3", "k4"};
static const char *const words[] = {"auto", "none", "back-to-back", NULL};
static const char *const texts[] = {
    "a", "7", "60 s", "a: b # c", "null", "x.y[0]", "\\", "\xc3\xa4", " b ", "{}"};
static const char *const keys[] = {"7", "[0]", "\\", "a", "a.b", "\xc3\xa4", "b c"};
enum { NUM_TEXTS = 10, NUM_KEYS = 7 };

/* What tables and their defaults are made of; freed at the end. */
static void *news[MAX_NEWS];
static size_t num_news;

static void *keep(void *memory)
{
    assert_non_null(memory);
    assert_true(num_news < MAX_NEWS);
    news[num_news++] = memory;
    return memory;
}

static void free_news(void)
{
    while (num_news > 0) {
        free(news[--num_news]);
    }
}

/* Values come from one stream, the ways to write them from another one. */
typedef struct {
    spot_rng_t values, ways;
    size_t num_leaves, bad_leaf; /* the leaf with the fault, from 1 on; 0: none has one */
    char path[512], bad_path[512];
} draw_t;

static size_t below(spot_rng_t *rng, size_t num)
{
    return (size_t) spot_rng_below(rng, num);
}

static void write_value(draw_t *self, const spot_field_t *field, FILE *yaml, FILE *meaning);

/* ---- Tables ---- */

static void make_field(spot_rng_t *rng, int depth, spot_field_t *field, size_t *end);

static spot_field_t *new_fields(size_t num)
{
    return keep(calloc(num + 1, sizeof(spot_field_t)));
}

static const spot_field_t *make_table(spot_rng_t *rng, int depth, size_t *end)
{
    const size_t num_fields = 1 + below(rng, MAX_FIELDS);
    spot_field_t *fields = new_fields(num_fields);

    for (size_t j = 0; j < num_fields; j++) {
        fields[j].name = names[j];
        make_field(rng, depth, &fields[j], end);
    }
    return fields;
}

/* An item on its own, from an offset on; returns its size. */
static size_t make_item(spot_rng_t *rng, int depth, spot_field_t *outer, size_t offset)
{
    spot_field_t *item = new_fields(1);

    make_field(rng, depth + 1, item, &offset);
    item->initial = NULL;
    outer->item = item;
    outer->item_size = offset;
    return offset;
}

static void make_dict(spot_rng_t *rng, int depth, spot_field_t *field)
{
    spot_field_t *key = new_fields(1);

    key->type = below(rng, 2) == 0 ? SPOT_FIELD_INTEGER : SPOT_FIELD_TEXT;
    key->min = 1;
    key->max = 1e6;
    field->key = key;
    (void) make_item(rng, depth, field, 8);
}

static void make_forms(spot_rng_t *rng, int depth, spot_field_t *field, size_t *end)
{
    spot_field_t *forms = new_fields(4);
    size_t inner = 8;

    forms[0] = (spot_field_t){
        .name = "", .type = SPOT_FIELD_CHOICE, .offset = SPOT_NOWHERE, .choices = words};
    forms[1] = (spot_field_t){.name = "", .type = SPOT_FIELD_DURATION, .offset = inner};
    inner += 8;
    forms[2].name = "file";
    make_field(rng, depth + 1, &forms[2], &inner);
    forms[2].initial = NULL;
    forms[3] = (spot_field_t){.name = "",
        .type = SPOT_FIELD_LIST,
        .offset = inner,
        .num_offset = inner + 8,
        .expected = "a list"};
    inner += 16;
    (void) make_item(rng, depth + 1, &forms[3], 0);
    field->fields = forms;
    field->has_form = true;
    field->form_offset = field->offset;
    *end += inner;
}

/* A default, with its meaning in help. */
static void make_default(spot_rng_t *rng, spot_field_t *field)
{
    draw_t draw = {.values = *rng, .ways = *rng};
    char *yaml, *meaning;
    size_t yaml_bytes, meaning_bytes;
    FILE *yaml_out = open_memstream(&yaml, &yaml_bytes);
    FILE *meaning_out = open_memstream(&meaning, &meaning_bytes);

    write_value(&draw, field, yaml_out, meaning_out);
    fclose(yaml_out);
    fclose(meaning_out);
    field->initial = keep(yaml);
    field->help = keep(meaning);
}

static void make_field(spot_rng_t *rng, int depth, spot_field_t *field, size_t *end)
{
    const size_t num_types = depth < MAX_DEPTH ? SPOT_FIELD_ONE_OF + 1 : SPOT_FIELD_MAP;

    field->type = (spot_field_type_t) below(rng, num_types);
    field->type = field->type == SPOT_FIELD_PATH ? SPOT_FIELD_TEXT : field->type;
    field->offset = *end;
    field->max = field->type < SPOT_FIELD_TEXT ? HUGE_VAL : 0;
    field->min = field->type < SPOT_FIELD_TEXT ? -1e15 : 0;
    field->expected = field->type > SPOT_FIELD_MAP ? "something else" : NULL;
    field->choices = field->type == SPOT_FIELD_CHOICE ? words : NULL;
    if (field->type == SPOT_FIELD_MAP) {
        size_t size = 0;

        field->fields = make_table(rng, depth + 1, &size);
        *end += size;
    } else if (field->type == SPOT_FIELD_LIST && below(rng, 3) == 0) {
        field->is_in_place = true;
        field->min = field->max = (double) (1 + below(rng, 3));
        *end += (size_t) field->max * make_item(rng, depth, field, 0);
    } else if (field->type == SPOT_FIELD_LIST || field->type == SPOT_FIELD_DICT) {
        field->num_offset = *end + 8;
        *end += 16;
        if (field->type == SPOT_FIELD_LIST) {
            (void) make_item(rng, depth, field, 0);
        } else {
            make_dict(rng, depth, field);
        }
    } else if (field->type == SPOT_FIELD_ONE_OF) {
        make_forms(rng, depth, field, end);
    } else {
        *end += 8;
    }
    if (below(rng, 3) == 0) {
        make_default(rng, field);
    }
}

/* ---- Values ---- */

static void write_quoted(const char *text, FILE *yaml)
{
    putc('"', yaml);
    for (; *text != '\0'; text++) {
        fputs(*text == '"' || *text == '\\' ? "\\" : "", yaml);
        putc(*text, yaml);
    }
    putc('"', yaml);
}

static void write_number(draw_t *self, const spot_field_t *field, FILE *yaml, FILE *meaning)
{
    const long long whole = (long long) below(&self->values, 4001) - 2000;
    const size_t way = below(&self->ways, 3);

    switch (field->type) {
        case SPOT_FIELD_INTEGER:
            fprintf(yaml, way == 0 && whole >= 0 ? "+%lld" : "%lld", whole);
            fprintf(meaning, "%lld", whole);
            break;
        case SPOT_FIELD_NUMBER:
            fprintf(yaml, way == 0 ? "%.17g" : way == 1 ? "%.3f" : "%.9e", (double) whole / 8);
            fprintf(meaning, "%.17g", (double) whole / 8);
            break;
        case SPOT_FIELD_PRICE:
            fprintf(yaml,
                way == 0   ? "%.3f"
                : way == 1 ? "%.17g USD/h"
                           : "\"%.4f USD/h\"",
                (double) whole / 8);
            fprintf(meaning, "%.17g", (double) whole / 8);
            break;
        case SPOT_FIELD_DURATION:
            fprintf(yaml,
                way == 0   ? "%.3f s"
                : way == 1 ? "\"%.3fs\""
                           : "%.3f s",
                (double) whole * 0.25);
            fprintf(meaning, "%lld", whole * 250);
            break;
        case SPOT_FIELD_DURATION_NS:
            fprintf(yaml, way == 0 ? "%lld us" : way == 1 ? "%lld000 ns" : "\"%lld.0us\"", whole);
            fprintf(meaning, "%lld", whole * 1000);
            break;
        case SPOT_FIELD_BYTES:
            if (way == 0) {
                fprintf(yaml, "%lld MiB", whole);
            } else {
                fprintf(yaml, way == 1 ? "%lld B" : "'%lld B'", whole * 1048576);
            }
            fprintf(meaning, "%lld", whole * 1048576);
            break;
        default:
            fprintf(yaml,
                way == 0   ? "%lld Mbit/s"
                : way == 1 ? "%lld000 kbit/s"
                           : "\"%lld.0 Mbit/s\"",
                whole);
            fprintf(meaning, "%.17g", (double) whole * 125000);
            break;
    }
}

static void write_scalar(draw_t *self, const spot_field_t *field, FILE *yaml, FILE *meaning)
{
    size_t id;

    if (++self->num_leaves == self->bad_leaf) {
        strcpy(self->bad_path, self->path);
        fputs("{}", yaml);
        return;
    }
    if (field->type == SPOT_FIELD_TEXT) {
        id = below(&self->values, NUM_TEXTS);
        write_quoted(texts[id], yaml);
        fprintf(meaning, "<%s>", texts[id]);
    } else if (field->type == SPOT_FIELD_CHOICE) {
        id = below(&self->values, 3);
        fprintf(yaml, below(&self->ways, 2) == 0 ? "%s" : "'%s'", words[id]);
        fprintf(meaning, "%zu", id);
    } else {
        write_number(self, field, yaml, meaning);
    }
}

/* One of the children of a value, at a path behind its own one. The texts of all are
 * gathered first. */
typedef struct {
    char *yaml[NUM_KEYS + 1];
    size_t num;
} children_t;

static void add_child(draw_t *self, children_t *children, const char *key, const char *step,
    const spot_field_t *field, FILE *meaning)
{
    const size_t length = strlen(self->path);
    size_t num_bytes;
    FILE *yaml = open_memstream(&children->yaml[children->num++], &num_bytes);

    snprintf(self->path + length, sizeof(self->path) - length, "%s", step);
    if (key != NULL) {
        write_quoted(key, yaml);
        fputs(": ", yaml);
    }
    write_value(self, field, yaml, meaning);
    self->path[length] = '\0';
    fclose(yaml);
}

/* In any order where it does not matter. */
static void close_children(draw_t *self, children_t *children, bool is_map, FILE *yaml)
{
    putc(is_map ? '{' : '[', yaml);
    while (children->num > 0) {
        const size_t id = is_map ? below(&self->ways, children->num) : 0;

        fputs(children->yaml[id], yaml);
        free(children->yaml[id]);
        children->num--;
        memmove(children->yaml + id, children->yaml + id + 1,
            (children->num - id) * sizeof(children->yaml[0]));
        fputs(children->num > 0 ? ", " : "", yaml);
    }
    putc(is_map ? '}' : ']', yaml);
}

static void write_map(draw_t *self, const spot_field_t *fields, FILE *yaml, FILE *meaning)
{
    children_t children = {.num = 0};
    char step[64];

    for (const spot_field_t *field = fields; field->name != NULL; field++) {
        const bool is_default = field->initial != NULL && below(&self->values, 2) == 0;

        fprintf(meaning, "%s=", field->name);
        snprintf(step, sizeof(step), "%s%s", self->path[0] == '\0' ? "" : ".", field->name);
        if (!is_default) {
            add_child(self, &children, field->name, step, field, meaning);
        } else {
            fputs(field->help, meaning);
            if (below(&self->ways, 2) == 0) {
                children.yaml[children.num] = malloc(strlen(field->initial) + 64);
                sprintf(children.yaml[children.num++], "%s: %s", field->name, field->initial);
            }
        }
        putc(';', meaning);
    }
    close_children(self, &children, true, yaml);
}

static void write_list(draw_t *self, const spot_field_t *field, FILE *yaml, FILE *meaning)
{
    const size_t num_items = field->is_in_place ? (size_t) field->max : below(&self->values, 4);
    children_t children = {.num = 0};
    char step[64];

    putc('[', meaning);
    for (size_t j = 0; j < num_items; j++) {
        snprintf(step, sizeof(step), "[%zu]", j);
        add_child(self, &children, NULL, step, field->item, meaning);
        putc(',', meaning);
    }
    putc(']', meaning);
    close_children(self, &children, false, yaml);
}

static void write_dict(draw_t *self, const spot_field_t *field, FILE *yaml, FILE *meaning)
{
    children_t children = {.num = 0};
    char key[64], step[80];

    putc('{', meaning);
    for (size_t j = 0; j < NUM_KEYS; j++) {
        if (below(&self->values, 3) > 0) {
            continue;
        }
        if (field->key->type == SPOT_FIELD_INTEGER) {
            snprintf(key, sizeof(key), "%zu", (j + 1) * 7);
        } else {
            strcpy(key, keys[j]);
        }
        fprintf(meaning, "%s:", key);
        snprintf(step, sizeof(step), ".%s", key);
        add_child(self, &children, key, step, field->item, meaning);
        putc(',', meaning);
    }
    putc('}', meaning);
    close_children(self, &children, true, yaml);
}

static void write_form(draw_t *self, const spot_field_t *field, FILE *yaml, FILE *meaning)
{
    const size_t id = below(&self->values, 4);
    children_t children = {.num = 0};

    fprintf(meaning, "%zu/", id);
    if (id == 0) { /* stored nowhere: which word it is does not show */
        fputs(words[0], yaml);
    } else if (id == 2) {
        add_child(self, &children, "file", ".file", &field->fields[id], meaning);
        close_children(self, &children, true, yaml);
    } else if (id == 1) {
        write_number(self, &field->fields[id], yaml, meaning);
    } else {
        write_value(self, &field->fields[id], yaml, meaning);
    }
}

static void write_value(draw_t *self, const spot_field_t *field, FILE *yaml, FILE *meaning)
{
    switch (field->type) {
        case SPOT_FIELD_MAP:
            write_map(self, field->fields, yaml, meaning);
            break;
        case SPOT_FIELD_LIST:
            write_list(self, field, yaml, meaning);
            break;
        case SPOT_FIELD_DICT:
            write_dict(self, field, yaml, meaning);
            break;
        case SPOT_FIELD_ONE_OF:
            write_form(self, field, yaml, meaning);
            break;
        default:
            write_scalar(self, field, yaml, meaning);
            break;
    }
}

/* ---- Memory ---- */

/* Tells what stands in memory, or frees it: out is NULL. */
static void tell(const spot_field_t *field, char *struct_at, FILE *out);

static void tell_items(const spot_field_t *field, char *items, size_t num_items, FILE *out)
{
    for (size_t j = 0; j < num_items; j++) {
        tell(field->item, items + j * field->item_size, out);
        if (out != NULL) {
            putc(',', out);
        }
    }
}

/* In the order of keys[], as those of canonical forms are in another one. */
static void tell_entries(const spot_field_t *field, char *items, size_t num_items, FILE *out)
{
    for (size_t k = 0; k < NUM_KEYS; k++) {
        for (size_t j = 0; j < num_items; j++) {
            char *item = items + j * field->item_size;

            if (field->key->type == SPOT_FIELD_INTEGER && k == j) {
                int64_t key;

                memcpy(&key, item, sizeof(key));
                if (out != NULL) {
                    fprintf(out, "%lld:", (long long) key);
                }
            } else if (field->key->type == SPOT_FIELD_TEXT &&
                       strcmp(*(char **) (void *) item, keys[k]) == 0) {
                if (out != NULL) {
                    fprintf(out, "%s:", keys[k]);
                }
            } else {
                continue;
            }
            tell(field->item, item, out);
            if (out != NULL) {
                putc(',', out);
            }
        }
    }
    for (size_t j = 0; out == NULL && j < num_items; j++) {
        if (field->key->type == SPOT_FIELD_TEXT) {
            free(*(char **) (void *) (items + j * field->item_size));
        }
    }
}

static void tell_many(const spot_field_t *field, char *struct_at, FILE *out)
{
    const bool is_list = field->type == SPOT_FIELD_LIST;
    char *items = struct_at + field->offset;
    size_t num_items = (size_t) field->max;

    if (!field->is_in_place) {
        memcpy(&items, struct_at + field->offset, sizeof(items));
        memcpy(&num_items, struct_at + field->num_offset, sizeof(num_items));
    }
    if (out != NULL) {
        putc(is_list ? '[' : '{', out);
    }
    (is_list ? tell_items : tell_entries)(field, items, num_items, out);
    if (out != NULL) {
        putc(is_list ? ']' : '}', out);
    } else if (!field->is_in_place) {
        free(items);
    }
}

static void tell_form(const spot_field_t *field, char *struct_at, FILE *out)
{
    int form_id;

    memcpy(&form_id, struct_at + field->form_offset, sizeof(form_id));
    assert_in_range(form_id, 0, 3);
    if (out != NULL) {
        fprintf(out, "%d/", form_id);
    }
    if (form_id > 0) {
        tell(&field->fields[form_id], struct_at + field->offset, out);
    }
}

static void tell_scalar(const spot_field_t *field, char *struct_at, FILE *out)
{
    char *text;
    int choice;
    int64_t whole;
    double real;

    memcpy(&text, struct_at + field->offset, sizeof(text));
    memcpy(&choice, struct_at + field->offset, sizeof(choice));
    memcpy(&whole, struct_at + field->offset, sizeof(whole));
    memcpy(&real, struct_at + field->offset, sizeof(real));
    if (out == NULL) {
        free(field->type == SPOT_FIELD_TEXT ? text : NULL);
    } else if (field->type == SPOT_FIELD_TEXT) {
        fprintf(out, "<%s>", text);
    } else if (field->type == SPOT_FIELD_CHOICE) {
        fprintf(out, "%d", choice);
    } else if (field->type == SPOT_FIELD_NUMBER || field->type == SPOT_FIELD_PRICE ||
               field->type == SPOT_FIELD_RATE) {
        fprintf(out, "%.17g", real);
    } else {
        fprintf(out, "%lld", (long long) whole);
    }
}

static void tell_map(const spot_field_t *fields, char *struct_at, FILE *out)
{
    for (const spot_field_t *field = fields; field->name != NULL; field++) {
        if (out != NULL) {
            fprintf(out, "%s=", field->name);
        }
        tell(field, struct_at, out);
        if (out != NULL) {
            putc(';', out);
        }
    }
}

static void tell(const spot_field_t *field, char *struct_at, FILE *out)
{
    if (field->type == SPOT_FIELD_MAP) {
        tell_map(field->fields, struct_at + field->offset, out);
    } else if (field->type == SPOT_FIELD_LIST || field->type == SPOT_FIELD_DICT) {
        tell_many(field, struct_at, out);
    } else if (field->type == SPOT_FIELD_ONE_OF) {
        tell_form(field, struct_at, out);
    } else {
        tell_scalar(field, struct_at, out);
    }
}

/* ---- The test ---- */

typedef struct {
    const spot_field_t *fields;
    size_t num_bytes; /* of the struct */
} table_t;

/* A document and its meaning; its num_leaves are in draw. The caller frees both. */
static void draw_document(draw_t *draw, const table_t *table, char **yaml, char **meaning)
{
    size_t yaml_bytes, meaning_bytes;
    FILE *yaml_out = open_memstream(yaml, &yaml_bytes);
    FILE *meaning_out = open_memstream(meaning, &meaning_bytes);

    write_map(draw, table->fields, yaml_out, meaning_out);
    fclose(yaml_out);
    fclose(meaning_out);
}

/* What a document means in memory, or NULL after an error. The caller frees it. */
static char *bound_meaning(const table_t *table, const char *yaml, spot_diag_t *diag)
{
    char *memory = calloc(1, table->num_bytes + 8), *meaning = NULL;
    spot_yaml_t document;
    size_t num_bytes;
    FILE *out;

    spot_diag_init(diag);
    assert_int_equal(spot_yaml_parse(&document, "f.yaml", yaml, strlen(yaml), diag), 0);
    if (spot_bind_document(table->fields, document.root, diag, memory) == 0) {
        out = open_memstream(&meaning, &num_bytes);
        tell_map(table->fields, memory, out);
        fclose(out);
    } else {
        assert_true(diag->num_errors > 0);
    }
    tell_map(table->fields, memory, NULL);
    spot_yaml_free(&document);
    free(memory);
    return meaning;
}

static char *canonical_text(const table_t *table, const char *yaml)
{
    spot_canonical_t list = {0};
    spot_yaml_t document;
    spot_diag_t diag;
    char *text;

    spot_diag_init(&diag);
    assert_int_equal(spot_yaml_parse(&document, "f.yaml", yaml, strlen(yaml), &diag), 0);
    assert_int_equal(spot_canonical_make(&list, table->fields, document.root, NULL), 0);
    text = spot_canonical_text(&list);
    assert_non_null(text);
    spot_canonical_free(&list);
    spot_yaml_free(&document);
    spot_diag_free(&diag);
    return text;
}

static void assert_means(const table_t *table, const char *yaml, const char *meaning)
{
    spot_diag_t diag;
    char *bound = bound_meaning(table, yaml, &diag);

    if (bound == NULL || strcmp(bound, meaning) != 0) {
        spot_diag_print(&diag, stderr);
        fail_msg("%s\nmeans %s\nnot   %s", yaml, bound, meaning);
    }
    free(bound);
    spot_diag_free(&diag);
}

/* The canonical text means the same, is its own canonical form, and reads back. */
static void assert_canonical(const table_t *table, const char *text, const char *meaning)
{
    char *again = canonical_text(table, text);
    spot_canonical_t list;
    spot_diag_t diag;

    assert_means(table, text, meaning);
    assert_string_equal(again, text);
    free(again);
    spot_diag_init(&diag);
    assert_int_equal(spot_canonical_parse(&list, "store", text, &diag), 0);
    again = spot_canonical_text(&list);
    assert_string_equal(again, text);
    free(again);
    spot_canonical_free(&list);
    spot_diag_free(&diag);
}

/* One leaf is an empty map: one error, at its path. */
static void assert_fault(draw_t *draw, const table_t *table)
{
    char expected[600], *yaml, *meaning;
    spot_diag_t diag;

    draw_document(draw, table, &yaml, &meaning);
    assert_null(bound_meaning(table, yaml, &diag));
    snprintf(expected, sizeof(expected), ": %s: expected ", draw->bad_path);
    if (diag.num_items != 1 || strstr(diag.items[0].text, expected) == NULL) {
        fail_msg("%s\n%s\n%s", yaml, expected, diag.items[0].text);
    }
    free(yaml);
    free(meaning);
    spot_diag_free(&diag);
}

static void check_document(const table_t *table, uint64_t id)
{
    char *yaml[2], *meaning[2], *text[2];
    size_t num_leaves = 0;

    for (size_t way = 0; way < 2; way++) {
        draw_t draw = {.bad_leaf = 0};

        spot_rng_seek(&draw.values, 2, id, SPOT_STREAM_TYPE, 0);
        spot_rng_seek(&draw.ways, 3, id, SPOT_STREAM_TYPE, way);
        draw_document(&draw, table, &yaml[way], &meaning[way]);
        num_leaves = draw.num_leaves;
        assert_means(table, yaml[way], meaning[way]);
        text[way] = canonical_text(table, yaml[way]);
        assert_canonical(table, text[way], meaning[way]);
    }
    assert_string_equal(meaning[0], meaning[1]);
    assert_string_equal(text[0], text[1]);
    if (num_leaves > 0) {
        draw_t draw = {.bad_leaf = 1 + id % num_leaves};

        spot_rng_seek(&draw.values, 2, id, SPOT_STREAM_TYPE, 0);
        spot_rng_seek(&draw.ways, 3, id, SPOT_STREAM_TYPE, 0);
        assert_fault(&draw, table);
    }
    for (size_t way = 0; way < 2; way++) {
        free(yaml[way]);
        free(meaning[way]);
        free(text[way]);
    }
}

static void test_random_tables(void **state)
{
    (void) state;
    for (uint64_t j = 0; j < NUM_TABLES; j++) {
        table_t table = {.num_bytes = 0};
        spot_rng_t rng;

        spot_rng_seek(&rng, 1, j, SPOT_STREAM_TYPE, 0);
        table.fields = make_table(&rng, 0, &table.num_bytes);
        for (uint64_t k = 0; k < NUM_DOCUMENTS; k++) {
            check_document(&table, j * NUM_DOCUMENTS + k);
        }
        free_news();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_tables),
    };

    return cmocka_run_group_tests_name("bind_random", tests, NULL, NULL);
}
