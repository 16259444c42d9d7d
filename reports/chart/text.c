/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/chart/sheet.h"

#include <math.h>
#include <string.h>

#include "base/utf8.h"

/* Advance widths of Inter Regular 4.0, U+0020 to U+007E, in thousandths of the size. */
static const short widths[] = {281, 278, 403, 631, 638, 812, 639, 222, 362, 362, 500, 659, 280, 460,
    276, 357, 625, 464, 605, 636, 642, 608, 624, 571, 616, 624, 276, 280, 659, 659, 659, 507, 936,
    676, 651, 727, 719, 598, 587, 743, 740, 264, 543, 652, 562, 889, 753, 761, 635, 761, 639, 638,
    642, 741, 676, 949, 642, 665, 625, 362, 357, 362, 469, 452, 497, 564, 621, 558, 621, 582, 361,
    609, 591, 237, 237, 544, 237, 869, 585, 597, 609, 609, 372, 523, 364, 581, 557, 812, 540, 557,
    541, 362, 327, 362, 659};

/* Of characters beyond ASCII up to a code point: the widest that are common there. */
static const struct {
    unsigned last;
    short width;
} ranges[] = {{0x009f, 600}, {0x00a0, 281}, {0x00b6, 700}, {0x00b7, 276}, {0x00bf, 660},
    {0x02ff, 780}, {0x036f, 0}, {0x03ff, 760}, {0x052f, 900}, {0x1fff, 760}, {0x200a, 500},
    {0x200f, 0}, {0x2013, 500}, {0x2015, 1000}, {0x2025, 400}, {0x2026, 821}, {0x209f, 560},
    {0x24ff, 1000}, {0xfe0e, 1050}, {0xfe0f, 0}};
#define WIDEST 1400  /* emoji */
#define LEEWAY 1.02  /* other fonts than Inter are a little wider */
#define ELLIPSIS 821 /* "…" */
#define ROUNDING_PX 1e-6
#define BLANKS " \n\t"

static double width_of(const char *text, size_t length)
{
    unsigned code;

    if (length == 0) {
        return 780; /* shown as U+FFFD */
    }
    code = spot_utf8_code_point(text, length);
    if (code < 0x7f) {
        return code < 0x20 ? 780 : widths[code - 0x20];
    }
    for (size_t j = 0; j < sizeof(ranges) / sizeof(ranges[0]); j++) {
        if (code <= ranges[j].last) {
            return ranges[j].width;
        }
    }
    return WIDEST;
}

/* The bytes of a text that fit, at least one character, and their width. */
static size_t fit(
    const char *text, size_t num_bytes, double size_px, double max_px, double *width_px)
{
    size_t j = 0;

    *width_px = 0;
    while (j < num_bytes) {
        const size_t length = spot_utf8_length(text + j, num_bytes - j);
        const double width = *width_px + width_of(text + j, length) * size_px * LEEWAY / 1000;

        if (width > max_px + ROUNDING_PX && j > 0) {
            break;
        }
        *width_px = width;
        j += length == 0 ? 1 : length;
    }
    return j;
}

double spot_chart_line_px(const spot_chart_line_t *line, double size_px)
{
    double width;

    (void) fit(line->text, line->num_bytes, size_px, HUGE_VAL, &width);
    return width + (line->is_cut ? ELLIPSIS * size_px * LEEWAY / 1000 : 0);
}

static bool is_blank(char byte)
{
    return byte == '\0' || strchr(BLANKS, byte) != NULL;
}

/* The end of the last word that ends within num_bytes; num_bytes where there is none. */
static size_t last_break(const char *text, size_t num_bytes)
{
    size_t end = num_bytes;

    while (end > 0 && !is_blank(text[end])) {
        end--;
    }
    while (end > 0 && is_blank(text[end - 1])) {
        end--;
    }
    return end > 0 ? end : num_bytes;
}

size_t spot_chart_text_wrap(
    const char *text, double size_px, double max_px, size_t max_lines, spot_chart_line_t *lines)
{
    size_t num_lines = 0;
    double width;

    text += strspn(text, BLANKS);
    while (*text != '\0' && num_lines < max_lines) {
        const size_t length = strlen(text);
        size_t num_bytes = fit(text, length, size_px, max_px, &width);
        const bool is_cut = num_lines + 1 == max_lines && num_bytes < length;

        if (is_cut) {
            num_bytes =
                fit(text, length, size_px, max_px - ELLIPSIS * size_px * LEEWAY / 1000, &width);
            while (num_bytes > 1 && text[num_bytes - 1] == '.') {
                num_bytes--; /* of a text that was cut before */
            }
        } else {
            num_bytes = last_break(text, num_bytes);
        }
        lines[num_lines++] = (spot_chart_line_t){text, num_bytes, is_cut};
        text += num_bytes;
        text += strspn(text, BLANKS);
    }
    return num_lines;
}

spot_chart_line_t spot_chart_text_cut(const char *text, double size_px, double max_px)
{
    spot_chart_line_t line = {"", 0, false};

    (void) spot_chart_text_wrap(text, size_px, max_px, 1, &line);
    return line;
}
