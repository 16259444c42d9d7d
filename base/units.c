/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/name_match.h"
#include "base/number.h"

typedef struct {
    const char *name;
    double factor;
    int64_t enough;    /* least number in texts, so that 60 s stay 60 s; 0: none in texts */
    const char *meant; /* the problem of a name that is nearly this one */
} unit_t;

#define UNIT(name, factor, enough)                                                                 \
    {                                                                                              \
        (name), (factor), (enough), "unknown unit, did you mean \"" name "\"?"                     \
    }

/* A unit in full; one with an s behind is the same. It is read only. */
typedef struct {
    const char *name;
    double factor;
} unit_word_t;

/* Units have falling factors: texts use the first one that is exact. */
struct spot_units {
    const unit_t *units;
    const unit_word_t *words; /* up to one without a name; NULL: none */
    double plain_factor;      /* of a number without a unit; 0: that is an error */
    double most;              /* the largest value; values are integers; 0: they are real */
    const char *beyond;       /* the problem of larger values */
    const char *zero;         /* 0 as text */
};

const spot_units_t spot_units_ms = {
    .units = (const unit_t[]){UNIT("d", 8.64e7, 2), UNIT("h", 3.6e6, 2), UNIT("min", 6e4, 10),
        UNIT("s", 1e3, 1), UNIT("ms", 1, 1), {.name = NULL}},
    .words = (const unit_word_t[]){{"week", 6.048e8}, {"day", 8.64e7}, {"hour", 3.6e6},
        {"minute", 6e4}, {"second", 1e3}, {"millisecond", 1}, {.name = NULL}},
    .most = (double) SPOT_MAX_DURATION_MS,
    .beyond = "more than 100 years",
    .zero = "0 s",
};

const spot_units_t spot_units_ns = {
    .units = (const unit_t[]){UNIT("d", 8.64e13, 2), UNIT("h", 3.6e12, 2), UNIT("min", 6e10, 10),
        UNIT("s", 1e9, 1), UNIT("ms", 1e6, 1), UNIT("us", 1e3, 1), UNIT("ns", 1, 1),
        {.name = NULL}},
    .words = (const unit_word_t[]){{"week", 6.048e14}, {"day", 8.64e13}, {"hour", 3.6e12},
        {"minute", 6e10}, {"second", 1e9}, {"millisecond", 1e6}, {"microsecond", 1e3},
        {"nanosecond", 1}, {.name = NULL}},
    .most = 1e6 * (double) SPOT_MAX_DURATION_MS,
    .beyond = "more than 100 years",
    .zero = "0 s",
};

const spot_units_t spot_units_bytes = {
    .units = (const unit_t[]){UNIT("TiB", 0x1p40, 1), UNIT("TB", 1e12, 1), UNIT("GiB", 0x1p30, 1),
        UNIT("GB", 1e9, 1), UNIT("MiB", 0x1p20, 1), UNIT("MB", 1e6, 1), UNIT("KiB", 0x1p10, 1),
        UNIT("kB", 1e3, 1), UNIT("B", 1, 1), {.name = NULL}},
    .most = 9e18,
    .beyond = "more than 9000000 TB",
    .zero = "0 B",
};

const spot_units_t spot_units_bytes_per_s = {
    .units = (const unit_t[]){UNIT("TiB/s", 0x1p40, 1), UNIT("TB/s", 1e12, 1),
        UNIT("Tbit/s", 1.25e11, 1), UNIT("GiB/s", 0x1p30, 1), UNIT("GB/s", 1e9, 1),
        UNIT("Gbit/s", 1.25e8, 1), UNIT("MiB/s", 0x1p20, 1), UNIT("MB/s", 1e6, 1),
        UNIT("Mbit/s", 1.25e5, 1), UNIT("KiB/s", 0x1p10, 1), UNIT("kB/s", 1e3, 1),
        UNIT("kbit/s", 125, 1), UNIT("B/s", 1, 1), UNIT("bit/s", 0.125, 0), {.name = NULL}},
    .zero = "0 B/s",
};

const spot_units_t spot_units_flops_per_s = {
    .units = (const unit_t[]){UNIT("PFLOP/s", 1e15, 1), UNIT("TFLOP/s", 1e12, 1),
        UNIT("GFLOP/s", 1e9, 1), UNIT("FLOP/s", 1, 1), {.name = NULL}},
    .zero = "0 FLOP/s",
};

const spot_units_t spot_units_usd_per_h = {
    .units = (const unit_t[]){UNIT("USD/s", 3600, 0), UNIT("USD/min", 60, 0), UNIT("USD/h", 1, 1),
        UNIT("USD/d", 1.0 / 24, 0), {.name = NULL}},
    .plain_factor = 1,
    .zero = "0 USD/h",
};

/* nearbyint() in the default rounding mode is ties-to-even. */
static int round_whole(double value, double most, int64_t *whole)
{
    if (!(fabs(value) <= most)) {
        return SPOT_ERR_BAD_INPUT;
    }
    *whole = (int64_t) nearbyint(value);
    return 0;
}

/* Sets *amount to number * factor, exactly if the text of the number, [text, end), is written as
 * an integer. */
static int multiply(const spot_units_t *self, const char *text, const char *end, double number,
    double factor, spot_amount_t *amount, const char **problem)
{
    const double product = number * factor + 0.0; /* -0 is 0 */
    const char *digits = text + (*text == '-' || *text == '+');
    int ret;

    *problem = "the number is too large";
    if (!isfinite(product)) {
        return SPOT_ERR_BAD_INPUT;
    }
    if (self->most == 0) {
        amount->real = product;
        return 0;
    }
    *problem = self->beyond;
    ret = round_whole(product, self->most, &amount->whole);
    if (ret == 0 && digits + strspn(digits, "0123456789") == end) {
        amount->whole = strtoimax(text, NULL, 10) * (int64_t) factor;
    }
    return ret;
}

/* The factor of a unit, short or in full; 0: it is unknown. */
static double find_factor(const spot_units_t *self, const char *text)
{
    for (const unit_t *unit = self->units; unit->name != NULL; unit++) {
        if (strcmp(text, unit->name) == 0) {
            return unit->factor;
        }
    }
    for (const unit_word_t *word = self->words; word != NULL && word->name != NULL; word++) {
        const size_t num_bytes = strlen(word->name);

        if (strncmp(text, word->name, num_bytes) == 0 &&
            (text[num_bytes] == '\0' || strcmp(text + num_bytes, "s") == 0)) {
            return word->factor;
        }
    }
    return 0;
}

/* The unit that a word nearly stands for, such as "Hours" or "hrs", or the word
 * itself. */
static const char *unit_of_word(const char *word)
{
    static const char *const words[][2] = {{"day", "d"}, {"hour", "h"}, {"hr", "h"},
        {"minute", "min"}, {"second", "s"}, {"sec", "s"}, {"byte", "B"}, {"USD", "USD/h"}};
    const size_t num_bytes = strlen(word);
    const size_t stem = num_bytes - (num_bytes > 0 && word[num_bytes - 1] == 's');

    for (size_t j = 0; j < sizeof(words) / sizeof(words[0]); j++) {
        if (strlen(words[j][0]) == stem && strncasecmp(word, words[j][0], stem) == 0) {
            return words[j][1];
        }
    }
    return word;
}

/* The problem of an unknown unit: what it may mean, as "KB" is kB and "mins" nearly
 * min. */
static const char *near_unit(const spot_units_t *self, const char *text)
{
    spot_suggest_t near;

    if (text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ/")] != '\0') {
        return "unknown unit";
    }
    spot_suggest_init(&near, unit_of_word(text));
    for (const unit_t *unit = self->units; unit->name != NULL; unit++) {
        if (strcasecmp(near.text, unit->name) == 0) {
            return unit->meant;
        }
        if (strlen(near.text) > 2) { /* all units of a letter or two are near */
            spot_suggest_offer(&near, unit->name);
        }
    }
    for (const unit_t *unit = self->units; unit->name != NULL; unit++) {
        if (unit->name == near.nearest) {
            return unit->meant;
        }
    }
    return "unknown unit";
}

const char *spot_units_name(const spot_units_t *self, size_t j)
{
    return self->units[j].name;
}

int spot_units_parse(
    const spot_units_t *self, const char *text, spot_amount_t *amount, const char **problem)
{
    double number, factor = self->plain_factor;
    const char *end = spot_number_read(text, &number), *unit;

    if (end == NULL) {
        *problem = "it does not start with a number";
        return SPOT_ERR_BAD_INPUT;
    }
    *problem = "the unit is missing";
    if (*end != '\0') {
        unit = end + strspn(end, " ");
        factor = find_factor(self, unit);
        *problem = factor == 0 ? near_unit(self, unit) : NULL;
    }
    return factor == 0 ? SPOT_ERR_BAD_INPUT
                       : multiply(self, text, end, number, factor, amount, problem);
}

/* Real values are mostly integers too: 10 Gbit/s. */
void spot_units_text(
    const spot_units_t *self, spot_amount_t amount, char text[SPOT_AMOUNT_TEXT_BYTES])
{
    const double real = self->most > 0 ? 0 : amount.real;
    const bool is_whole = nearbyint(real) == real && fabs(real) < 0x1p53;
    const int64_t whole = self->most > 0 ? amount.whole : is_whole ? (int64_t) real : 0;
    const unit_t *unit = self->units;
    char number[SPOT_NUMBER_TEXT_BYTES];

    if (is_whole && whole == 0) {
        snprintf(text, SPOT_AMOUNT_TEXT_BYTES, "%s", self->zero);
        return;
    }
    while (!is_whole ? unit->factor != 1
                     : unit->enough == 0 || whole % (int64_t) unit->factor != 0 ||
                           llabs(whole / (int64_t) unit->factor) < unit->enough) {
        unit++;
    }
    if (is_whole) {
        snprintf(number, sizeof(number), "%" PRId64, whole / (int64_t) unit->factor);
    } else {
        spot_number_text(real, number);
    }
    snprintf(text, SPOT_AMOUNT_TEXT_BYTES, "%s %s", number, unit->name);
}

double spot_units_value(const spot_units_t *self, spot_amount_t amount)
{
    return self->most > 0 ? (double) amount.whole : amount.real;
}

spot_amount_t spot_units_nearest(const spot_units_t *self, double value)
{
    if (self->most == 0) {
        return (spot_amount_t){.real = value};
    }
    return (spot_amount_t){.whole = (int64_t) fmax(fmin(value, self->most), -self->most)};
}

int spot_duration_parse(const char *text, int64_t *duration_ms, const char **problem)
{
    spot_amount_t amount;
    const int ret = spot_units_parse(&spot_units_ms, text, &amount, problem);

    if (ret == 0) {
        *duration_ms = amount.whole;
    }
    return ret;
}

int spot_duration_from_s(double duration_s, int64_t *duration_ms)
{
    return round_whole(duration_s * (double) SPOT_MS_PER_S, spot_units_ms.most, duration_ms);
}

int64_t spot_ns_from_ms(double ms)
{
    return (int64_t) floor(ms * 1e6 + 0.5);
}

double spot_duration_s(int64_t duration_ms)
{
    return (double) duration_ms / (double) SPOT_MS_PER_S;
}

int spot_price_parse(const char *text, double *price_usd_per_h, const char **problem)
{
    spot_amount_t amount;
    const int ret = spot_units_parse(&spot_units_usd_per_h, text, &amount, problem);

    if (ret == 0) {
        *price_usd_per_h = amount.real;
    }
    return ret;
}

void spot_duration_text(int64_t duration_ms, char text[SPOT_DURATION_TEXT_BYTES])
{
    spot_units_text(&spot_units_ms, (spot_amount_t){.whole = duration_ms}, text);
}

void spot_unit_append(char *text, const char *unit)
{
    if (unit[0] != '\0') {
        strcat(strcat(text, " "), unit);
    }
}
