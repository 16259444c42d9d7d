/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/datetime.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/units.h"

/* A calendar day. */
typedef struct {
    int year, month, day;
} date_t;

static bool is_number(const char **text, int num_digits, int low, int high, int *number)
{
    *number = 0;
    for (int j = 0; j < num_digits; j++) {
        if (**text < '0' || **text > '9') {
            return false;
        }
        *number = 10 * *number + (**text - '0');
        (*text)++;
    }
    return *number >= low && *number <= high;
}

static bool is_byte(const char **text, char byte)
{
    const bool is_there = **text == byte;

    *text += is_there;
    return is_there;
}

/* Days since 1970-01-01. Years begin in March here, so that the leap day comes last. */
static int64_t days_from_date(const date_t *date)
{
    const int64_t year = date->year - (date->month <= 2);
    const int64_t month = (date->month + 9) % 12;
    const int64_t before = year < 0 ? year - 399 : year; /* floors the era */
    const int64_t era = before / 400;
    const int64_t year_of_era = year - 400 * era;
    const int64_t day_of_year = (153 * month + 2) / 5 + date->day - 1;

    return 146097 * era + 365 * year_of_era + year_of_era / 4 - year_of_era / 100 + day_of_year -
           719468;
}

/* The inverse, for days from 0000-03-01 on. H. Hinnant, chrono-compatible low-level date
 * algorithms. */
static date_t date_from_days(int64_t days)
{
    const int64_t shifted = days + 719468;
    const int64_t era = shifted / 146097;
    const int64_t day_of_era = shifted % 146097;
    const int64_t year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    const int64_t day_of_year =
        day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    const int64_t month = (5 * day_of_year + 2) / 153;
    const int64_t month_of_date = month < 10 ? month + 3 : month - 9;

    return (date_t){
        .year = (int) (400 * era + year_of_era + (month_of_date <= 2)),
        .month = (int) month_of_date,
        .day = (int) (day_of_year - (153 * month + 2) / 5 + 1),
    };
}

bool spot_date_scan(const char **text, int64_t *day)
{
    static const int month_days[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    date_t date;

    if (!is_number(text, 4, 0, 9999, &date.year) || !is_byte(text, '-') ||
        !is_number(text, 2, 1, 12, &date.month) || !is_byte(text, '-') ||
        !is_number(text, 2, 1, month_days[date.month - 1], &date.day)) {
        return false;
    }
    *day = days_from_date(&date);
    return date.month != 2 || date.day < 29 ||
           (date.year % 4 == 0 && (date.year % 100 != 0 || date.year % 400 == 0));
}

bool spot_time_of_day_scan(const char **text, int64_t *time_s)
{
    int hour, minute, second;

    if (!is_number(text, 2, 0, 23, &hour) || !is_byte(text, ':') ||
        !is_number(text, 2, 0, 59, &minute) || !is_byte(text, ':') ||
        !is_number(text, 2, 0, 59, &second)) {
        return false;
    }
    *time_s = 3600 * (int64_t) hour + 60 * minute + second;
    return true;
}

/* Scans nothing, or a point and at least one digit. */
static bool scan_fraction(const char **text)
{
    int digit;

    if (!is_byte(text, '.')) {
        return true;
    }
    if (!is_number(text, 1, 0, 9, &digit)) {
        return false;
    }
    *text += strspn(*text, "0123456789");
    return true;
}

/* Whether a zone of the earth is so far from UTC. */
static bool is_offset(int hours, int minutes, bool is_west)
{
    return 60 * hours + minutes <= 60 * (is_west ? 12 : 14);
}

/* Scans nothing, Z, +hh:mm or -hh:mm. */
static bool scan_zone(const char **text)
{
    const bool is_west = **text == '-';
    int hours, minutes;

    if (is_byte(text, '+') || is_byte(text, '-')) {
        return is_number(text, 2, 0, 23, &hours) && is_byte(text, ':') &&
               is_number(text, 2, 0, 59, &minutes) && is_offset(hours, minutes, is_west);
    }
    (void) is_byte(text, 'Z');
    return true;
}

bool spot_datetime_is(const char *text)
{
    int64_t number;

    if (!spot_date_scan(&text, &number)) {
        return false;
    }
    if (is_byte(&text, 'T') &&
        (!spot_time_of_day_scan(&text, &number) || !scan_fraction(&text) || !scan_zone(&text))) {
        return false;
    }
    return *text == '\0';
}

/* The first three digits of a scanned fraction. */
static int64_t fraction_ms(const char *fraction, const char *end)
{
    int64_t ms = 0, unit = 100;

    for (const char *digit = fraction + 1; digit < end; digit++) {
        ms += unit * (*digit - '0');
        unit /= 10;
    }
    return ms;
}

bool spot_datetime_later(const char *text, int64_t shift_ms, char later[SPOT_DATETIME_BYTES])
{
    const char *byte = text, *fraction;
    int64_t day, time_s, time_ms;
    size_t num_bytes;
    date_t date;

    if (!spot_datetime_is(text) || !spot_date_scan(&byte, &day) || !is_byte(&byte, 'T') ||
        !spot_time_of_day_scan(&byte, &time_s)) {
        return false;
    }
    fraction = byte;
    if (!scan_fraction(&byte)) {
        return false;
    }
    time_ms = SPOT_MS_PER_S * time_s + fraction_ms(fraction, byte) + shift_ms;
    date = date_from_days(day + time_ms / SPOT_MS_PER_D);
    if (date.year > 9999) {
        return false;
    }
    time_ms %= SPOT_MS_PER_D;
    num_bytes = (size_t) snprintf(later, SPOT_DATETIME_BYTES,
        "%04d-%02d-%02dT%02" PRId64 ":%02" PRId64 ":%02" PRId64, date.year, date.month, date.day,
        time_ms / SPOT_MS_PER_H, time_ms / SPOT_MS_PER_MIN % 60, time_ms / SPOT_MS_PER_S % 60);
    if (time_ms % SPOT_MS_PER_S != 0) {
        num_bytes += (size_t) snprintf(later + num_bytes, SPOT_DATETIME_BYTES - num_bytes,
            ".%03" PRId64, time_ms % SPOT_MS_PER_S);
    }
    snprintf(later + num_bytes, SPOT_DATETIME_BYTES - num_bytes, "%s", byte);
    return true;
}

bool spot_timestamp_parse(const char *text, int64_t *time_s)
{
    int64_t day, second;

    if (!spot_date_scan(&text, &day) || !is_byte(&text, 'T') ||
        !spot_time_of_day_scan(&text, &second) || strcmp(text, "Z") != 0) {
        return false;
    }
    *time_s = 86400 * day + second;
    return true;
}

/* Scans nothing, Z, or an offset with its minutes, if it has any, behind a colon or
 * not. */
static bool scan_offset(const char **text, int64_t *offset_ms, bool *has_zone)
{
    const bool is_west = **text == '-';
    int hours, minutes = 0;

    *offset_ms = 0;
    *has_zone = **text != '\0';
    if (!*has_zone || is_byte(text, 'Z') || is_byte(text, 'z')) {
        return true;
    }
    if ((!is_byte(text, '+') && !is_byte(text, '-')) || !is_number(text, 2, 0, 23, &hours)) {
        return false;
    }
    if (**text != '\0') {
        (void) is_byte(text, ':');
        if (!is_number(text, 2, 0, 59, &minutes)) {
            return false;
        }
    }
    *offset_ms = (hours * SPOT_MS_PER_H + minutes * SPOT_MS_PER_MIN) * (is_west ? -1 : 1);
    return is_offset(hours, minutes, is_west);
}

bool spot_instant_parse(const char *text, int64_t *time_ms, bool *has_zone)
{
    const char *fraction;
    int64_t day, second, offset_ms;

    if (!spot_date_scan(&text, &day) || (!is_byte(&text, 'T') && !is_byte(&text, ' ')) ||
        !spot_time_of_day_scan(&text, &second)) {
        return false;
    }
    fraction = text;
    if (!scan_fraction(&text)) {
        return false;
    }
    *time_ms = day * SPOT_MS_PER_D + second * SPOT_MS_PER_S;
    *time_ms += text > fraction ? fraction_ms(fraction, text) : 0;
    if (!scan_offset(&text, &offset_ms, has_zone)) {
        return false;
    }
    *time_ms -= offset_ms;
    return *text == '\0';
}

bool spot_moment_parse(const char *text, int64_t *time_ms, bool *has_zone)
{
    enum { DAY_BYTES = 10, MINUTE_BYTES = 16 };
    char instant[2 * SPOT_DATETIME_BYTES];
    const char *rest;
    int num_bytes;
    bool is_end;

    if (strlen(text) < MINUTE_BYTES || strlen(text) > SPOT_DATETIME_BYTES) {
        return false;
    }
    rest = text + MINUTE_BYTES + (text[MINUTE_BYTES] == ':' ? 3 : 0);
    if (text[MINUTE_BYTES] == ':' && strlen(text) < MINUTE_BYTES + 3) {
        return false;
    }
    rest += strspn(rest, ".0123456789");
    num_bytes = snprintf(instant, sizeof(instant), "%.*s%s", MINUTE_BYTES, text,
        text[MINUTE_BYTES] == ':' ? "" : ":00");
    num_bytes += snprintf(instant + num_bytes, sizeof(instant) - (size_t) num_bytes, "%.*s",
        (int) (rest - text) - MINUTE_BYTES, text + MINUTE_BYTES);
    rest += *rest == ' ' && rest[1] != '\0';
    snprintf(instant + num_bytes, sizeof(instant) - (size_t) num_bytes, "%s",
        strcmp(rest, "UTC") == 0 || strcmp(rest, "GMT") == 0 ? "Z" : rest);
    is_end = strncmp(instant + DAY_BYTES + 1, "24:00:00", 8) == 0 && instant[DAY_BYTES + 9] != '.';
    if (is_end) {
        memcpy(instant + DAY_BYTES + 1, "00", 2);
    }
    if (!spot_instant_parse(instant, time_ms, has_zone)) {
        return false;
    }
    *time_ms += is_end ? SPOT_MS_PER_D : 0;
    return true;
}

/* The first and the last instant that a text may mean. */
static bool read_start(const char *text, int64_t *first_ms, int64_t *last_ms)
{
    const char *rest = text;
    bool has_zone = false;
    int64_t day;

    if (spot_moment_parse(text, first_ms, &has_zone)) {
        *last_ms = *first_ms;
    } else if (spot_date_scan(&rest, &day) && *rest == '\0') {
        *first_ms = day * SPOT_MS_PER_D;
        *last_ms = *first_ms + SPOT_MS_PER_D;
    } else {
        return false;
    }
    if (!has_zone) { /* +14:00 to -12:00 */
        *first_ms -= 14 * SPOT_MS_PER_H;
        *last_ms += 12 * SPOT_MS_PER_H;
    }
    return true;
}

bool spot_starts_differ(const char *first, const char *second, int64_t shift_ms, int64_t *apart_ms)
{
    int64_t from_ms[2], to_ms[2];

    if (!read_start(first, &from_ms[0], &to_ms[0]) || !read_start(second, &from_ms[1], &to_ms[1])) {
        return false;
    }
    *apart_ms = from_ms[0] - from_ms[1] - shift_ms;
    return to_ms[0] < from_ms[1] + shift_ms || to_ms[1] + shift_ms < from_ms[0];
}

bool spot_http_date_parse(const char *text, int64_t *time_ms)
{
    static const char days[] = "Thu, Fri, Sat, Sun, Mon, Tue, Wed, ";
    static const char months[] = " Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec ";
    char month[sizeof(" Jan ")], instant[SPOT_DATETIME_BYTES];
    const char *found;
    bool has_zone;

    if (strlen(text) != 29 || strcmp(text + 25, " GMT") != 0 || text[16] != ' ') {
        return false;
    }
    snprintf(month, sizeof(month), "%.5s", text + 7);
    found = strstr(months, month);
    snprintf(instant, sizeof(instant), "%.4s-%02d-%.2sT%.8sZ", text + 12,
        found == NULL ? 0 : (int) (found - months) / 4 + 1, text + 5, text + 17);
    return spot_instant_parse(instant, time_ms, &has_zone) && *time_ms >= 0 &&
           strncmp(text, days + *time_ms / SPOT_MS_PER_D % 7 * 5, 5) == 0;
}

bool spot_instant_is_local(const char *text)
{
    enum { LOCAL_BYTES = 19 };
    char local[LOCAL_BYTES + 1];
    int64_t time_ms, local_ms;
    bool has_zone;

    snprintf(local, sizeof(local), "%s", text);
    return spot_instant_parse(text, &time_ms, &has_zone) &&
           spot_instant_parse(local, &local_ms, &has_zone) &&
           (time_ms < local_ms || time_ms >= local_ms + SPOT_MS_PER_S);
}

void spot_instant_text(int64_t time_ms, char text[SPOT_DATETIME_BYTES])
{
    const int64_t day = (time_ms - (time_ms < 0 ? SPOT_MS_PER_D - 1 : 0)) / SPOT_MS_PER_D;
    const date_t date = date_from_days(day);
    char midnight[SPOT_DATETIME_BYTES];

    snprintf(
        midnight, sizeof(midnight), "%04d-%02d-%02dT00:00:00Z", date.year, date.month, date.day);
    (void) spot_datetime_later(midnight, time_ms - day * SPOT_MS_PER_D, text);
}

int spot_clock_parse(const char *text, int64_t *time_s, bool *is_date)
{
    int64_t day = 0, second = 0;
    bool has_time;

    *is_date = strlen(text) > 4 && text[4] == '-';
    if (!*is_date) {
        return spot_integer_parse(text, time_s) != 0 || *time_s < 0 ? SPOT_ERR_BAD_INPUT : 0;
    }
    if (!spot_date_scan(&text, &day)) {
        return SPOT_ERR_BAD_INPUT;
    }
    has_time = *text == ' ' || *text == 'T';
    text += has_time;
    if (!has_time || !spot_time_of_day_scan(&text, &second) || *text != '\0' || day < 0) {
        return SPOT_ERR_BAD_INPUT;
    }
    *time_s = 86400 * day + second;
    return 0;
}
