/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/result_title.h"

#include <inttypes.h>

#include "base/units.h"
#include "reports/study_words.h"
#include "reports/table/text_cell.h"
#include "sim/analysis/completeness.h"

static const char *
plural(int64_t count)
{
    return count == 1 ? "" : "s";
}

/* "1000 replications each", "256 to 9984 replications each until ...", "256 to 3904
 * replications each in a race". */
static void
write_replications(
    const spot_study_head_t *head, const spot_completeness_t *completeness, FILE *out)
{
    const spot_until_t *until = &head->until;
    char width[SPOT_NUMBER_TEXT_BYTES], fixed[SPOT_WORDS_BYTES];

    spot_fixed_words(head, fixed);
    if (until->metric == NULL && head->optimise.metric == NULL) {
        fprintf(out, "%" PRId64 " replication%s each%s", head->num_replications,
            plural(head->num_replications), fixed);
        return;
    }
    if (completeness->fewest < completeness->most) {
        fprintf(out, "%" PRId64 " to ", completeness->fewest);
    }
    if (until->metric == NULL) {
        fprintf(out, "%" PRId64 " replications each%s in a race for the %s %s",
            completeness->most, fixed, head->optimise.is_maximised ? "most" : "least",
            head->optimise.metric);
        return;
    }
    spot_number_text(
        until->half_width > 0 ? until->half_width : 100 * until->relative_half_width,
        width);
    fprintf(out,
        "%" PRId64 " replications each%s until %s is known within ±%s%s (%g %%)",
        completeness->most, fixed, until->metric, width,
        until->half_width > 0 ? "" : " %", 100 * until->confidence);
}

static void
write_doubts(
    const spot_study_head_t *head, const spot_completeness_t *completeness, FILE *out)
{
    if (head->optimise.metric != NULL) {
        return; /* the answer of the race has them */
    }
    if (completeness->num_unfinished > 0 && head->until.metric == NULL) {
        fprintf(out, "unfinished: %" PRId64 " of %" PRId64 " replications are there\n",
            completeness->num_rows, spot_study_runs(head, head->num_replications));
    } else if (completeness->num_unfinished > 0) {
        fprintf(out, "unfinished: %zu of %zu points need more replications\n",
            completeness->num_unfinished, head->num_points);
    }
    if (completeness->num_imprecise > 0) {
        fprintf(out,
            "%zu of %zu points have %" PRId64 " replications, the maximum, and "
            "are not known that well\n",
            completeness->num_imprecise, head->num_points, head->num_replications);
    }
    if (completeness->num_constant > 0) {
        fprintf(out,
            "at %zu of %zu points %s is the same in all replications: what is rarer "
            "than "
            "1 in %" PRId64 " may be missing there\n",
            completeness->num_constant, head->num_points, head->until.metric,
            completeness->fewest_constant / 3);
    }
}

/* What is to be known of the choice of points; nothing of a whole grid. */
static void
write_plan(const spot_plan_t *plan, FILE *out)
{
    if (spot_plan_is_design(plan->kind)) {
        fprintf(out, " (%s, seed %" PRIu64, spot_plan_names[plan->kind], plan->seed);
    } else if (plan->num_excluded > 0) {
        fputs(" (", out);
    } else {
        return;
    }
    if (plan->num_merged > 0) {
        fprintf(out, "; %zu drawn again", plan->num_merged);
    }
    if (plan->num_excluded > 0) {
        fprintf(out, "%s%zu excluded by where",
            spot_plan_is_design(plan->kind) ? "; " : "", plan->num_excluded);
    }
    fputc(')', out);
}

void
spot_result_title_write(const spot_study_head_t *head, FILE *out)
{
    spot_text_write(out, head->name);
    if (head->question != NULL) {
        fputs(": ", out);
        spot_text_write(out, head->question);
    }
    fputc('\n', out);
}

void
spot_result_basis_write(
    const spot_store_t *store, const spot_summary_t *summaries, FILE *out)
{
    const spot_study_head_t *head = store->head;
    const spot_completeness_t completeness = spot_store_completeness(store, summaries);

    fprintf(out, "%zu point%s", head->num_points, plural((int64_t) head->num_points));
    write_plan(&head->plan, out);
    fputs(", ", out);
    write_replications(head, &completeness, out);
    fprintf(out, ", seed %" PRIu64 "; %s\n", head->seed,
        completeness.most == 1 ? "no intervals, which take two replications"
                               : "mean ±half width of its 95 % confidence interval");
    write_doubts(head, &completeness, out);
}
