/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/records/record_input.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

int spot_record_input_csv(const spot_record_input_t *self, spot_csv_t **csv, spot_diag_t *diag)
{
    if (self->bytes == NULL) {
        return spot_csv_open(csv, self->path, diag);
    }
    return spot_csv_open_bytes(csv, self->path, self->bytes, self->num_bytes, diag);
}

int spot_record_input_stream(
    const spot_record_input_t *self, spot_instream_t *stream, spot_diag_t *diag)
{
    if (self->bytes == NULL) {
        return spot_instream_open(stream, self->path, diag);
    }
    spot_instream_open_bytes(stream, self->path, self->bytes, self->num_bytes);
    return 0;
}

int spot_record_input_head(const spot_record_input_t *self, char text[SPOT_RECORD_HEAD_BYTES],
    char line[SPOT_RECORD_LINE_BYTES], spot_diag_t *diag)
{
    spot_instream_t stream;
    struct stat status;
    size_t num_bytes = 0;
    int ret;

    text[0] = '\0';
    line[0] = '\0';
    if (self->bytes == NULL && stat(self->path, &status) == 0 && S_ISFIFO(status.st_mode)) {
        return spot_diag_error(diag, self->path, 0, 0,
            "expected a file: a pipe can be read only once, and its begin says what it "
            "is");
    }
    ret = spot_record_input_stream(self, &stream, diag);
    if (ret == 0) {
        ret = spot_instream_read(&stream, text, SPOT_RECORD_HEAD_BYTES - 1, &num_bytes, diag);
    }
    if (ret == 0) {
        const char *start = text;

        text[num_bytes] = '\0';
        if (spot_foreign_kind(text, num_bytes) != NULL) {
            ret = spot_diag_error(diag, self->path, 0, 0, "this is %s: expected a recording",
                spot_foreign_kind(text, num_bytes));
        } else if (num_bytes == 0) {
            ret = spot_diag_error(diag, self->path, 1, 1, "file is empty");
        }
        start += strncmp(start, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
        start += strspn(start, " \t\r\n");
        num_bytes = strcspn(start, "\r\n");
        snprintf(line, SPOT_RECORD_LINE_BYTES, "%.*s",
            (int) (num_bytes < SPOT_RECORD_LINE_BYTES ? num_bytes : SPOT_RECORD_LINE_BYTES), start);
    }
    spot_instream_close(&stream);
    return ret;
}
