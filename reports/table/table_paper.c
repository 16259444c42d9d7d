/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/table/table_paper.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"

/* ---- Text from outside ---- */

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

/* ---- What dialects have ---- */

#define GAP_CHARS 3     /* between columns */
#define PAGE_ROWS 40    /* what fits on a page */
#define NUMBER_CHARS 13 /* of a usual cell */

/* What is asked of a table before its head is written. */
typedef struct {
    const spot_table_t *table;
    const char *caption; /* NULL: the table goes on */
    const char *aligns;  /* of each column: 'l' or 'r' */
    size_t num_columns;
    bool is_long; /* more rows than a page has */
} frame_t;

/* Cells are written between row_open, cell_gap and row_close. */
struct spot_table_dialect {
    size_t max_chars; /* of a row, about; wider tables are split */
    const char *row_open, *cell_gap, *row_close;
    const char *mark_open, *mark_close;   /* around a letter */
    const char *power_open, *power_close; /* around the exponent of 10 */
    const char *plus_minus;
    const char *above;       /* before a lower bound */
    const char *number_edge; /* before and behind a number */
    const char *nothing;     /* in place of a number */
    const char *preamble;
    void (*text)(FILE *out, const char *text);
    /* A cell of the head, in two lines; rest may be "". */
    void (*head)(FILE *out, const char *first, const char *rest, char align);
    void (*begin)(FILE *out, const frame_t *frame);
    /* Behind the head of what is long, which comes again for other pages; NULL: there
     * are no pages. */
    const char *end_first_head;
    void (*end_head)(FILE *out, const frame_t *frame);
    /* A text in place of num_columns cells of a row. */
    void (*rest)(FILE *out, const char *text, size_t num_columns);
    void (*end_rows)(FILE *out, const frame_t *frame); /* or NULL */
    const char *first_note, *next_note, *end_note, *end_notes;
    const char *end; /* of what is not long */
};

/* ---- LaTeX ---- */

/* A caption, and a label of letters that need no care. */
static void write_latex_caption(FILE *out, const frame_t *frame)
{
    const char *name = frame->table->name;

    fputs("\\caption{", out);
    spot_paper_latex_text(out, frame->caption);
    fputs("}\\label{tab:", out);
    for (const char *byte = name == NULL ? "" : name; *byte != '\0'; byte++) {
        const bool is_plain = (*byte >= 'a' && *byte <= 'z') || (*byte >= 'A' && *byte <= 'Z') ||
                              (*byte >= '0' && *byte <= '9');

        fputc(is_plain ? *byte : '-', out);
    }
    fputs("}", out);
}

static void write_latex_head(FILE *out, const char *first, const char *rest, char align)
{
    if (rest[0] == '\0') {
        spot_paper_latex_text(out, first);
        return;
    }
    fprintf(out, "\\shortstack[%c]{", align);
    spot_paper_latex_text(out, first);
    fputs("\\\\", out);
    spot_paper_latex_text(out, rest);
    fputc('}', out);
}

static void begin_latex(FILE *out, const frame_t *frame)
{
    const char *kind = frame->is_long ? "longtable" : "tabular";

    if (!frame->is_long && frame->caption != NULL) {
        fputs("\\begin{table}[htbp]\n\\centering\n", out);
        write_latex_caption(out, frame);
        fputc('\n', out);
    } else if (!frame->is_long) {
        fputs("\n\\medskip\n", out);
    }
    fprintf(out, "\\begin{%s}{%s}\n", kind, frame->aligns);
    if (frame->is_long && frame->caption != NULL) {
        write_latex_caption(out, frame);
        fputs("\\\\\n", out);
    }
    fputs("\\toprule\n", out);
}

static void end_latex_head(FILE *out, const frame_t *frame)
{
    fputs(frame->is_long ? "\\midrule\n\\endhead\n" : "\\midrule\n", out);
}

static void write_latex_rest(FILE *out, const char *text, size_t num_columns)
{
    fprintf(out, "\\multicolumn{%zu}{l}{", num_columns);
    spot_paper_latex_text(out, text);
    fputc('}', out);
}

static void end_latex_rows(FILE *out, const frame_t *frame)
{
    fprintf(out, "\\bottomrule\n\\end{%s}\n", frame->is_long ? "longtable" : "tabular");
}

const spot_table_dialect_t spot_table_latex = {
    .max_chars = 72, /* of the standard class article */
    .row_open = "",
    .cell_gap = " & ",
    .row_close = " \\\\\n",
    .mark_open = "\\textsuperscript{",
    .mark_close = "}",
    .power_open = " \\times 10^{",
    .power_close = "}",
    .plus_minus = " \\pm ",
    .above = "> ",
    .number_edge = "$",
    .nothing = "\\textendash{}",
    .preamble = "% needs \\usepackage{booktabs,longtable} in the preamble\n",
    .text = spot_paper_latex_text,
    .head = write_latex_head,
    .begin = begin_latex,
    /* The caption stands on the first page only. */
    .end_first_head = "\\midrule\n\\endfirsthead\n\\toprule\n",
    .end_head = end_latex_head,
    .rest = write_latex_rest,
    .end_rows = end_latex_rows,
    .first_note = "\n\\smallskip\n{\\footnotesize ",
    .next_note = "\n",
    .end_note = "\\par",
    .end_notes = "}\n",
    .end = "\\end{table}\n",
};

/* ---- Markdown ---- */

/* In one line: Markdown has no other. */
static void write_markdown_head(FILE *out, const char *first, const char *rest, char align)
{
    (void) align;
    spot_paper_markdown_text(out, first);
    fputs(rest[0] == '\0' ? "" : " ", out);
    spot_paper_markdown_text(out, rest);
}

/* pandoc takes a line that starts like this as the caption of what is below. */
static void begin_markdown(FILE *out, const frame_t *frame)
{
    if (frame->caption != NULL) {
        fputs("Table: ", out);
        spot_paper_markdown_text(out, frame->caption);
        fputs("\n\n", out);
    }
}

static void end_markdown_head(FILE *out, const frame_t *frame)
{
    fputc('|', out);
    for (size_t j = 0; j < frame->num_columns; j++) {
        fputs(frame->aligns[j] == 'r' ? " ---: |" : " :--- |", out);
    }
    fputc('\n', out);
}

static void write_markdown_rest(FILE *out, const char *text, size_t num_columns)
{
    spot_paper_markdown_text(out, text);
    for (size_t j = 1; j < num_columns; j++) {
        fputs(" |", out);
    }
}

const spot_table_dialect_t spot_table_markdown = {
    .max_chars = SIZE_MAX,
    .row_open = "| ",
    .cell_gap = " | ",
    .row_close = " |\n",
    .mark_open = "<sup>",
    .mark_close = "</sup>",
    .power_open = "·10<sup>",
    .power_close = "</sup>",
    .plus_minus = " ± ",
    .above = "&gt; ",
    .number_edge = "",
    .nothing = "–",
    .preamble = "",
    .text = spot_paper_markdown_text,
    .head = write_markdown_head,
    .begin = begin_markdown,
    .end_head = end_markdown_head,
    .rest = write_markdown_rest,
    .first_note = "\n- ",
    .next_note = "- ",
    .end_note = "\n",
    .end_notes = "",
    .end = "",
};

/* ---- Columns ---- */

typedef struct {
    const char *first; /* line of the head: name and unit */
    const char *rest;  /* the other one, or "" */
    size_t num_chars;  /* width */
} column_t;

typedef struct {
    const spot_table_t *table;
    const spot_table_dialect_t *dialect;
    FILE *out;
    size_t num_keys;
    column_t *columns; /* [num_columns] */
    char *aligns;      /* [num_columns + 1] */
    spot_texts_t texts;
} writer_t;

static size_t chars_of(const char *text)
{
    return text == NULL ? 0 : spot_utf8_count(text, strlen(text));
}

static void widen(column_t *column, size_t num_chars)
{
    column->num_chars = num_chars > column->num_chars ? num_chars : column->num_chars;
}

/* Name and unit. A long head takes two lines, broken where both are short. */
static void break_head(writer_t *self, const spot_table_column_t *model, column_t *column)
{
    const char *head = model->unit[0] == '\0'
                           ? model->name
                           : spot_texts_add(&self->texts, "%s (%s)", model->name, model->unit);

    *column = (column_t){head, "", chars_of(head)};
    for (const char *blank = strchr(head, ' '); blank != NULL; blank = strchr(blank + 1, ' ')) {
        const size_t first = spot_utf8_count(head, (size_t) (blank - head));
        const size_t second = chars_of(blank + 1);
        const size_t longer = first > second ? first : second;

        if (longer < column->num_chars) {
            *column = (column_t){spot_texts_add(&self->texts, "%.*s", (int) (blank - head), head),
                blank + 1, longer};
        }
    }
}

/* Numbers take about the same room; text is measured. */
static void measure(writer_t *self, size_t column_id)
{
    const spot_table_column_t *model = &self->table->columns[column_id];
    column_t *column = &self->columns[column_id];

    break_head(self, model, column);
    for (size_t j = 0; j < self->table->num_rows; j++) {
        const spot_table_cell_t *cell = spot_table_cell(self->table, j, column_id);
        spot_table_parts_t parts;

        if (cell->content == SPOT_TABLE_WORDS) {
            widen(column, chars_of(cell->text));
        } else if (model->is_key) {
            spot_table_parts(self->table, j, column_id, SPOT_TABLE_BY_CELL, &parts);
            widen(column, chars_of(parts.number));
        } else if (cell->content != SPOT_TABLE_REST) {
            widen(column, NUMBER_CHARS);
        }
        if (cell->remark != NULL) {
            widen(column, NUMBER_CHARS + 1 + chars_of(cell->remark));
        }
    }
}

/* As many columns beside the keys as have room, at least one. */
static size_t block_end(const writer_t *self, size_t first_id)
{
    size_t column_id = first_id, num_chars = 0;

    for (size_t j = 0; j < self->num_keys; j++) {
        num_chars += self->columns[j].num_chars + GAP_CHARS;
    }
    while (column_id < self->table->num_columns) {
        num_chars += self->columns[column_id].num_chars + GAP_CHARS;
        if (num_chars > self->dialect->max_chars && column_id > first_id) {
            break;
        }
        column_id++;
    }
    return column_id;
}

/* ---- Cells ---- */

static void write_number(const writer_t *self, const char *number)
{
    const char *power = strchr(number, 'e');

    if (power == NULL) {
        fputs(number, self->out);
    } else {
        fprintf(self->out, "%.*s%s%d%s", (int) (power - number), number, self->dialect->power_open,
            atoi(power + 1), self->dialect->power_close);
    }
}

static void write_mark(const writer_t *self, const char *text)
{
    fputs(self->dialect->mark_open, self->out);
    self->dialect->text(self->out, text);
    fputs(self->dialect->mark_close, self->out);
}

/* Each sign, then all letters. */
static void write_marks(const writer_t *self, const char *marks)
{
    for (; *marks != '\0' && strchr("*!?", *marks) != NULL; marks++) {
        write_mark(self, (const char[]){*marks, '\0'});
    }
    if (*marks != '\0') {
        write_mark(self, marks);
    }
}

/* "12.5 ± 0.3 (563 of 1000)", "> 5". */
static void write_cell(const writer_t *self, size_t row_id, size_t column_id)
{
    const spot_table_cell_t *cell = spot_table_cell(self->table, row_id, column_id);
    const bool is_key = self->table->columns[column_id].is_key;
    const char *edge = is_key ? "" : self->dialect->number_edge;
    spot_table_parts_t parts;

    spot_table_parts(self->table, row_id, column_id, SPOT_TABLE_BY_CELL, &parts);
    if (cell->text != NULL) {
        self->dialect->text(self->out, cell->text);
    } else if (cell->content == SPOT_TABLE_UNKNOWN) {
        fputs(self->dialect->nothing, self->out);
    } else if (cell->content != SPOT_TABLE_EMPTY) {
        fprintf(self->out, "%s%s", edge, parts.before[0] == '\0' ? "" : self->dialect->above);
        write_number(self, parts.number);
        if (parts.half_width[0] != '\0') {
            fputs(self->dialect->plus_minus, self->out);
            write_number(self, parts.half_width);
        }
        fputs(edge, self->out);
    }
    if (cell->remark != NULL) {
        fputc(' ', self->out);
        self->dialect->text(self->out, cell->remark);
    }
    write_marks(self, cell->marks);
}

/* ---- Blocks ---- */

static size_t column_at(const writer_t *self, size_t place, size_t first_id)
{
    return place < self->num_keys ? place : first_id + place - self->num_keys;
}

/* What cannot be told stands in the first block. */
static bool is_said(const writer_t *self, size_t row_id, size_t first_id)
{
    return first_id > self->num_keys &&
           spot_table_cell(self->table, row_id, self->num_keys)->content == SPOT_TABLE_REST;
}

static void write_row(const writer_t *self, size_t row_id, size_t first_id, size_t num_places)
{
    const char *before = self->dialect->row_open;

    if (self->table->headings[row_id] != NULL) {
        fputs(before, self->out);
        self->dialect->rest(self->out, self->table->headings[row_id], num_places);
        fputs(self->dialect->row_close, self->out);
    }
    for (size_t j = 0; j < num_places; j++) {
        const size_t column_id = column_at(self, j, first_id);
        const spot_table_cell_t *cell = spot_table_cell(self->table, row_id, column_id);

        fputs(before, self->out);
        before = self->dialect->cell_gap;
        if (cell->content == SPOT_TABLE_REST) {
            self->dialect->rest(self->out, cell->text, num_places - j);
            break;
        }
        write_cell(self, row_id, column_id);
    }
    fputs(self->dialect->row_close, self->out);
}

static void write_head(const writer_t *self, size_t first_id, size_t num_places)
{
    const char *before = self->dialect->row_open;

    for (size_t j = 0; j < num_places; j++) {
        const column_t *column = &self->columns[column_at(self, j, first_id)];

        fputs(before, self->out);
        before = self->dialect->cell_gap;
        self->dialect->head(self->out, column->first, column->rest, self->aligns[j]);
    }
    fputs(self->dialect->row_close, self->out);
}

static void write_block(const writer_t *self, frame_t *frame, size_t first_id, size_t end_id)
{
    const size_t num_places = self->num_keys + end_id - first_id;

    for (size_t j = 0; j < num_places; j++) {
        const size_t column_id = column_at(self, j, first_id);

        self->aligns[j] = self->table->columns[column_id].kind == SPOT_TABLE_NUMBER ? 'r' : 'l';
    }
    self->aligns[num_places] = '\0';
    frame->aligns = self->aligns;
    frame->num_columns = num_places;
    self->dialect->begin(self->out, frame);
    write_head(self, first_id, num_places);
    if (frame->is_long && self->dialect->end_first_head != NULL) {
        fputs(self->dialect->end_first_head, self->out);
        write_head(self, first_id, num_places);
    }
    self->dialect->end_head(self->out, frame);
    for (size_t j = 0; j < self->table->num_rows; j++) {
        if (!is_said(self, j, first_id)) {
            write_row(self, j, first_id, num_places);
        }
    }
    if (self->dialect->end_rows != NULL) {
        self->dialect->end_rows(self->out, frame);
    }
}

static void write_notes(const writer_t *self)
{
    for (size_t j = 0; j < self->table->num_notes; j++) {
        const spot_table_note_t *note = &self->table->notes[j];

        fputs(j == 0 ? self->dialect->first_note : self->dialect->next_note, self->out);
        if (note->marks[0] != '\0') {
            write_mark(self, note->marks);
            fputc(' ', self->out);
        }
        self->dialect->text(self->out, note->text);
        fputs(self->dialect->end_note, self->out);
    }
    fputs(self->table->num_notes > 0 ? self->dialect->end_notes : "", self->out);
}

static void write_all(const writer_t *self)
{
    frame_t frame = {
        .table = self->table, .caption = self->table->caption == NULL ? "" : self->table->caption};
    size_t num_rows = 0, first_id = self->num_keys;

    for (size_t j = self->num_keys; j < self->table->num_columns; j = block_end(self, j)) {
        num_rows += self->table->num_rows;
    }
    frame.is_long = num_rows > PAGE_ROWS;
    do {
        const size_t end_id = block_end(self, first_id);

        write_block(self, &frame, first_id, end_id);
        frame.caption = NULL;
        first_id = end_id;
    } while (first_id < self->table->num_columns);
    write_notes(self);
    fputs(frame.is_long ? "" : self->dialect->end, self->out);
}

int spot_table_write_paper(const spot_table_t *self, const spot_table_dialect_t *dialect, FILE *out)
{
    writer_t writer = {
        .table = self, .dialect = dialect, .out = out, .num_keys = spot_table_num_keys(self)};
    int ret = self->error;

    writer.columns = spot_calloc(self->num_columns, sizeof(*writer.columns));
    writer.aligns = spot_calloc(self->num_columns + 1, 1);
    if (ret == 0 && (writer.columns == NULL || writer.aligns == NULL)) {
        ret = SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; ret == 0 && j < self->num_columns; j++) {
        measure(&writer, j);
        ret = writer.texts.error;
    }
    if (ret == 0 && self->num_rows > 0) {
        write_all(&writer);
    }
    spot_texts_free(&writer.texts);
    free(writer.columns);
    free(writer.aligns);
    return ret == 0 && ferror(out) ? SPOT_ERR_IO : ret;
}

void spot_table_write_preamble(const spot_table_dialect_t *dialect, FILE *out)
{
    fputs(dialect->preamble, out);
}
