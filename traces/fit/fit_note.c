/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/fit/fit_note.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void
spot_fit_note(spot_fit_t *fit, unsigned flags, const char *format, ...)
{
    const size_t used = strlen(fit->note);
    char words[SPOT_FIT_NOTE_BYTES];
    va_list arguments;

    fit->flags |= flags;
    va_start(arguments, format);
    vsnprintf(words, sizeof(words), format, arguments);
    va_end(arguments);
    snprintf(
        fit->note + used, sizeof(fit->note) - used, "%s%s", used > 0 ? "; " : "", words);
}
