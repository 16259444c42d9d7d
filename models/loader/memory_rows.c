/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/loader/memory_rows.h"

#include <cjson/cJSON.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/memory.h"
#include "models/loader/npy.h"

#define MAX_NESTING 16

/* UNSET: a free place of the memo. ANY: a value of no meaning. OBJECT: what a global
 * would make. */
enum { UNSET, ANY, MARK, TEXT, GLOBAL, OBJECT, TUPLE, LIST, DICT };

/* Small, as a file may have as many as bytes. */
typedef struct {
    unsigned char kind, depth; /* of a tuple */
    uint32_t id;               /* of a dictionary; of a text its offset; of a tuple: ends in list */
    uint32_t size;             /* of a text */
} value_t;

typedef struct {
    const char *bytes; /* [num_bytes] */
    size_t num_bytes, at, num_stack, num_memo, num_dicts;
    value_t *stack, *memo; /* [num_bytes] as each opcode makes a value at most */
    spot_memory_row_t *dicts;
    spot_memory_rows_t *rows; /* num_containers: the dictionary, up to the end */
    unsigned num_marks, num_lists;
    bool is_built, is_over;
} machine_t;

/* An opcode takes values of a kind from the stack, ALL: those above the mark, or pushes
 * one of that kind. */
enum { ALL = 255 };
enum { PROTO, FRAME, PUT, PUSH, GET, BYTES, FIND, JOIN, SET, ADD, CALL, BUILD, STOP };
typedef struct {
    unsigned char code, num_argument /* bytes */, num_values, action, kind;
} opcode_t;

static const opcode_t opcodes[] = {{0x80, 1, 0, PROTO, ANY}, {0x95, 8, 0, FRAME, ANY},
    {'q', 1, 0, PUT, ANY}, {'r', 4, 0, PUT, ANY}, {0x94, 0, 0, PUT, ANY}, {'h', 1, 0, GET, ANY},
    {'j', 4, 0, GET, ANY}, {'J', 4, 0, PUSH, ANY}, {'K', 1, 0, PUSH, ANY}, {'M', 2, 0, PUSH, ANY},
    {'N', 0, 0, PUSH, ANY}, {0x88, 0, 0, PUSH, ANY}, {0x89, 0, 0, PUSH, ANY},
    {'(', 0, 0, PUSH, MARK}, {']', 0, 0, PUSH, LIST}, {'}', 0, 0, PUSH, DICT},
    {'C', 1, 0, BYTES, ANY}, {'X', 4, 0, BYTES, TEXT}, {0x8c, 1, 0, BYTES, TEXT},
    {'c', 0, 0, FIND, GLOBAL}, {0x93, 0, 2, FIND, TEXT}, {0x85, 0, 1, JOIN, ANY},
    {0x87, 0, 3, JOIN, ANY}, {'t', 0, ALL, JOIN, ANY}, {'s', 0, 2, SET, TEXT},
    {'u', 0, ALL, SET, TEXT}, {'a', 0, 1, ADD, DICT}, {'e', 0, ALL, ADD, DICT},
    {'R', 0, 1, CALL, TUPLE}, {'b', 0, 1, BUILD, TUPLE}, {'.', 0, 1, STOP, OBJECT}};

/* The kind of what is below the values, and changes. UNSET: nothing does. */
static const unsigned char targets[] = {
    [SET] = DICT, [ADD] = LIST, [CALL] = GLOBAL, [BUILD] = OBJECT, [STOP] = UNSET};

static const char no_memory[] = "no memory", cut[] = "the file ends too early",
                  no_place[] = "no such place in the memo", deep[] = "nesting deeper than 16",
                  digits_only[] = "the bytes of a container must be decimal digits";

/* Adds a container to a row. Returns the problem, or NULL. */
static const char *add_container(spot_memory_row_t *row, const char *digits, size_t size)
{
    double value = 0;

    for (size_t j = 0; j < size; j++) {
        if (size > 18 || digits[j] < '0' || digits[j] > '9') {
            return digits_only;
        }
        value = value * 10 + (digits[j] - '0');
    }
    row->num_containers++;
    row->sum_bytes += value;
    return size > 0 ? NULL : digits_only;
}

/* Passes over a global in the file, or takes that of two texts. */
static const char *find_global(machine_t *self, const value_t *values, size_t num_values)
{
    static const char *const known[] = {"numpy.core.multiarray\n_reconstruct\n",
        "numpy._core.multiarray\n_reconstruct\n", "numpy\nndarray\n", "numpy\ndtype\n"};
    const char *text = self->bytes + self->at;
    size_t size = self->num_bytes - self->at;
    char both[64];

    if (num_values == 2) {
        text = both;
        size = (size_t) snprintf(both, sizeof(both), "%.*s\n%.*s\n",
            values[0].size < 30 ? (int) values[0].size : 0, self->bytes + values[0].id,
            values[1].size < 30 ? (int) values[1].size : 0, self->bytes + values[1].id);
    }
    for (size_t j = 0; j < sizeof(known) / sizeof(known[0]); j++) {
        const size_t length = strlen(known[j]);

        if ((num_values == 0 ? size >= length : size == length) &&
            memcmp(text, known[j], length) == 0) {
            self->at += num_values == 0 ? length : 0;
            return NULL;
        }
    }
    return "a global that no array of dictionaries needs";
}

static const char *put(machine_t *self, uint64_t index)
{
    if (self->num_stack == 0 || self->stack[self->num_stack - 1].kind == MARK ||
        index >= self->num_bytes) {
        return no_place;
    }
    self->memo[index] = self->stack[self->num_stack - 1];
    self->num_memo = index < self->num_memo ? self->num_memo : (size_t) index + 1;
    return NULL;
}

static value_t join(const value_t *items, size_t num)
{
    value_t tuple = {TUPLE, 1, 0, 0};

    for (size_t j = 0; j < num; j++) {
        if (items[j].depth >= tuple.depth) {
            tuple.depth = (unsigned char) (items[j].depth + 1);
        }
        tuple.id = items[j].kind == LIST;
    }
    return tuple;
}

/* Gives values to the dictionary or the list below them. */
static const char *give(machine_t *self, const value_t *values, size_t num, size_t place)
{
    const value_t *target = &self->stack[place - 1];
    const char *problem = target->kind == DICT && num % 2 != 0 ? digits_only : NULL;

    for (size_t j = 0; problem == NULL && j < num; j++) {
        const spot_memory_row_t row = {values[j].id, 0};

        if (target->kind == LIST) {
            problem = SPOT_ARRAY_APPEND(self->rows, rows, row) != 0 ? no_memory : NULL;
        } else if (j % 2 == 1) {
            problem =
                add_container(&self->dicts[target->id], self->bytes + values[j].id, values[j].size);
        }
    }
    self->num_stack = place;
    return problem;
}

/* Does what an opcode does to the values from first on, and to what is below place. Most
 * push a value in their place. */
static const char *act(
    machine_t *self, const opcode_t *opcode, uint64_t argument, size_t first, size_t place)
{
    const size_t num = self->num_stack - first, num_left = self->num_bytes - self->at;
    const value_t *values = self->stack + first;
    value_t value = {opcode->kind, 0, 0, 0};
    const char *problem = NULL;

    switch (opcode->action) {
        case PROTO:
            return argument < 2 || argument > 5 ? "expected protocol 2 to 5" : NULL;
        case FRAME:
            return argument > num_left ? cut : NULL;
        case PUT:
            return put(self, opcode->num_argument == 0 ? self->num_memo : argument);
        case SET:
        case ADD:
            return give(self, values, num, place);
        case STOP:
            self->is_over = true;
            return place > 0 || !self->is_built || num_left > 0
                       ? "expected the end of an array of dictionaries and of the file"
                       : NULL;
        case GET:
            value = self->memo[argument < self->num_bytes ? argument : 0];
            problem = argument >= self->num_memo || value.kind == UNSET ? no_place : NULL;
            break;
        case BYTES:
            problem = argument > num_left ? cut : NULL;
            value.id = (uint32_t) self->at;
            value.size = (uint32_t) argument;
            self->at += problem == NULL ? argument : 0;
            break;
        case FIND:
            problem = find_global(self, values, num);
            value.kind = GLOBAL;
            break;
        case JOIN:
            value = join(values, num);
            break;
        case CALL:
        case BUILD:
            self->is_built = opcode->action == BUILD && values[0].id != 0;
            value.kind = OBJECT;
            place--;
            break;
        default:
            value.id = (uint32_t) (value.kind == DICT ? self->num_dicts++ : 0);
            self->num_marks += value.kind == MARK;
            self->num_lists += value.kind == LIST;
    }
    self->stack[place] = value;
    self->num_stack = place + 1;
    return self->num_lists > 1                                          ? "a second list"
           : value.depth > MAX_NESTING || self->num_marks > MAX_NESTING ? deep
                                                                        : problem;
}

/* Runs the opcode at self->at. Returns the problem, or NULL. */
static const char *step(machine_t *self)
{
    const unsigned char code = (unsigned char) self->bytes[self->at++];
    const opcode_t *opcode = opcodes, *end = opcodes + sizeof(opcodes) / sizeof(*opcodes);
    size_t first = self->num_stack, place;
    uint64_t argument = 0;
    bool is_all;

    while (opcode < end && opcode->code != code) {
        opcode++;
    }
    if (opcode == end) {
        return "an opcode that no array of dictionaries needs";
    }
    if (self->num_bytes - self->at < opcode->num_argument) {
        return cut;
    }
    for (size_t j = opcode->num_argument; j-- > 0;) {
        argument = argument << 8 | (unsigned char) self->bytes[self->at + j];
    }
    self->at += opcode->num_argument;
    is_all = opcode->num_values == ALL;
    for (; first > 0 && self->stack[first - 1].kind != MARK &&
           (is_all || self->num_stack - first < opcode->num_values);
         first--) {
        if (opcode->kind != ANY && self->stack[first - 1].kind != opcode->kind) {
            return "a value of a type that no array of dictionaries has here";
        }
    }
    place = first - (is_all && first > 0);
    if ((is_all ? first == 0 : self->num_stack - first < opcode->num_values) ||
        (targets[opcode->action] != UNSET &&
            (place == 0 || self->stack[place - 1].kind != targets[opcode->action]))) {
        return "the values that it takes are not there";
    }
    self->num_marks -= is_all;
    return act(self, opcode, argument, first, place);
}

int spot_memory_rows_parse(spot_memory_rows_t *self, const char *bytes, size_t num_bytes,
    const char *path, spot_diag_t *diag)
{
    machine_t machine = {.bytes = bytes, .num_bytes = num_bytes, .rows = self};
    spot_arena_t memory = {0};
    spot_npy_header_t header;
    const char *problem = NULL;
    size_t at = 0;
    int ret = spot_npy_header_parse(&header, bytes, num_bytes, path, diag);

    spot_bug_assert(num_bytes <= SPOT_MEMORY_ROWS_MAX_BYTES);
    memset(self, 0, sizeof(*self));
    if (ret != 0 || strcmp(header.descr, "|O") != 0) {
        return ret != 0 ? ret
                        : spot_diag_error(diag, path, 0, 0, "byte 10: descr is '%s', expected '|O'",
                              header.descr);
    }
    SPOT_ARENA_ARRAY(&memory, machine.stack, num_bytes);
    SPOT_ARENA_ARRAY(&memory, machine.memo, num_bytes);
    SPOT_ARENA_ARRAY(&memory, machine.dicts, num_bytes);
    problem = memory.error != 0 ? no_memory : NULL;
    for (machine.at = header.num_bytes; problem == NULL && !machine.is_over;) {
        at = machine.at;
        problem = at == num_bytes ? cut : step(&machine);
    }
    if (problem == NULL && self->num_rows != header.num_entries) {
        problem = "as many dictionaries as the shape says are not there";
    }
    for (size_t j = 0; problem == NULL && j < self->num_rows; j++) {
        self->rows[j] = machine.dicts[self->rows[j].num_containers];
    }
    spot_arena_free(&memory);
    return problem == NULL ? 0
           : problem == no_memory
               ? SPOT_ERR_NO_MEMORY
               : spot_diag_error(diag, path, 0, 0, "byte %zu, opcode 0x%02x: %s", at,
                     at < num_bytes ? (unsigned char) bytes[at] : 0, problem);
}

/* Reads an object a line. */
static int read_lines(spot_memory_rows_t *self, const char *path, spot_diag_t *diag)
{
    spot_csv_t *csv = NULL;
    spot_csv_row_t line;
    int ret = spot_csv_open(&csv, path, diag);

    while (ret == 0 && (ret = spot_csv_next_line(csv, &line)) > 0) {
        cJSON *object = cJSON_ParseWithOpts(line.text, NULL, true), *item = NULL;
        const char *problem = cJSON_IsObject(object) ? NULL : "expected an object";
        spot_memory_row_t row = {0, 0};

        for (item = problem == NULL ? object->child : NULL; item != NULL && problem == NULL;
             item = item->next) {
            problem = cJSON_IsString(item)
                          ? add_container(&row, item->valuestring, strlen(item->valuestring))
                          : digits_only;
        }
        cJSON_Delete(object);
        ret = problem == NULL ? SPOT_ARRAY_APPEND(self, rows, row)
                              : spot_diag_error(diag, path, line.line, 0, "%s", problem);
    }
    spot_csv_close(csv);
    return ret;
}

int spot_memory_rows_read(spot_memory_rows_t *self, const char *path, spot_diag_t *diag)
{
    const size_t length = strlen(path);
    char *bytes = NULL;
    size_t num_bytes;
    int ret;

    memset(self, 0, sizeof(*self));
    if (length >= 6 && strcmp(path + length - 6, ".jsonl") == 0) {
        return read_lines(self, path, diag);
    }
    ret = spot_npy_bytes_read(&bytes, &num_bytes, SPOT_MEMORY_ROWS_MAX_BYTES, path, diag);
    ret = ret == 0 ? spot_memory_rows_parse(self, bytes, num_bytes, path, diag) : ret;
    free(bytes);
    return ret;
}

void spot_memory_rows_free(spot_memory_rows_t *self)
{
    free(self->rows);
    memset(self, 0, sizeof(*self));
}
