/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/trace_write.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/csv.h"
#include "base/utf8.h"
#include "base/watch.h"

#define FIRST_LINE "# spotsim-trace: 1\n"

/* Writes bytes and keeps the errno of the first failure. */
static void put(spot_trace_writer_t *self, const char *text, size_t num_bytes)
{
    bool is_good;

    self->num_bytes_in_row += num_bytes;
    errno = 0;
    if (self->gzip != NULL) {
        is_good = gzwrite(self->gzip, text, (unsigned) num_bytes) == (int) num_bytes;
    } else {
        is_good = fwrite(text, 1, num_bytes, self->file.stream) == num_bytes;
    }
    if (!is_good && self->error_number == 0) {
        self->error_number = errno == 0 ? EIO : errno;
    }
}

static void put_text(spot_trace_writer_t *self, const char *text)
{
    put(self, text, strlen(text));
}

static bool is_gzip_path(const char *path)
{
    const size_t num_bytes = path == NULL ? 0 : strlen(path);

    return num_bytes > 3 && strcmp(path + num_bytes - 3, ".gz") == 0;
}

/* zlib closes its descriptor and so gets one of its own. */
static int open_gzip(spot_trace_writer_t *self)
{
    const int descriptor = dup(fileno(self->file.stream));

    if (descriptor < 0) {
        return SPOT_ERR_IO;
    }
    self->gzip = gzdopen(descriptor, "wb");
    if (self->gzip == NULL) {
        close(descriptor);
        return SPOT_ERR_NO_MEMORY;
    }
    return 0;
}

int spot_trace_writer_init(spot_trace_writer_t *self, const char *path, spot_diag_t *diag)
{
    int ret;

    memset(self, 0, sizeof(*self));
    ret = spot_outfile_init(&self->file, path, diag);
    if (ret == 0 && is_gzip_path(path)) {
        ret = open_gzip(self);
        if (ret == SPOT_ERR_IO) {
            spot_diag_error(diag, path, 0, 0, "cannot write: %s", strerror(errno));
        }
    }
    if (ret == 0) {
        put_text(self, FIRST_LINE);
    }
    return ret;
}

/* Replacement of a byte that a header line cannot have. */
static char header_byte(unsigned char byte)
{
    if (byte == ',') {
        return ';';
    }
    return byte == '"' ? '\'' : '?';
}

void spot_trace_writer_key(spot_trace_writer_t *self, const char *key, const char *value)
{
    size_t num_bytes = strlen(value);

    spot_bug_assert(!self->has_columns);
    put_text(self, "# ");
    put_text(self, key);
    put_text(self, ": ");
    while (num_bytes > 0) {
        const unsigned char byte = (unsigned char) *value;
        size_t length = spot_utf8_length(value, num_bytes);

        if (length == 0 || byte < 0x20 || byte == 0x7f || byte == ',' || byte == '"') {
            const char good = header_byte(byte);

            put(self, &good, 1);
            length = 1;
        } else {
            put(self, value, length);
        }
        value += length;
        num_bytes -= length;
    }
    put_text(self, "\n");
}

void spot_trace_writer_row(
    spot_trace_writer_t *self, int64_t time_ms, const char *event, int64_t count)
{
    char text[SPOT_TRACE_TIME_BYTES + 64];
    size_t num_bytes = spot_trace_time_text(time_ms, text);

    if (!self->has_columns) {
        put_text(self, "time_s,event,count,instances\n");
        self->has_columns = true;
    }
    self->num_bytes_in_row = 0;
    num_bytes += (size_t) snprintf(
        text + num_bytes, sizeof(text) - num_bytes, ",%s,%" PRId64 ",", event, count);
    put(self, text, num_bytes);
    self->num_names_in_row = 0;
}

void spot_trace_writer_name(spot_trace_writer_t *self, const char *name)
{
    if (self->num_names_in_row++ > 0) {
        put(self, " ", 1);
    }
    put_text(self, name);
}

void spot_trace_writer_end_row(spot_trace_writer_t *self)
{
    if (self->num_bytes_in_row > SPOT_CSV_MAX_LINE_BYTES) {
        self->has_long_row = true;
    }
    put(self, "\n", 1);
}

/* Reports what went wrong on the way. */
static int check_written(const spot_trace_writer_t *self, const char *name, spot_diag_t *diag)
{
    if (self->error_number != 0) {
        spot_diag_error(diag, name, 0, 0, "cannot write: %s", strerror(self->error_number));
        return SPOT_ERR_IO;
    }
    if (self->has_long_row) {
        spot_diag_error(diag, name, 0, 0,
            "cannot write: more instance names in a row than a line of %zu bytes holds; "
            "kind counts has none",
            SPOT_CSV_MAX_LINE_BYTES);
        return SPOT_ERR_BAD_PARAM;
    }
    return 0;
}

int spot_trace_writer_commit(spot_trace_writer_t *self, spot_diag_t *diag)
{
    const char *name = self->file.path == NULL ? "standard output" : self->file.path;
    int ret;

    if (self->gzip != NULL) {
        errno = 0;
        if (gzclose(self->gzip) != Z_OK && self->error_number == 0) {
            self->error_number = errno == 0 ? EIO : errno;
        }
        self->gzip = NULL;
    }
    ret = check_written(self, name, diag);
    return ret == 0 ? spot_outfile_commit(&self->file, diag) : ret;
}

void spot_trace_writer_free(spot_trace_writer_t *self)
{
    if (self->gzip != NULL) {
        gzclose(self->gzip);
    }
    spot_outfile_free(&self->file);
    memset(self, 0, sizeof(*self));
}

static void write_row(spot_trace_writer_t *writer, const spot_trace_t *trace, int64_t time_ms,
    const char *event, int32_t count, const int32_t *name_ids)
{
    spot_trace_writer_row(writer, time_ms, event, count);
    for (int32_t j = 0; name_ids != NULL && j < count; j++) {
        spot_trace_writer_name(writer, trace->names[name_ids[j]]);
    }
    spot_trace_writer_end_row(writer);
}

/* Everything behind the first line. */
static int write_trace(spot_trace_writer_t *writer, const spot_trace_t *trace)
{
    for (size_t j = 0; j < trace->header.num_keys; j++) {
        spot_trace_writer_key(writer, trace->header.keys[j].key, trace->header.keys[j].value);
    }
    write_row(writer, trace, 0, "init", trace->initial, trace->name_ids);
    for (size_t j = 0; j < trace->num_events; j++) {
        const spot_event_t *event = &trace->events[j];

        if (spot_stop_is_due(j)) {
            return SPOT_ERR_INTERRUPTED;
        }

        write_row(writer, trace, event->time_ms, spot_event_kind_names[event->kind], event->count,
            event->name_ids);
    }
    write_row(writer, trace, trace->end_ms, "end", trace->final, NULL);
    return 0;
}

int spot_trace_write(const spot_trace_t *trace, const char *path, spot_diag_t *diag)
{
    spot_trace_writer_t writer;
    int ret = spot_trace_writer_init(&writer, path, diag);

    ret = ret == 0 ? write_trace(&writer, trace) : ret;
    ret = ret == 0 ? spot_trace_writer_commit(&writer, diag) : ret;
    spot_trace_writer_free(&writer);
    return ret;
}

int spot_trace_write_stream(
    const spot_trace_t *trace, FILE *stream, const char *name, spot_diag_t *diag)
{
    spot_trace_writer_t writer = {.file = {.stream = stream}};
    int ret;

    put_text(&writer, FIRST_LINE);
    ret = write_trace(&writer, trace);
    return ret == 0 ? check_written(&writer, name, diag) : ret;
}
