/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _XOPEN_SOURCE 700 /* realpath() */
#include "base/inputs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <lzma.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/memory.h"
#include "base/utf8.h"

/* ---- The journal ---- */

void spot_inputs_free(spot_inputs_t *self)
{
    for (size_t j = 0; j < self->num_inputs; j++) {
        free(self->inputs[j].path);
        free(self->inputs[j].name);
    }
    free(self->inputs);
    memset(self, 0, sizeof(*self));
}

static spot_input_t *find_input(const spot_inputs_t *self, const char *path)
{
    for (size_t j = 0; j < self->num_inputs; j++) {
        if (strcmp(self->inputs[j].path, path) == 0) {
            return &self->inputs[j];
        }
    }
    return NULL;
}

const spot_input_t *spot_inputs_find(const spot_inputs_t *self, const char *path)
{
    return find_input(self, path);
}

/* For the reader of files: enters one by the SHA-256 of its whole content. */
static void enter_file(spot_inputs_t *self, const char *path, const char *sha256)
{
    spot_input_t *input = find_input(self, path);

    if (input != NULL) {
        input->has_changed = input->has_changed || strcmp(input->sha256, sha256) != 0;
        return;
    }
    if (SPOT_ARRAY_ROOM(self, inputs, self->num_inputs + 1) != 0) {
        self->is_out_of_memory = true;
        return;
    }
    input = &self->inputs[self->num_inputs++];
    *input = (spot_input_t){.path = spot_text_copy(path, strlen(path))};
    strcpy(input->sha256, sha256);
    if (input->path == NULL) {
        self->num_inputs--;
        self->is_out_of_memory = true;
    }
}

/* ---- Names ---- */

/* Length of a path up to and including its last slash. */
static size_t folder_bytes(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash == NULL ? 0 : (size_t) (slash - path) + 1;
}

static const char *skip_dots(const char *path)
{
    while (path[0] == '.' && path[1] == '/') {
        path += 1 + strspn(path + 1, "/");
    }
    return path;
}

/* The real folder of a file, with a slash at its end, or NULL. The caller frees it. */
static char *real_folder(const char *path)
{
    const size_t num_bytes = folder_bytes(path);
    char *folder = num_bytes == 0 ? spot_text_copy(".", 1) : spot_text_copy(path, num_bytes);
    char *real = folder == NULL ? NULL : realpath(folder, NULL);
    char *whole = real == NULL ? NULL : malloc(strlen(real) + 2);

    if (whole != NULL) {
        strcpy(whole, real);
        if (strcmp(real, "/") != 0) {
            strcat(whole, "/");
        }
    }
    free(folder);
    free(real);
    return whole;
}

/* Path from a real folder to a real file: "../" for each part of the folder that the
 * file does not share, then the rest of the file. NULL: no memory. */
static char *relative_path(const char *folder, const char *file)
{
    size_t shared = 0, num_up = 0;
    char *path;

    for (size_t j = 0; folder[j] != '\0' && folder[j] == file[j]; j++) {
        shared = folder[j] == '/' ? j + 1 : shared;
    }
    for (const char *byte = folder + shared; *byte != '\0'; byte++) {
        num_up += *byte == '/';
    }
    path = malloc(3 * num_up + strlen(file + shared) + 1);
    if (path != NULL) {
        for (size_t j = 0; j < num_up; j++) {
            memcpy(path + 3 * j, "../", 3);
        }
        strcpy(path + 3 * num_up, file + shared);
    }
    return path;
}

char *spot_path_from(const char *folder, const char *path)
{
    char *real = realpath(path, NULL);
    char *within = malloc(strlen(folder) + 3), *base = NULL, *relative = NULL;

    if (real != NULL && within != NULL) {
        strcat(strcpy(within, folder), "/.");
        base = real_folder(within);
    }
    if (base != NULL) {
        const char *second = strchr(real + 1, '/');
        const size_t first_bytes = second == NULL ? 0 : (size_t) (second - real) + 1;

        relative = first_bytes == 0 || strncmp(base, real, first_bytes) != 0
                       ? spot_text_copy(real, strlen(real))
                       : relative_path(base, real);
    }
    free(real);
    free(within);
    free(base);
    return relative;
}

/* The last num_parts parts of a path, or all of it. */
static const char *last_parts(const char *path, size_t num_parts)
{
    const char *start = path + strlen(path);

    while (start > path && num_parts > 0) {
        start--;
        num_parts -= *start == '/';
    }
    return *start == '/' ? start + 1 : start;
}

/* ".../" and the fewest last parts of the path in which no other file ends. */
static char *outside_name(const spot_inputs_t *self, const char *path)
{
    size_t num_parts = 1, num_bytes;
    bool is_alone = false;
    char *name;

    while (!is_alone && last_parts(path, num_parts) > path + 1) {
        const char *tail = last_parts(path, num_parts);

        is_alone = true;
        for (size_t j = 0; j < self->num_inputs; j++) {
            is_alone =
                is_alone && (strcmp(self->inputs[j].path, path) == 0 ||
                                strcmp(last_parts(self->inputs[j].path, num_parts), tail) != 0);
        }
        num_parts += !is_alone;
    }
    num_bytes = strlen(last_parts(path, num_parts));
    name = malloc(num_bytes + 5);
    if (name != NULL) {
        memcpy(name, ".../", 4);
        memcpy(name + 4, last_parts(path, num_parts), num_bytes + 1);
    }
    return name;
}

/* Name of a file for the record. A path written in a file is the folder of that file,
 * then the text, and keeps the text. A path of the command line becomes the real
 * relative path. */
static char *input_name(const spot_inputs_t *self, const char *path, const char *base_path)
{
    const size_t base_bytes = folder_bytes(base_path);
    char *folder, *real, *name = NULL;

    if (strncmp(path, base_path, base_bytes) == 0 && path[base_bytes] != '/') {
        path = skip_dots(path + base_bytes);
        return spot_text_copy(path, strlen(path));
    }
    folder = real_folder(base_path);
    real = realpath(path, NULL);
    if (folder != NULL && real != NULL &&
        (path[0] != '/' || strncmp(real, folder, strlen(folder)) == 0)) {
        name = relative_path(folder, real);
    } else {
        name = outside_name(self, path);
    }
    free(folder);
    free(real);
    return name;
}

int spot_inputs_check(const spot_inputs_t *self, spot_diag_t *diag)
{
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < self->num_inputs; j++) {
        if (self->inputs[j].has_changed) {
            ret = SPOT_ERR_BAD_INPUT;
            if (diag != NULL) {
                spot_diag_error(diag, self->inputs[j].path, 0, 0,
                    "it has changed while it was being read: start again");
            }
        }
    }
    return ret;
}

int spot_inputs_name(spot_inputs_t *self, const char *base_path, spot_diag_t *diag)
{
    int ret = self->is_out_of_memory ? SPOT_ERR_NO_MEMORY : 0;

    for (size_t j = 0; ret == 0 && j < self->num_inputs; j++) {
        spot_input_t *input = &self->inputs[j];

        free(input->name);
        input->name = input_name(self, input->path, base_path);
        if (input->name == NULL) {
            ret = SPOT_ERR_NO_MEMORY;
        }
    }
    return ret == 0 ? spot_inputs_check(self, diag) : ret;
}

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
        enter_file(journal, path, sha256);
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

static int cannot_read(const spot_instream_t *self, const char *reason, spot_diag_t *diag)
{
    spot_diag_error(diag, self->file, 0, 0, "cannot read: %s", reason);
    return SPOT_ERR_IO;
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
        return 0;
    }
    return error == Z_MEM_ERROR ? SPOT_ERR_NO_MEMORY
                                : cannot_read(self,
                                      error == Z_ERRNO       ? strerror(errno)
                                      : error == Z_BUF_ERROR ? "the gzip data ends too early"
                                                             : "the gzip data is damaged",
                                      diag);
}

/* What the file or the memory has. */
static int read_source(
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

/* ---- Streams: zstd and xz ---- */

#define XZ_MOST_BYTES ((uint64_t) 512 << 20)

struct spot_unpacker {
    ZSTD_DStream *zstd; /* NULL: xz */
    lzma_stream xz;
    ZSTD_inBuffer input;
    bool is_within; /* a frame of zstd is not complete */
    bool is_over;   /* all is there */
    char bytes[BUFFER_BYTES];
};

/* The head is the begin of what is packed. */
static int open_unpacker(spot_instream_t *self, bool is_zstd)
{
    struct spot_unpacker *unpacker = spot_calloc(1, sizeof(*unpacker));

    self->unpacker = unpacker;
    if (unpacker == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    memcpy(unpacker->bytes, self->head, self->num_head);
    unpacker->input.size = self->num_head;
    self->num_head = 0;
    unpacker->xz = (lzma_stream) LZMA_STREAM_INIT;
    unpacker->input.src = unpacker->bytes;
    unpacker->zstd = is_zstd ? ZSTD_createDStream() : NULL;
    return (is_zstd ? unpacker->zstd != NULL
                    : lzma_stream_decoder(&unpacker->xz, XZ_MOST_BYTES, LZMA_CONCATENATED) ==
                          LZMA_OK)
               ? 0
               : SPOT_ERR_NO_MEMORY;
}

static void close_unpacker(struct spot_unpacker *self)
{
    if (self != NULL) {
        ZSTD_freeDStream(self->zstd);
        lzma_end(&self->xz);
        free(self);
    }
}

/* Moves on in what is packed. Returns what is wrong, or NULL. */
static const char *unpack_zstd(struct spot_unpacker *self, ZSTD_outBuffer *output)
{
    const size_t ret = ZSTD_decompressStream(self->zstd, output, &self->input);

    if (ZSTD_isError(ret)) {
        return "the zstd data is damaged";
    }
    self->is_within = ret != 0;
    return NULL;
}

static const char *unpack_xz(struct spot_unpacker *self, ZSTD_outBuffer *output, bool is_at_end)
{
    lzma_ret ret;

    self->xz.next_in = (const uint8_t *) self->bytes + self->input.pos;
    self->xz.avail_in = self->input.size - self->input.pos;
    self->xz.next_out = (uint8_t *) output->dst + output->pos;
    self->xz.avail_out = output->size - output->pos;
    ret = lzma_code(&self->xz, is_at_end ? LZMA_FINISH : LZMA_RUN);
    self->input.pos = self->input.size - self->xz.avail_in;
    output->pos = output->size - self->xz.avail_out;
    self->is_over = ret == LZMA_STREAM_END;
    return ret == LZMA_OK || self->is_over ? NULL
           : ret == LZMA_BUF_ERROR         ? "the xz data ends too early"
           : ret == LZMA_MEMLIMIT_ERROR ? "to unpack the xz data takes more than 512 MiB of memory"
                                        : "the xz data is damaged";
}

static int read_packed(
    spot_instream_t *self, char *buffer, size_t num_bytes, size_t *num_read, spot_diag_t *diag)
{
    struct spot_unpacker *unpacker = self->unpacker;
    ZSTD_outBuffer output = {buffer, num_bytes, 0};
    const char *problem = NULL;
    bool is_at_end = false;
    int ret = 0;

    while (ret == 0 && problem == NULL && output.pos < num_bytes && !unpacker->is_over) {
        if (unpacker->input.pos == unpacker->input.size) {
            unpacker->input.pos = 0;
            ret = read_source(
                self, unpacker->bytes, sizeof(unpacker->bytes), &unpacker->input.size, diag);
            is_at_end = ret == 0 && unpacker->input.size == 0;
        }
        if (ret == 0 && unpacker->zstd == NULL) {
            problem = unpack_xz(unpacker, &output, is_at_end);
        } else if (ret == 0 && is_at_end && !unpacker->is_within) {
            unpacker->is_over = true;
        } else if (ret == 0) {
            const size_t before = output.pos;

            problem = unpack_zstd(unpacker, &output);
            if (problem == NULL && is_at_end && unpacker->is_within && output.pos == before) {
                problem = "the zstd data ends too early";
            }
        }
    }
    *num_read = output.pos;
    return ret != 0 ? ret : problem != NULL ? cannot_read(self, problem, diag) : 0;
}

/* What is unpacked, and enters into the journal. */
static int read_unpacked(
    spot_instream_t *self, char *buffer, size_t num_bytes, size_t *num_read, spot_diag_t *diag)
{
    const int ret = (self->unpacker == NULL ? read_source : read_packed)(
        self, buffer, num_bytes, num_read, diag);

    if (ret == 0 && self->journal != NULL) {
        SHA256Update(&self->hash, (const uint8_t *) buffer, *num_read);
    }
    return ret;
}

/* ---- Streams: UTF-16 ---- */

struct spot_utf16 {
    bool is_big_endian;
    int64_t num_before; /* bytes of what is unpacked before bytes[at] */
    size_t at, num_bytes;
    size_t num_left, left_at; /* of a character that had no room */
    char left[4];
    char bytes[BUFFER_BYTES];
};

/* The head is the begin, a mark of two bytes. */
static int open_utf16(spot_instream_t *self, bool is_big_endian)
{
    self->utf16 = spot_calloc(1, sizeof(*self->utf16));
    if (self->utf16 == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    self->utf16->is_big_endian = is_big_endian;
    memcpy(self->utf16->bytes, self->head, self->num_head);
    self->utf16->num_bytes = self->num_head;
    self->utf16->at = 2;
    self->num_head = 0;
    return 0;
}

static unsigned unit_at(const struct spot_utf16 *self, size_t at)
{
    const unsigned char *bytes = (const unsigned char *) self->bytes + at;

    return self->is_big_endian ? bytes[0] * 256U + bytes[1] : bytes[1] * 256U + bytes[0];
}

/* Reads until there are two units, or the end. */
static int fill_utf16(spot_instream_t *self, spot_diag_t *diag)
{
    struct spot_utf16 *utf16 = self->utf16;
    const size_t num_left = utf16->num_bytes - utf16->at;
    size_t num_read = 0;
    int ret = 0;

    if (num_left < 4) {
        memmove(utf16->bytes, utf16->bytes + utf16->at, num_left);
        utf16->num_before += (int64_t) utf16->at;
        utf16->at = 0;
        ret = read_unpacked(
            self, utf16->bytes + num_left, sizeof(utf16->bytes) - num_left, &num_read, diag);
        utf16->num_bytes = num_left + num_read;
    }
    return ret;
}

/* Writes the next character as UTF-8, up to four bytes. Returns their number, or 0: it is none. */
static size_t take_character(struct spot_utf16 *self, char utf8[4])
{
    const size_t num = self->num_bytes - self->at;
    const unsigned first = num < 2 ? 0xdc00 : unit_at(self, self->at);
    unsigned second = 0;

    if (first >= 0xdc00 && first < 0xe000) {
        return 0;
    }
    if (first >= 0xd800 && first < 0xdc00) {
        second = num < 4 ? 0 : unit_at(self, self->at + 2);
        if (second < 0xdc00 || second >= 0xe000) {
            return 0;
        }
    }
    self->at += second == 0 ? 2 : 4;
    return spot_utf8_encode(
        second == 0 ? first : 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00), utf8);
}

static int read_utf16(
    spot_instream_t *self, char *buffer, size_t num_bytes, size_t *num_read, spot_diag_t *diag)
{
    struct spot_utf16 *utf16 = self->utf16;
    size_t num = 0;
    int ret = 0;

    while (ret == 0 && num < num_bytes) {
        if (utf16->left_at == utf16->num_left) {
            ret = fill_utf16(self, diag);
            if (ret != 0 || utf16->at == utf16->num_bytes) {
                break;
            }
            utf16->left_at = 0;
            utf16->num_left = take_character(utf16, utf16->left);
            if (utf16->num_left == 0) {
                char problem[64];

                snprintf(problem, sizeof(problem), "no UTF-16 from byte %" PRId64 " on",
                    utf16->num_before + (int64_t) utf16->at + 1);
                ret = cannot_read(self, problem, diag);
            }
        }
        while (num < num_bytes && utf16->left_at < utf16->num_left) {
            buffer[num++] = utf16->left[utf16->left_at++];
        }
    }
    *num_read = num;
    return ret;
}

/* ---- Streams: reading ---- */

static bool has_start(const spot_instream_t *self, const char *start, size_t num_bytes)
{
    return self->num_head >= num_bytes && memcmp(self->head, start, num_bytes) == 0;
}

/* Finds out what the content is. */
static int start(spot_instream_t *self, spot_diag_t *diag)
{
    int ret = read_source(self, self->head, sizeof(self->head), &self->num_head, diag);
    const bool is_zstd = has_start(self, "\x28\xb5\x2f\xfd", 4);

    self->is_started = true;
    if (ret == 0 && (is_zstd || has_start(self, "\xfd\x37zXZ\0", 6))) {
        ret = open_unpacker(self, is_zstd);
        ret = ret == 0 ? read_packed(self, self->head, sizeof(self->head), &self->num_head, diag)
                       : ret;
    }
    if (ret != 0) {
        return ret;
    }
    if (self->journal != NULL) {
        SHA256Update(&self->hash, (const uint8_t *) self->head, self->num_head);
    }
    if (has_start(self, "\xff\xfe\0\0", 4) || has_start(self, "\0\0\xfe\xff", 4)) {
        return cannot_read(self, "this is UTF-32: expected UTF-8 or UTF-16", diag);
    }
    if (has_start(self, "\xff\xfe", 2) || has_start(self, "\xfe\xff", 2)) {
        self->has_mark = true;
        return open_utf16(self, self->head[0] == '\xfe');
    }
    if (has_start(self, "\xef\xbb\xbf", 3)) {
        self->has_mark = true;
        self->num_head -= 3;
        memmove(self->head, self->head + 3, self->num_head);
    }
    return 0;
}

int spot_instream_read(
    spot_instream_t *self, char *buffer, size_t num_bytes, size_t *num_read, spot_diag_t *diag)
{
    int ret = self->is_started ? 0 : start(self, diag);
    size_t num_head;

    *num_read = 0;
    if (ret != 0 || self->utf16 != NULL) {
        return ret != 0 ? ret : read_utf16(self, buffer, num_bytes, num_read, diag);
    }
    num_head = num_bytes < self->num_head ? num_bytes : self->num_head;
    memcpy(buffer, self->head, num_head);
    self->num_head -= num_head;
    memmove(self->head, self->head + num_head, self->num_head);
    if (num_head < num_bytes) {
        ret = read_unpacked(self, buffer + num_head, num_bytes - num_head, num_read, diag);
    }
    *num_read += num_head;
    return ret;
}

/* Enters the file into the journal with its unread rest, unless that cannot be read. */
static void enter(spot_instream_t *self)
{
    char buffer[BUFFER_BYTES / 16], sha256[SPOT_SHA256_TEXT_BYTES];
    spot_diag_t unheard;
    size_t num_read = 0;
    int ret;

    spot_diag_init(&unheard);
    ret = self->is_started ? 0 : start(self, &unheard);
    while (ret == 0 &&
           (ret = read_unpacked(self, buffer, sizeof(buffer), &num_read, &unheard)) == 0 &&
           num_read > 0) {
    }
    if (ret == 0) {
        SHA256End(&self->hash, sha256);
        enter_file(self->journal, self->file, sha256);
    }
    spot_diag_free(&unheard);
}

void spot_instream_close(spot_instream_t *self)
{
    if (self->journal != NULL && !self->is_given_up) {
        enter(self);
    }
    if (self->stream != NULL) {
        gzclose(self->stream);
    }
    close_unpacker(self->unpacker);
    free(self->utf16);
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
