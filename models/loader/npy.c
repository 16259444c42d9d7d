/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/loader/npy.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "base/instream.h"
#include "base/memory.h"

#define MAX_HEADER_BYTES 10000 /* as NumPy */
#define FAULT(format, ...) spot_diag_error(diag, path, 0, 0, "byte %zu: " format, __VA_ARGS__)

int spot_npy_bytes_read(
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
static bool read_dictionary(spot_npy_header_t *self, char *text)
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

int spot_npy_header_parse(spot_npy_header_t *self, const char *bytes, size_t num_bytes,
    const char *path, spot_diag_t *diag)
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
    spot_npy_header_t header = {.num_bytes = 0};
    char *bytes;
    size_t num_bytes, size, end;
    int ret = spot_npy_bytes_read(&bytes, &num_bytes,
        SPOT_NPY_MAX_ENTRIES * sizeof(double) + 12 + MAX_HEADER_BYTES, path, diag);

    memset(self, 0, sizeof(*self));
    ret = ret == 0 ? spot_npy_header_parse(&header, bytes, num_bytes, path, diag) : ret;
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
