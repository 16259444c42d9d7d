/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/table/terminal.h"

#include <stdlib.h>

#include "reports/table/ascii_signs.h"
#include "reports/table/wrap.h"

int spot_terminal_write(const spot_terminal_t *terminal,
    int (*print)(const void *context, const spot_terminal_t *terminal, FILE *out),
    const void *context, FILE *out)
{
    char *text = NULL;
    size_t num_bytes;
    FILE *stream = open_memstream(&text, &num_bytes);
    int ret;

    if (stream == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    ret = print(context, terminal, stream);
    if (fclose(stream) != 0 && ret == 0) {
        ret = SPOT_ERR_NO_MEMORY;
    }
    if (text != NULL && !terminal->is_utf8) {
        spot_ascii_signs(text);
    }
    if (text != NULL) {
        spot_wrap_write(out, text, terminal->width, SPOT_WRAP_BELOW);
    }
    free(text);
    return ret == 0 && ferror(out) ? SPOT_ERR_IO : ret;
}
