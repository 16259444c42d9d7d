/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fields of the CSV files that we write. */
#ifndef SPOT_BASE_CSV_FIELD_H
#define SPOT_BASE_CSV_FIELD_H

#include <stdio.h>

/* In quotes where RFC 4180 needs them, or a reader would trim it. */
void spot_csv_field_text(FILE *out, const char *text);

/* A comma and the number with 8 significant digits; nothing behind the comma where it is
 * not finite. */
void spot_csv_field_number(FILE *out, double value);

#endif
