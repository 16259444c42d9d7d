/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What every store must do. */
#ifndef SPOT_TESTS_UNIT_STORE_STORE_CONTRACT_H
#define SPOT_TESTS_UNIT_STORE_STORE_CONTRACT_H

#include "store_case.h"

/* Opens an empty store of the case. */
typedef spot_store_t *(*contract_open_t)(const store_case_t *self);

void contract_rows(contract_open_t open);
void contract_refusals(contract_open_t open);
void contract_threads(contract_open_t open);

#endif
