/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/number.h"

#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Powers of ten ---- */

/* The first bits of a power of ten, the top one set. The rest is cut off; 10^0 to 10^55 have none.
 */
typedef struct {
    uint64_t high, low;
} power_t;

#define MIN_POWER (-348)
#define MAX_POWER 324
#define FIRST_POWER (-364)
#define STEP 28
#define LAST_EXACT 55

__extension__ typedef unsigned __int128 wide_t;

static wide_t multiply(uint64_t a, uint64_t b)
{
    return (wide_t) a * b;
}

/* Every 28th power to 192 bits, times a smaller one to 64. The bits beyond 128 hold the error: all
 * of MIN_POWER to MAX_POWER were compared with exact integers. */
static power_t power_of_ten(int power)
{
    static const uint64_t steps[][3] = {
        {0xe1afa13afbd14d6d, 0x82189c09a3a1ec21, 0x7a43516213c7e04c}, /* -364 */
        {0xe3e27a444d8d98b7, 0xfd1b1b2308169b25, 0x363b1f2c568dc3e2}, /* -336 */
        {0xe61acf033d1a45df, 0x6fb92487298e33bd, 0xadd7728c20b99bd1}, /* -308 */
        {0xe858ad248f5c22c9, 0xd1b3400f8f9cff68, 0xf910f9f648232f14}, /* -280 */
        {0xea9c227723ee8bcb, 0x465e15a979c1cadc, 0x0a0ce827eac11f2d}, /* -252 */
        {0xece53cec4a314ebd, 0xa4f8bf5635246428, 0x4609ac5c7899ca36}, /* -224 */
        {0xef340a98172aace4, 0x86fb897116c87c34, 0x9c39c1da4c49278d}, /* -196 */
        {0xf18899b1bc3f8ca1, 0xdc44e6c3cb279ac1, 0xf80f36174730ca34}, /* -168 */
        {0xf3e2f893dec3f126, 0x5a89dba3c3efccfa, 0xd8ecb58659be9c90}, /* -140 */
        {0xf64335bcf065d37d, 0x4d4617b5ff4a16d5, 0xaa09501d5954a559}, /* -112 */
        {0xf8a95fcf88747d94, 0x75a44c6397ce912a, 0x33cca6c06b07b74d}, /* -84 */
        {0xfb158592be068d2e, 0xeed6e2f0f0d56712, 0xac2e4f162cfad40a}, /* -56 */
        {0xfd87b5f28300ca0d, 0x8bca9d6e188853fc, 0x76dcb60081ce0fa5}, /* -28 */
        {0x8000000000000000, 0x0000000000000000, 0x0000000000000000}, /* 0 */
        {0x813f3978f8940984, 0x4000000000000000, 0x0000000000000000}, /* 28 */
        {0x82818f1281ed449f, 0xbff8f10e7a8921a4, 0x2000000000000000}, /* 56 */
        {0x83c7088e1aab65db, 0x792667c6da79e0fa, 0x0861d3ee22d1cc53}, /* 84 */
        {0x850fadc09923329e, 0x03e2cf6bc604ddb0, 0x74a7ef0198791097}, /* 112 */
        {0x865b86925b9bc5c2, 0x0b8a2392ba45a9b2, 0x5c6658d409fb8bf7}, /* 140 */
        {0x87aa9aff79042286, 0x90fb44d2f05d0842, 0xfb118fc9c217a1d2}, /* 168 */
        {0x88fcf317f22241e2, 0x441fece3bdf81f03, 0x12f274928400100d}, /* 196 */
        {0x8a5296ffe33cc92f, 0x82bd6b70d99aaa6f, 0xbc10c5c5cda97c8d}, /* 224 */
        {0x8bab8eefb6409c1a, 0x1ad089b6c2f7548e, 0x25c7b885ba466e37}, /* 252 */
        {0x8d07e33455637eb2, 0xdb0b487b6423e1e8, 0x7ec63730f500b406}, /* 280 */
        {0x8e679c2f5e44ff8f, 0x570f09eaa7ea7648, 0x5961db50c6d2b886}, /* 308 */
    };
    static const uint64_t ones[STEP] = {0x8000000000000000, 0xa000000000000000, 0xc800000000000000,
        0xfa00000000000000, 0x9c40000000000000, 0xc350000000000000, 0xf424000000000000,
        0x9896800000000000, 0xbebc200000000000, 0xee6b280000000000, 0x9502f90000000000,
        0xba43b74000000000, 0xe8d4a51000000000, 0x9184e72a00000000, 0xb5e620f480000000,
        0xe35fa931a0000000, 0x8e1bc9bf04000000, 0xb1a2bc2ec5000000, 0xde0b6b3a76400000,
        0x8ac7230489e80000, 0xad78ebc5ac620000, 0xd8d726b7177a8000, 0x878678326eac9000,
        0xa968163f0a57b400, 0xd3c21bcecceda100, 0x84595161401484a0, 0xa56fa5b99019a5c8,
        0xcecb8f27f4200f3a};
    const unsigned at = (unsigned) (power - FIRST_POWER);
    const uint64_t *step = steps[at / STEP], one = ones[at % STEP];
    const wide_t last = multiply(step[1], one) + (multiply(step[2], one) >> 64);
    const wide_t first = multiply(step[0], one) + (last >> 64);
    const uint64_t high = (uint64_t) (first >> 64), low = (uint64_t) first;

    return high >> 63 != 0 ? (power_t){high, low}
                           : (power_t){high << 1 | low >> 63, low << 1 | (uint64_t) last >> 63};
}

/* ---- Writing ---- */

#define SIGNIFICAND_BITS 52
#define HIDDEN_BIT (UINT64_C(1) << SIGNIFICAND_BITS)
#define EXPONENT_BIAS 1075 /* of a significand as an integer */
#define MAX_EXPONENT 0x7ff
#define MAX_DIGITS 17
#define LEAST_DIGITS 15 /* of printf, whatever the number of digits that are needed */

/* The whole part of a product; its last bit says too whether there is a fraction. */
static uint64_t round_to_odd(power_t power, uint64_t factor)
{
    const wide_t product = multiply(power.high, factor) + (multiply(power.low, factor) >> 64);

    return (uint64_t) (product >> 64) | ((uint64_t) product > 1);
}

/* Schubfach, figure 4 and section 9: of the decimals that read back as the double those with the
 * fewest digits, of these the nearest. Returns its 17 first digits and sets *exponent to that of
 * the first one. Branch-free where digits decide: branches would be unpredictable. */
static uint64_t shortest(uint64_t significand, int bits_exponent, int *exponent)
{
    const uint64_t c = HIDDEN_BIT | significand;
    const int q = bits_exponent - EXPONENT_BIAS;
    const bool is_closer = significand == 0; /* the double below, than the one above */
    const bool is_odd = (c & 1) != 0;
    const int k = (q * 1262611 - (is_closer ? 524031 : 0)) >> 22; /* floor(log10(2^q)) */
    const int h = q + ((-k * 1741647) >> 19) + 1;
    power_t power = power_of_ten(-k);
    uint64_t lower, middle, upper, ones, tens;
    bool has_low, has_high, has_low_tens, has_high_tens, is_up, is_small;

    if (-k < 0 || -k > LAST_EXACT) { /* rounded up */
        power.high += ++power.low == 0;
    }
    lower = round_to_odd(power, (4 * c - 2 + is_closer) << h) + is_odd;
    middle = round_to_odd(power, (4 * c) << h);
    upper = round_to_odd(power, (4 * c + 2) << h) - is_odd;
    ones = middle / 4;
    tens = ones / 10 * 10;
    has_low_tens = lower <= 4 * tens;
    has_high_tens = 4 * tens + 40 <= upper;
    has_low = lower <= 4 * ones;
    has_high = 4 * ones + 4 <= upper;
    is_up = middle + (ones & 1) > 4 * ones + 2;
    ones += has_low != has_high ? has_high : is_up;
    tens += has_high_tens ? 10 : 0;
    ones = has_low_tens != has_high_tens ? tens : ones;
    is_small = ones < 10000000000000000; /* but not below 2^52 */
    *exponent = k + MAX_DIGITS - 1 - is_small;
    return is_small ? 10 * ones : ones;
}

/* The 8 digits of number < 10^8 as values of bytes, the first digit lowest: halves of it, then
 * quarters and eighths, side by side. */
static uint64_t eight_digits(uint64_t number)
{
    const uint64_t fours = number / 10000 | number % 10000 << 32;
    const uint64_t high_twos = fours * 10486 >> 20 & 0x7f0000007f; /* / 100 */
    const uint64_t twos = high_twos | (fours - 100 * high_twos) << 16;
    const uint64_t high_ones = twos * 103 >> 10 & 0xf000f000f000f; /* / 10 */

    return high_ones | (twos - 10 * high_ones) << 8;
}

/* Writes 8 digits, the first one lowest. */
static void write_eight(char *text, uint64_t digits)
{
    digits |= 0x3030303030303030;
    if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) {
        digits = __builtin_bswap64(digits);
    }
    memcpy(text, &digits, sizeof(digits));
}

static void write_sixteen(char *text, wide_t digits)
{
    write_eight(text, (uint64_t) digits);
    write_eight(text + 8, (uint64_t) (digits >> 64));
}

static wide_t sixteen_digits(uint64_t number)
{
    return eight_digits(number / 100000000) | (wide_t) eight_digits(number % 100000000) << 64;
}

/* Writes number < 10^16. */
static char *write_whole(char *text, uint64_t number)
{
    const wide_t digits = sixteen_digits(number);
    const uint64_t high = (uint64_t) digits, low = (uint64_t) (digits >> 64);
    const int num_zeros = high != 0  ? __builtin_ctzll(high) / 8
                          : low != 0 ? 8 + __builtin_ctzll(low) / 8
                                     : 15;

    write_sixteen(text, digits >> 8 * num_zeros);
    return text + 16 - num_zeros;
}

/* Writes number, from 10^16 to 10^17, times 10^(exponent - 16) as %g does with as many digits of
 * precision as are needed, at least 15. */
static char *write_general(char *text, uint64_t number, int exponent)
{
    const char first = (char) ('0' + number / 10000000000000000);
    const wide_t rest = sixteen_digits(number % 10000000000000000);
    const uint64_t high = (uint64_t) rest, low = (uint64_t) (rest >> 64);
    const int num_digits = low != 0    ? MAX_DIGITS - __builtin_clzll(low) / 8
                           : high != 0 ? MAX_DIGITS - 8 - __builtin_clzll(high) / 8
                                       : 1;
    const int precision = num_digits > LEAST_DIGITS ? num_digits : LEAST_DIGITS;

    if (exponent < -4 || exponent >= precision) {
        text[0] = first;
        text[1] = '.';
        write_sixteen(text + 2, rest);
        text += num_digits + (num_digits > 1);
        *text++ = 'e';
        *text++ = exponent < 0 ? '-' : '+';
        exponent = abs(exponent);
        if (exponent >= 100) {
            *text++ = (char) ('0' + exponent / 100);
        }
        *text++ = (char) ('0' + exponent / 10 % 10);
        *text++ = (char) ('0' + exponent % 10);
        return text;
    }
    if (exponent < 0) {
        memcpy(text, "0.000", 5);
        text += 1 - exponent;
    }
    text[0] = first;
    write_sixteen(text + 1, rest);
    if (exponent < 0 || num_digits == exponent + 1) { /* it has no more digits before the point */
        return text + num_digits;
    }
    write_eight(text + exponent + 2, (uint64_t) (rest >> 8 * exponent));
    if (exponent < 8) {
        write_eight(text + exponent + 10, (uint64_t) (rest >> (8 * exponent + 64)));
    }
    text[exponent + 1] = '.';
    return text + num_digits + 1;
}

/* What printf and strtod find, for the numbers that shortest() does not: not finite, less than
 * DBL_MIN (where %.15g has more digits than are needed) and powers of two (where the shortest text
 * may have 16 digits, but %.16g, which is the nearest, reads back as the double below). */
static size_t write_slowly(double value, char text[SPOT_NUMBER_TEXT_BYTES])
{
    int length = 0;

    for (int precision = LEAST_DIGITS; precision <= MAX_DIGITS; precision++) {
        length = snprintf(text, SPOT_NUMBER_TEXT_BYTES, "%.*g", precision, value);
        if (strtod(text, NULL) == value) {
            break;
        }
    }
    return (size_t) length;
}

size_t spot_number_text(double value, char text[SPOT_NUMBER_TEXT_BYTES])
{
    char *at = text;
    const double size = fabs(value);
    uint64_t bits, digits;
    int exponent;

    if (signbit(value)) {
        *at++ = '-';
    }
    if (size < 1e15 && size == (double) (int64_t) size) {
        at = write_whole(at, (uint64_t) size);
        *at = '\0';
        return (size_t) (at - text);
    }
    memcpy(&bits, &size, sizeof(bits));
    exponent = (int) (bits >> SIGNIFICAND_BITS);
    if (exponent == 0 || exponent == MAX_EXPONENT) {
        return write_slowly(value, text);
    }
    bits &= HIDDEN_BIT - 1;
    digits = shortest(bits, exponent, &exponent);
    if (bits == 0 && digits % 100 != 0) {
        return write_slowly(value, text);
    }
    at = write_general(at, digits, exponent);
    *at = '\0';
    return (size_t) (at - text);
}

/* ---- Reading ---- */

static bool is_digit(char character)
{
    return (unsigned) character - '0' < 10;
}

/* A number as it is written. */
typedef struct {
    uint64_t digits;                      /* wraps around where there are too many */
    const char *start, *digits_end, *end; /* digits_end: of the digits, the exponent is behind */
    int64_t power;                        /* of ten, that digits are to be multiplied with */
    bool is_negative;
} literal_t;

#define FAR INT64_C(1000000000000000) /* no text has as many digits */

static const char *scan_digits(const char *text, uint64_t *number)
{
    uint64_t value = *number;

    for (; is_digit(*text); text++) {
        value = 10 * value + (uint64_t) (*text - '0');
    }
    *number = value;
    return text;
}

/* Sets *self to the number at the start of text; false: there is none. */
static bool scan(const char *text, literal_t *self)
{
    const char *digits = text + (*text == '-' || *text == '+'), *end, *exponent;
    int64_t power = 0;

    *self = (literal_t){.start = digits, .is_negative = *text == '-'};
    end = scan_digits(digits, &self->digits);
    if (*end == '.') {
        digits = end + 1;
        end = scan_digits(digits, &self->digits);
        self->power = digits - end;
    }
    if (end == digits) {
        return false;
    }
    self->digits_end = self->end = end;
    if (*end != 'e' && *end != 'E') {
        return true;
    }
    exponent = end + 1 + (end[1] == '-' || end[1] == '+');
    for (end = exponent; is_digit(*end); end++) {
        power = power < FAR ? 10 * power + (*end - '0') : power;
    }
    if (end != exponent) {
        self->power += exponent[-1] == '-' ? -power : power;
        self->end = end;
    }
    return true;
}

/* Whether the digits fit in 64 bits: at most 19 behind leading zeros. */
static bool is_short(const literal_t *self)
{
    const char *first = self->start;
    ptrdiff_t num_bytes = self->digits_end - first;

    if (num_bytes > 19) {
        first += strspn(first, "0.");
        num_bytes = self->digits_end - first;
    }
    return num_bytes <= 19 || (num_bytes == 20 && memchr(first, '.', 20) != NULL);
}

/* Eisel-Lemire: *bits of digits times 10^power; false: the product of 128 bits does not decide, or
 * the result is not a normal number. */
static bool nearest(uint64_t digits, int power, uint64_t *bits)
{
    const int shift = __builtin_clzll(digits);
    const power_t ten = power_of_ten(power);
    int64_t exponent = ((217706 * (int64_t) power) >> 16) + 64 + 1023 - shift;
    const uint64_t factor = digits << shift;
    wide_t product = multiply(factor, ten.high);
    uint64_t high, mantissa;
    bool is_top;

    if ((product >> 64 & 0x1ff) == 0x1ff && (uint64_t) product + factor < factor) {
        const wide_t more = multiply(factor, ten.low);

        product += more >> 64;
        if ((product >> 64 & 0x1ff) == 0x1ff && (uint64_t) product + 1 == 0 &&
            (uint64_t) more + factor < factor) {
            return false;
        }
    }
    high = (uint64_t) (product >> 64);
    is_top = high >> 63 != 0;
    mantissa = high >> (9 + is_top);
    exponent -= !is_top;
    if ((uint64_t) product == 0 && (high & 0x1ff) == 0 && (mantissa & 3) == 1) {
        return false; /* maybe halfway between two doubles */
    }
    mantissa = (mantissa + (mantissa & 1)) >> 1;
    if (mantissa >> (SIGNIFICAND_BITS + 1) != 0) {
        mantissa >>= 1;
        exponent++;
    }
    *bits = (uint64_t) exponent << SIGNIFICAND_BITS | (mantissa & (HIDDEN_BIT - 1));
    return exponent > 0 && exponent < MAX_EXPONENT;
}

/* The value of a literal; false: strtod has to find it. */
static bool evaluate(const literal_t *self, double *value)
{
    static const double tens[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
        1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const int64_t power = self->power;
    uint64_t bits;

    if (FLT_EVAL_METHOD == 0 && self->digits <= 2 * HIDDEN_BIT && power >= -22 && power <= 22) {
        *value =
            power < 0 ? (double) self->digits / tens[-power] : (double) self->digits * tens[power];
        return true; /* two exact numbers, rounded once */
    }
    if (power < MIN_POWER || power > MAX_POWER || self->digits == 0 ||
        !nearest(self->digits, (int) power, &bits)) {
        return false;
    }
    memcpy(value, &bits, sizeof(bits));
    return true;
}

const char *spot_number_end(const char *text)
{
    literal_t literal;

    return scan(text, &literal) ? literal.end : NULL;
}

const char *spot_number_read(const char *text, double *value)
{
    literal_t literal;
    double size;

    if (!scan(text, &literal)) {
        return NULL;
    }
    if (is_short(&literal) && evaluate(&literal, &size)) {
        *value = literal.is_negative ? -size : size;
    } else {
        *value = strtod(text, NULL);
    }
    return literal.end;
}

int spot_number_parse(const char *text, double *value)
{
    double number;
    const char *end = spot_number_read(text, &number);

    if (end == NULL || *end != '\0' || !isfinite(number)) {
        return SPOT_ERR_BAD_INPUT;
    }
    *value = number + 0.0; /* -0 is 0 */
    return 0;
}

int spot_integer_parse(const char *text, int64_t *value)
{
    const char *start = text + (*text == '-' || *text == '+'), *end = start;
    intmax_t number;

    while (is_digit(*end)) {
        end++;
    }
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
