/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/error.h"

#include <stdio.h>
#include <stdlib.h>

const char *spot_error_text(int error)
{
    switch (error) {
        case 0:
            return "no error";
#define SPOT_ERROR_CASE(name, value, text)                                                         \
    case name:                                                                                     \
        return text;
            SPOT_ERRORS(SPOT_ERROR_CASE)
#undef SPOT_ERROR_CASE
        default:
            return "unknown error";
    }
}

void spot_bug_abort(const char *condition, const char *file, int line)
{
    fprintf(stderr,
        "spotsim: bug: %s:%d: \"%s\" does not hold.\n"
        "Please report this line together with the command and its input files.\n",
        file, line, condition);
    abort();
}
