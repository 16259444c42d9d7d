/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/order.h"

#include <string.h>

#include "base/stop.h"

#define DIGIT_BITS 11
#define NUM_DIGITS (1 << DIGIT_BITS)

/* Sorts by one digit of the keys from the least one on, from order to sorted; stable. */
static void sort_by_digit(const int64_t *keys, int64_t least, int shift, size_t num_items,
    const int32_t *order, int32_t *sorted)
{
    int32_t starts[NUM_DIGITS + 1] = {0};

    for (size_t j = 0; j < num_items; j++) {
        starts[((keys[j] - least) >> shift) % NUM_DIGITS + 1]++;
    }
    for (size_t j = 0; j < NUM_DIGITS; j++) {
        starts[j + 1] += starts[j];
    }
    for (size_t j = 0; j < num_items; j++) {
        sorted[starts[((keys[order[j]] - least) >> shift) % NUM_DIGITS]++] = order[j];
    }
}

int spot_order_integers(const int64_t *keys, size_t num_items, int32_t *order, int32_t *scratch)
{
    int64_t least = INT64_MAX, most = INT64_MIN;
    int32_t *from = order, *to = scratch;

    for (size_t j = 0; j < num_items; j++) {
        least = keys[j] < least ? keys[j] : least;
        most = keys[j] > most ? keys[j] : most;
        order[j] = (int32_t) j;
    }
    for (int shift = 0; num_items > 0 && shift < 63 && (most - least) >> shift > 0;
         shift += DIGIT_BITS) {
        int32_t *sorted = to;

        if (atomic_load(&spot_stop) != 0) {
            return SPOT_ERR_INTERRUPTED;
        }
        sort_by_digit(keys, least, shift, num_items, from, to);
        to = from;
        from = sorted;
    }
    if (from != order) {
        memcpy(order, from, num_items * sizeof(*order));
    }
    return 0;
}

/* The digits of a number without leading zeros, or NULL. */
static const char *digits_of(const char *text)
{
    const size_t num_digits = strspn(text, "0123456789");
    const size_t num_zeros = strspn(text, "0");

    if (num_digits == 0 || text[num_digits] != '\0') {
        return NULL;
    }
    return text + num_zeros - (num_zeros == num_digits);
}

int spot_order_texts(const char *first, const char *second)
{
    const char *a = digits_of(first), *b = digits_of(second);
    int order = 0;

    if (a != NULL && b != NULL && strlen(a) != strlen(b)) {
        return strlen(a) < strlen(b) ? -1 : 1;
    }
    if ((a == NULL) != (b == NULL)) {
        return a != NULL ? -1 : 1;
    }
    if (a != NULL) {
        order = strcmp(a, b);
    }
    return order != 0 ? order : strcmp(first, second);
}
