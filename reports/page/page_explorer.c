/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where page_explorer.js puts its controls and its chart. Without scripts a note stands
 * there; the pictures and tables of the page say the same. */
#include "reports/page/page_internal.h"

static int
write(const spot_page_t *page)
{
    fputs("<noscript><p class=\"note\">This part needs scripts; the pictures and tables "
          "of the page do without.</p></noscript>\n"
          "<div id=\"explorer-place\" class=\"scripted\" hidden></div>\n",
        page->out);
    return 0;
}

const spot_page_part_t spot_page_explorer = {
    "explorer", "Explore the points", NULL, write};
