/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Error codes, the assertion that stays in release builds, and function attributes. */
#pragma once

#if defined(__cplusplus)
#define SPOT_NORETURN [[noreturn]]
#else
#define SPOT_NORETURN _Noreturn
#endif

#if defined(__GNUC__)
#define SPOT_MUST_CHECK __attribute__((warn_unused_result))
#define SPOT_PRINTF(format_id, first_id) __attribute__((format(printf, format_id, first_id)))
#define SPOT_API __attribute__((visibility("default")))
#define SPOT_NOINLINE __attribute__((noinline))
#define SPOT_FLATTEN __attribute__((flatten)) /* inline all calls, and their calls */
#else
#define SPOT_MUST_CHECK
#define SPOT_PRINTF(format_id, first_id)
#define SPOT_API
#define SPOT_NOINLINE
#define SPOT_FLATTEN
#endif

/* Functions return 0 on success and one of these codes on failure. Codes are stable. */
#define SPOT_ERRORS(X)                                                                             \
    X(SPOT_ERR_NO_MEMORY, -1, "out of memory")                                                     \
    X(SPOT_ERR_BAD_PARAM, -2, "bad parameter")                                                     \
    X(SPOT_ERR_BAD_INPUT, -3, "bad input, see the diagnostics")                                    \
    X(SPOT_ERR_IO, -4, "reading or writing failed")                                                \
    X(SPOT_ERR_STATE, -5, "call in the wrong order")                                               \
    X(SPOT_ERR_INTERRUPTED, -6, "interrupted")                                                     \
    X(SPOT_ERR_CHILD, -7, "a helper program failed")                                               \
    X(SPOT_ERR_OVERDRAW, -8,                                                                       \
        "more instances were preempted than lived, which ends the trace; with "                    \
        "overdraw: clip it goes on")                                                               \
    X(SPOT_ERR_CANNOT_RUN, -9, "the scenario lacks something, see the diagnostics")                \
    X(SPOT_ERR_NOTHING_DONE, -10, "the run did nothing")

enum {
#define SPOT_ERROR_ENUM(name, value, text) name = (value),
    SPOT_ERRORS(SPOT_ERROR_ENUM)
#undef SPOT_ERROR_ENUM
};

/* The text of an error code; never NULL. */
SPOT_API const char *spot_error_text(int error);

/* The first of two errors, for work that goes on after an error to report all of
 * them. */
static inline int spot_error_first(int error, int next)
{
    return error != 0 ? error : next;
}

/* Aborts on a bug of the program that is cheap to detect, in release builds too. */
#define spot_bug_assert(condition)                                                                 \
    ((condition) ? (void) 0 : spot_bug_abort(#condition, __FILE__, __LINE__))
SPOT_NORETURN void spot_bug_abort(const char *condition, const char *file, int line);
