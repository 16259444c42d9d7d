/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/loader/npy.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/csv.h"
#include "base/inputs.h"
#include "base/integers.h"
#include "base/json.h"
#include "base/memory.h"

typedef struct {
    char descr[16];     /* the type of an entry, such as "<f8" */
    size_t num_entries; /* 1 to SPOT_NPY_MAX_ENTRIES */
    size_t num_bytes;   /* before the first entry */
} npy_header_t;

/* ---- Arrays of numbers ---- */

#define MAX_HEADER_BYTES 10000 /* as NumPy */
#define FAULT(format, ...) spot_diag_error(diag, path, 0, 0, "byte %zu: " format, __VA_ARGS__)

/* All bytes of a file, which has at most limit. BAD_INPUT, IO, NO_MEMORY; free *bytes
 * even then. */
static int read_bytes(
    char **bytes, size_t *num_bytes, size_t limit, const char *path, spot_diag_t *diag)
{
    struct stat status = {0};
    spot_instream_t stream;
    size_t size;
    int ret = spot_instream_open(&stream, path, diag);

    size = stat(path, &status) == 0 && status.st_size > 0 ? (size_t) status.st_size : 0;
    *bytes = NULL;
    if (ret == 0 && size > limit) {
        ret = FAULT("the file is longer than that", limit);
    } else if (ret == 0) {
        *bytes = malloc(size + 1); /* one more byte shows a file that grows */
        ret = *bytes == NULL ? SPOT_ERR_NO_MEMORY
                             : spot_instream_read(&stream, *bytes, size + 1, num_bytes, diag);
    }
    spot_instream_close(&stream);
    return ret;
}

/* Reads a dictionary of Python. Returns whether it has the three keys, each once. */
static bool read_dictionary(npy_header_t *self, char *text)
{
    char order[6] = "", entries[20] = "", *at = text;
    int length = 1;

    for (const char *from = text; *from != '\0'; from++) { /* without blanks */
        if (strchr(" \t\n", *from) == NULL) {
            *at++ = *from == '"' ? '\'' : *from;
        }
    }
    *at = '\0';
    for (at = text; *at == (at == text ? '{' : ',') && length > 0; at += length) {
        at++;
        length = 0;
        if (*self->descr == '\0') {
            sscanf(at, "'descr':'%15[^']'%n", self->descr, &length);
        }
        if (length == 0 && *order == '\0') {
            sscanf(at, "'fortran_order':%5[A-Za-z]%n", order, &length);
        }
        if (length == 0 && *entries == '\0') {
            sscanf(at, "'shape':(%19[0-9],)%n", entries, &length);
        }
    }
    self->num_entries = (size_t) strtoull(entries, NULL, 10);
    return *self->descr != '\0' && *entries != '\0' && strcmp(at, "}") == 0 &&
           (strcmp(order, "True") == 0 || strcmp(order, "False") == 0);
}

/* The header in the bytes of a file, with any descr. BAD_INPUT. */
static int parse_header(
    npy_header_t *self, const char *bytes, size_t num_bytes, const char *path, spot_diag_t *diag)
{
    const size_t start = num_bytes > 6 && bytes[6] != 1 ? 12 : 10;
    char text[MAX_HEADER_BYTES + 1] = "";
    size_t size = 0;

    memset(self, 0, sizeof(*self));
    if (num_bytes < start || memcmp(bytes, "\x93NUMPY", 6) != 0) {
        return FAULT("bad magic, a .npy file starts with \\x93NUMPY", (size_t) 0);
    }
    if (bytes[6] < 1 || bytes[6] > 3 || bytes[7] != 0) {
        return FAULT("version %d.%d, expected 1.0, 2.0 or 3.0", (size_t) 6, bytes[6], bytes[7]);
    }
    for (size_t j = start; j-- > 8;) {
        size = size << 8 | (unsigned char) bytes[j];
    }
    if (size > MAX_HEADER_BYTES || size > num_bytes - start) {
        return FAULT("a header of %zu bytes, expected at most %d, and in the file", (size_t) 8,
            size, MAX_HEADER_BYTES);
    }
    memcpy(text, bytes + start, size);
    self->num_bytes = start + size;
    if (strlen(text) < size || !read_dictionary(self, text)) {
        return FAULT("bad header, expected {'descr': '<f8', 'fortran_order': False, "
                     "'shape': (56,)}, of one axis",
            start);
    }
    return self->num_entries >= 1 && self->num_entries <= SPOT_NPY_MAX_ENTRIES
               ? 0
               : FAULT("%zu entries, expected 1 to %d", start, self->num_entries,
                     SPOT_NPY_MAX_ENTRIES);
}

static double decode(const char *bytes, const char *descr, size_t size)
{
    uint64_t bits = 0;
    uint32_t half;
    float single;

    for (size_t j = 0; j < size; j++) {
        bits = bits << 8 | (unsigned char) bytes[descr[0] == '<' ? size - 1 - j : j];
    }
    if (size == 8) {
        return descr[1] == 'i' ? (double) (int64_t) bits : spot_double_from_bits(bits);
    }
    half = (uint32_t) bits;
    memcpy(&single, &half, sizeof(single));
    return descr[1] == 'i' ? (double) (int32_t) half : (double) single;
}

int spot_npy_read(spot_npy_t *self, const char *path, spot_diag_t *diag)
{
    static const char types[] = "<f8 <f4 <i8 <i4 >f8 >f4 >i8 >i4";
    npy_header_t header = {.num_bytes = 0};
    char *bytes;
    size_t num_bytes, size, end;
    int ret = read_bytes(&bytes, &num_bytes,
        SPOT_NPY_MAX_ENTRIES * sizeof(double) + 12 + MAX_HEADER_BYTES, path, diag);

    memset(self, 0, sizeof(*self));
    ret = ret == 0 ? parse_header(&header, bytes, num_bytes, path, diag) : ret;
    size = header.descr[2] == '8' ? 8 : 4;
    end = header.num_bytes + header.num_entries * size;
    if (ret == 0 && (strlen(header.descr) != 3 || strstr(types, header.descr) == NULL)) {
        ret = FAULT("unsupported descr '%s', expected one of %s", (size_t) 10, header.descr, types);
    } else if (ret == 0 && num_bytes != end) {
        ret = FAULT(
            "the file ends here, its shape (%zu,) at byte %zu", num_bytes, header.num_entries, end);
    } else if (ret == 0) {
        self->values = spot_calloc(header.num_entries, sizeof(*self->values));
        ret = self->values == NULL ? SPOT_ERR_NO_MEMORY : 0;
    }
    for (; self->values != NULL && self->num < header.num_entries; self->num++) {
        const size_t at = header.num_bytes + self->num * size;
        const double value = decode(bytes + at, header.descr, size);

        self->values[self->num] = value;
        if (!isfinite(value) || value < 0) {
            ret = FAULT("entry %zu is %g, expected a time >= 0", at, self->num, value);
        }
    }
    free(bytes);
    return ret;
}

void spot_npy_free(spot_npy_t *self)
{
    free(self->values);
    memset(self, 0, sizeof(*self));
}

/* ---- Memory rows ---- */

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
    npy_header_t header;
    const char *problem = NULL;
    size_t at = 0;
    int ret = parse_header(&header, bytes, num_bytes, path, diag);

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
        spot_arena_t arena = {.error = 0};
        spot_json_value_t *object = NULL;
        const bool is_object = (ret = spot_json_parse(line.text, &arena, &object)) == 0 &&
                               object->kind == SPOT_JSON_OPEN_OBJECT;
        const char *problem = is_object ? NULL : "expected an object";
        spot_memory_row_t row = {0, 0};

        for (const spot_json_value_t *item = is_object ? object->first : NULL;
             item != NULL && problem == NULL; item = item->next) {
            problem = item->kind == SPOT_JSON_TEXT
                          ? add_container(&row, item->text, item->num_bytes)
                          : digits_only;
        }
        spot_arena_free(&arena);
        if (ret != SPOT_ERR_NO_MEMORY) {
            ret = problem == NULL ? SPOT_ARRAY_APPEND(self, rows, row)
                                  : spot_diag_error(diag, path, line.line, 0, "%s", problem);
        }
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
    ret = read_bytes(&bytes, &num_bytes, SPOT_MEMORY_ROWS_MAX_BYTES, path, diag);
    ret = ret == 0 ? spot_memory_rows_parse(self, bytes, num_bytes, path, diag) : ret;
    free(bytes);
    return ret;
}

void spot_memory_rows_free(spot_memory_rows_t *self)
{
    free(self->rows);
    memset(self, 0, sizeof(*self));
}
