/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a field of a YAML map looks like, in words: for the manual and for commands. */
#ifndef SPOT_CLI_FIELD_TEXT_H
#define SPOT_CLI_FIELD_TEXT_H

#include <stdio.h>

#include "base/bind.h"

/* Writes text to out, maybe with escapes. */
typedef void (*spot_put_text_t)(FILE *out, const char *text);

/* put for plain text. */
void spot_plain_text(FILE *out, const char *text);

/* What a value looks like, with the limits of a number: "integer from 1 to 64". */
void spot_field_put_type(FILE *out, const spot_field_t *field, spot_put_text_t put);

/* " (required)", " (default 0 s)", or nothing where there is no default to tell. */
void spot_field_put_default(FILE *out, const spot_field_t *field, spot_put_text_t put);

#endif
