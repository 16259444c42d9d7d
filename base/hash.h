/* SPDX-License-Identifier: GPL-3.0-or-later */
/* FNV-1a of 64 bits (Fowler, Noll, Vo, IETF draft-eastlake-fnv). */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define SPOT_HASH_START UINT64_C(0xcbf29ce484222325)

/* Goes on from the hash of what was before. */
static inline uint64_t spot_hash(uint64_t hash, const void *bytes, size_t num_bytes)
{
    const unsigned char *byte = bytes;

    for (size_t j = 0; j < num_bytes; j++) {
        hash = (hash ^ byte[j]) * UINT64_C(0x100000001b3);
    }
    return hash;
}
