/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/store/provenance.h"

#include <sqlite3.h>
#include <stddef.h>

const spot_library_t spot_store_libraries[] = {
    {"sqlite", sqlite3_libversion},
    {NULL, NULL},
};
