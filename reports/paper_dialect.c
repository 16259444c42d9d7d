/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/paper_dialect.h"

#include "reports/paper_text.h"

/* ---- LaTeX ---- */

static void
write_latex_power(FILE *out, const char *digits, int exponent)
{
    fprintf(out, "%s \\times 10^{%d}", digits, exponent);
}

static void
write_latex_preamble(FILE *out)
{
    fputs("% needs \\usepackage{booktabs,longtable} in the preamble\n", out);
}

/* A caption, and a label of letters that need no care. */
static void
write_latex_caption(FILE *out, const spot_paper_frame_t *frame)
{
    fputs("\\caption{", out);
    spot_paper_latex_text(out, frame->caption);
    fputs("}\\label{tab:", out);
    for (const char *byte = frame->name; *byte != '\0'; byte++) {
        const bool is_plain = (*byte >= 'a' && *byte <= 'z') ||
                              (*byte >= 'A' && *byte <= 'Z') ||
                              (*byte >= '0' && *byte <= '9');

        fputc(is_plain ? *byte : '-', out);
    }
    fputs("}", out);
}

static void
write_latex_head(FILE *out, const char *first, const char *rest, char align)
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

static void
begin_latex(FILE *out, const spot_paper_frame_t *frame)
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

/* The caption stands on the first page only. */
static void
end_latex_first_head(FILE *out)
{
    fputs("\\midrule\n\\endfirsthead\n\\toprule\n", out);
}

static void
end_latex_head(FILE *out, const spot_paper_frame_t *frame)
{
    fputs("\\midrule\n", out);
    if (frame->is_long) {
        fputs("\\endhead\n", out);
    }
}

static void
end_latex_rows(FILE *out, const spot_paper_frame_t *frame)
{
    fprintf(out, "\\bottomrule\n\\end{%s}\n", frame->is_long ? "longtable" : "tabular");
}

static void
begin_latex_note(FILE *out, bool is_first)
{
    fputs(is_first ? "\n\\smallskip\n{\\footnotesize " : "\n", out);
}

static void
end_latex_note(FILE *out)
{
    fputs("\\par", out);
}

static void
end_latex(FILE *out, const spot_paper_frame_t *frame, bool has_notes)
{
    if (has_notes) {
        fputs("}\n", out);
    }
    if (!frame->is_long) {
        fputs("\\end{table}\n", out);
    }
}

const spot_paper_dialect_t spot_paper_latex = {
    .max_chars = 72, /* of the standard class article */
    .row_open = "",
    .cell_gap = " & ",
    .row_close = " \\\\\n",
    .mark_open = "\\textsuperscript{",
    .mark_close = "}",
    .plus_minus = " \\pm ",
    .above = "> ",
    .number_edge = "$",
    .nothing = "\\textendash{}",
    .text = spot_paper_latex_text,
    .power = write_latex_power,
    .preamble = write_latex_preamble,
    .head = write_latex_head,
    .begin = begin_latex,
    .end_first_head = end_latex_first_head,
    .end_head = end_latex_head,
    .end_rows = end_latex_rows,
    .begin_note = begin_latex_note,
    .end_note = end_latex_note,
    .end = end_latex,
};

/* ---- Markdown ---- */

static void
write_markdown_power(FILE *out, const char *digits, int exponent)
{
    fprintf(out, "%s·10<sup>%d</sup>", digits, exponent);
}

static void
write_no_preamble(FILE *out)
{
    (void) out;
}

/* In one line: Markdown has no other. */
static void
write_markdown_head(FILE *out, const char *first, const char *rest, char align)
{
    (void) align;
    spot_paper_markdown_text(out, first);
    if (rest[0] != '\0') {
        fputc(' ', out);
        spot_paper_markdown_text(out, rest);
    }
}

/* pandoc takes a line that starts like this as the caption of what is below. */
static void
begin_markdown(FILE *out, const spot_paper_frame_t *frame)
{
    fputs("Table: ", out);
    spot_paper_markdown_text(out, frame->caption);
    fputs("\n\n", out);
}

static void
end_markdown_head(FILE *out, const spot_paper_frame_t *frame)
{
    fputc('|', out);
    for (const char *align = frame->aligns; *align != '\0'; align++) {
        fputs(*align == 'r' ? " ---: |" : " :--- |", out);
    }
    fputc('\n', out);
}

static void
end_markdown_rows(FILE *out, const spot_paper_frame_t *frame)
{
    (void) out;
    (void) frame;
}

static void
begin_markdown_note(FILE *out, bool is_first)
{
    fputs(is_first ? "\n- " : "- ", out);
}

static void
end_markdown_note(FILE *out)
{
    fputc('\n', out);
}

static void
end_markdown(FILE *out, const spot_paper_frame_t *frame, bool has_notes)
{
    (void) out;
    (void) frame;
    (void) has_notes;
}

const spot_paper_dialect_t spot_paper_markdown = {
    .max_chars = (size_t) -1,
    .row_open = "| ",
    .cell_gap = " | ",
    .row_close = " |\n",
    .mark_open = "<sup>",
    .mark_close = "</sup>",
    .plus_minus = " ± ",
    .above = "&gt; ",
    .number_edge = "",
    .nothing = "–",
    .text = spot_paper_markdown_text,
    .power = write_markdown_power,
    .preamble = write_no_preamble,
    .head = write_markdown_head,
    .begin = begin_markdown,
    .end_first_head = NULL,
    .end_head = end_markdown_head,
    .end_rows = end_markdown_rows,
    .begin_note = begin_markdown_note,
    .end_note = end_markdown_note,
    .end = end_markdown,
};
