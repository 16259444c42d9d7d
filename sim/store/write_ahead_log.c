/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/store/write_ahead_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define HEADER_BYTES 32
#define FRAME_HEADER_BYTES 24
#define SALT_BYTES 8
/* Places in the header and in that of a frame. */
#define PAGE_SIZE 8
#define HEADER_SALT 16
#define FRAME_COMMIT 4 /* not 0: the frame ends a transaction */
#define FRAME_SALT 8

/* The name of a file beside the database. NULL: no memory. */
static char *
name_beside(const char *database, const char *ending)
{
    char *name = malloc(strlen(database) + strlen(ending) + 1);

    if (name != NULL) {
        sprintf(name, "%s%s", database, ending);
    }
    return name;
}

/* -1: there is no such file. */
static int64_t
size_beside(const char *database, const char *ending)
{
    char *name = name_beside(database, ending);
    struct stat about;
    int64_t num_bytes = 1;

    if (name != NULL) {
        num_bytes = stat(name, &about) == 0 ? about.st_size : -1;
        free(name);
    }
    return num_bytes;
}

static uint32_t
big_endian(const unsigned char *bytes)
{
    return (uint32_t) bytes[0] << 24 | (uint32_t) bytes[1] << 16 |
           (uint32_t) bytes[2] << 8 | bytes[3];
}

/* Frames of an older log, whose salt is another one, lie behind those that count. */
static bool
is_without_commit(FILE *log)
{
    unsigned char header[HEADER_BYTES], frame[FRAME_HEADER_BYTES];
    uint32_t page_size;

    if (fread(header, 1, sizeof(header), log) < sizeof(header)) {
        return false;
    }
    page_size = big_endian(&header[PAGE_SIZE]);
    if (page_size < 512 || page_size > 65536 || (page_size & (page_size - 1)) != 0) {
        return false;
    }
    while (fread(frame, 1, sizeof(frame), log) == sizeof(frame) &&
           memcmp(&frame[FRAME_SALT], &header[HEADER_SALT], SALT_BYTES) == 0) {
        if (big_endian(&frame[FRAME_COMMIT]) != 0 ||
            fseek(log, (long) page_size, SEEK_CUR) != 0) {
            return false;
        }
    }
    return ferror(log) == 0;
}

/* Whether the log is there and not empty, but has no transaction to its end. */
static bool
is_unfinished(const char *database)
{
    char *name = name_beside(database, "-wal");
    FILE *log = name == NULL ? NULL : fopen(name, "rb");
    bool has_none = false;

    if (log != NULL) {
        has_none = is_without_commit(log);
        fclose(log);
    }
    free(name);
    return has_none;
}

int64_t
spot_log_size(const char *database)
{
    return is_unfinished(database) ? -1 : size_beside(database, "-wal");
}

bool
spot_log_has_index(const char *database)
{
    return size_beside(database, "-shm") >= 0;
}
