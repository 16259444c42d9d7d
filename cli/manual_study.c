/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/manual_study.h"

#include "cli/roff.h"
#include "sim/study/study.h"

static const char examples[] =
    ".SH EXAMPLES\n"
    "A grid, and how each depth differs from one of them:\n.PP\n.nf\n"
    "study: depth\n"
    "scenario: seed\\-64.yaml\n"
    "sweep:\n"
    "  trace.preemption.per_minute: {from: 0.01, to: 1, points: 9, scale: log}\n"
    "  job.pipeline_depth: [8, 16, 32]\n"
    "where: pipeline_depth <= initial\n"
    "baseline: {job.pipeline_depth: 16}\n"
    "replications: {count: 1000, seed: 1}\n"
    ".fi\n.PP\n"
    "As many replications as it takes:\n.PP\n.nf\n"
    "replications: {until: {metric: idle_fraction, half_width: 0.005}, max: 100000}\n"
    ".fi\n.PP\n"
    "Points that are named; keys that change together; points spread over ranges; which "
    "key matters:\n.PP\n.nf\n"
    "sweep: [{job.pipeline_depth: 8, fleet.initial: 16}, {job.pipeline_depth: 16, "
    "fleet.initial: 32}]\n\n"
    "sweep: {job.pipeline_depth: [8, 16], fleet.initial: [16, 32]}\n"
    "plan: zip\n\n"
    "sweep:\n"
    "  job.reload: {from: 10 s, to: 5 min, scale: log}\n"
    "  job.pipeline_depth: {from: 4, to: 32, step: 4}\n"
    "  job.checkpoint.mode: [async, sync]\n"
    "plan: {sobol: {points: 64, seed: 1}}\n\n"
    "plan: {sensitivity: {points: 1024}}\n"
    ".fi\n.PP\n"
    "The best point:\n.PP\n.nf\n"
    "optimise:\n"
    "  minimise: usd_per_1000_samples\n"
    "  over: {job.checkpoint.every: {from: 30 s, to: 300 s, points: 10}, "
    "job.pipeline_depth: [8, 16]}\n"
    "  subject_to: [\"lost_fraction <= 0.25\"]\n"
    "replications: {min: 256, max: 10000}\n"
    ".fi\n";

static const char conditions[] =
    ".SH CONDITIONS\n"
    "where and subject_to compare keys and metrics: 8 <= depth <= capacity and mode == "
    "'async'. From loosest to tightest: or, and, not, comparisons (<= < >= > == !=; a "
    "< b < c means both), + \\-, * / %, and in parentheses or calls: min(a, b), max(a, "
    "b), floor(a), ceil(a), abs(a). A number may have a unit: 300 s, 5 min, 0.91 "
    "USD/h. A text is 'x' or \"x\". All else is a name: a key of the scenario, swept "
    "or not, or its end at a dot or an underscore (depth for job.pipeline_depth) where "
    "only one key ends so; one that is not made of letters, digits, underscores and "
    "dots stands in backquotes, and the condition then in quotes: "
    "\"`busy_fraction.server-3` <= 0.9\". What is undefined, such as a division by "
    "zero, is an error, never false. subject_to takes one metric and one number: "
    "lost_fraction <= 0.05.\n"
    ".SH ESTIMATES\n"
    "Wherever a study names a metric M it may name an estimate: mean(M), the mean of "
    "the "
    "replications, also of a ratio; p95(M), or any other quantile; probability(M) of a "
    "metric that is 0 or 1; probability(CONDITION), such as probability(cost_usd <= "
    "300), the share of replications in which the condition holds. A metric without "
    "such "
    "a form has its usual estimate: a ratio is the total of its numerator over the "
    "total "
    "of its denominator. Replications that were cut off at the horizon count as larger "
    "than all others in quantiles and conditions.\n";

static const char precision[] =
    ".SH PRECISION\n"
    "With until, points run in rounds of whole batches of 64 replications until the "
    "interval of the metric is as narrow as asked for; all rows that are there "
    "count, those of earlier studies of the same database too. The minimum is rounded "
    "up to whole batches, with a warning, the maximum is kept. Below the minimum of "
    "256 replications skewed metrics stop too early too often. If all values are the "
    "same, events rarer than about 3 in so many may be missing; the table marks such "
    "points.\n";

static const char results[] =
    ".SH RESULTS\nCSV with one row a point and metric: point, the swept keys, metric, "
    "unit, replications, nulls, mean, std, stderr, ci95_low, ci95_high, p05, median, "
    "p95, difference, difference_ci95_low, difference_ci95_high, warnings (how many "
    "replications of the point met each: clipped:12;never_trained:3), estimator, "
    "remark. "
    "The column mean has the estimate: by estimator the mean of the replications, the "
    "ratio of their totals, a probability or a quantile, each with its interval; std, "
    "p05, median and p95 are those of single replications. Nulls are left out and "
    "counted. The remark says what else is to be known: of 563 of 1000 (the others are "
    "null), heavy tail (the interval is too narrow). The difference is to the "
    "point with the value of baseline and the same values of all other keys: the mean "
    "over the replications that both points have, pair by pair. They met the same "
    "events, so its interval is mostly much narrower than those of the two means "
    "suggest; the table has the ratio. In tables a letter marks the points at which "
    "replications met a warning; below stand how many did and what to do, in JSON "
    "under warnings. A value that is a map is named by the value of its first key and "
    "by the options in which it differs from other values of the key; the rest is "
    "below the tables. CSV, JSON and databases have the whole value. With best, a last "
    "table, and JSON, have the value of its key that wins at each combination of the "
    "others, the next best value, and the lead with the interval of the paired "
    "difference; a mark means that the winner is ahead of all others with 95 % "
    "confidence together. If one other key is swept over numbers, they also have the "
    "numbers between which the winner changes, and where straight lines between the "
    "means cross. With optimise also fate: racing (may be the best), dominated, "
    "infeasible or undefined.\n";

static const char optimise[] =
    ".SH OPTIMISE\nThe points race: all start with replications.min, rounded up to "
    "whole batches of 64, and after each round, which takes them half as far again, "
    "those stop that another point dominates or that break a condition of subject_to, "
    "with confidence. Differences are paired, replication by replication. A point "
    "takes others out only if it keeps all conditions, with confidence. The race ends "
    "when one point is left, when none can be better than the best by more than the "
    "indifference, or with replications.max. All intervals of all rounds hold together "
    "with the confidence (Bonferroni; for skewed values by Hall's transformation). The "
    "answer is the best point, the bound of how much better another one may be, how "
    "often it is the best when blocks of replications are resampled, and for each key "
    "the values that may be the best. For a key with numbers, the best value of the "
    "plan is among these; the optimum of a curve that has one lies between the values "
    "next to them, which are out. A point at which a metric is null in more than 1 % "
    "of replications is out as undefined. An event that occurs in no replication "
    "counts as impossible: if rare events matter, raise replications.min.\n";

static const char database[] =
    ".SH DATABASE\n"
    "With \\-o FILE.db results are kept in an SQLite database. Tables: study (one row: "
    "what it is; canonical, all that rows depend on; and head, all else that reports "
    "need, as JSON), axis (a row for each value of a swept key), point (one row a "
    "point: point, its number; position, its place in tables; key; and a column for "
    "each swept key, durations in s), replication (point, replication, a column for "
    "each metric, NULL where it is undefined, and warnings, a bit for each warning of "
    "head), batch (which replications are there), provenance (one row for each process "
    "that wrote: version, commit, compiler, libraries, machine, command, times; ended "
    "is NULL where it was killed). Of the series that are kept: series (a row each: "
    "point, replication, rows_in, the table of its rows), series_kind and "
    "series_column (names, kinds and units), series_total, and tables with their rows, "
    "such as series_instances. The columns of replication, and of `spotsim export`, "
    "are the metrics of the study, those of its plot, those that ledger adds, and the "
    "totals of ratios, from which SQLite computes the ratio of each replication. "
    "Names with dots are quoted in SQL:\n.PP\n"
    ".nf\n"
    "SELECT \"job.pipeline_depth\", sum(idle_instance_ms) / sum(paid_instance_ms)\n"
    "  FROM replication JOIN point USING (point) GROUP BY 1;\n"
    "SELECT time, useful, lost FROM series_instances WHERE point = 3;\n"
    ".fi\n.PP\n"
    "The study, batches, series and provenance have digests that are compared whenever "
    "they are read: a database that was changed or damaged is refused as damaged, with "
    "the point and the batch or replication.\n.PP\n"
    "A study that is run again with its database may have more points, more "
    "replications, another precision, limit, question or plot; the scenario, the files "
    "that it names, the seed and the metrics may not change, and points may not be "
    "taken away.\n";

static const char planning[] =
    ".SH PLANNING\n"
    "\\-\\-plan prints what would run without running it, but for 0.3 s of the "
    "processor on up to 32 points, of which the time is estimated. With \\-o FILE.db "
    "it looks into the database, where there is one: how many replications are there, "
    "how many are left, and the time for these. It writes nothing and does not block "
    "other processes; a study that a run would refuse is refused. With until and "
    "optimise the runs left go from those of the next round to those that the points "
    "in it may still take. With \\-\\-shard they are those of the part. JSON has the "
    "runs as runs_there, min_runs_left and max_runs_left, times in s.\n";

static const char progress[] =
    ".SH PROGRESS\n"
    "\\-\\-progress json writes an object a line on standard error, once a second: "
    "event (progress; at the end done, interrupted or failed), points_done, points, "
    "runs_done (replications that are there), runs_wanted (as far as is known), "
    "runs_made (by this command), runs_per_s, passed_s, left_s and widest: the point "
    "where the mean of the first metric, or that of until, is known least well. When "
    "all is run and series are recorded, also timelines_made and timelines_wanted.\n"
    ".SH SEE ALSO\n.BR spotsim (1),\n.BR spotsim\\-scenario (5)\n";

void
spot_manual_study(FILE *out)
{
    spot_roff_head(out, "spotsim-study", 5, "a parameter study over a scenario");
    fputs(".SH DESCRIPTION\nA YAML file: a scenario, the values that some of its keys "
          "take, and how often each point runs.\n",
        out);
    fputs(examples, out);
    fputs(".SH KEYS\n", out);
    spot_roff_fields(out, spot_study_fields, NULL, "");
    fputs(conditions, out);
    fputs(results, out);
    fputs(precision, out);
    fputs(optimise, out);
    fputs(database, out);
    fputs(planning, out);
    fputs(progress, out);
}
