/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes fields of CSV files. */
#pragma once

#include <stdio.h>

/* Writes a text, in quotes if RFC 4180 needs them or a reader would trim blanks. */
void spot_csv_field_text(FILE *out, const char *text);

/* Writes a comma and the number with 8 significant digits; only the comma if it is not
 * finite. */
void spot_csv_field_number(FILE *out, double value);
