/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as the text of a number, and 8 bytes as a double. What is read is what strtod reads,
 * up to the same place; what is written is what printf writes with the fewest digits, from 15 on,
 * that read back. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t num_bytes);

static void check_text(const char *text)
{
    const char *digits = text + (*text == '-' || *text == '+');
    const bool is_hex = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
    double value = 77, expected;
    const char *end = spot_number_read(text, &value);
    char *expected_end;

    spot_bug_assert(end == spot_number_end(text));
    if (end == NULL) { /* no digit, or none behind the point: strtod takes "5." */
        const char *point = digits + strspn(digits, "0123456789");

        spot_bug_assert(value == 77 && (point == digits || *point == '.'));
        spot_bug_assert(*point != '.' || point[1] < '0' || point[1] > '9');
        return;
    }
    expected = strtod(text, &expected_end);
    spot_bug_assert(
        is_hex || (end == expected_end && memcmp(&value, &expected, sizeof(value)) == 0));
}

static void check_value(double value)
{
    char text[SPOT_NUMBER_TEXT_BYTES], expected[64];
    const size_t length = spot_number_text(value, text);

    for (int num_digits = 15; num_digits <= 17; num_digits++) {
        snprintf(expected, sizeof(expected), "%.*g", num_digits, value);
        if (strtod(expected, NULL) == value) {
            break;
        }
    }
    spot_bug_assert(strcmp(text, expected) == 0 && length == strlen(text));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t num_bytes)
{
    char *text = malloc(num_bytes + 1); /* so that reading behind it is seen */
    double value;

    spot_bug_assert(text != NULL);
    memcpy(text, bytes, num_bytes);
    text[num_bytes] = '\0';
    check_text(text);
    free(text);
    for (size_t j = 0; j + sizeof(value) <= num_bytes; j += sizeof(value)) {
        memcpy(&value, bytes + j, sizeof(value));
        check_value(value);
    }
    return 0;
}
