/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/page/page_internal.h"

int
spot_page_data_write(const spot_page_t *page)
{
    fputs("<script type=\"application/json\" id=\"data\">{}</script>\n", page->out);
    return 0;
}
