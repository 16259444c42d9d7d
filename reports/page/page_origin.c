/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the numbers come from, and how to get them again. */
#include "reports/page/page_internal.h"

static int
write(const spot_page_t *page)
{
    fputs("<p>From ", page->out);
    spot_html_element(page->out, "code", page->source->path);
    fputs(".</p>\n", page->out);
    return 0;
}

const spot_page_part_t spot_page_origin = {
    "origin", "Where it comes from, and how to repeat it", NULL, write};
