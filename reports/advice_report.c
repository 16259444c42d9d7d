/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/advice_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "base/verb/terminal.h"
#include "reports/draw.h"

/* ---- Words and limits ---- */

#define S_PER_H 3600.0
#define S_PER_D 86400.0

enum { FACTORS_SAID = 2, SCREENED_SAID = 1 }; /* in the short answer */

/* The short answer: its lines at this width, what is assumed on top of it among them, and the
 * most of these that a piece of it may take. A word that is longer is cut. */
enum { SHORT_LINES = 14, SHORT_WIDTH = 80, VERDICT_LINES = 5, PIECE_LINES = 2, WORD_CHARS = 44 };

/* Doubts stand in so many lines, the verdict and what is assumed among them; where they are
 * many, an alternative has so many characters there. */
enum { DOUBT_LINES = 3, DOUBT_CHARS = 64 };

/* A system that was screened is named below this ratio of costs. */
#define WORTH_SAYING 0.995

/* A cost within this ratio nearly wins; a factor is about known if its interval is wider
 * than this one. */
#define NEARLY 1.05
#define WIDE 2.0

/* ---- Pieces of an answer ---- */

typedef enum { PARAGRAPH, ITEM, HEADING, NOTE } form_t;

/* What goes first where the short answer would have too many lines, from the last rank on.
 * What is KEPT stays. */
typedef enum {
    KEPT,
    OF_COST,
    OF_GOAL,
    OF_RIVALS,
    OF_ASSUMED,
    OF_TIME,
    OF_NEXT,
    OF_FACTORS,
    OF_SCREENED,
    OF_LEFT_OUT
} rank_t;

typedef struct {
    form_t form;
    rank_t rank;
    const char *text, *brief; /* brief: what stands for it where there is no room; NULL: nothing */
} piece_t;

/* An answer before it is written. */
typedef struct {
    spot_texts_t *texts;
    size_t num_pieces, max_pieces;
    piece_t *pieces; /* [num_pieces] */
    int error;       /* NO_MEMORY */
} answer_t;

static void say(answer_t *self, form_t form, rank_t rank, const char *format, ...)
    SPOT_PRINTF(4, 5);

static void say(answer_t *self, form_t form, rank_t rank, const char *format, ...)
{
    piece_t piece = {form, rank, NULL, NULL};
    va_list values;
    int ret;

    va_start(values, format);
    piece.text = spot_texts_vadd(self->texts, format, values);
    va_end(values);
    ret = SPOT_ARRAY_APPEND(self, pieces, piece);
    self->error = spot_error_first(self->error, ret);
}

/* Says what may stand for the latest piece. */
static void or_briefly(answer_t *self, const char *text)
{
    if (self->error == 0) {
        self->pieces[self->num_pieces - 1].brief = text;
    }
}

/* The lines that a text takes on a terminal of SHORT_WIDTH. */
static int num_lines(spot_texts_t *texts, form_t form, const char *text)
{
    FILE *shown = spot_texts_begin(texts), *out;
    const char *line;
    int num = 1;

    if (shown != NULL) {
        fputs(form == ITEM ? "  " : "", shown);
        spot_text_write(shown, text);
    }
    line = spot_texts_end(texts, shown);
    out = spot_texts_begin(texts);
    if (out != NULL) {
        spot_wrap_write(out, line, SHORT_WIDTH, SPOT_WRAP_BELOW);
    }
    for (const char *byte = spot_texts_end(texts, out); *byte != '\0'; byte++) {
        num += *byte == '\n';
    }
    return num;
}

static int piece_lines(const answer_t *self, const piece_t *piece)
{
    return num_lines(self->texts, piece->form, piece->text);
}

/* The bytes of the first num_chars characters, at most num_bytes. */
static size_t bytes_of(const char *text, size_t num_bytes, size_t num_chars)
{
    size_t end = 0;

    for (; num_chars > 0 && end < num_bytes; num_chars--) {
        const size_t length = spot_utf8_length(text + end, num_bytes - end);

        end += length > 0 ? length : 1;
    }
    return end < num_bytes ? end : num_bytes;
}

/* Cuts long words in the middle, such as the names of files. */
static const char *cut_words(spot_texts_t *texts, const char *text)
{
    FILE *out = spot_texts_begin(texts);

    while (out != NULL && *text != '\0') {
        const size_t num_bytes = strcspn(text, " ");
        const size_t num_chars = (size_t) spot_wrap_width(text, num_bytes);

        if (num_chars <= WORD_CHARS) {
            fwrite(text, 1, num_bytes, out);
        } else {
            const size_t head = bytes_of(text, num_bytes, WORD_CHARS / 2);
            const size_t tail = bytes_of(text, num_bytes, num_chars - WORD_CHARS / 2);

            fprintf(out, "%.*s...%.*s", (int) head, text, (int) (num_bytes - tail), text + tail);
        }
        text += num_bytes;
        if (*text == ' ') {
            fputc(*text++, out);
        }
    }
    return spot_texts_end(texts, out);
}

/* Cuts a text behind a word so that it has no more than most lines. */
static const char *cut_text(spot_texts_t *texts, form_t form, const char *text, int most)
{
    const char *whole = cut_words(texts, text), *cut = whole;
    size_t num_bytes = strlen(whole);

    while (texts->error == 0 && num_bytes > 0 && num_lines(texts, form, cut) > most) {
        while (num_bytes > 0 && whole[--num_bytes] != ' ') {
        }
        cut = spot_texts_add(texts, "%.*s ... (whole with --verbose)", (int) num_bytes, whole);
    }
    return cut;
}

/* Brings an answer down to so many lines: takes what stands for pieces, cuts them, then leaves
 * out those of the last rank, the last one of them first. Returns how many are left. */
static int shorten(answer_t *self, int most)
{
    int total = 0;

    for (size_t j = 0; j < self->num_pieces; j++) {
        self->pieces[j].text = cut_words(self->texts, self->pieces[j].text);
        total += piece_lines(self, &self->pieces[j]);
    }
    for (int is_cut = 0; is_cut < 2; is_cut++) {
        for (size_t j = self->num_pieces; j > 0 && total > most; j--) {
            piece_t *piece = &self->pieces[j - 1];

            total -= piece_lines(self, piece);
            if (is_cut != 0) {
                piece->text = cut_text(
                    self->texts, piece->form, piece->text, j == 1 ? VERDICT_LINES : PIECE_LINES);
            } else if (piece->brief != NULL) {
                piece->text = cut_words(self->texts, piece->brief);
            }
            total += piece_lines(self, piece);
        }
    }
    for (rank_t rank = OF_LEFT_OUT; rank > KEPT; rank--) {
        for (size_t j = self->num_pieces; j > 0 && total > most; j--) {
            if (self->pieces[j - 1].rank == rank) {
                total -= piece_lines(self, &self->pieces[j - 1]);
                memmove(&self->pieces[j - 1], &self->pieces[j],
                    (self->num_pieces - j) * sizeof(*self->pieces));
                self->num_pieces--;
            }
        }
    }
    return total;
}

static void write_pieces(const answer_t *self, spot_document_t *document)
{
    for (size_t j = 0; j < self->num_pieces; j++) {
        const char *text = self->pieces[j].text;

        switch (self->pieces[j].form) {
            case PARAGRAPH:
                spot_document_paragraph(document, "%s", text);
                break;
            case ITEM:
                spot_document_item(document, "%s", text);
                break;
            case HEADING:
                spot_document_heading(document, text);
                break;
            default:
                spot_document_note(document, "%s", text);
                break;
        }
    }
    spot_document_fail(document, self->error);
}

/* ---- Numbers in sentences ---- */

static const char *amount(spot_texts_t *texts, double value)
{
    return spot_texts_add(texts, fabs(value) >= 1000 ? "%.0f" : "%.2f", value);
}

static const char *money(spot_texts_t *texts, const spot_advice_result_t *self, double value)
{
    return !isfinite(value) ? "more than the runs show"
                            : spot_texts_add(texts, "%s %s", amount(texts, value), self->cost_unit);
}

/* The same of a quantile, which has the unit of the mean beside it. */
static const char *quantile(spot_texts_t *texts, const spot_advice_result_t *self, double value)
{
    return isfinite(value) ? amount(texts, value) : money(texts, self, value);
}

/* A share in percent; one that is not quite all is never "100.0 %". */
static const char *percent(spot_texts_t *texts, double share)
{
    int num_digits = 1;

    while (share < 1 && num_digits < 10 && 100 * share + 0.5 * pow(10, -num_digits) >= 100) {
        num_digits++;
    }
    return spot_texts_add(texts, "%.*f %%", num_digits, 100 * share);
}

/* What is asked for, as it was given. */
static const char *asked(spot_texts_t *texts, double share)
{
    return spot_texts_add(texts, "%.10g %%", 100 * share);
}

/* An end of an interval in percent, rounded outwards; with as many digits as it takes to
 * stay on its side of the limit that decides. */
static const char *bound(spot_texts_t *texts, double share, double limit, bool is_low)
{
    double rounded = share;
    int num_digits = 1;

    for (; num_digits < 12; num_digits++) {
        const double unit = pow(10, num_digits + 2);

        rounded = (is_low ? floor(share * unit) : ceil(share * unit)) / unit;
        if ((rounded >= limit) == (share >= limit)) {
            break;
        }
    }
    return spot_texts_add(texts, "%.*f", num_digits, 100 * rounded);
}

/* "99.2 % (98.1 to 99.7)"; without an interval where all runs are the same. */
static const char *share_text(
    spot_texts_t *texts, const spot_probability_t *share, double limit, int64_t num_runs)
{
    return num_runs == 1 ? percent(texts, share->value)
                         : spot_texts_add(texts, "%s (%s to %s)", percent(texts, share->value),
                               bound(texts, share->low, limit, true),
                               bound(texts, share->high, limit, false));
}

static spot_probability_t goal_of(const spot_advice_figures_t *figures)
{
    return (spot_probability_t){figures->p, figures->p_low, figures->p_high};
}

static const char *duration(spot_texts_t *texts, double seconds)
{
    return seconds < S_PER_H       ? spot_texts_add(texts, "%.1f min", seconds / 60)
           : seconds < 2 * S_PER_D ? spot_texts_add(texts, "%.1f h", seconds / S_PER_H)
                                   : spot_texts_add(texts, "%.2f d", seconds / S_PER_D);
}

/* "3.0 times as much", of what the answer costs. */
static const char *ratio_text(spot_texts_t *texts, double ratio)
{
    return !isfinite(ratio) ? "not known"
           : ratio < 1      ? spot_texts_add(texts, "%.1f %% less", 100 * (1 - ratio))
           : ratio < 2      ? spot_texts_add(texts, "%.1f %% more", 100 * (ratio - 1))
                            : spot_texts_add(texts, "%.1f times as much", ratio);
}

static const char *limits(const spot_advice_result_t *self)
{
    return isfinite(self->budget) ? "the goal and the budget" : "the goal";
}

/* What is asked for, as a condition. */
static const char *condition(spot_texts_t *texts, const spot_advice_result_t *self)
{
    return spot_texts_add(texts, "a probability of %s %s%s", asked(texts, self->sure),
        self->goal_words,
        isfinite(self->budget) ? spot_texts_add(texts, " and costs at most %s in 95 %% of the runs",
                                     money(texts, self, self->budget))
                               : "");
}

/* ---- The answer ---- */

/* The probability, and with a budget that of keeping it, as they decide. */
static const char *chances(
    spot_texts_t *texts, const spot_advice_result_t *self, const spot_advised_t *item)
{
    const spot_advice_figures_t *figures = &item->figures;
    const spot_probability_t goal = goal_of(figures);

    return spot_texts_add(texts, "%s%s, asked %s",
        share_text(texts, &goal, self->sure, figures->num_runs),
        isnan(figures->in_budget.value)
            ? ""
            : spot_texts_add(texts, ", to cost at most %s %s", money(texts, self, self->budget),
                  share_text(
                      texts, &figures->in_budget, SPOT_ADVICE_SURE_OF_BUDGET, figures->num_runs)),
        asked(texts, self->sure));
}

/* What the chances of the answer are said of. */
static void write_chances(
    const spot_advice_result_t *self, const spot_advised_t *item, rank_t rank, answer_t *answer)
{
    say(answer, PARAGRAPH, rank, "Probability %s: %s", self->goal_words,
        chances(answer->texts, self, item));
}

/* ---- Doubts ---- */

enum { MAX_DOUBTS = 8 };

/* What touches the verdict: as sentences, and as parts of the sentence of the verdict, those that
 * matter most first. */
typedef struct {
    size_t num_items, num_more; /* those behind MAX_DOUBTS */
    struct {
        const char *sentence, *part;
    } items[MAX_DOUBTS];
} doubts_t;

/* The first words of an alternative, for a sentence of many doubts. */
static const char *first_words(spot_texts_t *texts, const char *words)
{
    const char *cut = cut_words(texts, words);
    size_t num_bytes = strlen(cut);

    if ((size_t) spot_wrap_width(cut, num_bytes) <= DOUBT_CHARS) {
        return cut;
    }
    for (num_bytes = bytes_of(cut, num_bytes, DOUBT_CHARS);
         num_bytes > 0 && cut[num_bytes] != ' ';) {
        num_bytes--;
    }
    return spot_texts_add(texts, "%.*s ...", (int) num_bytes, cut);
}

static void add_doubt(doubts_t *self, const char *sentence, const char *part)
{
    if (self->num_items == MAX_DOUBTS) {
        self->num_more++;
        return;
    }
    self->items[self->num_items].sentence = sentence;
    self->items[self->num_items++].part = part;
}

/* What the answer rests on that was not measured, unless the verdict says it. */
static void find_beyond(
    const spot_advice_result_t *self, spot_texts_t *texts, bool is_brief, doubts_t *doubts)
{
    const spot_advised_t *best = &self->advised[0], *now = spot_advice_current(self);

    if (now != NULL && now->beyond != NULL) {
        add_doubt(doubts, spot_texts_add(texts, "Mind: as it is, this %s.", now->beyond),
            spot_texts_add(texts, "as it is, this %s", now->beyond));
    }
    if (best->beyond != NULL && now != best && (is_brief || !best->is_left_out)) {
        add_doubt(doubts, spot_texts_add(texts, "Mind: this %s.", best->beyond),
            spot_texts_add(texts, "this %s", best->beyond));
    }
}

/* What is cheaper, and may do. */
static void find_cheaper(
    const spot_advice_result_t *self, spot_texts_t *texts, bool is_whole, doubts_t *doubts)
{
    const double cost = self->advised[0].figures.cost;

    if (self->num_open > 0 && self->open[0].figures.cost < cost) { /* a dearer one is no doubt */
        const spot_advised_t *item = &self->open[0];
        const spot_advice_figures_t *figures = &item->figures;
        const spot_probability_t goal = goal_of(figures);
        const char *ratio = ratio_text(texts, figures->cost / cost);
        const char *share = isnan(figures->in_budget.value) && !is_whole
                                ? share_text(texts, &goal, self->sure, figures->num_runs)
                                : chances(texts, self, item);

        add_doubt(doubts,
            spot_texts_add(texts, "Open%s: whether %s (%s) would do: %s%s.",
                self->num_open > 1 ? spot_texts_add(texts, ", the first of %zu", self->num_open)
                                   : "",
                item->words, ratio, share, is_whole ? "; --max-replications takes more runs" : ""),
            self->num_open > 1 ? spot_texts_add(texts, "%zu are open, the first: %s (%s): %s",
                                     self->num_open, first_words(texts, item->words), ratio, share)
                               : spot_texts_add(texts, "it is open whether %s (%s) would do: %s",
                                     first_words(texts, item->words), ratio, share));
    }
    for (size_t j = 0; j < self->num_passed_over; j++) {
        const spot_advised_t *item = &self->passed_over[j];
        const char *ratio = ratio_text(texts, item->figures.cost / cost);

        add_doubt(doubts,
            spot_texts_add(texts, "Left out: %s (%s) %s.", item->words, ratio, item->beyond),
            spot_texts_add(texts, "%s (%s) is left out, as it %s", first_words(texts, item->words),
                ratio, item->beyond));
    }
}

/* The recording on which the answer does worst. */
static void find_worst(const spot_advice_result_t *self, spot_texts_t *texts, doubts_t *doubts)
{
    const char *share;

    if (self->worst_trace == NULL || self->worst_p.value >= self->advised[0].figures.p) {
        return;
    }
    share = share_text(texts, &self->worst_p, self->sure, self->advised[0].figures.num_runs);
    add_doubt(doubts,
        spot_texts_add(texts, "The worst of the %zu recordings, %s, has %s.", self->num_traces,
            self->worst_trace, share),
        spot_texts_add(
            texts, "on the worst of the %zu recordings it is %s", self->num_traces, share));
}

/* Whether the first doubt stands in the sentence with the verdict. */
static bool is_in_verdict(const spot_advice_result_t *self)
{
    return self->num_urgent > 0 && self->verdict == SPOT_VERDICT_YES &&
           spot_advice_current(self) == NULL;
}

/* is_brief: all of them, for one sentence; else those that the verdict itself does not say. */
static doubts_t find_doubts(
    const spot_advice_result_t *self, spot_texts_t *texts, bool is_brief, bool is_whole)
{
    doubts_t doubts = {.num_items = 0};

    for (size_t j = is_in_verdict(self) && !is_brief ? 1 : 0; j < self->num_urgent; j++) {
        add_doubt(&doubts, spot_texts_add(texts, "Mind: %s.", self->urgent[j]), self->urgent[j]);
    }
    find_beyond(self, texts, is_brief, &doubts);
    find_worst(self, texts, &doubts);
    find_cheaper(self, texts, is_whole, &doubts);
    return doubts;
}

/* As many doubts as there is room for in so many lines behind begin, in one sentence:
 * "x; y; and 2 more (--verbose)". */
static const char *brief_doubts(
    spot_texts_t *texts, const doubts_t *doubts, const char *begin, int most)
{
    const size_t num_all = doubts->num_items + doubts->num_more;
    const char *list = "";

    for (size_t j = 0; j < doubts->num_items; j++) {
        const char *longer =
            spot_texts_join(texts, list, "; ", cut_words(texts, doubts->items[j].part));
        const size_t num_left = num_all - j - 1;
        const char *whole =
            num_left == 0 ? longer
                          : spot_texts_add(texts, "%s; and %zu more (--verbose)", longer, num_left);

        if (j > 0 &&
            num_lines(texts, PARAGRAPH, spot_texts_add(texts, "%s%s.", begin, whole)) > most) {
            return spot_texts_add(texts, "%s; and %zu more (--verbose)", list, num_all - j);
        }
        list = longer;
    }
    return list;
}

/* ---- The verdict ---- */

/* Whether a job that runs keeps the goal as it is. */
static const char *current_verdict(const spot_advice_result_t *self, spot_texts_t *texts)
{
    const spot_advised_t *now = spot_advice_current(self);

    return spot_texts_add(texts, "%s%s%s.",
        now->verdict == SPOT_VERDICT_YES  ? "Yes, as it is, the job keeps "
        : now->verdict == SPOT_VERDICT_NO ? "No, as it is, the job does not keep "
                                          : "Undecided: as it is, the job may keep ",
        limits(self), now->verdict == SPOT_VERDICT_UNDECIDED ? " or not" : "");
}

/* What is best, or nearest, behind the word of the verdict; is_brief: doubts stand between. */
static const char *choice_text(const spot_advice_result_t *self, spot_texts_t *texts, bool is_brief)
{
    const spot_advised_t *best = &self->advised[0], *now = spot_advice_current(self);

    if (self->verdict == SPOT_VERDICT_YES) {
        return spot_texts_add(texts, "%s%s.",
            now == NULL   ? "Rent "
            : now == best ? "Go on as it is"
                          : "The cheapest from now on, if the change is free: ",
            now == best ? "" : best->words);
    }
    if (self->verdict == SPOT_VERDICT_UNDECIDED && best->verdict == SPOT_VERDICT_YES) {
        return spot_texts_add(
            texts, "%sShown to do: %s.", is_brief ? "" : "what is cheapest. ", best->words);
    }
    if (self->verdict == SPOT_VERDICT_UNDECIDED) {
        return spot_texts_add(texts,
            "%s runs do not show whether anything that was searched has %s. Nearest: %s.",
            is_brief ? "The" : "the", condition(texts, self), best->words);
    }
    return spot_texts_add(texts, "%s that was searched has %s. Nearest: %s%s%s.",
        is_brief ? "Nothing" : "nothing", condition(texts, self), best->words,
        best->is_left_out && !is_brief ? ", which " : "",
        best->is_left_out && !is_brief ? best->beyond : "");
}

/* The verdict with the doubts that its own sentence has. */
static const char *verdict_text(const spot_advice_result_t *self, spot_texts_t *texts)
{
    const spot_advised_t *best = &self->advised[0];
    const bool is_running = spot_advice_current(self) != NULL;
    const char *choice = choice_text(self, texts, false);

    if (self->verdict != SPOT_VERDICT_YES) {
        return spot_texts_add(texts, "%s: %s",
            self->verdict == SPOT_VERDICT_NO ? is_running ? "From now on no" : "No"
            : is_running                     ? "From now on undecided"
                                             : "Undecided",
            choice);
    }
    return is_running ? choice
           : best->is_left_out || is_in_verdict(self)
               ? spot_texts_add(texts, "Yes, but %s%s%s%s. %s",
                     is_in_verdict(self) ? self->urgent[0] : "",
                     is_in_verdict(self) && best->is_left_out ? ", and " : "",
                     best->is_left_out ? "this " : "", best->is_left_out ? best->beyond : "",
                     choice)
               : spot_texts_add(texts, "Yes. %s", choice);
}

/* The same with all doubts before what is chosen, so that they stand in the first lines. */
static const char *brief_verdict(const spot_advice_result_t *self, spot_texts_t *texts, int most)
{
    const spot_advised_t *now = spot_advice_current(self);
    const doubts_t doubts = find_doubts(self, texts, true, false);
    const char *begin = now != NULL ? spot_texts_add(texts, "%s But ", current_verdict(self, texts))
                        : self->verdict == SPOT_VERDICT_YES ? "Yes, but "
                        : self->verdict == SPOT_VERDICT_NO  ? "No, and mind: "
                        : self->advised[0].verdict == SPOT_VERDICT_YES
                            ? "Undecided: what is cheapest. Mind: "
                            : "Undecided, and mind: ";

    return spot_texts_add(texts, "%s%s.%s%s", begin, brief_doubts(texts, &doubts, begin, most),
        now == NULL ? " " : "", now == NULL ? choice_text(self, texts, true) : "");
}

/* The verdict and the doubts in sentences of their own, as long as they are. */
static void write_verdict(const spot_advice_result_t *self, bool is_whole, answer_t *answer)
{
    spot_texts_t *texts = answer->texts;
    const spot_advised_t *best = &self->advised[0], *now = spot_advice_current(self);
    const doubts_t doubts = find_doubts(self, texts, false, is_whole);

    say(answer, PARAGRAPH, KEPT, "%s",
        now != NULL ? current_verdict(self, texts) : verdict_text(self, texts));
    for (size_t j = 0; j < doubts.num_items; j++) {
        say(answer, PARAGRAPH, KEPT, "%s", doubts.items[j].sentence);
    }
    if (now != NULL) {
        write_chances(self, now, KEPT, answer);
        say(answer, PARAGRAPH, KEPT, "%s", verdict_text(self, texts));
    }
    if (now != best) {
        write_chances(self, best, now == NULL ? KEPT : OF_GOAL, answer);
    }
    if (now != NULL && now != best) { /* of what is the same */
        or_briefly(answer,
            spot_texts_add(texts, "Probability of the same: %s", chances(texts, self, best)));
    }
    if (self->goal_from != NULL) {
        say(answer, PARAGRAPH, OF_GOAL, "%s", self->goal_from);
    }
}

/* Where the doubts go beyond so many lines, all stand in the sentence of the verdict. */
static void shorten_verdict(const spot_advice_result_t *self, int most, answer_t *answer)
{
    const doubts_t doubts = find_doubts(self, answer->texts, false, false);
    int last_line = 0;

    for (size_t j = 0; j <= doubts.num_items; j++) {
        last_line += piece_lines(answer, &answer->pieces[j]);
    }
    if (doubts.num_items == 0 || (last_line <= most && doubts.num_more == 0)) {
        return;
    }
    answer->pieces[0].text = brief_verdict(self, answer->texts, most);
    memmove(&answer->pieces[1], &answer->pieces[1 + doubts.num_items],
        (answer->num_pieces - 1 - doubts.num_items) * sizeof(*answer->pieces));
    answer->num_pieces -= doubts.num_items;
}

static void write_cost(const spot_advice_result_t *self, answer_t *answer)
{
    const spot_advice_figures_t *figures = &self->advised[0].figures;
    spot_texts_t *texts = answer->texts;

    if (figures->cost_low == figures->cost_high) {
        say(answer, ITEM, OF_COST, "cost: %s in all runs", money(texts, self, figures->cost));
    } else {
        say(answer, ITEM, OF_COST, "cost: mean %s (%s to %s), 50 %%: %s, 95 %%: %s",
            money(texts, self, figures->cost), amount(texts, figures->cost_low),
            amount(texts, figures->cost_high), quantile(texts, self, figures->cost_p50),
            quantile(texts, self, figures->cost_p95));
    }
    if (isnan(figures->time_p50_s)) {
        return;
    }
    if (!isfinite(figures->time_p50_s)) {
        say(answer, ITEM, OF_TIME, "time: half of the runs or more end before it is done");
    } else if (figures->time_p50_s == figures->time_p95_s) {
        say(answer, ITEM, OF_TIME, "time: %s in 50 %% and 95 %% of the runs",
            duration(texts, figures->time_p50_s));
    } else {
        say(answer, ITEM, OF_TIME, "time: 50 %%: %s, 95 %%: %s",
            duration(texts, figures->time_p50_s),
            isfinite(figures->time_p95_s) ? duration(texts, figures->time_p95_s)
                                          : "more than 5 % end before it is done");
    }
}

/* ---- The others ---- */

/* What an alternative does about the limits, unless it is the same as of the answer. */
static const char *standing(
    spot_texts_t *texts, const spot_advice_result_t *self, const spot_advised_t *item)
{
    const char *own = percent(texts, item->figures.p);
    const char *best = percent(texts, self->advised[0].figures.p);
    const char *what = item->verdict == SPOT_VERDICT_YES         ? ""
                       : item->verdict == SPOT_VERDICT_UNDECIDED ? ", open"
                       : item->figures.p_high < self->sure       ? ", too little"
                                                                 : ", above the budget";

    return strcmp(own, best) == 0 && what[0] == '\0'
               ? ""
               : spot_texts_add(texts, ", probability %s%s", own, what);
}

/* Of the others the one that is named first, or num_advised: the runner-up if it nearly
 * wins, else the cheapest of another market but those on demand. */
static size_t find_next(const spot_advice_result_t *self, size_t on_demand_id)
{
    const double cost = self->advised[0].figures.cost;
    size_t next_id = self->num_advised;

    if (self->runner_up_id > 0 && self->advised[self->runner_up_id].figures.cost <= NEARLY * cost) {
        return self->runner_up_id;
    }
    for (size_t j = 1; j < self->num_advised; j++) {
        const spot_advised_t *item = &self->advised[j];

        if (j != on_demand_id && strcmp(item->kind, SPOT_ADVICE_AS_IT_IS) != 0 &&
            (next_id == self->num_advised ||
                item->figures.cost < self->advised[next_id].figures.cost)) {
            next_id = j;
        }
    }
    return next_id;
}

/* The words of an alternative without its market: "4 instances, pipelines of 11" of those
 * on demand. */
static const char *without_kind(spot_texts_t *texts, const spot_advised_t *item)
{
    static const char *const before[] = {", on ", " on ", ", ", " "};
    const char *noun = strncmp(item->kind, "on ", 3) == 0 ? item->kind + 3 : item->kind;

    for (size_t j = 0; j < sizeof(before) / sizeof(before[0]); j++) {
        const char *kind = spot_texts_add(texts, "%s%s", before[j], noun);
        const char *found = strstr(item->words, kind);

        if (found != NULL && strchr(", ", found[strlen(kind)]) != NULL) {
            return spot_texts_add(
                texts, "%.*s%s", (int) (found - item->words), item->words, found + strlen(kind));
        }
    }
    return item->words;
}

static void write_rival(const spot_advice_result_t *self, size_t advised_id, bool is_whole,
    rank_t rank, answer_t *answer)
{
    spot_texts_t *texts = answer->texts;
    const spot_advised_t *best = &self->advised[0], *rival = &self->advised[advised_id];
    const double ratio = rival->figures.cost / best->figures.cost;
    const bool nearly_wins =
        advised_id == self->runner_up_id && ratio <= NEARLY && rival->verdict != SPOT_VERDICT_NO;
    const char *market = nearly_wins                            ? "nearly wins"
                         : strcmp(rival->kind, best->kind) == 0 ? "next"
                                                                : rival->kind;
    const char *more = "";

    if (is_whole && rival->figures.cost_low < rival->figures.cost_high) {
        more = spot_texts_add(texts, ", at most %s in 95 %%%s%s",
            money(texts, self, rival->figures.cost_p95),
            isfinite(rival->figures.time_p95_s) ? ", done within " : "",
            isfinite(rival->figures.time_p95_s) ? duration(texts, rival->figures.time_p95_s) : "");
    }
    say(answer, ITEM, rank, "%s: %s: %s (%s)%s%s%s%s", market, rival->words,
        money(texts, self, rival->figures.cost), ratio_text(texts, ratio),
        standing(texts, self, rival), more, is_whole && rival->assumed != NULL ? "; assumed: " : "",
        is_whole && rival->assumed != NULL ? rival->assumed : "");
    or_briefly(answer, spot_texts_add(texts, "%s: %s: %s (%s)%s", market,
                           market == rival->kind ? without_kind(texts, rival) : rival->words,
                           money(texts, self, rival->figures.cost), ratio_text(texts, ratio),
                           rival->verdict == SPOT_VERDICT_YES ? "" : standing(texts, self, rival)));
}

static void write_larger(const spot_advice_result_t *self, answer_t *answer)
{
    for (size_t j = 0; j < self->num_larger; j++) {
        const spot_advised_t *item = &self->larger[j];
        spot_texts_t *texts = answer->texts;

        say(answer, ITEM, j + 1 == self->num_larger ? OF_RIVALS : OF_LEFT_OUT,
            "with %" PRId64 " instances: %s: %s%s%s%s", item->size, item->words,
            money(texts, self, item->figures.cost), standing(texts, self, item),
            item->assumed == NULL ? "" : "; assumed: ", item->assumed == NULL ? "" : item->assumed);
    }
    if (self->why_not_larger != NULL) {
        say(answer, ITEM, OF_RIVALS, "%s", self->why_not_larger);
    }
}

/* ---- What would change it ---- */

/* How far a factor is from 1, by its logarithm; INFINITY: the answer stays. */
static double distance(const spot_advice_break_even_t *item)
{
    return item->why == NULL ? HUGE_VAL : fabs(log(item->near));
}

static void write_break_even(const spot_advice_break_even_t *item, answer_t *answer)
{
    const double low = item->is_less ? item->far : item->near;
    const double high = item->is_less ? item->near : item->far;

    if (item->why == NULL) {
        say(answer, ITEM, OF_FACTORS, "%s: the answer stays %s to %.3g %s", item->noun,
            item->is_less ? "down" : "up", item->most, item->words);
    } else if (isinf(high) || low == 0) {
        say(answer, ITEM, OF_FACTORS, "%s %.3g to %.3g %s: open whether %s", item->noun, item->near,
            item->most, item->words, item->why);
    } else if (high > WIDE * low) {
        say(answer, ITEM, OF_FACTORS, "%s about %.2g (%.2g to %.2g) %s: then %s", item->noun,
            sqrt(low * high), low, high, item->words, item->why);
    } else {
        say(answer, ITEM, OF_FACTORS, "%s %.3g to %.3g %s: then %s", item->noun, low, high,
            item->words, item->why);
    }
}

/* What is nearer, or was looked at first, of items of one list. */
static bool comes_before(const spot_advice_break_even_t *a, const spot_advice_break_even_t *b)
{
    return distance(a) != distance(b) ? distance(a) < distance(b) : a < b;
}

/* The nearest ones that change the answer. */
static void write_nearest(const spot_advice_result_t *self, answer_t *answer)
{
    const spot_advice_break_even_t *last = NULL;

    for (int k = 0; k < FACTORS_SAID; k++) {
        const spot_advice_break_even_t *next = NULL;

        for (size_t j = 0; j < self->num_break_evens; j++) {
            const spot_advice_break_even_t *item = &self->break_evens[j];

            if ((last == NULL || comes_before(last, item)) &&
                (next == NULL || comes_before(item, next))) {
                next = item;
            }
        }
        if (next == NULL || next->why == NULL) {
            break;
        }
        write_break_even(next, answer);
        last = next;
    }
    if (last == NULL && self->num_break_evens > 0) {
        say(answer, ITEM, OF_FACTORS,
            "nothing that was looked at changes the answer, up to %.3g times",
            self->break_evens[0].most);
    }
}

/* ---- What else there is ---- */

static void write_screened(const spot_advice_result_t *self, answer_t *answer)
{
    spot_texts_t *texts = answer->texts;
    const char *list = "";

    for (size_t j = 0; j < self->num_screened && j < SCREENED_SAID; j++) {
        const spot_advice_screened_t *item = &self->screened[j];

        if (item->ratio < WORTH_SAYING) {
            list = spot_texts_join(texts, list, "; ",
                spot_texts_add(
                    texts, "%s, about %.0f %% less", item->words, 100 * (1 - item->ratio)));
        }
    }
    if (list[0] != '\0') {
        say(answer, ITEM, OF_SCREENED, "not searched: %s (--recovery all)", list);
    }
}

/* What the race has shown with its confidence. */
static const char *certainty(spot_texts_t *texts, const spot_advice_result_t *self)
{
    if (self->verdict != SPOT_VERDICT_YES) {
        return "";
    }
    return !isfinite(self->regret)
               ? " Another one may be cheaper."
               : spot_texts_add(texts,
                     " With 95 %% confidence no other one that keeps %s is cheaper%s%s.",
                     limits(self), self->regret > 0 ? " by more than " : "",
                     self->regret > 0 ? money(texts, self, self->regret) : "");
}

static void write_search(const spot_advice_result_t *self, answer_t *answer)
{
    say(answer, NOTE, KEPT,
        "%zu alternatives in %" PRId64 " runs, and %" PRId64
        " runs with other seeds for the verdict and the break-evens: %.1f s.%s",
        self->num_points, self->num_runs, self->num_other_runs, self->passed_s,
        certainty(answer->texts, self));
    for (size_t j = 0; j < self->num_left_out; j++) {
        const char *text = self->left_out[j];
        const char *end = strstr(text, ": give "); /* what is to be given is in JSON */
        const int length = (int) (end == NULL ? strlen(text) : (size_t) (end - text));

        say(answer, ITEM, OF_LEFT_OUT, "not considered: %.*s", length, text);
    }
    for (size_t j = 0; j < self->num_notes; j++) {
        say(answer, ITEM, OF_LEFT_OUT, "%s", self->notes[j]);
    }
}

static void write_short(const spot_advice_result_t *self, answer_t *answer)
{
    size_t on_demand_id = self->num_advised, next_id;

    for (size_t j = 1; j < self->num_advised; j++) {
        on_demand_id = strcmp(self->advised[j].kind, "on demand") == 0 ||
                               strcmp(self->advised[j].kind, "reserved") == 0
                           ? j
                           : on_demand_id;
    }
    next_id = find_next(self, on_demand_id);
    write_larger(self, answer);
    if (on_demand_id < self->num_advised) {
        write_rival(self, on_demand_id, false, OF_RIVALS, answer);
    }
    if (next_id < self->num_advised && next_id != on_demand_id) {
        write_rival(self, next_id, false, OF_NEXT, answer);
    }
    write_nearest(self, answer);
    write_screened(self, answer);
    for (size_t j = 0; self->is_asked && j < self->num_left_out; j++) {
        say(answer, ITEM, OF_LEFT_OUT, "not considered: %s", self->left_out[j]);
    }
    if (self->advised[0].assumed != NULL) {
        say(answer, ITEM, OF_ASSUMED, "assumed: %s", self->advised[0].assumed);
    }
    if (self->num_remarks == 0) {
        say(answer, NOTE, KEPT,
            "%zu alternatives in %.1f s, 95 %% confidence of intervals; --verbose says more",
            self->num_points, self->passed_s);
    } else {
        say(answer, NOTE, KEPT,
            "%zu alternatives in %.1f s; --verbose says more, with %zu remark%s on the inputs",
            self->num_points, self->passed_s, self->num_remarks, self->num_remarks == 1 ? "" : "s");
    }
}

static void write_rest(const spot_advice_result_t *self, answer_t *answer)
{
    if (self->advised[0].assumed != NULL) {
        say(answer, ITEM, OF_ASSUMED, "assumed: %s", self->advised[0].assumed);
    }
    if (self->num_larger > 0 || self->why_not_larger != NULL) {
        say(answer, HEADING, KEPT, "Larger fleets");
        write_larger(self, answer);
    }
    if (self->num_advised > 1) {
        say(answer, HEADING, KEPT, "The others");
        for (size_t j = 1; j < self->num_advised; j++) {
            write_rival(self, j, true, OF_RIVALS, answer);
        }
    }
    write_screened(self, answer);
    if (self->num_break_evens > 0) {
        say(answer, HEADING, KEPT, "What would change the answer");
        for (size_t j = 0; j < self->num_break_evens; j++) {
            write_break_even(&self->break_evens[j], answer);
        }
    }
    say(answer, HEADING, KEPT, "The search");
    write_search(self, answer);
}

/* As much of what is assumed as so many lines hold. */
static const char *brief_assumed(spot_texts_t *texts, const spot_assumed_t *assumed, int most)
{
    size_t num_chars = (size_t) most * SHORT_WIDTH;
    const char *words = spot_assumed_brief(texts, assumed, num_chars);

    while (texts->error == 0 && num_lines(texts, PARAGRAPH, words) > most && num_chars > 0) {
        words = spot_assumed_brief(texts, assumed, --num_chars);
    }
    return words;
}

void spot_advice_document(const spot_advice_result_t *self, const spot_assumed_t *assumed,
    bool is_whole, spot_document_t *document)
{
    const bool has_assumed = assumed != NULL && assumed->num_items > 0;
    answer_t answer = {.texts = &document->texts};
    int num_used = 0;

    write_verdict(self, is_whole, &answer);
    if (!is_whole && answer.error == 0) {
        shorten_verdict(self, DOUBT_LINES - (has_assumed ? 1 : 0), &answer);
    }
    write_cost(self, &answer);
    (is_whole ? write_rest : write_short)(self, &answer);
    if (!is_whole && answer.error == 0) {
        num_used = shorten(&answer, SHORT_LINES - (has_assumed ? 1 : 0));
    }
    if (has_assumed) {
        spot_document_paragraph(document, "%s",
            is_whole ? spot_assumed_words(answer.texts, assumed)
                     : brief_assumed(answer.texts, assumed, SHORT_LINES - num_used));
    }
    write_pieces(&answer, document);
    free(answer.pieces);
}

/* ---- JSON ---- */

static void write_advised(spot_json_t *json, const char *key, const spot_advised_t *item)
{
    const spot_advice_figures_t *figures = &item->figures;

    spot_json_open(json, key, '{');
    spot_json_text(json, "what", item->words);
    spot_json_text(json, "market", item->kind);
    spot_json_text(json, "point", item->point);
    spot_json_integer(json, "instances", item->size);
    spot_json_text(json, "keeps_goal", spot_verdict_names[item->verdict]);
    spot_json_text(json, "assumed", item->assumed);
    spot_json_text(json, "unmeasured", item->beyond);
    spot_json_integer(json, "runs", figures->num_runs);
    spot_json_number(json, "probability", figures->p);
    spot_json_number(json, "probability_low", figures->p_low);
    spot_json_number(json, "probability_high", figures->p_high);
    spot_json_number(json, "in_budget", figures->in_budget.value);
    spot_json_number(json, "in_budget_low", figures->in_budget.low);
    spot_json_number(json, "in_budget_high", figures->in_budget.high);
    spot_json_number(json, "mean_cost", figures->cost);
    spot_json_number(json, "mean_cost_low", figures->cost_low);
    spot_json_number(json, "mean_cost_high", figures->cost_high);
    spot_json_number(json, "p50_cost", figures->cost_p50);
    spot_json_number(json, "p95_cost", figures->cost_p95);
    spot_json_number(json, "p50_time_s", figures->time_p50_s);
    spot_json_number(json, "p95_time_s", figures->time_p95_s);
    spot_json_close(json, '}');
}

static void write_list(
    spot_json_t *json, const char *key, size_t num_items, const spot_advised_t *items)
{
    spot_json_open(json, key, '[');
    for (size_t j = 0; j < num_items; j++) {
        write_advised(json, NULL, &items[j]);
    }
    spot_json_close(json, ']');
}

static void write_texts(spot_json_t *json, const char *key, size_t num, const char *const *texts)
{
    spot_json_open(json, key, '[');
    for (size_t j = 0; j < num; j++) {
        spot_json_text(json, NULL, texts[j]);
    }
    spot_json_close(json, ']');
}

static void write_break_evens_json(spot_json_t *json, const spot_advice_result_t *self)
{
    spot_json_open(json, "break_evens", '[');
    for (size_t j = 0; j < self->num_break_evens; j++) {
        const spot_advice_break_even_t *item = &self->break_evens[j];

        spot_json_open(json, NULL, '{');
        spot_json_text(json, "of", item->noun);
        spot_json_number(json, "looked_up_to", item->most);
        spot_json_number(json, "stays_up_to", item->why == NULL ? item->most : item->near);
        spot_json_number(
            json, "changed_at", item->why == NULL || item->far == 0 ? (double) NAN : item->far);
        spot_json_text(json, "words", item->words);
        spot_json_integer(json, "runs", item->num_runs);
        spot_json_text(json, "then", item->why);
        spot_json_close(json, '}');
    }
    spot_json_close(json, ']');
}

static void write_screened_json(spot_json_t *json, const spot_advice_result_t *self)
{
    spot_json_open(json, "screened", '[');
    for (size_t j = 0; j < self->num_screened; j++) {
        const spot_advice_screened_t *item = &self->screened[j];

        spot_json_open(json, NULL, '{');
        spot_json_text(json, "system", item->system);
        spot_json_number(json, "cost_ratio", item->ratio);
        spot_json_number(json, "probability", item->p);
        spot_json_integer(json, "runs", item->num_runs);
        spot_json_close(json, '}');
    }
    spot_json_close(json, ']');
}

void spot_advice_json(const spot_advice_result_t *self, const spot_assumed_t *assumed, FILE *out)
{
    spot_json_t json;

    spot_json_init(&json, out, 2);
    spot_json_open(&json, NULL, '{');
    spot_json_text(&json, "question", self->question);
    spot_json_text(&json, "goal", self->goal_words);
    spot_json_text(&json, "goal_from", self->goal_from);
    if (spot_advice_current(self) == NULL) {
        spot_json_text(&json, "verdict", spot_verdict_names[self->verdict]);
    } else {
        spot_json_text(&json, "verdict", spot_verdict_names[spot_advice_current(self)->verdict]);
        spot_json_text(&json, "from_now_on", spot_verdict_names[self->verdict]);
    }
    spot_json_boolean(&json, "proven", self->verdict == SPOT_VERDICT_YES && self->regret == 0);
    spot_json_number(&json, "cheaper_by_at_most", self->regret);
    spot_json_number(&json, "sure", self->sure);
    spot_json_number(&json, "budget", self->budget);
    spot_json_text(&json, "currency", self->cost_unit);
    write_advised(&json, "best", &self->advised[0]);
    write_list(&json, "others", self->num_advised - 1, self->advised + 1);
    write_list(&json, "open", self->num_open, self->open);
    write_list(&json, "passed_over", self->num_passed_over, self->passed_over);
    write_list(&json, "larger", self->num_larger, self->larger);
    spot_json_text(&json, "why_not_larger", self->why_not_larger);
    write_break_evens_json(&json, self);
    write_screened_json(&json, self);
    spot_json_text(&json, "worst_trace", self->worst_trace);
    if (self->worst_trace != NULL) {
        spot_json_number(&json, "worst_probability", self->worst_p.value);
        spot_json_number(&json, "worst_probability_low", self->worst_p.low);
        spot_json_number(&json, "worst_probability_high", self->worst_p.high);
    }
    spot_json_integer(&json, "alternatives", (int64_t) self->num_points);
    spot_json_integer(&json, "search_runs", self->num_runs);
    spot_json_integer(&json, "other_runs", self->num_other_runs);
    spot_assumed_json(assumed, &json);
    write_texts(&json, "urgent", self->num_urgent, self->urgent);
    write_texts(&json, "left_out", self->num_left_out, self->left_out);
    write_texts(&json, "notes", self->num_notes, self->notes);
    spot_json_close(&json, '}');
    fputc('\n', out);
}

/* ---- The picture ---- */

/* Markets that have a colour of their own. */
enum { MAX_MARKETS = 5 };

/* The distinct markets in the order in which they were proposed; returns their number.
 */
static int find_markets(const spot_advice_result_t *self, const char *markets[MAX_MARKETS])
{
    int num_markets = 0;

    for (size_t j = 0; j < self->num_searched; j++) {
        int market_id = 0;

        while (market_id < num_markets && strcmp(markets[market_id], self->searched[j].kind) != 0) {
            market_id++;
        }
        if (market_id == num_markets && num_markets < MAX_MARKETS) {
            markets[num_markets++] = self->searched[j].kind;
        }
    }
    return num_markets;
}

/* The alternatives of a market; hollow ones do not keep what is asked for. */
static void declare_market(
    spot_chart_t *chart, const spot_advice_result_t *self, const char *market, int market_id)
{
    spot_chart_series(chart, &(spot_chart_series_t){.kind = SPOT_CHART_POINTS,
                                 .name = market,
                                 .name_at = SPOT_CHART_NAME_LEGEND,
                                 .colour = spot_palette_line_colour((size_t) market_id),
                                 .marker = SPOT_CHART_CIRCLE});
    for (size_t j = 0; j < self->num_searched; j++) {
        const spot_advice_searched_t *item = &self->searched[j];

        if (strcmp(item->kind, market) == 0 && isfinite(item->cost)) {
            spot_chart_add(
                chart, &(spot_chart_datum_t){
                           .x = (double) item->size, .y = item->cost, .is_hollow = !item->is_met});
        }
    }
}

int spot_advice_declare(spot_chart_t *chart, const void *context)
{
    const spot_advice_result_t *self = context;
    const spot_advised_t *best = &self->advised[0];
    const char *markets[MAX_MARKETS];
    const int num_markets = find_markets(self, markets);
    spot_texts_t texts = {.error = 0};
    int ret;

    spot_chart_title(chart, "What each alternative costs, by the size of the fleet");
    spot_chart_note(chart, "%zu alternatives · filled: keeps the goal%s", self->num_searched,
        isfinite(self->budget) ? " and the budget" : "");
    spot_chart_describe(chart,
        "Mean cost of %zu alternatives by the number of instances; the answer has %lld "
        "instances and costs %.6g %s on average.",
        self->num_searched, (long long) best->size, best->figures.cost, self->cost_unit);
    spot_chart_panel(
        chart, &(spot_chart_panel_t){.x = {.name = "instances"},
                   .y = {.name = spot_texts_add(&texts, "mean cost (%s)", self->cost_unit)}});
    for (int j = 0; j < num_markets; j++) {
        declare_market(chart, self, markets[j], j);
    }
    spot_chart_series(
        chart, &(spot_chart_series_t){.kind = SPOT_CHART_POINTS,
                   .name = self->verdict == SPOT_VERDICT_YES ? "the answer" : "the nearest",
                   .name_at = SPOT_CHART_NAME_LEGEND,
                   .marker = SPOT_CHART_DIAMOND,
                   .marker_px = 6});
    spot_chart_add(
        chart, &(spot_chart_datum_t){.x = (double) best->size,
                   .y = best->figures.cost,
                   .label = self->verdict == SPOT_VERDICT_YES ? "the answer" : "the nearest"});
    ret = texts.error;
    spot_texts_free(&texts);
    return ret != 0 ? ret : spot_chart_error(chart);
}
