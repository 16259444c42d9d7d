/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/condition_internal.h"
#include "base/units.h"
#include "base/utf8.h"

/* A longer symbol precedes its own beginning. Symbols of other languages are known for
 * their messages. */
static const struct {
    const char *text;
    const char *instead; /* for the symbol of another language, else NULL */
} symbols[] = {
    {"<=", NULL},
    {">=", NULL},
    {"==", NULL},
    {"!=", NULL},
    {"<>", "!="},
    {"=<", "<="},
    {"=>", ">="},
    {"\u2264", "<="},
    {"\u2265", ">="},
    {"\u2260", "!="},
    {"&&", "and"},
    {"||", "or"},
    {"=", "=="},
    {"&", "and"},
    {"|", "or"},
    {"!", "not"},
    {"<", NULL},
    {">", NULL},
    {"+", NULL},
    {"-", NULL},
    {"*", NULL},
    {"/", NULL},
    {"%", NULL},
    {"(", NULL},
    {")", NULL},
    {",", NULL},
};

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\n';
}

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

static bool is_letter(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_';
}

static const char *word_end(const char *text)
{
    while (is_letter(*text) || is_digit(*text)) {
        text++;
    }
    return text;
}

static const char *skip_blanks(const char *text)
{
    while (is_blank(*text)) {
        text++;
    }
    return text;
}

/* The bytes from start to end as messages show them. */
static const char *shown(const char *start, const char *end, char text[SPOT_UTF8_SHOWN_BYTES])
{
    char copy[SPOT_CONDITION_MAX_BYTES + 1];
    const size_t num_bytes = (size_t) (end - start);

    memcpy(copy, start, num_bytes);
    copy[num_bytes] = '\0';
    return spot_utf8_shown(copy, text);
}

void spot_condition_tokens_init(
    spot_condition_tokens_t *self, const spot_condition_t *condition, spot_diag_t *diag)
{
    memset(self, 0, sizeof(*self));
    self->condition = condition;
    self->diag = diag;
    self->start = condition->node->text;
    self->end = self->start;
}

void spot_condition_tokens_error(
    spot_condition_tokens_t *self, const char *place, const char *format, ...)
{
    char message[1024];
    va_list arguments;

    if (self->ret != 0) {
        return;
    }
    va_start(arguments, format);
    vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    spot_condition_error(
        self->condition, (size_t) (place - self->condition->node->text), self->diag, "%s", message);
    self->ret = SPOT_ERR_BAD_INPUT;
    self->kind = SPOT_TOKEN_END;
}

void spot_condition_tokens_expected(spot_condition_tokens_t *self, const char *what)
{
    char text[SPOT_UTF8_SHOWN_BYTES];

    if (self->kind == SPOT_TOKEN_END) {
        spot_condition_tokens_error(
            self, self->start, "expected %s, got the end of the expression", what);
    } else {
        spot_condition_tokens_error(self, self->start, "expected %s, got \"%s\"", what,
            shown(self->start, self->end, text));
    }
}

bool spot_condition_token_is(const spot_condition_tokens_t *self, const char *text)
{
    const size_t num_bytes = strlen(text);

    return (self->kind == SPOT_TOKEN_WORD || self->kind == SPOT_TOKEN_SYMBOL) &&
           (size_t) (self->end - self->start) == num_bytes &&
           memcmp(self->start, text, num_bytes) == 0;
}

/* Whether the word is a unit of durations. */
static bool is_duration_unit(const char *word, size_t num_bytes)
{
    char text[16] = "1 ";
    const char *problem;
    int64_t duration_ms;

    if (num_bytes + 2 >= sizeof(text)) {
        return false;
    }
    memcpy(text + 2, word, num_bytes);
    return spot_duration_parse(text, &duration_ms, &problem) == 0;
}

/* The end of the unit at text, or NULL. The operators "and" and "or" are no units. */
static const char *unit_end(const char *text)
{
    const char *end = word_end(text);
    const size_t num_bytes = (size_t) (end - text);

    if (!is_letter(*text) || (num_bytes == 3 && memcmp(text, "and", 3) == 0) ||
        (num_bytes == 2 && memcmp(text, "or", 2) == 0)) {
        return NULL;
    }
    if (*end == '/' && is_letter(end[1]) && !is_duration_unit(text, num_bytes)) {
        end = word_end(end + 1); /* "USD/h", "samples/s" */
    }
    return end;
}

/* Reads the number alone; bytes after number_end do not matter. */
static void read_plain(spot_condition_tokens_t *self, const char *number_end)
{
    char number[SPOT_CONDITION_MAX_BYTES + 1], text[SPOT_UTF8_SHOWN_BYTES];

    memcpy(number, self->start, (size_t) (number_end - self->start));
    number[number_end - self->start] = '\0';
    if (spot_number_parse(number, &self->number) != 0) {
        spot_condition_tokens_error(
            self, self->start, "\"%s\" is too large", shown(self->start, self->end, text));
    }
}

/* Reads a number that ends at number_end with a unit that ends at self->end: a duration,
 * a price, or an amount in the unit of a name. */
static void read_quantity(
    spot_condition_tokens_t *self, const char *number_end, const char *unit_start)
{
    const size_t number_bytes = (size_t) (number_end - self->start);
    const size_t unit_bytes = (size_t) (self->end - unit_start);
    char quantity[SPOT_CONDITION_MAX_BYTES + 1], text[SPOT_UTF8_SHOWN_BYTES];
    const char *problem = "", *price_problem = "";
    int64_t duration_ms = 0;

    memcpy(quantity, self->start, number_bytes);
    memcpy(quantity + number_bytes, unit_start, unit_bytes);
    quantity[number_bytes + unit_bytes] = '\0';
    if (spot_duration_parse(quantity, &duration_ms, &problem) == 0) {
        self->number = (double) duration_ms / (double) SPOT_MS_PER_S;
        self->unit = SPOT_CONDITION_DURATION;
    } else if (spot_price_parse(quantity, &self->number, &price_problem) == 0) {
        self->unit = SPOT_CONDITION_PRICE;
    } else if (!is_duration_unit(unit_start, unit_bytes)) {
        self->word_unit = unit_start;
        read_plain(self, number_end);
    } else {
        spot_condition_tokens_error(self, self->start,
            "\"%s\" is no duration such as \"300 s\" and no price such as \"0.91 "
            "USD/h\": %s",
            shown(self->start, self->end, text), problem);
    }
}

static void read_number(spot_condition_tokens_t *self)
{
    char text[SPOT_UTF8_SHOWN_BYTES];
    const char *end = spot_number_end(self->start), *unit;

    self->kind = SPOT_TOKEN_NUMBER;
    self->unit = NULL;
    self->word_unit = NULL;
    if (end == NULL || *end == '.') {
        end = self->start + strspn(self->start, "0123456789.");
        spot_condition_tokens_error(
            self, self->start, "\"%s\" is no number", shown(self->start, end, text));
        return;
    }
    unit = skip_blanks(end);
    self->end = unit_end(unit);
    if (self->end != NULL) {
        read_quantity(self, end, unit);
        return;
    }
    self->end = end;
    read_plain(self, end);
    if (self->number == 0) {
        self->unit = SPOT_CONDITION_ANY_UNIT;
    }
}

/* A text in quotes, or a name in backquotes. */
static void read_quoted(spot_condition_tokens_t *self, spot_condition_token_kind_t kind)
{
    const char *quote = strchr(self->start + 1, *self->start);

    self->kind = kind;
    if (quote == NULL) {
        spot_condition_tokens_error(self, self->start, "a %s starts here that has no second %c",
            kind == SPOT_TOKEN_NAME ? "name" : "text", *self->start);
    } else if (kind == SPOT_TOKEN_NAME && quote == self->start + 1) {
        spot_condition_tokens_error(self, self->start, "there is no name between the backquotes");
    } else {
        self->end = quote + 1;
    }
}

spot_estimate_kind_t spot_condition_estimate(const char *word, size_t num_bytes, double *percent)
{
    char number[16];

    if (num_bytes == 4 && memcmp(word, "mean", 4) == 0) {
        return SPOT_ESTIMATE_MEAN;
    }
    if (num_bytes == 11 && memcmp(word, "probability", 11) == 0) {
        return SPOT_ESTIMATE_PROBABILITY;
    }
    if (num_bytes < 2 || num_bytes > sizeof(number) || word[0] != 'p') {
        return SPOT_ESTIMATE_NONE;
    }
    memcpy(number, word + 1, num_bytes - 1);
    number[num_bytes - 1] = '\0';
    return spot_number_parse(number, percent) == 0 ? SPOT_ESTIMATE_QUANTILE : SPOT_ESTIMATE_NONE;
}

/* Reads the rest of "p95(cost_usd)" from its parenthesis on, which is one name. */
static void read_estimate(spot_condition_tokens_t *self)
{
    const char *end = self->end;
    int depth = 0;

    do {
        depth += (*end == '(') - (*end == ')');
    } while (*end++ != '\0' && depth > 0);
    if (depth > 0) {
        spot_condition_tokens_error(
            self, self->end, "a parenthesis starts here that has no second one");
    } else {
        self->end = end;
    }
}

static void read_word(spot_condition_tokens_t *self)
{
    char text[SPOT_UTF8_SHOWN_BYTES];
    double percent;

    self->kind = SPOT_TOKEN_WORD;
    self->end = word_end(self->start);
    while (*self->end == '.' && word_end(self->end + 1) != self->end + 1) {
        self->end = word_end(self->end + 1);
    }
    if (*self->end == '.') {
        spot_condition_tokens_error(self, self->start,
            "\"%s\" is no name: a word is missing behind the dot",
            shown(self->start, self->end + 1, text));
    } else if (*self->end == '(' &&
               spot_condition_estimate(self->start, (size_t) (self->end - self->start), &percent) !=
                   SPOT_ESTIMATE_NONE) {
        read_estimate(self);
    }
}

static void read_symbol(spot_condition_tokens_t *self)
{
    const size_t length = spot_utf8_length(self->start, strlen(self->start));
    char text[SPOT_UTF8_SHOWN_BYTES];

    self->kind = SPOT_TOKEN_SYMBOL;
    for (size_t j = 0; j < sizeof(symbols) / sizeof(symbols[0]); j++) {
        const size_t num_bytes = strlen(symbols[j].text);

        if (strncmp(self->start, symbols[j].text, num_bytes) == 0) {
            self->end = self->start + num_bytes;
            if (symbols[j].instead != NULL) {
                spot_condition_tokens_error(self, self->start,
                    "\"%s\" is not known here, write \"%s\"", symbols[j].text, symbols[j].instead);
            }
            return;
        }
    }
    spot_condition_tokens_error(self, self->start, "\"%s\" has no meaning here",
        shown(self->start, self->start + (length == 0 ? 1 : length), text));
}

void spot_condition_tokens_next(spot_condition_tokens_t *self)
{
    if (self->ret != 0) {
        self->kind = SPOT_TOKEN_END;
        return;
    }
    self->start = skip_blanks(self->end);
    self->end = self->start;
    if (*self->start == '\0') {
        self->kind = SPOT_TOKEN_END;
    } else if (is_digit(*self->start) || (*self->start == '.' && is_digit(self->start[1]))) {
        read_number(self);
    } else if (is_letter(*self->start)) {
        read_word(self);
    } else if (*self->start == '\'' || *self->start == '"') {
        read_quoted(self, SPOT_TOKEN_TEXT);
    } else if (*self->start == '`') {
        read_quoted(self, SPOT_TOKEN_NAME);
    } else {
        read_symbol(self);
    }
}
