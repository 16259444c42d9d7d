/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/table/paper_text.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/utf8.h"

#define NO_CHARACTER 0xfffd

/* What a character is in a document. */
typedef struct {
    uint32_t character;
    const char *text;
} spelling_t;

/* Braces keep what follows apart, and hide what LaTeX would take for an option of the
 * line before it ([ and *). */
static const spelling_t latex_spellings[] = {
    {'\\', "\\textbackslash{}"},
    {'&', "\\&"},
    {'%', "\\%"},
    {'$', "\\$"},
    {'#', "\\#"},
    {'_', "\\_"},
    {'{', "\\{"},
    {'}', "\\}"},
    {'~', "\\textasciitilde{}"},
    {'^', "\\textasciicircum{}"},
    {'<', "\\textless{}"},
    {'>', "\\textgreater{}"},
    {'|', "\\textbar{}"},
    {'"', "{''}"},
    {'`', "{`}"},
    {'[', "{[}"},
    {']', "{]}"},
    {'*', "{*}"},
    {0xa0, " "},
    {0xb0, "$^\\circ$"},
    {0xb1, "$\\pm$"},
    {0xb2, "$^2$"},
    {0xb3, "$^3$"},
    {0xb5, "$\\mu$"},
    {0xb7, "$\\cdot$"},
    {0xd7, "$\\times$"},
    {0xf7, "$\\div$"},
    {0x3bb, "$\\lambda$"},
    {0x3bc, "$\\mu$"},
    {0x3c3, "$\\sigma$"},
    {0x3c4, "$\\tau$"},
    {0x2013, "\\textendash{}"},
    {0x2014, "\\textemdash{}"},
    {0x2018, "{`}"},
    {0x2019, "{'}"},
    {0x201c, "{``}"},
    {0x201d, "{''}"},
    {0x2026, "\\ldots{}"},
    {0x2192, "$\\rightarrow$"},
    {0x2212, "$-$"},
    {0x2264, "$\\leq$"},
    {0x2265, "$\\geq$"},
    {0x221e, "$\\infty$"},
};

/* A backslash before punctuation makes it plain; markup of HTML and bars are better
 * named, as not all readers of tables know \|. */
static const spelling_t markdown_spellings[] = {
    {'&', "&amp;"},
    {'<', "&lt;"},
    {'>', "&gt;"},
    {'"', "&quot;"},
    {'|', "&#124;"},
    {'\\', "\\\\"},
    {'`', "\\`"},
    {'*', "\\*"},
    {'_', "\\_"},
    {'{', "\\{"},
    {'}', "\\}"},
    {'[', "\\["},
    {']', "\\]"},
    {'#', "\\#"},
    {'!', "\\!"},
    {'~', "\\~"},
    {'$', "\\$"},
    {'@', "&#64;"},
};

/* The character at text, and its bytes. */
static uint32_t decode(const char *text, size_t *num_bytes)
{
    static const unsigned char masks[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    const size_t length = spot_utf8_length(text, strnlen(text, 4));
    uint32_t character;

    *num_bytes = length == 0 ? 1 : length;
    if (length == 0) {
        return NO_CHARACTER;
    }
    character = (unsigned char) text[0] & masks[length];
    for (size_t j = 1; j < length; j++) {
        character = character << 6 | ((unsigned char) text[j] & 0x3f);
    }
    return character;
}

/* C0 and C1, line ends of Unicode, marks of direction. */
static bool is_control(uint32_t character)
{
    return character < 0x20 || (character >= 0x7f && character < 0xa0) ||
           (character >= 0x2028 && character <= 0x202e) ||
           (character >= 0x2066 && character <= 0x2069);
}

static const char *spelling_of(
    const spelling_t *spellings, size_t num_spellings, uint32_t character)
{
    for (size_t j = 0; j < num_spellings; j++) {
        if (spellings[j].character == character) {
            return spellings[j].text;
        }
    }
    return NULL;
}

/* Letters of Latin 1 that the standard fonts of LaTeX have; ð and þ are not there. */
static bool is_western_letter(uint32_t character)
{
    return character >= 0xc0 && character <= 0xff && character != 0xd0 && character != 0xde &&
           character != 0xf0 && character != 0xfe;
}

/* LaTeX joins -- to a dash and '' to a quotation mark. */
static bool is_joined(uint32_t character, uint32_t before)
{
    return character == before && (character == '-' || character == '\'');
}

void spot_paper_latex_text(FILE *out, const char *text)
{
    const size_t num_spellings = sizeof(latex_spellings) / sizeof(latex_spellings[0]);
    uint32_t before = 0;
    size_t num_bytes;

    for (; *text != '\0'; text += num_bytes) {
        const uint32_t character = decode(text, &num_bytes);
        const char *spelling = spelling_of(latex_spellings, num_spellings, character);

        if (is_control(character)) {
            fputc(' ', out);
        } else if (is_joined(character, before)) {
            fprintf(out, "{%c}", (char) character);
        } else if (spelling != NULL) {
            fputs(spelling, out);
        } else if (character < 0x80 || is_western_letter(character)) {
            fwrite(text, 1, num_bytes, out);
        } else {
            fprintf(out, "{U+%04X}", (unsigned) character);
        }
        before = character;
    }
}

void spot_paper_markdown_text(FILE *out, const char *text)
{
    const size_t num_spellings = sizeof(markdown_spellings) / sizeof(markdown_spellings[0]);
    size_t num_bytes;

    for (; *text != '\0'; text += num_bytes) {
        const uint32_t character = decode(text, &num_bytes);
        const char *spelling = spelling_of(markdown_spellings, num_spellings, character);

        if (is_control(character)) {
            fputc(' ', out);
        } else if (strncmp(text, "://", 3) == 0) {
            fputs("&#58;", out); /* else readers make a link of it */
        } else if (spelling != NULL) {
            fputs(spelling, out);
        } else if (character == NO_CHARACTER) {
            fputs("\xef\xbf\xbd", out);
        } else {
            fwrite(text, 1, num_bytes, out);
        }
    }
}
