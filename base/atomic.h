/* SPDX-License-Identifier: GPL-3.0-or-later */
/* atomic_int for headers that C++ includes too: before C++23 it has no <stdatomic.h>. */
#pragma once

#ifdef __cplusplus
#include <atomic>
using std::atomic_int;
using std::atomic_load;
#else
#include <stdatomic.h>
#endif
