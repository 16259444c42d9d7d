/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pieces of a manual page in man(7) form. */
#ifndef SPOT_CLI_ROFF_H
#define SPOT_CLI_ROFF_H

#include <stdio.h>

#include "base/bind.h"

/* The .TH line and the section NAME. */
void spot_roff_head(FILE *out, const char *title, int section, const char *summary);

/* Text with the characters escaped that roff would take for its own. */
void spot_roff_text(FILE *out, const char *text);

/* One paragraph a field of a YAML map: its key behind path, type, range, help, default;
 * maps with all that is in them. until: the first field that is left out, or NULL. */
void spot_roff_fields(
    FILE *out, const spot_field_t *field, const spot_field_t *until, const char *path);

#endif
