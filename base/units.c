/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/units.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *name;
    double factor;
} unit_t;

static const unit_t duration_units[] = {
    {"ms", 1},
    {"s", 1e3},
    {"min", 6e4},
    {"h", 3.6e6},
    {"d", 8.64e7},
    {NULL, 0},
};

static const unit_t price_units[] = {
    {"USD/h", 1},
    {"USD/min", 60},
    {"USD/s", 3600},
    {"USD/d", 1.0 / 24},
    {NULL, 0},
};

static const char *
skip_digits(const char *text)
{
    while (*text >= '0' && *text <= '9') {
        text++;
    }
    return text;
}

const char *
spot_number_end(const char *text)
{
    const char *start = text + (*text == '-' || *text == '+');
    const char *end = skip_digits(start);
    const char *exponent;

    if (end == start) {
        return NULL;
    }
    if (*end == '.') {
        const char *fraction = end + 1;

        end = skip_digits(fraction);
        if (end == fraction) {
            return NULL;
        }
    }
    if (*end == 'e' || *end == 'E') {
        exponent = end + 1;
        exponent += (*exponent == '-' || *exponent == '+');
        if (skip_digits(exponent) != exponent) {
            end = skip_digits(exponent);
        }
    }
    return end;
}

int
spot_number_parse(const char *text, double *value)
{
    const char *end = spot_number_end(text);
    double number;

    if (end == NULL || *end != '\0') {
        return SPOT_ERR_BAD_INPUT;
    }
    number = strtod(text, NULL);
    if (!isfinite(number)) {
        return SPOT_ERR_BAD_INPUT;
    }
    *value = number;
    return 0;
}

int
spot_integer_parse(const char *text, int64_t *value)
{
    const char *start = text + (*text == '-' || *text == '+');
    const char *end = skip_digits(start);
    intmax_t number;

    if (end == start || *end != '\0' || (*start == '0' && start[1] != '\0')) {
        return SPOT_ERR_BAD_INPUT;
    }
    errno = 0;
    number = strtoimax(text, NULL, 10);
    if (errno != 0) {
        return SPOT_ERR_BAD_INPUT;
    }
    *value = number;
    return 0;
}

/* number + unit -> number * factor. A number alone is an error unless plain_factor > 0.
 */
static int
parse_quantity(const char *text, const unit_t *units, double plain_factor, double *value,
    const char **problem)
{
    const char *end = spot_number_end(text);
    double number;

    if (end == NULL) {
        *problem = "it does not start with a number";
        return SPOT_ERR_BAD_INPUT;
    }
    number = strtod(text, NULL);
    if (!isfinite(number)) {
        *problem = "the number is too large";
        return SPOT_ERR_BAD_INPUT;
    }
    if (*end == '\0') {
        *problem = "the unit is missing";
        *value = number * plain_factor;
        return plain_factor > 0 ? 0 : SPOT_ERR_BAD_INPUT;
    }
    while (*end == ' ') {
        end++;
    }
    for (const unit_t *unit = units; unit->name != NULL; unit++) {
        if (strcmp(end, unit->name) == 0) {
            *problem = "the number is too large";
            *value = number * unit->factor;
            return isfinite(*value) ? 0 : SPOT_ERR_BAD_INPUT;
        }
    }
    *problem = "unknown unit";
    return SPOT_ERR_BAD_INPUT;
}

/* nearbyint() in the default rounding mode is ties-to-even. */
static int
round_ms(double value_ms, int64_t *duration_ms)
{
    if (!(fabs(value_ms) <= (double) SPOT_MAX_DURATION_MS)) {
        return SPOT_ERR_BAD_INPUT;
    }
    *duration_ms = (int64_t) nearbyint(value_ms);
    return 0;
}

int
spot_duration_parse(const char *text, int64_t *duration_ms, const char **problem)
{
    double value_ms = 0;
    int ret = parse_quantity(text, duration_units, 0, &value_ms, problem);

    if (ret == 0) {
        *problem = "more than 100 years";
        ret = round_ms(value_ms, duration_ms);
    }
    return ret;
}

int
spot_duration_from_s(double duration_s, int64_t *duration_ms)
{
    return round_ms(duration_s * (double) SPOT_MS_PER_S, duration_ms);
}

double
spot_duration_s(int64_t duration_ms)
{
    return (double) duration_ms / (double) SPOT_MS_PER_S;
}

int
spot_price_parse(const char *text, double *price_usd_per_h, const char **problem)
{
    return parse_quantity(text, price_units, 1, price_usd_per_h, problem);
}

void
spot_duration_text(int64_t duration_ms, char text[SPOT_DURATION_TEXT_BYTES])
{
    static const struct {
        const char *name;
        int64_t unit_ms;
        int64_t enough; /* use the unit from that many on, so that 60 s stay 60 s */
    } units[] = {
        {"d", SPOT_MS_PER_D, 2},
        {"h", SPOT_MS_PER_H, 2},
        {"min", SPOT_MS_PER_MIN, 10},
        {"s", SPOT_MS_PER_S, 1},
    };

    for (size_t j = 0; j < sizeof(units) / sizeof(units[0]); j++) {
        if (duration_ms % units[j].unit_ms == 0 &&
            llabs(duration_ms / units[j].unit_ms) >= units[j].enough) {
            snprintf(text, SPOT_DURATION_TEXT_BYTES, "%" PRId64 " %s",
                duration_ms / units[j].unit_ms, units[j].name);
            return;
        }
    }
    if (duration_ms == 0) {
        snprintf(text, SPOT_DURATION_TEXT_BYTES, "0 s");
    } else {
        snprintf(text, SPOT_DURATION_TEXT_BYTES, "%" PRId64 " ms", duration_ms);
    }
}

void
spot_number_text(double value, char text[SPOT_NUMBER_TEXT_BYTES])
{
    for (int num_digits = 15; num_digits <= 17; num_digits++) {
        snprintf(text, SPOT_NUMBER_TEXT_BYTES, "%.*g", num_digits, value);
        if (strtod(text, NULL) == value) {
            return;
        }
    }
}
