/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/page/page_side_by_side.h"

int
spot_page_side_by_side_write(
    const spot_side_by_side_t *two, FILE *out, spot_diag_t *diag)
{
    (void) two;
    (void) diag;
    return ferror(out) ? SPOT_ERR_IO : 0;
}
