/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What every store must do. */
#pragma once

#include "store_case.h"

/* Opens an empty store of the case. */
typedef spot_store_t *(*contract_open_t)(const store_case_t *self);

void contract_rows(contract_open_t open);
void contract_refusals(contract_open_t open);
void contract_threads(contract_open_t open);
