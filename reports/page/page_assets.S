/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files that a page brings along, as bytes of the program: C17 has no #embed. */
    .section .rodata

    .macro asset name, file
    .global \name
    .global \name\()_end
\name:
    .incbin "\file"
\name\()_end:
    .byte 0
    .endm

    asset spot_page_css, SPOT_PAGE_CSS
    asset spot_page_base_js, SPOT_PAGE_BASE_JS
    asset spot_page_js, SPOT_PAGE_JS
    asset spot_page_explorer_js, SPOT_PAGE_EXPLORER_JS
    asset spot_page_table_js, SPOT_PAGE_TABLE_JS
    asset spot_page_lanes_js, SPOT_PAGE_LANES_JS
    asset spot_page_timeline_js, SPOT_PAGE_TIMELINE_JS
    asset spot_page_chart, SPOT_PAGE_CHART

    .section .note.GNU-stack, "", %progbits
