/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/convert/input.h"

#include <string.h>

int
spot_convert_input_csv(
    const spot_convert_input_t *self, spot_csv_t **csv, spot_diag_t *diag)
{
    if (self->bytes == NULL) {
        return spot_csv_open(csv, self->path, diag);
    }
    return spot_csv_open_bytes(csv, self->path, self->bytes, self->num_bytes, diag);
}

int
spot_convert_input_stream(
    const spot_convert_input_t *self, spot_instream_t *stream, spot_diag_t *diag)
{
    if (self->bytes == NULL) {
        return spot_instream_open(stream, self->path, diag);
    }
    spot_instream_open_bytes(stream, self->path, self->bytes, self->num_bytes);
    return 0;
}

int
spot_convert_input_first_line(const spot_convert_input_t *self,
    char text[SPOT_CONVERT_INPUT_LINE_BYTES], spot_diag_t *diag)
{
    char bytes[SPOT_CONVERT_INPUT_LINE_BYTES];
    spot_instream_t stream;
    size_t num_bytes = 0;
    int ret = spot_convert_input_stream(self, &stream, diag);

    text[0] = '\0';
    if (ret == 0) {
        ret = spot_instream_read(&stream, bytes, sizeof(bytes) - 1, &num_bytes, diag);
    }
    if (ret == 0) {
        const char *start = bytes;

        bytes[num_bytes] = '\0';
        if (spot_foreign_kind(bytes, num_bytes) != NULL) {
            ret = spot_diag_error(diag, self->path, 0, 0,
                "this is %s: expected a recording", spot_foreign_kind(bytes, num_bytes));
        } else if (num_bytes == 0) {
            ret = spot_diag_error(diag, self->path, 1, 1, "file is empty");
        }
        start += strncmp(start, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
        start += strspn(start, " \t\r\n");
        num_bytes = strcspn(start, "\r\n");
        memcpy(text, start, num_bytes);
        text[num_bytes] = '\0';
    }
    spot_instream_close(&stream);
    return ret;
}
