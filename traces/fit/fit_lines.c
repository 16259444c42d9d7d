/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/fit/fit_lines.h"

#include <stdarg.h>
#include <stdio.h>

void
spot_fit_say(spot_fit_words_t *self, const char *format, ...)
{
    va_list arguments;

    if (self->num_lines == SPOT_FIT_MAX_LINES) {
        return;
    }
    va_start(arguments, format);
    vsnprintf(self->lines[self->num_lines++], SPOT_FIT_LINE_BYTES, format, arguments);
    va_end(arguments);
}

const char *
spot_fit_count(char text[64], size_t number, const char *noun)
{
    snprintf(text, 64, "%zu %s%s", number, noun, number == 1 ? "" : "s");
    return text;
}
