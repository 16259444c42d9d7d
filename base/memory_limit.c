/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/memory_limit.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define LINE_BYTES 4096

/* A group without a limit has a number near 2^63, or a word. */
#define NO_LIMIT_BYTES ((int64_t) 1 << 60)

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SHADOW true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define HAS_SHADOW true
#endif
#endif
#ifndef HAS_SHADOW
#define HAS_SHADOW false
#endif

static _Atomic int64_t limit_bytes;       /* 0: not yet known */
static _Atomic int64_t largest_run_bytes; /* of the needs that fit */
static _Atomic int64_t num_stacks;

/* Of spot_memory_limit_enforce(); before: the soft limit that the process had. */
static atomic_bool has_before, is_enforced;
static _Atomic rlim_t before;

/* ---- What there is ---- */

/* The number in a file of one line; 0: none. */
static int64_t read_number(const char *path)
{
    FILE *stream = fopen(path, "r");
    long long number = 0;

    if (stream == NULL) {
        return 0;
    }
    if (fscanf(stream, "%lld", &number) != 1 || number < 0 || number >= NO_LIMIT_BYTES) {
        number = 0;
    }
    fclose(stream);
    return number;
}

static int64_t least(int64_t a, int64_t b)
{
    return a == 0 || (b > 0 && b < a) ? b : a;
}

int64_t spot_memory_group_limit(const char *root, const char *path, const char *name)
{
    char folder[LINE_BYTES], file[2 * LINE_BYTES];
    int64_t found = 0;
    char *slash = folder;

    snprintf(folder, sizeof(folder), "%s", path);
    while (slash != NULL) {
        snprintf(file, sizeof(file), "%s%s/%s", root, folder, name);
        found = least(found, read_number(file));
        slash = strrchr(folder, '/');
        if (slash != NULL) {
            *slash = '\0';
        }
    }
    return found;
}

/* Lines of /proc/self/cgroup are "ID:CONTROLLERS:PATH"; those of v2 have no controllers. */
static int64_t read_groups(void)
{
    FILE *stream = fopen("/proc/self/cgroup", "r");
    char line[LINE_BYTES];
    int64_t found = 0;

    while (stream != NULL && fgets(line, sizeof(line), stream) != NULL) {
        char *controllers = strchr(line, ':');
        char *path = controllers == NULL ? NULL : strchr(controllers + 1, ':');

        if (path == NULL) {
            continue;
        }
        *path++ = '\0';
        path[strcspn(path, "\n")] = '\0';
        if (controllers[1] == '\0') {
            found = least(found, spot_memory_group_limit("/sys/fs/cgroup", path, "memory.max"));
        } else if (strstr(controllers, "memory") != NULL) {
            found = least(found,
                spot_memory_group_limit("/sys/fs/cgroup/memory", path, "memory.limit_in_bytes"));
        }
    }
    if (stream != NULL) {
        fclose(stream);
    }
    return found;
}

int64_t spot_memory_available(void)
{
    const long num_pages = sysconf(_SC_PHYS_PAGES);
    const long page_bytes = sysconf(_SC_PAGESIZE);

    return least(
        num_pages > 0 && page_bytes > 0 ? (int64_t) num_pages * page_bytes : 0, read_groups());
}

/* ---- The limit ---- */

void spot_memory_limit_set(int64_t num_bytes)
{
    atomic_store(&limit_bytes, num_bytes);
}

int64_t spot_memory_limit(void)
{
    int64_t limit = atomic_load(&limit_bytes);

    if (limit == 0) {
        const int64_t available = spot_memory_available();

        limit = available > 1 ? available / 2 : INT64_MAX;
        atomic_store(&limit_bytes, limit);
    }
    return limit;
}

/* ---- The backstop ---- */

/* Bytes that the stacks of threads reserve. */
static double stack_bytes(void)
{
    const double default_bytes = 8 << 20; /* where stacks have no limit */
    struct rlimit stack;
    const bool is_known = getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur != RLIM_INFINITY;

    return (double) atomic_load(&num_stacks) * (is_known ? (double) stack.rlim_cur : default_bytes);
}

void spot_memory_limit_enforce(void)
{
    const double limit = (double) spot_memory_limit() + stack_bytes();
    struct rlimit data;
    rlim_t allowed;

    if (HAS_SHADOW || limit >= (double) NO_LIMIT_BYTES || getrlimit(RLIMIT_DATA, &data) != 0) {
        return;
    }
    if (!atomic_exchange(&has_before, true)) {
        atomic_store(&before, data.rlim_cur);
    }
    allowed = atomic_load(&before);
    if (allowed == RLIM_INFINITY || allowed > (rlim_t) limit) {
        data.rlim_cur = (rlim_t) limit;
        atomic_store(&is_enforced, setrlimit(RLIMIT_DATA, &data) == 0);
    }
}

/* Whether the limit is enforced, and no smaller one of the process. */
static bool memory_limit_is_enforced(void)
{
    return atomic_load(&is_enforced);
}

void spot_memory_limit_add_threads(int64_t num_threads)
{
    atomic_store(&num_stacks, num_threads);
    if (memory_limit_is_enforced()) {
        spot_memory_limit_enforce();
    }
}

void spot_memory_limit_lift(void)
{
    struct rlimit data;

    if (memory_limit_is_enforced() && getrlimit(RLIMIT_DATA, &data) == 0) {
        data.rlim_cur = atomic_load(&before);
        (void) setrlimit(RLIMIT_DATA, &data);
    }
}

/* ---- Needs ---- */

/* Remembers the largest need of a run. */
static void note_run(const spot_memory_need_t *need)
{
    int64_t largest = atomic_load(&largest_run_bytes);
    const int64_t run_bytes = need->is_of_run ? (int64_t) fmin(need->bytes, 0x1p62) : 0;

    while (run_bytes > largest &&
           !atomic_compare_exchange_weak(&largest_run_bytes, &largest, run_bytes)) {
    }
}

int64_t spot_memory_max_threads(void)
{
    const int64_t run_bytes = atomic_load(&largest_run_bytes);
    const int64_t num_threads = run_bytes > 0 ? spot_memory_limit() / run_bytes : INT64_MAX;

    return num_threads < 1 ? 1 : num_threads;
}

#define SIZE_BYTES 48

/* The largest unit that leaves a number from 1 on: "12.6 GB" with three digits. */
static void put_size(char text[SIZE_BYTES], double num_bytes, int num_digits)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    size_t unit_id = 0;

    while (num_bytes >= 999.5 && unit_id + 1 < sizeof(units) / sizeof(units[0])) {
        num_bytes /= 1000;
        unit_id++;
    }
    snprintf(text, SIZE_BYTES, "%.*g %s", num_digits, num_bytes, units[unit_id]);
}

/* "1000", "1e9". */
static void put_count(char text[SIZE_BYTES], double count)
{
    char *exponent;

    snprintf(text, SIZE_BYTES, "%.6g", count);
    exponent = strstr(text, "e+");
    if (exponent != NULL) {
        const char *digits = exponent + 2;

        digits += strspn(digits, "0");
        memmove(exponent + 1, digits, strlen(digits) + 1);
    }
}

bool spot_memory_fits(const spot_memory_need_t *need, char text[SPOT_MEMORY_NEED_BYTES])
{
    const double limit = (double) spot_memory_limit();
    char count[SIZE_BYTES], needed[SIZE_BYTES], allowed[SIZE_BYTES];
    int num_digits = 3;

    text[0] = '\0';
    if (need->bytes <= limit) {
        note_run(need);
        return true;
    }
    do { /* as many digits as show that it is more */
        put_size(needed, need->bytes, num_digits);
        put_size(allowed, limit, num_digits);
    } while (strcmp(needed, allowed) == 0 && ++num_digits < 17);
    put_count(count, need->count);
    snprintf(text, SPOT_MEMORY_NEED_BYTES, "%s %s take %s, more than the %s of --max-memory", count,
        need->things, needed, allowed);
    return false;
}

int spot_memory_check(
    const spot_memory_need_t *need, spot_diag_t *diag, const spot_node_t *node, const char *key)
{
    char text[SPOT_MEMORY_NEED_BYTES];

    return spot_memory_fits(need, text)
               ? 0
               : spot_diag_error(diag, node->file, node->line, node->column, "%s: %s", key, text);
}

/* ---- What a message says of it ---- */

/* A soft limit of the process; INFINITY: it has none. */
static double limit_of(int resource)
{
    struct rlimit limit;
    const bool is_known = getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;

    return is_known ? (double) limit.rlim_cur : (double) INFINITY;
}

const char *spot_memory_shortage(char text[SPOT_MEMORY_TEXT_BYTES])
{
    const size_t num_bytes = spot_memory_refused_bytes();
    const double address_bytes = limit_of(RLIMIT_AS), data_bytes = limit_of(RLIMIT_DATA);
    const double least_bytes = fmin(address_bytes, data_bytes);
    int used = 0;

    text[0] = '\0';
    if (num_bytes > 0) {
        used = num_bytes < 1000000
                   ? snprintf(text, SPOT_MEMORY_TEXT_BYTES, ": %zu bytes were asked for", num_bytes)
                   : snprintf(text, SPOT_MEMORY_TEXT_BYTES, ": %.3g %s were asked for",
                         (double) num_bytes / (num_bytes < 1000000000 ? 1e6 : 1e9),
                         num_bytes < 1000000000 ? "MB" : "GB");
    }
    if (isfinite(least_bytes)) {
        snprintf(text + used, SPOT_MEMORY_TEXT_BYTES - (size_t) used,
            "%s the process may have %.3g MB (%s)", used > 0 ? "," : ":", least_bytes / 1e6,
            address_bytes <= data_bytes  ? "ulimit -v"
            : memory_limit_is_enforced() ? "--max-memory"
                                         : "ulimit -d");
    }
    return text;
}
