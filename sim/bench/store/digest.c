/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/bench/store/digest.h"

#include <math.h>
#include <string.h>

#include "base/integers.h"

#define NULL_WORD UINT64_C(0x6e756c6c) /* "null" */

static uint64_t digest_bytes(uint64_t digest, const void *bytes, size_t num_bytes)
{
    for (size_t j = 0; j < num_bytes; j += sizeof(uint64_t)) {
        const size_t num_left = num_bytes - j;
        uint64_t word = 0;

        memcpy(&word, (const char *) bytes + j, num_left < sizeof(word) ? num_left : sizeof(word));
        digest = spot_digest_word(digest, word);
    }
    return spot_digest_word(digest, num_bytes);
}

uint64_t spot_digest_text(uint64_t digest, const char *text)
{
    return text == NULL ? spot_digest_word(digest, NULL_WORD)
                        : digest_bytes(digest, text, strlen(text));
}

uint64_t spot_digest_number(uint64_t digest, double number)
{
    return spot_digest_word(digest, isnan(number) ? NULL_WORD : spot_double_bits(number));
}

uint64_t spot_digest_integer(uint64_t digest, int64_t integer)
{
    return spot_digest_word(spot_digest_word(digest, SQLITE_INTEGER), (uint64_t) integer);
}

static uint64_t digest_values(int num_values, sqlite3_value **values)
{
    uint64_t digest = 0;

    for (int j = 0; j < num_values; j++) {
        const int type = sqlite3_value_type(values[j]);

        if (type == SQLITE_INTEGER) {
            digest = spot_digest_integer(digest, sqlite3_value_int64(values[j]));
            continue;
        }
        digest = spot_digest_word(digest, (uint64_t) type);
        if (type == SQLITE_FLOAT) {
            digest = spot_digest_number(digest, sqlite3_value_double(values[j]));
        } else if (type != SQLITE_NULL) {
            const void *bytes = sqlite3_value_blob(values[j]);

            digest = digest_bytes(digest, bytes, (size_t) sqlite3_value_bytes(values[j]));
        }
    }
    return digest;
}

static void digest_row(sqlite3_context *context, int num_values, sqlite3_value **values)
{
    sqlite3_result_int64(context, (sqlite3_int64) digest_values(num_values, values));
}

static void add_row(sqlite3_context *context, int num_values, sqlite3_value **values)
{
    uint64_t *sum = sqlite3_aggregate_context(context, sizeof(*sum));

    if (sum == NULL) {
        sqlite3_result_error_nomem(context);
    } else {
        *sum += digest_values(num_values, values);
    }
}

static void end_rows(sqlite3_context *context)
{
    const uint64_t *sum = sqlite3_aggregate_context(context, 0);

    sqlite3_result_int64(context, sum == NULL ? 0 : (sqlite3_int64) *sum);
}

int spot_digest_register(spot_db_t *db)
{
    const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY;
    const int ret = spot_db_check(
        db, sqlite3_create_function(db->handle, "digest", -1, flags, NULL, digest_row, NULL, NULL));

    return ret == 0 ? spot_db_check(db, sqlite3_create_function(db->handle, "digest_rows", -1,
                                            flags, NULL, NULL, add_row, end_rows))
                    : ret;
}
