/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Digests of what a store holds, by which a damaged file is known: 64 bits, any change
 * of one word changes them. They find accidents, not forgery. Internal to
 * sim/bench/store.
 *
 * In SQL, digest(a, b, ...) is that of the values in their order, with their types, and
 * the aggregate digest_rows(a, b, ...) that of a set of rows in any order. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "sim/bench/store/sqlite_db.h"

/* Goes on from the digest of what was before. */
static inline uint64_t spot_digest_word(uint64_t digest, uint64_t word)
{
    digest = (digest ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return digest ^ digest >> 29;
}

/* The same for a text, or NULL, which is none. */
uint64_t spot_digest_text(uint64_t digest, const char *text);

/* The same for a number; all NAN are one. */
uint64_t spot_digest_number(uint64_t digest, double number);

/* As digest() in SQL goes on with an integer; digest: 0 before the first value. */
uint64_t spot_digest_integer(uint64_t digest, int64_t integer);

/* Makes the functions known to a connection. */
SPOT_MUST_CHECK int spot_digest_register(spot_db_t *db);
