/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/loader/memory_rows.h"

#include <cjson/cJSON.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "models/loader/npy.h"

#define MAX_NESTING 16

/* UNSET: a free place of the memo. ANY: a value of no meaning. OBJECT: what a global
 * would make. */
enum { UNSET, ANY, MARK, TEXT, GLOBAL, OBJECT, TUPLE, LIST, DICT };

/* Small, as a file may have as many as bytes. */
typedef struct {
    unsigned char kind, depth; /* of a tuple */
    uint32_t id;   /* of a dictionary; of a text its offset; of a tuple: ends in list */
    uint32_t size; /* of a text */
} value_t;

typedef struct {
    const char *bytes; /* [num_bytes] */
    size_t num_bytes, at;
    size_t num_stack, max_stack, num_memo, max_memo, num_dicts, max_dicts;
    value_t *stack, *memo;
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
    {'q', 1, 0, PUT, ANY}, {'r', 4, 0, PUT, ANY}, {0x94, 0, 0, PUT, ANY},
    {'h', 1, 0, GET, ANY}, {'j', 4, 0, GET, ANY}, {'J', 4, 0, PUSH, ANY},
    {'K', 1, 0, PUSH, ANY}, {'M', 2, 0, PUSH, ANY}, {'N', 0, 0, PUSH, ANY},
    {0x88, 0, 0, PUSH, ANY}, {0x89, 0, 0, PUSH, ANY}, {'(', 0, 0, PUSH, MARK},
    {']', 0, 0, PUSH, LIST}, {'}', 0, 0, PUSH, DICT}, {'C', 1, 0, BYTES, ANY},
    {'X', 4, 0, BYTES, TEXT}, {0x8c, 1, 0, BYTES, TEXT}, {'c', 0, 0, FIND, GLOBAL},
    {0x93, 0, 2, FIND, TEXT}, {0x85, 0, 1, JOIN, ANY}, {0x87, 0, 3, JOIN, ANY},
    {'t', 0, ALL, JOIN, ANY}, {'s', 0, 2, SET, TEXT}, {'u', 0, ALL, SET, TEXT},
    {'a', 0, 1, ADD, DICT}, {'e', 0, ALL, ADD, DICT}, {'R', 0, 1, CALL, TUPLE},
    {'b', 0, 1, BUILD, TUPLE}, {'.', 0, 1, STOP, OBJECT}};

/* The kind of what is below the values, and changes. UNSET: nothing does. */
static const unsigned char targets[] = {
    [SET] = DICT, [ADD] = LIST, [CALL] = GLOBAL, [BUILD] = OBJECT, [STOP] = UNSET};

static const char no_memory[] = "no memory", cut[] = "the file ends too early",
                  protocols[] = "expected protocol 2 to 5",
                  no_place[] = "no such place in the memo",
                  deep[] = "nesting deeper than 16",
                  digits_only[] = "the bytes of a container must be decimal digits";

/* Adds a container to a row. Returns the problem, or NULL. */
static const char *
add_container(spot_memory_row_t *row, const char *digits, size_t size)
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
static const char *
find_global(machine_t *self, const value_t *values, size_t num_values)
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

/* An index below the size of the file keeps the memo in proportion to it. */
static const char *
put(machine_t *self, uint64_t index)
{
    if (self->num_stack == 0 || self->stack[self->num_stack - 1].kind == MARK ||
        index >= self->num_bytes) {
        return no_place;
    }
    while (self->num_memo <= index) {
        if (SPOT_ARRAY_APPEND(self, memo, (value_t){UNSET, 0, 0, 0}) != 0) {
            return no_memory;
        }
    }
    self->memo[index] = self->stack[self->num_stack - 1];
    return NULL;
}

/* Pushes the value of an opcode in the place of those it takes. */
static const char *
push(machine_t *self, const opcode_t *opcode, uint64_t argument, size_t first,
    size_t place)
{
    value_t value = {opcode->kind, 0, 0, 0};

    if (opcode->action == GET) {
        if (argument >= self->num_memo || self->memo[argument].kind == UNSET) {
            return no_place;
        }
        value = self->memo[argument];
    } else if (opcode->action == BYTES) {
        if (argument > self->num_bytes - self->at) {
            return cut;
        }
        value.id = (uint32_t) self->at;
        value.size = (uint32_t) argument;
        self->at += value.size;
    } else if (opcode->action == FIND) {
        value.kind = GLOBAL;
    } else if (opcode->action == JOIN) {
        value.kind = TUPLE;
        value.depth = 1;
        for (size_t j = first; j < self->num_stack; j++) {
            const value_t *item = &self->stack[j];

            if (item->depth >= value.depth) {
                value.depth = (unsigned char) (item->depth + 1);
            }
            value.id = item->kind == LIST;
        }
    } else if (opcode->kind == DICT) {
        value.id = (uint32_t) self->num_dicts;
        if (SPOT_ARRAY_APPEND(self, dicts, (spot_memory_row_t){0, 0}) != 0) {
            return no_memory;
        }
    }
    self->num_marks += opcode->kind == MARK;
    self->num_lists += opcode->kind == LIST;
    self->num_stack = place;
    return self->num_lists > 1                                          ? "a second list"
           : value.depth > MAX_NESTING || self->num_marks > MAX_NESTING ? deep
           : SPOT_ARRAY_APPEND(self, stack, value) != 0                 ? no_memory
                                                                        : NULL;
}

/* Gives values to the dictionary or the list below them. */
static const char *
give(machine_t *self, const value_t *values, size_t num, size_t place)
{
    const value_t *target = &self->stack[place - 1];
    const char *problem = target->kind == DICT && num % 2 != 0 ? digits_only : NULL;

    for (size_t j = 0; problem == NULL && j < num; j++) {
        const spot_memory_row_t row = {values[j].id, 0};

        if (target->kind == LIST) {
            problem = SPOT_ARRAY_APPEND(self->rows, rows, row) != 0 ? no_memory : NULL;
        } else if (j % 2 == 1) {
            problem = add_container(
                &self->dicts[target->id], self->bytes + values[j].id, values[j].size);
        }
    }
    self->num_stack = place;
    return problem;
}

/* Does what an opcode does to the values from first on, and to what is below place. */
static const char *
act(machine_t *self, const opcode_t *opcode, uint64_t argument, size_t first,
    size_t place)
{
    const size_t num = self->num_stack - first;
    const value_t *values = num == 0 ? NULL : self->stack + first;
    const char *problem = NULL;

    switch (opcode->action) {
        case PROTO:
            return argument < 2 || argument > 5 ? protocols : NULL;
        case FRAME:
            return argument > self->num_bytes - self->at ? cut : NULL;
        case PUT:
            return put(self, opcode->num_argument == 0 ? self->num_memo : argument);
        case SET:
        case ADD:
            return give(self, values, num, place);
        case CALL:
            self->stack[place - 1].kind = OBJECT;
            break;
        case BUILD:
            self->is_built = values[0].id != 0;
            break;
        case STOP:
            self->is_over = true;
            return place > 0 || !self->is_built || self->at < self->num_bytes
                       ? "expected the end of an array of dictionaries and of the file"
                       : NULL;
        case FIND:
            problem = find_global(self, values, num);
            return problem != NULL ? problem : push(self, opcode, 0, first, place);
        default:
            return push(self, opcode, argument, first, place);
    }
    self->num_stack = place;
    return NULL;
}

/* Runs the opcode at self->at. Returns the problem, or NULL. */
static const char *
step(machine_t *self)
{
    const unsigned char code = (unsigned char) self->bytes[self->at++];
    const opcode_t *opcode = opcodes,
                   *end = opcodes + sizeof(opcodes) / sizeof(*opcodes);
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

int
spot_memory_rows_parse(spot_memory_rows_t *self, const char *bytes, size_t num_bytes,
    const char *path, spot_diag_t *diag)
{
    machine_t machine = {.bytes = bytes, .num_bytes = num_bytes, .rows = self};
    spot_npy_header_t header;
    const char *problem = NULL;
    size_t at = 0;
    int ret = spot_npy_header_parse(&header, bytes, num_bytes, path, diag);

    spot_bug_assert(num_bytes <= SPOT_MEMORY_ROWS_MAX_BYTES);
    memset(self, 0, sizeof(*self));
    if (ret != 0 || strcmp(header.descr, "|O") != 0) {
        return ret != 0 ? ret
                        : spot_diag_error(diag, path, 0, 0,
                              "byte 10: descr is '%s', expected '|O'", header.descr);
    }
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
    if (problem != NULL) {
        ret = problem == no_memory
                  ? SPOT_ERR_NO_MEMORY
                  : spot_diag_error(diag, path, 0, 0, "byte %zu, opcode 0x%02x: %s", at,
                        at < num_bytes ? (unsigned char) bytes[at] : 0, problem);
    }
    free(machine.stack);
    free(machine.memo);
    free(machine.dicts);
    return ret;
}

/* Reads an object a line. */
static int
read_lines(spot_memory_rows_t *self, const char *bytes, size_t num_bytes,
    const char *path, spot_diag_t *diag)
{
    const char *next, *end = bytes + num_bytes;
    int ret = 0;

    for (size_t line = 1; ret == 0 && bytes < end; line++, bytes = next) {
        const char *stop = memchr(bytes, '\n', (size_t) (end - bytes));
        const char *rest = NULL, *problem = NULL;
        cJSON *object, *item;

        stop = stop == NULL ? end : stop;
        next = stop + (stop < end);
        object = cJSON_ParseWithLengthOpts(bytes, (size_t) (stop - bytes), &rest, false);
        for (; rest < stop && strchr(" \t\r", *rest) != NULL && *rest != '\0'; rest++) {
        }
        if (!cJSON_IsObject(object) || rest < stop) {
            problem = "expected an object";
        } else if (SPOT_ARRAY_APPEND(self, rows, (spot_memory_row_t){0, 0}) != 0) {
            ret = SPOT_ERR_NO_MEMORY;
        }
        item = ret == 0 && problem == NULL ? object->child : NULL;
        for (; item != NULL && problem == NULL; item = item->next) {
            problem = !cJSON_IsString(item)
                          ? digits_only
                          : add_container(&self->rows[self->num_rows - 1],
                                item->valuestring, strlen(item->valuestring));
        }
        cJSON_Delete(object);
        ret =
            problem == NULL ? ret : spot_diag_error(diag, path, line, 0, "%s", problem);
    }
    return ret;
}

int
spot_memory_rows_read(spot_memory_rows_t *self, const char *path, spot_diag_t *diag)
{
    const size_t length = strlen(path);
    const bool has_lines = length >= 6 && strcmp(path + length - 6, ".jsonl") == 0;
    char *bytes;
    size_t num_bytes;
    int ret =
        spot_npy_bytes_read(&bytes, &num_bytes, SPOT_MEMORY_ROWS_MAX_BYTES, path, diag);

    memset(self, 0, sizeof(*self));
    if (ret == 0) {
        ret = (has_lines ? read_lines : spot_memory_rows_parse)(
            self, bytes, num_bytes, path, diag);
    }
    free(bytes);
    return ret;
}

void
spot_memory_rows_free(spot_memory_rows_t *self)
{
    free(self->rows);
    memset(self, 0, sizeof(*self));
}
