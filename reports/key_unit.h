/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The unit of a key of a scenario: durations carry theirs, of plain numbers the key says
 * it. */
#pragma once

#include <stddef.h>

/* Splits a value as it stands in YAML into its number and its unit: "30 s" at any key,
 * "0.91" at fleet.price.spot (USD/h), "1e9" at net_bytes_per_s (bytes/s). Returns the
 * unit, of text or for good; "" for plain numbers and texts. *num_bytes: what of text
 * stands before the unit. */
const char *spot_key_unit(const char *path, const char *text, size_t *num_bytes);
