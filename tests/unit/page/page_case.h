/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of pages of made-up studies, and what every page must keep. */
#pragma once

#include "reports/page/page.h"

/* What a section, or "warnings", says below its heading, freed by the caller; NULL: the
 * study has no such part. origin NULL: the store notes nothing. It has been checked by
 * page_check(). */
char *page_part(const spot_store_t *store, const spot_origin_t *origin, const char *part);

/* Fails the test unless tags are balanced, attributes quoted, entities known, ids there
 * once, every table has a caption and its head cells say what they are the head of, and
 * no heading is more than one level below the one before it. Text of scripts and styles
 * is passed over. */
void page_check(const char *html);

/* The same as a question: why it is none, or NULL. */
const char *page_problem(const char *html);

/* page_part() as it is committed in tests/golden/reports. */
void page_assert_golden(
    const spot_store_t *store, const spot_origin_t *origin, const char *part, const char *name);

/* A text in which nothing may be taken for markup: it has <script>, all quotes, a byte
 * that is no UTF-8 and other scripts. */
extern const char page_hostile[];
