/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What std::to_chars and std::from_chars cost, brought to the form that spotsim prints: beside
 * bench_number.c. Not part of the build, which has no C++. */
#include <charconv>
#include <cstdlib>

#include "numbers.h"

/* The form of %.15g, or of 16 or 17 digits where these are needed, from d.ddde+xx. */
static size_t print(double value, char *text)
{
    char raw[TEXT_BYTES];
    char *end = std::to_chars(raw, raw + sizeof(raw), value, std::chars_format::scientific).ptr;
    char *exponent = end, *at = text, *from = raw;
    int power = 0, num_digits;

    while (*--exponent != 'e') {
    }
    std::from_chars(exponent + 1 + (exponent[1] == '+'), end, power);
    num_digits = (int) (exponent - raw) - (*raw == '-');
    num_digits -= num_digits > 1;
    if (power < -4 || power >= (num_digits < 15 ? 15 : num_digits)) {
        memcpy(text, raw, (size_t) (end - raw));
        text[end - raw] = '\0';
        return (size_t) (end - raw);
    }
    if (*from == '-') {
        *at++ = *from++;
    }
    if (power < 0) {
        memcpy(at, "0.0000", 6);
        at += 1 - power;
        *at++ = *from;
        memcpy(at, from + 2, 16);
        at += num_digits - 1;
    } else {
        *at++ = *from;
        memcpy(at, from + 2, 16);
        if (num_digits > power + 1) {
            memcpy(at + power + 1, from + 2 + power, 16);
            at[power] = '.';
            at += num_digits;
        } else {
            memset(at + num_digits - 1, '0', 16);
            at += power;
        }
    }
    *at = '\0';
    return (size_t) (at - text);
}

static double scan(const char *text)
{
    double value = 0;

    std::from_chars(text, text + strlen(text), value);
    return value;
}

int main()
{
    bench_numbers("std::to_chars, std::from_chars", print, scan);
    return 0;
}
