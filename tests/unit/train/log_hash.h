/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A hash of an event log, so that tests can compare long logs in one number. */
#pragma once

#include "sim/bench/engine/series.h"

static inline uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t num_bytes)
{
    const unsigned char *byte = bytes;

    for (size_t j = 0; j < num_bytes; j++) {
        hash = (hash ^ byte[j]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

/* 64-bit FNV-1a over all records and texts. */
static inline uint64_t log_hash(const spot_event_log_t *log)
{
    const uint64_t hash = hash_bytes(
        UINT64_C(0xcbf29ce484222325), log->records, log->num_records * sizeof(*log->records));

    return hash_bytes(hash, log->texts, log->num_text_bytes);
}
