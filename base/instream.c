/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _XOPEN_SOURCE 700 /* realpath() */
#include "base/instream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/inputs.h"
#include "base/memory.h"

enum { BUFFER_BYTES = 1 << 16 };

/* ---- Files in memory ---- */

int spot_memory_files_add(
    spot_memory_files_t *self, const char *path, const char *bytes, size_t num_bytes)
{
    const spot_memory_file_t file = {
        .path = path, .absolute_path = NULL, .bytes = bytes, .num_bytes = num_bytes};
    const int ret = SPOT_ARRAY_APPEND(self, files, file);

    if (ret == 0) {
        self->files[self->num_files - 1].absolute_path = realpath(path, NULL);
    }
    return ret;
}

const spot_memory_file_t *spot_memory_files_find(const spot_memory_files_t *self, const char *path)
{
    for (size_t j = 0; self != NULL && j < self->num_files; j++) {
        const spot_memory_file_t *file = &self->files[j];

        if (strcmp(file->path, path) == 0 ||
            (file->absolute_path != NULL && strcmp(file->absolute_path, path) == 0)) {
            return file;
        }
    }
    return NULL;
}

void spot_memory_files_free(spot_memory_files_t *self)
{
    for (size_t j = 0; j < self->num_files; j++) {
        free(self->files[j].absolute_path);
    }
    free(self->files);
    memset(self, 0, sizeof(*self));
}

/* The file of the diagnostics, or of a study that was read with them. */
static const spot_memory_file_t *find_in_memory(const char *path, const spot_diag_t *diag)
{
    const spot_memory_files_t *files = diag->memory;

    if (files == NULL && diag->inputs != NULL) {
        files = diag->inputs->memory;
    }
    return spot_memory_files_find(files, path);
}

/* ---- Streams ---- */

/* Takes a descriptor; unlike gzopen(), refuses a folder at once. */
static int open_stream(spot_instream_t *self, int descriptor)
{
    struct stat status;

    if (descriptor < 0) {
        return SPOT_ERR_IO;
    }
    if (fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode)) {
        close(descriptor);
        errno = EISDIR;
        return SPOT_ERR_IO;
    }
    self->stream = gzdopen(descriptor, "rb");
    if (self->stream == NULL) {
        close(descriptor);
        return SPOT_ERR_NO_MEMORY;
    }
    return gzbuffer(self->stream, BUFFER_BYTES) == 0 ? 0 : SPOT_ERR_NO_MEMORY;
}

static int open_descriptor(
    spot_instream_t *self, const char *file, int descriptor, spot_diag_t *diag)
{
    int ret;

    memset(self, 0, sizeof(*self));
    self->file = file;
    ret = open_stream(self, descriptor);
    if (ret == SPOT_ERR_IO) {
        diag->out_of_descriptors |= errno == EMFILE || errno == ENFILE;
        spot_diag_error(diag, file, 0, 0, "cannot open: %s", strerror(errno));
    }
    return ret;
}

int spot_instream_open_stdin(spot_instream_t *self, const char *file, spot_diag_t *diag)
{
    return open_descriptor(self, file, dup(STDIN_FILENO), diag);
}

/* Enters a file in memory into the journal, which may be NULL. */
static void enter_bytes(spot_inputs_t *journal, const char *path, const spot_memory_file_t *file)
{
    char sha256[SPOT_SHA256_TEXT_BYTES];
    SHA2_CTX hash;

    if (journal != NULL) {
        SHA256Init(&hash);
        SHA256Update(&hash, (const uint8_t *) file->bytes, file->num_bytes);
        SHA256End(&hash, sha256);
        spot_inputs_enter(journal, path, sha256);
    }
}

int spot_instream_open(spot_instream_t *self, const char *path, spot_diag_t *diag)
{
    const spot_memory_file_t *file = find_in_memory(path, diag);
    int ret;

    if (file != NULL) {
        spot_instream_open_bytes(self, path, file->bytes, file->num_bytes);
        enter_bytes(diag->inputs, path, file);
        return 0;
    }
    ret = open_descriptor(self, path, open(path, O_RDONLY), diag);
    if (ret == 0) {
        self->journal = diag->inputs;
        SHA256Init(&self->hash);
    }
    return ret;
}

void spot_instream_open_bytes(
    spot_instream_t *self, const char *file, const char *bytes, size_t num_bytes)
{
    memset(self, 0, sizeof(*self));
    self->file = file;
    self->bytes = num_bytes == 0 ? "" : bytes;
    self->num_bytes = num_bytes;
}

/* Reads from the file; gzread() is short only at its end and on an error. */
static int read_stream(
    spot_instream_t *self, char *buffer, size_t num_bytes, size_t *num_read, spot_diag_t *diag)
{
    const int num = gzread(self->stream, buffer, (unsigned) num_bytes);
    int error = Z_OK;

    (void) gzerror(self->stream, &error);
    if (num >= 0 && (error == Z_OK || error == Z_STREAM_END)) {
        *num_read = (size_t) num;
        if (self->journal != NULL) {
            SHA256Update(&self->hash, (const uint8_t *) buffer, *num_read);
        }
        return 0;
    }
    if (error == Z_MEM_ERROR) {
        return SPOT_ERR_NO_MEMORY;
    }
    spot_diag_error(diag, self->file, 0, 0, "cannot read: %s",
        error == Z_ERRNO       ? strerror(errno)
        : error == Z_BUF_ERROR ? "the gzip data ends too early"
                               : "the gzip data is damaged");
    return SPOT_ERR_IO;
}

int spot_instream_read(
    spot_instream_t *self, char *buffer, size_t num_bytes, size_t *num_read, spot_diag_t *diag)
{
    if (self->stream != NULL) {
        return read_stream(self, buffer, num_bytes, num_read, diag);
    }
    *num_read = num_bytes < self->num_bytes ? num_bytes : self->num_bytes;
    memcpy(buffer, self->bytes, *num_read);
    self->bytes += *num_read;
    self->num_bytes -= *num_read;
    return 0;
}

/* Enters the file into the journal with its unread rest, unless that cannot be read. */
static void enter(spot_instream_t *self)
{
    char buffer[BUFFER_BYTES / 16], sha256[SPOT_SHA256_TEXT_BYTES];
    int num, error = Z_OK;

    while ((num = gzread(self->stream, buffer, sizeof(buffer))) > 0) {
        SHA256Update(&self->hash, (const uint8_t *) buffer, (size_t) num);
    }
    (void) gzerror(self->stream, &error);
    if (num == 0 && (error == Z_OK || error == Z_STREAM_END)) {
        SHA256End(&self->hash, sha256);
        spot_inputs_enter(self->journal, self->file, sha256);
    }
}

void spot_instream_close(spot_instream_t *self)
{
    if (self->journal != NULL) {
        enter(self);
    }
    if (self->stream != NULL) {
        gzclose(self->stream);
    }
    memset(self, 0, sizeof(*self));
}

const char *spot_foreign_kind(const char *bytes, size_t num_bytes)
{
    static const struct {
        const char *start, *kind;
    } kinds[] = {
        {"<svg", "an SVG picture"},
        {"<?xml", "an XML file, such as an SVG picture"},
        {"<!DOCTYPE", "a web page"},
        {"<html", "a web page"},
        {"\x89PNG", "a PNG picture"},
        {"\xff\xd8\xff", "a JPEG picture"},
        {"%PDF", "a PDF file"},
        {"%!PS", "a PostScript file"},
        {"SQLite format 3", "a database of SQLite"},
        {"PK\x03\x04", "a ZIP file, such as a spreadsheet"},
        {"PAR1", "a Parquet file"},
    };

    for (size_t j = 0; j < sizeof(kinds) / sizeof(kinds[0]); j++) {
        const size_t length = strlen(kinds[j].start);

        if (num_bytes >= length && memcmp(bytes, kinds[j].start, length) == 0) {
            return kinds[j].kind;
        }
    }
    return NULL;
}
