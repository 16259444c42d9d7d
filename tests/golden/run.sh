#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# run.sh SPOTSIM WORK_DIR [--update]: what the program prints and writes, byte for byte as
# committed in cli/; then exit codes, interrupts and broken outputs. After a wanted change
# of an output, --update writes the texts of cli/ anew: read the difference, and mark it
# **[results]** in CHANGELOG.md wherever a number has moved.
set -u
spotsim=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
if [ ! -x "$spotsim" ]; then
    echo "$1: there is no such program" >&2
    exit 1
fi
mkdir -p "$2" || exit 1
work=$(cd "$2" && pwd) || exit 1
is_update=${3:-}
source=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
cd "$(dirname "$0")/cli" || exit 1
unset COLUMNS
LC_ALL=C
export LC_ALL
version=$("$spotsim" --version | sed -n '1s/^spotsim \([^ ]*\) (.*)$/\1/p')
num_checks=0
num_failed=0

fail() {
    num_failed=$((num_failed + 1))
    echo "--- $*"
}

# expect WHAT COMMAND...: the command succeeds.
expect() {
    what=$1
    shift
    num_checks=$((num_checks + 1))
    "$@" || fail "$what"
}

# same NAME FILE: the file is as committed under that name, whatever the version and the
# folder of the sources.
same() {
    num_checks=$((num_checks + 1))
    sed "s/spotsim $version/spotsim VERSION/; s|\"$source/|\"SOURCE/|" "$2" >"$work/normal"
    if [ "$is_update" = --update ]; then
        cp "$work/normal" "$1"
    elif ! cmp -s "$1" "$work/normal"; then
        fail "$1 has changed:"
        diff -u "$1" "$work/normal" | head -n 40
    fi
}

# golden NAME ARGUMENT...: exits with 0, and stdout is as committed.
golden() {
    name=$1
    shift
    if "$spotsim" "$@" >"$work/stdout" 2>"$work/stderr"; then
        same "$name" "$work/stdout"
    else
        num_checks=$((num_checks + 1))
        fail "spotsim $*: exit code $?"
        cat "$work/stderr"
    fi
}

# ends CODE ARGUMENT...: exits with that code; stdout and stderr are kept.
ends() {
    wanted=$1
    shift
    "$spotsim" "$@" >"$work/stdout" 2>"$work/stderr"
    code=$?
    num_checks=$((num_checks + 1))
    [ $code -eq "$wanted" ] || fail "spotsim $*: exit code $code, expected $wanted"
}

stderr_says() {
    num_checks=$((num_checks + 1))
    if ! grep -qF -- "$1" "$work/stderr"; then
        fail "stderr does not say \"$1\":"
        cat "$work/stderr"
    fi
}

# ---- Help ----
golden help.txt --help
golden help.txt help
ends 0 --version
sed '1s/ ([0-9A-Za-z.-]*)$/ (COMMIT)/; s/ with .*/ with .../' "$work/stdout" >"$work/version"
same version.txt "$work/version"
golden help-advise.txt advise --help
golden help-run.txt run --help
golden help-study.txt study --help
golden help-trace-describe.txt trace describe --help
golden help-trace-generate.txt trace generate --help
golden help-price-convert.txt price convert --help
golden help-price-describe.txt price describe --help
prices=../../../models/sample/prices
golden price-steps.csv price convert "$prices/aws.json" --zone us-east-1a --product Linux/UNIX \
    --start 2026-03-01T00:00:00Z
golden price.txt price describe "$prices/stamped.csv" --end 2026-03-03T00:00:00Z
golden price.json price describe "$prices/stamped.csv" --json
golden run-eur.txt run run-eur.yaml --quiet
golden run-eur.json run run-eur.yaml --quiet --json
golden help-trace-fit.txt trace fit --help
golden help-trace-compare.txt trace compare --help
golden help-schedule-generate.txt schedule generate --help
golden help-schedule-fit.txt schedule fit --help
golden help-serve-gen.txt serve gen --help
golden help-serve-fit.txt serve fit --help
golden help-input-table.txt input table --help
golden help-input-place.txt input place --help
golden help-input-fit.txt input fit --help
golden help-input-predict.txt input predict --help
golden help-input-search.txt input search --help
golden help-tasks.txt tasks --help
golden help-tasks-fit.txt tasks fit --help
golden help-merge.txt merge --help
golden help-export.txt export --help
golden help-report.txt report --help
golden help-profile.txt profile --help
golden help-compare.txt compare --help
golden help-init.txt init --help
golden help-check.txt check --help
golden help-engine.txt engine --help
golden help-recovery.txt recovery --help
golden help-model-fit.txt model fit --help
golden help-model-estimate.txt model estimate --help
golden help-model-presets.txt model presets --help
golden help-help.txt help --help
golden help-theory-checkpoint.txt theory checkpoint --help

commands=$("$spotsim" --help |
    sed -n '/^Commands:/,/^$/s/^  \([a-z ]*[a-z]\)  .*/\1/p')
golden manual-pages.txt help --man=list
while IFS= read -r page; do
    ends 0 help "--man=$page"
    cp "$work/stdout" "$work/$page"
    if command -v mandoc >/dev/null; then
        # A page of a program that builds the same every day has no date.
        mandoc -Tlint -Wwarning "$work/$page" | grep -v 'missing date' >"$work/lint"
        expect "$page is well-formed: $(cat "$work/lint")" [ ! -s "$work/lint" ]
    fi
done <manual-pages.txt
echo "$commands" >"$work/commands"
while IFS= read -r command; do
    expect "spotsim.1 tells of $command" \
        grep -qF ".SS spotsim $command " "$work/spotsim.1"
done <"$work/commands"
expect "--help lists at least five commands" [ "$(wc -l <"$work/commands")" -ge 5 ]
ends 2 help --man=nonsense

# What --help says to try first works in an empty folder.
mkdir -p "$work/first"
rm -f "$work/first/first.yaml"
"$spotsim" --help | sed -n '/^.*First try/,$s/^  spotsim //p' >"$work/first/tries"
expect "--help says what to try first" [ "$(wc -l <"$work/first/tries")" -ge 2 ]
while IFS= read -r line; do
    num_checks=$((num_checks + 1))
    # shellcheck disable=SC2086
    (cd "$work/first" && "$spotsim" $line </dev/null) >"$work/stdout" 2>"$work/stderr" ||
        fail "the first try: spotsim $line: $(cat "$work/stderr")"
done <"$work/first/tries"

# Help is read in 80 columns, and in others.
expect "help fits 80 columns" [ -z "$(awk 'length > 80' help*.txt)" ]
COLUMNS=60 "$spotsim" study --help | sed '/^Examples:/,$d' >"$work/narrow"
expect "help fits 60 columns" [ -z "$(awk 'length > 60' "$work/narrow")" ]

# ---- A job of one's own ----
# What init writes runs as it stands, the scenario and the study, for every engine; check
# reads both. With files the values are theirs.
own=$work/own
rm -rf "$own"
mkdir "$own"
"$spotsim" engine | sed 's/^ *\([a-z]*\) .*/\1/' >"$own/engines"
expect "all engines are listed" [ "$(wc -l <"$own/engines")" -ge 5 ]
while IFS= read -r engine; do
    ends 0 init --engine "$engine" -o "$own/$engine"
    ends 0 run "$own/$engine/scenario.yaml" -q
    expect "init: $engine runs without a warning" [ ! -s "$work/stderr" ]
    ends 0 study "$own/$engine/study.yaml" --replications 2
    ends 0 check "$own/$engine/scenario.yaml" "$own/$engine/study.yaml"
    expect "init: all of $engine is explained" grep -q '# assumed: ' "$own/$engine/scenario.yaml"
done <"$own/engines"
same init-serve.yaml "$own/serve/scenario.yaml"
printf 'D,P,step_ms,samples_per_s\n1,2,20000,51.2\n2,2,12500,81.92\n' >"$own/steps.csv"
printf 'time_s,usd_per_h\n0,0.9\n3600,1.1\n' >"$own/prices.csv"
cp recorded.csv "$own/log.csv"
ends 0 init --trace "$own/log.csv" --table "$own/steps.csv" --price "$own/prices.csv" -o "$own/mine.yaml"
sed "s|$own/|OWN/|" "$own/mine.yaml" >"$work/mine.yaml"
same init-files.yaml "$work/mine.yaml"
same init-study.yaml "$own/study.yaml"
ends 0 run "$own/mine.yaml"
ends 0 study "$own/study.yaml" --replications 2
ends 2 init -o "$own/mine.yaml"
stderr_says "mine.yaml: is there already: expected another -o, or --force"
ends 0 init --force -o "$own/mine.yaml"
printf 'time_s,usd_per_h\n5,0.9\n' >"$own/prices.csv"
ends 2 init --price "$own/prices.csv" -o "$own/late"
stderr_says "prices.csv:2:1: time_s: the first row must be at 0, got '5'"
expect "init: a late error leaves nothing behind" [ ! -e "$own/late" ]
cp "$own/train/scenario.yaml" "$work/scenario.before"
ends 2 init --trace "$own/log.csv" --price "$own/prices.csv" --force -o "$own/train"
expect "init --force: a late error replaces nothing" cmp -s "$own/train/scenario.yaml" "$work/scenario.before"
expect "init --force: a late error adds nothing" [ "$(ls -A "$own/train" | tr '\n' ' ')" = "scenario.yaml study.yaml " ]
ends 2 init --table "$own/log.csv" -o "$own/no-table"
golden check-scenario.txt check ../../../reports/studies/idle-vs-preemption/seed-64.yaml
golden check.txt check recorded.csv lifetimes.csv model.yaml profile.yaml jobs.csv \
    ../../../models/sample/by-n/varuna.csv tasks/run.jsonl tasks/markers.log convert/bamboo.csv \
    ../../../reports/studies/idle-vs-preemption/study.yaml
golden check.json check profile.yaml --json
golden check-tables.txt check jobs/vcs.csv learned/throughput.csv learned/forecast.csv \
    learned/pairs.csv learned/workloads.csv input/blocks.csv serve/models.csv serve/requests.csv \
    ../../../models/sample/serving/prices.csv serve/outages.csv nodes.csv steps.csv price-steps.csv \
    ../../../models/sample/prices/stamped.csv ../../../models/sample/migration-48/transfer.csv export.csv
golden check-others.txt check events.jsonl serve/run-events.jsonl serve/deltas.txt jobs.yaml \
    input/cluster.yaml input/jobs.yaml ../../../models/sample/loader/round.yaml \
    ../../../models/sample/tasks/scenario.yaml tasks/ray_timeline.json
printf 'minute,requests_per_minute\n0,60\n10,120\n' >"$work/rates.csv"
ends 0 check ../../../models/sample/seed-64/async-checkpoint_0.csv
expect "check names one column" grep -q '^  columns  *elapsed$' "$work/stdout"
ends 2 check ../../../models/sample/loader/round.yaml missing.csv
ends 0 check "$work/rates.csv"
expect "check reads rates of queries" grep -q '^  last  *10,120$' "$work/stdout"
ends 0 check "$own/steps.csv"
ends 0 study ../../../reports/studies/idle-vs-preemption/study.yaml --replications 2 -o "$own/idle.db"
ends 0 check "$own/idle.db"
cp "$own/idle.db" "$own/idle.sqlite"
cp "$own/idle.db" "$own/idle"
ends 0 check "$own/idle.sqlite" "$own/idle"
expect "check counts the rows of a database" grep -q '^  unfinished_points  *0$' "$work/stdout"

# Topics.
golden help-units.txt help units
golden keys.txt keys scenario.yaml --grep checkpoint
ends 0 help metrics
expect "all metrics have their units" \
    grep -q '^  mtbp_s (s): time, higher is better' "$work/stdout"
ends 0 help keys --grep pipeline_depth
expect "keys that are asked for stand below what they are of" \
    [ "$(head -n 1 "$work/stdout")" = "Keys of the engine train:" ]
ends 0 help keys
expect "all keys are listed" \
    [ "$(grep -c '^  job.pipeline_depth: \|^  replications.count: ' "$work/stdout")" -eq 2 ]
ends 0 keys study.yaml --grep replications
expect "a study has its own keys" grep -q '^  replications.count: ' "$work/stdout"

# The reader of standard output may have seen enough.
num_checks=$((num_checks + 1))
{
    sleep 0.3
    "$spotsim" help keys 2>"$work/stderr"
    echo $? >"$work/code"
} | true
[ "$(cat "$work/code")" -eq 141 ] || fail "help keys | true: exit code $(cat "$work/code")"
{
    sleep 0.3
    "$spotsim" run scenario.yaml 2>"$work/stderr"
    echo $? >"$work/code"
} | true
[ "$(cat "$work/code")" -eq 141 ] || fail "run | true: exit code $(cat "$work/code")"
expect "a reader that stops early is no error" [ ! -s "$work/stderr" ]

# ---- One run ----
golden run.txt run scenario.yaml
golden run.json run scenario.yaml --json
golden run.json run scenario.yaml --json
golden run-generated.json run generated.yaml --json --seed 7 --replication 3
golden run-generated.json run generated.yaml --json --replication 3 --seed 7
ends 0 run scenario.yaml --set "horizon=30 min" --events "$work/events.jsonl"
same events.jsonl "$work/events.jsonl"
ends 0 run scenario.yaml --set "horizon=30 min" --series "$work/series"
for series in cost events instances progress; do
    same "run-$series.csv" "$work/series/$series.csv"
done
expect "no other series" [ "$(echo "$work/series"/*)" = "$(
    echo "$work/series/cost.csv" "$work/series/events.csv" "$work/series/instances.csv" "$work/series/progress.csv")" ]
ends 0 run generated.yaml --seed 7 --replication 3 --events "$work/events.jsonl"
"$spotsim" trace generate generated.yaml --seed 7 --replication 3 -o "$work/same.csv"
ends 0 run generated.yaml --trace "$work/same.csv" --json
# The generated trace, recorded: the same run but for the seed and how it is named.
grep -v '"seed"\|"replication"' "$work/stdout" >"$work/recorded.json"
grep -v '"seed"\|"replication"' run-generated.json >"$work/generated.json"
expect "a run meets the trace that is generated for it" \
    cmp "$work/recorded.json" "$work/generated.json"

golden run-theory.txt run scenario.yaml --check-theory
golden run-theory.json run scenario.yaml --check-theory --json
ends 0 run scenario.yaml --check-theory --set "horizon=1 min"
expect "no theory without a rollback" \
    grep -qF "does not apply: without a rollback" "$work/stdout"

# ---- Advice ----
# answers NAME: the last answer is NAME.txt, but for its lines and the seconds that it took.
answers() {
    { tr '\n' ' ' <"$work/stdout" && echo; } |
        sed 's/alternatives in *[0-9.]* s/alternatives in T s/; s/  */ /g; s/ *$//' |
        fold -s -w 78 | sed 's/ *$//' >"$work/answer"
    same "$1.txt" "$work/answer"
}
# advises NAME ARGUMENT...: the answer and what is written.
advises() {
    name=$1
    shift
    cp "$name.yaml" "$work/$name.yaml"
    rm -f "$work/$name.advice.yaml" "$work/$name.advice-study.yaml"
    ends 0 advise "$work/$name.yaml" --save "$work" --quiet "$@"
    answers "$name"
    same "$name.advice.yaml" "$work/$name.advice.yaml"
}
advises advise-serve --sure 0.9
ends 0 run "$work/advise-serve.advice.yaml"
advises advise-cluster --finish-by "6 h" --sure 0.85
ends 0 run "$work/advise-cluster.advice.yaml"
ends 4 advise "$work/advise-cluster.yaml" --finish-by "6 h" --sure 0.8 --quiet
expect "what is cheapest is open" grep -q "^Undecided: what is cheapest." "$work/stdout"
ends 1 advise "$work/advise-cluster.yaml" --max-fleet 2 --quiet
expect "larger clusters are looked at" grep -q "^ *with 4 instances: " "$work/stdout"

# From the log of a cloud to a decision: docs/advice.md.
rm -rf "$work/week"
cp -r ../../../models/sample/advice "$work/week"
ends 0 trace convert "$work/week/week.jsonl.gz" --until 2026-06-08T00:00:00Z -o "$work/week/week.csv"
ends 0 price convert "$work/week/prices.json" --zone us-east-1b --start 2026-06-01T00:00:00Z \
    -o "$work/week/prices.csv"
ends 0 advise "$work/week/job.yaml" --steps 2000 --finish-by "6 days" --save "$work/week" --quiet
answers advise-week
same advise-week.advice.yaml "$work/week/job.advice.yaml"
ends 0 run "$work/week/job.advice.yaml" --quiet
ends 0 price convert "$work/week/prices.json" --zone us-east-1b -o "$work/week/prices.csv"
ends 0 run "$work/week/job.yaml"
stderr_says "fleet.price.spot: the prices start at 2026-05-31T19:00:00Z, the trace week at \
2026-06-01T00:00:00Z: both count as time 0, so the prices come 5 h too late"

# ---- Logs of task graphs ----
golden tasks/run.txt tasks tasks/run.jsonl --edges tasks/edges.jsonl
stderr_says "warning: tasks/run.jsonl: 1 mode_conflicts"
ends 0 tasks tasks/run.jsonl --edges tasks/edges.jsonl --json --csv "$work/tasks"
same tasks/run.json "$work/stdout"
for name in tasks transmits workers concurrency; do
    same "tasks/$name.csv" "$work/tasks/$name.csv"
done
expect "no comparison of one log" [ ! -e "$work/tasks/compare.csv" ]
sort tasks/run.jsonl >"$work/sorted.jsonl"
ends 0 tasks "$work/sorted.jsonl" --edges tasks/edges.jsonl --json
grep -v mode_conflicts tasks/run.json >"$work/expected"
grep -v mode_conflicts "$work/stdout" >"$work/normal"
expect "the order of lines does not matter" cmp "$work/expected" "$work/normal"
cat tasks/edges.jsonl >>"$work/sorted.jsonl"
ends 0 tasks - --json <"$work/sorted.jsonl"
grep -v 'mode_conflicts\|lines"\|input_records' "$work/stdout" >"$work/normal"
grep -v 'mode_conflicts\|lines"\|input_records' tasks/run.json >"$work/expected"
expect "edges may be in the log, which may be standard input" \
    cmp "$work/expected" "$work/normal"
golden tasks/summary.txt tasks tasks/solo.jsonl tasks/run.jsonl tasks/trace.log
golden tasks/list.json tasks tasks/empty.jsonl tasks/trace.log --json
golden tasks/compare.txt tasks --compare tasks/solo.jsonl tasks/run.jsonl --scope machine
ends 0 tasks --compare tasks/solo.jsonl tasks/run.jsonl --json --csv "$work/compared"
same tasks/compare.json "$work/stdout"
same tasks/compare.csv "$work/compared/compare.csv"
golden tasks/markers.txt tasks tasks/markers.log
golden tasks/markers.json tasks tasks/markers.log --json
golden tasks/empty.txt tasks tasks/empty.jsonl
golden tasks/imported.txt tasks tasks/chrome_trace.json tasks/ray_timeline.json \
    tasks/dask_stream.json
stderr_says "tasks/ray_timeline.json: a Chrome trace has no planning: total, comm, queue"
stderr_says "tasks/ray_timeline.json: 2 events are passed over"
stderr_says "tasks/dask_stream.json: 1 tasks ended with an error; they count as finished"
golden tasks/aligned.json tasks tasks/solo.jsonl --align --mode-rule last-line --dup last \
    --names local --json
{
    printf '\357\273\277'
    cat tasks/solo.jsonl
} >"$work/marked.jsonl"
ends 0 tasks "$work/marked.jsonl"
stderr_says "marked.jsonl:1:1: a byte-order mark, which is skipped"
awk 'BEGIN {
    for (j = 0; j < 150; j++)
        for (k = 0; k < 2; k++)
            printf "{\"action\": \"task%s\", \"task\": \"a\", \"worker\": \"w%03d\", \"host\": \"h\", \"at\": %d}\n",
                k == 0 ? "Started" : "Finished", j, j + 200 * k
}' >"$work/wide.jsonl"
ends 0 tasks "$work/wide.jsonl"
expect "a table of text ends after 100 rows" [ "$(grep -c '^50 more, see --json' "$work/stdout")" -eq 2 ]
expect "a row of text is as long as it wants" grep -q ' 149  *150$' "$work/stdout"
ends 1 tasks nowhere.jsonl
stderr_says "nowhere.jsonl: cannot open: No such file or directory"
ends 1 tasks tasks/run.jsonl --csv /dev/null/tables
ends 2 tasks tasks/markers.log --csv "$work/tasks"
stderr_says "a log of markers has no comparison, laws, CSV or picture, see --json"

# A fit beside its log and elsewhere; what it says of a log is independent of the place.
mkdir -p "$work/fits/logs"
sed 's/, "gone"//' tasks/run.jsonl tasks/edges.jsonl >"$work/fits/logs/run.jsonl"
ends 0 tasks fit "$work/fits/logs/run.jsonl" --solo tasks/solo.jsonl -o "$work/fits/logs/fit.yaml"
same tasks/fit.yaml "$work/fits/logs/fit.yaml"
ends 0 run "$work/fits/logs/fit.yaml"
expect "the model of a fit runs" grep -q '^makespan_s' "$work/stdout"
ends 0 tasks fit "$work/fits/logs/run.jsonl" --scope machine --solo tasks/solo.jsonl \
    -o "$work/fits/fit.yaml"
expect "the path of a log starts at the model" \
    grep -q '^graph: {log: "logs/run.jsonl"}' "$work/fits/fit.yaml"
ends 0 tasks fit tasks/run.jsonl --edges tasks/edges.jsonl
stderr_says "laws of run hold the contention of "
expect "edges are named" grep -q 'edges: ".*/tasks/edges.jsonl"}' "$work/stdout"
ends 1 tasks fit nowhere.jsonl

# ---- Theory ----
set -- --mtbf 6h --write 300s --restart 10min
golden theory-sync.txt theory checkpoint "$@"
golden theory-sync.json theory checkpoint "$@" --json
golden theory-sync.json theory checkpoint --json --mode sync --restart 600s \
    --write "5 min" --mtbf 0.25d
set -- --mode async --mtbf 10min --snapshot 2s --write 45s --restart 90s --step 1075ms
golden theory-async.txt theory checkpoint "$@" --interval 43s
golden theory-async.json theory checkpoint "$@" --interval 43s --json
golden theory-join.txt theory checkpoint "$@" --interval 43s --busy join
golden theory-join.txt theory checkpoint --busy join --interval 43s "$@"
set -- --mtbf 1h --write 89s --restart 10min --memory-every 18s --fetch 40s
golden theory-memory.txt theory checkpoint "$@" --instances 16 --lost 3 --interval 10min
golden theory-memory.json theory checkpoint "$@" --memory-share 0.8 --interval 10min --json
# Nothing is kept, and Daly's first order is no interval: no number that is none.
ends 0 theory checkpoint --mtbf 1ms --write 1h --restart 36525d --step 1s --interval 36525d
expect "no nan or inf" [ "$(grep -ciE 'nan|inf' "$work/stdout")" -eq 0 ]
ends 0 theory checkpoint --mtbf 1ms --write 1h --restart 36525d --step 1s --interval 36525d \
    --json
expect "no nan or inf in JSON" [ "$(grep -ciE 'nan|inf' "$work/stdout")" -eq 0 ]
# ---- Recovery systems ----
golden recovery.txt recovery
golden recovery.json recovery --json
golden recovery-checkpoint.txt recovery checkpoint
golden recovery-checkpoint.json recovery checkpoint --json
golden recovery-gemini.txt recovery gemini
golden recovery-recycle.txt recovery recycle
ends 2 recovery chekpoint
stderr_says "spotsim recovery: unknown recovery system \"chekpoint\", did you mean \"checkpoint\"?"
ends 2 recovery prayer
stderr_says "unknown recovery system \"prayer\"; known: bamboo, checkpoint"

# Side by side: on a recorded trace, on a generated one, and both ways to say the same.
systems='checkpoint,{system: checkpoint, detection: 60 s}'
golden compare-recorded.txt compare scenario.yaml --recovery "$systems"
golden compare-recorded.json compare scenario.yaml --recovery "$systems" --json
# What a study assumes is kept with it, for its report and its page.
ends 0 compare scenario.yaml --recovery "$systems" -o "$work/assumed.db"
ends 0 report "$work/assumed.db"
expect 'a report names what is assumed' \
    grep -q '^assumed, not from your file: detection time 0 s$' "$work/stdout"
ends 0 report "$work/assumed.db" -o "$work/assumed.html"
expect 'so does its page' \
    grep -q '^<p id="assumed" class="note">assumed, not from your file: detection time 0 s</p>$' \
    "$work/assumed.html"
set -- compare generated.yaml --recovery "$systems,{system: checkpoint}" --replications 100 \
    --seed 5
golden compare-generated.txt "$@"
golden compare-generated.json "$@" --json
for num_threads in 1 3; do
    golden compare-generated.csv "$@" --threads $num_threads --csv -
done
ends 0 "$@" --csv "$work/systems.csv" -o "$work/systems.db"
same compare-generated.csv "$work/systems.csv"
ends 0 "$@" -o "$work/systems.db"
stderr_says "3 points, 0 replications run"
expect "systems that are the same do not differ" [ "$(grep -c '{system: checkpoint},.*,0,0,0,[^,]*,[^,]*,[^,]*$' \
    "$work/systems.csv")" -eq 20 ]
rm -f "$work/systems.db" "$work/systems.csv"
# A job that never runs is marked in the row of its system, and told what to do about.
golden compare-over.txt compare generated.yaml --over fleet.capacity=24,32 \
    --over "recovery=checkpoint,{system: checkpoint, detection: 30 s}" --replications 50
golden compare-never.txt compare generated.yaml --recovery checkpoint,on-demand \
    --replications 20 --set job.pipeline_depth=8 --set fleet.capacity=8 \
    --set fleet.initial=4 --set "horizon=20 min"
golden best.txt study best.yaml --set job.outside=flat
golden best.json study best.yaml --set job.outside=flat --json
# What rests on sizes that were not measured is left out, but with outside: flat.
golden best-outside.txt study best.yaml
# The database alone tells the same as the run: winners, differences, warnings. Without the
# ledger, which only databases keep, it has the same metrics.
ends 0 study best.yaml --set job.outside=flat --set ledger=no -o "$work/best.db"
golden best.txt export "$work/best.db" --table
golden best.json export "$work/best.db" --json
ends 2 export "$work/best.db" --json --table
ends 2 export "$work/best.db" --table --per point
rm -f "$work/best.db"
# ---- Step times by (D,P) ----
steps="$source/models/sample/steps-48/steps.csv"
cp "$steps" "$work/steps.csv"
(
    cd "$work" || exit 1
    "$spotsim" model fit steps.csv >model-fit.txt &&
        "$spotsim" model fit steps.csv --json -o full.csv >model-fit.json &&
        "$spotsim" model fit full.csv >again.txt &&
        "$spotsim" model fit steps.csv --pipelines 2-3 --depths 7 --instances 14 -o - >range.csv
)
expect "exit code 0 of model fit" [ $? -eq 0 ]
same model-fit.txt "$work/model-fit.txt"
same model-fit.json "$work/model-fit.json"
same model-fit-full.csv "$work/full.csv"
same model-fit-range.csv "$work/range.csv"
# What is fitted is not fitted again.
sed 's/^full.csv/steps.csv/' "$work/again.txt" >"$work/once.txt"
expect "a full table gives the fit of its measured pairs" \
    cmp "$work/once.txt" "$work/model-fit.txt"
ends 2 model fit "$work/full.csv" -o "$work/full.csv"
stderr_says "is an input, which the output would replace"

golden model-presets.txt model presets
golden model-estimate.csv model estimate --model gpt-2-1.5b --accelerator v100 --recompute \
    --samples-per-step 1024 --depths 2-16 --instances 32
# A scenario gives what the options leave open, though its table is still to be made.
(
    cd "$work" || exit 1
    cat >estimated.yaml <<END
scenario: estimated
horizon: 6 h
fleet: {capacity: 32, initial: 32, network: 10 Gbit/s, storage: 1 GB/s}
job:
  model: gpt-2-1.5b
  pipeline_depth: 8
  regroup: 10 s
  rebuild: 20 s
  step_time: {table: estimated.csv}
trace:
  generator: seed
  preemption: {per_minute: 0.01, count: {fixed: 1}}
  addition: {per_minute: 0.02, count: {fixed: 1}}
END
    "$spotsim" model estimate estimated.yaml --peak '125 TFLOP/s' --memory '16 GiB' \
        --recompute --depths 2-16 -o estimated.csv &&
        "$spotsim" run estimated.yaml >run-estimated.txt &&
        "$spotsim" model fit estimated.csv >fit-estimated.txt 2>fit-warnings
)
expect "exit code 0 of model estimate and what reads it" [ $? -eq 0 ]
same model-estimate.csv "$work/estimated.csv"
same run-estimated.txt "$work/run-estimated.txt"
expect "a fit of estimates says so" grep -q "pairs are estimated" "$work/fit-warnings"

golden run-steps.txt run scenario.yaml --set 'job.step_time={table: steps.csv}'
golden run-pipeline.txt run scenario.yaml --set 'job.step_time={pipeline: {layers: 24,
    micro_batch: 8, forward_ms: 21.5, backward_ms: 43, gradient_bytes: 6e7, link_ms: 1.5}}'

# ---- A study ----
golden study.txt study study.yaml
golden study.json study study.yaml --json
for num_threads in 1 4; do
    ends 0 study study.yaml --threads $num_threads -o "$work/study.csv"
    same study.csv "$work/study.csv"
done
golden study.csv study study.yaml -o -
# Points have different numbers of replications: pairs are those that both have.
set -- study study.yaml --set 'baseline={job.pipeline_depth: 4}' \
    --set 'replications={until: {metric: idle_fraction, half_width: 0.012}, min: 64, max: 1000}'
golden study-baseline.txt "$@"
golden study-baseline.json "$@" --json

# ---- Plans ----
# golden_plan NAME ARGUMENT...: the same without what is measured.
golden_plan() {
    name=$1
    shift
    ends 0 study "$@" --plan --threads 2
    sed "s/^time: \(about [0-9.]* [a-z]*\|under 1 s\) on 2 threads, measured on [0-9]* runs\$/time: measured/
        s|$work/||; /\"m.._s\": [0-9]/d; /\"measured_runs\": [1-9]/d" \
        "$work/stdout" >"$work/plan"
    same "$name" "$work/plan"
}
golden_plan study-plan.txt study.yaml
golden_plan study-plan.json study.yaml --json
golden_plan study-sobol-plan.txt study-sobol.yaml
golden study-sobol.txt study study-sobol.yaml
# More points of a Sobol sequence keep those that are there.
for num_points in 32 64; do
    ends 0 study study-sobol.yaml --plan --json \
        --set "plan={sobol: {points: $num_points}}"
    sed -n '/^  "points": \[/,/^  \]/s/},$/}/p' "$work/stdout" >"$work/points-$num_points"
done
head -n "$(wc -l <"$work/points-32")" "$work/points-64" >"$work/first-points"
expect "the points of a shorter sequence come first" \
    cmp "$work/points-32" "$work/first-points"
expect "there are such points" [ "$(wc -l <"$work/points-32")" -ge 20 ]
golden study-sensitivity.txt study study-sensitivity.yaml
golden study-sensitivity.json study study-sensitivity.yaml --json
for num_threads in 1 4; do
    ends 0 study study-sensitivity.yaml --threads $num_threads \
        --sensitivity "$work/indices.csv"
    same study-sensitivity.csv "$work/indices.csv"
done
# Of fewer than 4 replications the noise is not known, which is said once.
for count in 1 3 4; do
    num_warnings=$((count < 4 ? 1 : 0))
    set -- study study-sensitivity.yaml --set replications.count=$count
    ends 0 "$@"
    expect "a warning in the table of $count replications" test \
        "$(tr '\n' ' ' <"$work/stdout" | grep -c 'warning: indices hold the noise .* at least 4 rep')" \
        -eq $num_warnings
    ends 0 "$@" --json
    expect "a warning in the JSON of $count replications" test \
        "$(grep -c '"warning": "indices hold the noise' "$work/stdout")" -eq $num_warnings
done
ends 2 study study.yaml --sensitivity "$work/indices.csv"
stderr_says "--sensitivity needs plan: {sensitivity: {points: 256}}"
ends 1 study study-sobol.yaml --set "plot={x: job.reload, stack: [idle_fraction]}" \
    --plot "$work/no.svg"
stderr_says "the points of a design have no order along a key"
ends 2 study study.yaml --set "sweep=[{job.pipeline_depth: 4}]" \
    --set "job.pipeline_depth=[4, 8]"
stderr_says "is for a key that each point of the sweep sets"

# ---- The best point ----
golden optimise.txt study optimise.yaml
golden optimise.json study optimise.yaml --json
for num_threads in 1 4; do
    golden optimise.csv study optimise.yaml --threads $num_threads -o -
done

# ---- A database ----
# One that was begun without its ledger goes on without it.
ends 0 study study.yaml --set replications.count=1 --set ledger=no -o "$work/no-ledger.db"
ends 0 study study.yaml --set replications.count=2 -o "$work/no-ledger.db"
set -- study study.yaml --set replications.count=2
ends 0 "$@" -o "$work/results.db"
# A plan looks into it and leaves it as it is; a run that would be refused is refused.
cp "$work/results.db" "$work/results-before.db"
touch -d "2026-01-01 00:00" "$work/results.db"
ls -l --full-time "$work"/results.db* >"$work/listed-before"
golden_plan study-plan-there.txt study.yaml -o "$work/results.db"
golden_plan study-plan-there.json study.yaml -o "$work/results.db" --json
golden_plan study-plan-shard.txt study.yaml -o "$work/results.db" --shard 2/3
ends 0 "$@" --plan -o "$work/results.db"
expect "nothing is left" grep -qx "left: 0" "$work/stdout"
expect "which takes no time" grep -qx "time: none, all runs are there" "$work/stdout"
ends 2 "$@" --plan -o "$work/results.db" --set "job.reload=61 s"
cp "$work/stderr" "$work/refused"
ls -l --full-time "$work"/results.db* >"$work/listed-after"
expect "nothing is written" cmp "$work/listed-before" "$work/listed-after"
expect "the database is as it was" cmp "$work/results-before.db" "$work/results.db"
ends 2 "$@" -o "$work/results.db" --set "job.reload=61 s"
expect "a plan is refused as a run is" cmp "$work/refused" "$work/stderr"
ends 0 "$@" --plan -o "$work/none.db"
expect "a plan makes no database" [ ! -e "$work/none.db" ]
expect "and tells nothing of one" [ "$(grep -c '^there:\|^left' "$work/stdout")" -eq 0 ]
# A report is as wide as COLUMNS says; nothing of it has escape codes in a file.
COLUMNS=80 golden report.txt report "$work/results.db"
for no_colour in 0 1 ""; do
    NO_COLOR=$no_colour TERM=xterm COLUMNS=80 golden report.txt report "$work/results.db"
done
COLUMNS=80 golden report.txt report "$work/results.db" --no-color
TERM=dumb COLUMNS=none golden report.txt report "$work/results.db"
ends 0 report "$work/results.db"
expect "a terminal without UTF-8 has signs in ASCII" [ -z "$(tr -d '\n -~' <"$work/stdout")" ]
LC_ALL=C.UTF-8 ends 0 report "$work/results.db"
expect "a terminal with UTF-8 has all signs" grep -q "[0-9] ±[0-9]" "$work/stdout"
# Where there is nothing yet, all say so in words; no table of dashes, no empty frame.
ends 0 "$@" --shard 1/1000000 -o "$work/nothing.db"
for form in "" "--markdown -" "--latex -" "-o $work/nothing.html"; do
    # shellcheck disable=SC2086 # an option and its value
    ends 0 report "$work/nothing.db" $form
    [ ! -e "$work/nothing.html" ] || mv "$work/nothing.html" "$work/stdout"
    expect "words for nothing, $form" grep -q "No replication is there yet: run the same " \
        "$work/stdout"
    expect "no dashes, $form" [ "$(grep -c -e '– |' -e '  -$' -e 'textendash{}' \
        -e '<td class="n[a-z]*">–<' -e '<svg' "$work/stdout")" -eq 0 ]
done
expect "a page of it says what was varied" grep -q 'id="parameters"' "$work/stdout"
rm -f "$work"/nothing.db*
golden export.csv export "$work/results.db"
golden export.jsonl export "$work/results.db" --jsonl
golden export-points.csv export "$work/results.db" --per point

# ---- Tables and pictures for papers ----
golden report.tex report "$work/results.db" --latex -
golden report.md report "$work/results.db" --markdown -
ends 2 report "$work/results.db" --latex "$work/results.db"
stderr_says "--latex: expected a file that ends in .tex, got \""
ln -sf results.db "$work/results-link"
cp "$work/results-before.db" "$work/results-copy"
ends 2 report "$work/results.db" --latex "$work/results-link"
stderr_says "results-link: is an input, which the output would replace"
ends 2 report "$work/results.db" --markdown "$work/results-copy"
stderr_says "results-copy: is a database, which the output would replace"
ends 2 report "$work/results.db" --pdf "$work/results-before.db"
stderr_says "results-before.db: --pdf: expected a folder to write pictures to: Not a dir"
expect "the database is as it was" cmp "$work/results-before.db" "$work/results.db"
PATH='' "$spotsim" report "$work/results.db" --png "$work/papers" \
    --latex "$work/report.tex" >"$work/stdout" 2>"$work/stderr"
expect "without rsvg-convert, report --png fails" [ $? -eq 1 ]
stderr_says "rsvg-convert is not installed"
expect "and says it once" [ "$(grep -c "is not installed" "$work/stderr")" -eq 1 ]
same report.tex "$work/report.tex"
same report-curves.csv "$work/papers"/*-curves.csv
# The runs whose timelines the store keeps are pictures too.
for point in 0 3; do
    expect "a run of point $point has its data" \
        [ "$(head -1 "$work/papers"/*-timeline-$point-[0-9]*.csv)" = time_s,kind,name,value ]
done
PATH='' "$spotsim" report "$work/results.db" --svg "$work/papers" 2>"$work/stderr"
expect "SVG needs no other program" [ $? -eq 0 ]
expect "nor a word of one" [ "$(grep -c "is not installed" "$work/stderr")" -eq 0 ]
expect "a picture of the study" grep -q "</svg>" "$work/papers"/*-curves.svg
expect "a picture of a run" grep -q "</svg>" "$work/papers"/*-timeline-3-[0-9]*.svg
rm -rf "$work/papers" "$work/report.tex"
for shard in 1 2; do
    ends 0 "$@" -o "$work/part-$shard.db" --shard "$shard/2"
done
ends 0 merge "$work/merged.db" "$work/part-1.db"
stderr_says "are not finished"
ends 1 merge --complete "$work/merged.db" "$work/part-1.db"
stderr_says "are not finished"
ends 0 merge --complete "$work/merged.db" "$work/part-1.db" "$work/part-2.db"
golden export.csv export "$work/merged.db"
ends 2 "$@" -o "$work/results.db" --set "job.reload=61 s"
stderr_says "results.db: job.reload was"
stderr_says ", is 61 s"
stderr_says "use another file or delete this one"
ends 0 "$@" -o "$work/results.db" --set "question=Another one?"
golden export.csv export "$work/results.db"
ends 0 study optimise.yaml -o "$work/race.db" # some points stop early
golden optimise-points.csv export "$work/race.db" --per point
awk -F, '{ print $1, $NF }' optimise.csv | uniq >"$work/fates"
awk -F, '{ print $1, $NF }' "$work/stdout" >"$work/exported-fates"
expect "a point has one fate" cmp "$work/fates" "$work/exported-fates"
ends 0 study optimise.yaml --set replications.min=100 --plan
stderr_says "warning: --set replications.min:1:1: replications.min: 100 is not a multiple of 64"
ends 0 merge "$work/race-merged.db" "$work/race.db"
expect "a race that is over is finished" test "$(wc -l <"$work/stderr")" -eq 1
rm -f "$work"/*.db

# ---- Traces ----
golden trace-named.csv trace generate model.yaml --seed 3
golden trace-counts.csv trace generate model.yaml --seed 3 --kind counts
golden trace-scenario.csv trace generate generated.yaml --horizon "20 min" --name renamed
rm -rf "$work/traces"
ends 0 trace generate model.yaml --seed 3 --replications 3 -o "$work/traces"
expect "three files are there" [ "$(echo "$work"/traces/*)" = \
    "$work/traces/small.0000.csv $work/traces/small.0001.csv $work/traces/small.0002.csv" ]
for j in 0 1 2; do
    ends 0 trace generate model.yaml --seed 3 --replication $j -o "$work/one.csv"
    expect "replication $j is the same in a folder" \
        cmp "$work/one.csv" "$work/traces/small.000$j.csv"
done
same trace-named.csv "$work/traces/small.0000.csv"
ends 0 trace generate model.yaml --seed 3 -o "$work/trace.csv.gz"
gzip -dc "$work/trace.csv.gz" >"$work/trace.csv"
same trace-named.csv "$work/trace.csv"

cp compare-first.csv "$work/recorded-here.csv"
printf 'spotsim-model: 1\ngenerator: replay\ntrace: recorded-here.csv\n' >"$work/replay.yaml"
ends 0 trace generate "$work/replay.yaml" --horizon "12 h" -o "$work/again.csv"
stderr_says "replay.yaml: the horizon is beyond the end of the trace (10 h): its last instances stay"
for arguments in "--quiet" "-q" "--set horizon_s=36001 -q" "--set wrap=true"; do
    # shellcheck disable=SC2086
    ends 0 trace generate "$work/replay.yaml" --horizon "12 h" $arguments -o "$work/again.csv"
    expect "no warning with $arguments" [ ! -s "$work/stderr" ]
done
ends 0 trace generate "$work/replay.yaml" -o "$work/again.csv"
expect "no warning up to the end" [ ! -s "$work/stderr" ]
ends 0 trace generate "$work/replay.yaml" --set horizon_s=36001 -o "$work/again.csv"
stderr_says "is beyond the end of the trace (10 h)"
expect "spotsim-trace.5 tells of the seam" grep -q "one event at the seam" "$work/spotsim-trace.5"

# ---- A frequency beside a model file ----
# The rows are those of the same model within the scenario; what it assumes has other keys there.
printf 'wrap: false\nstart: first\n' >>"$work/replay.yaml"
grep -v -e '^trace: ' -e '^horizon: ' scenario.yaml |
    sed 's/capacity: 18/capacity: 32/' >"$work/job.yaml"
echo "horizon: 2 h" >>"$work/job.yaml"
for model in model replay; do
    [ $model = replay ] || cp model.yaml "$work/model.yaml"
    { cat "$work/job.yaml"; echo "trace: $model.yaml"; } >"$work/named.yaml"
    { cat "$work/job.yaml"; echo "trace: {model: $model.yaml, frequency: 1.5}"; } \
        >"$work/beside.yaml"
    { cat "$work/job.yaml"; echo "trace:"; sed 's/^/  /' "$work/$model.yaml"; } \
        >"$work/within.yaml"
    ends 0 run "$work/within.yaml" --set trace.frequency=1.5 --json
    cp "$work/stdout" "$work/within.json"
    ends 0 run "$work/named.yaml" --json
    expect "a frequency makes a difference" [ "$(cat "$work/stdout")" != "$(cat "$work/within.json")" ]
    ends 0 run "$work/named.yaml" --set trace.frequency=1.5 --json
    expect "--set beside $model.yaml" cmp "$work/stdout" "$work/within.json"
    ends 0 run "$work/beside.yaml" --json
    expect "a frequency beside $model.yaml" cmp "$work/stdout" "$work/within.json"
    for scenario in within named; do
        printf 'study: s\nscenario: %s.yaml\nsweep: {trace.frequency: [1.5, 3]}\n' \
            $scenario >"$work/sweep.yaml"
        ends 0 study "$work/sweep.yaml" --set replications.count=3 -o "$work/$scenario.csv"
        printf 'study: s\nscenario: %s.yaml\nsweep: [{trace.frequency: 1.5}, {trace.frequency: 3}]\n' \
            $scenario >"$work/points.yaml"
        ends 0 study "$work/points.yaml" --set replications.count=3 -o "$work/$scenario-points.csv"
        ends 0 compare "$work/$scenario.yaml" --over trace.frequency=1.5,3 --replications 3 \
            --csv "$work/$scenario-compare.csv"
    done
    for rows in "" -points -compare; do
        expect "rows of $model.yaml$rows" cmp "$work/named$rows.csv" "$work/within$rows.csv"
    done
done

# ---- The two forms of the notebook ----
golden trace-cell42.csv trace generate seed-cell42.yaml --seed 4
golden trace-loop.csv trace generate seed-loop.yaml --set overdraw=clip --seed 1
golden trace-loop-counts.csv trace generate seed-loop.yaml --set overdraw=clip \
    --kind counts --seed 1
for form in cell42 loop; do
    rm -rf "$work/traces"
    ends 0 trace generate seed-$form.yaml --set overdraw=clip --replications 20 \
        -o "$work/traces"
    for trace in "$work/traces"/*; do
        ends 0 trace describe "$trace" --quiet
    done
    ends 1 trace generate seed-$form.yaml --seed 1 -o "$work/none.csv"
    stderr_says "$form: at 47"
    expect "nothing is written of a $form that ends early" [ ! -e "$work/none.csv" ]
done
ends 0 trace compare seed-cell42.yaml compare-first.csv --replications 20
expect "cell42 is compared under its own name" grep -q " seed-cell42$" "$work/stdout"
ends 1 trace compare seed-loop.yaml compare-first.csv --replications 20
stderr_says "seed-loop.yaml: more instances were preempted than lived"
notebook="--set trace.variant=loop --set trace.compat=notebook"
# shellcheck disable=SC2086
ends 1 run generated.yaml $notebook --seed 2
stderr_says "spotsim: more instances were preempted than lived"
# shellcheck disable=SC2086
ends 0 run generated.yaml $notebook --set trace.overdraw=clip --seed 2
stderr_says "trace.compat: the notebook keeps no limits of the population here"

golden describe.txt trace describe recorded.csv single.csv lifetimes.csv
stderr_says "single.csv: kind availability: the figures are of what could have been"
golden describe.json trace describe recorded.csv --json
golden describe-list.json trace describe single.csv lifetimes.csv --json --quiet
expect "no warnings with --quiet" [ ! -s "$work/stderr" ]
golden describe.csv trace describe recorded.csv single.csv lifetimes.csv --csv -
ends 0 trace describe recorded.csv single.csv lifetimes.csv --csv "$work/describe.csv" \
    -o "$work/describe.txt"
same describe.csv "$work/describe.csv"
same describe.txt "$work/describe.txt"
expect "nothing is printed" [ ! -s "$work/stdout" ]
golden describe-where.txt trace describe lifetimes.csv --where zone=east
golden describe-tick.txt trace describe recorded.csv --tick 600
golden describe-net.txt trace describe recorded.csv --tick "10 min" --net
ends 0 trace describe recorded.csv --net
ends 2 trace describe recorded.csv --tick 29
stderr_says "recorded.csv: --tick: expected at least the resolution of the trace, 30 s"
# The points, the table and the pictures, without any other program.
rm -rf "$work/pictures"
PATH='' "$spotsim" trace describe recorded.csv single.csv lifetimes.csv \
    --svg "$work/pictures" >"$work/stdout" 2>"$work/stderr"
code=$?
expect "exit code 0 for pictures" [ $code -eq 0 ]
same describe.txt "$work/stdout"
PATH='' "$spotsim" trace fit fit-trace.csv --what gaps --svg "$work/pictures" \
    >"$work/stdout" 2>"$work/stderr"
code=$?
expect "exit code 0 for pictures of fits" [ $code -eq 0 ]
same fit-gaps.txt "$work/stdout"
for points in recorded-availability recorded-hours single-availability \
    single-up-spell-survival lifetimes-lifetime-survival fit-trace-preempt-gap-qq; do
    same "points-$points.csv" "$work/pictures/$points.csv"
    expect "$points.svg" grep -q "</svg>" "$work/pictures/$points.svg"
done
ends 0 trace describe recorded.csv ./recorded.csv --svg "$work/pictures"
expect "pictures of both traces of one name" cmp -s \
    "$work/pictures/recorded-availability.csv" "$work/pictures/recorded_-availability.csv"
ends 2 trace describe --notebook recorded.csv --svg "$work/pictures"
golden notebook.txt trace describe --notebook recorded.csv
golden notebook.json trace describe --notebook nodes.csv terminations.csv --json
golden notebook-two.txt trace describe --notebook recorded.csv single.csv
# ---- Fits ----
# What cannot be fitted is said, and the rest is fitted all the same.
for trace in none one two equal first-tick zero-gaps all-taken; do
    golden "fit/$trace.txt" trace fit "fit/$trace.csv"
done
golden fit/alive.txt trace fit fit/alive.csv --what lifetimes --quiet
golden fit/limit.txt trace fit fit/limit.csv --limit 1000 --families bathtub,gamma
golden fit/where.txt trace fit fit/limit.csv --where zone=east --limit 1500
golden fit/both.txt trace fit fit/day.csv --what gaps --likelihood both
golden fit/tick.txt trace fit fit/limit.csv --tick 60 --likelihood lattice
golden fit/bootstrap.txt trace fit fit/day.csv --what gaps --likelihood continuous \
    --bootstrap 19 --seed 3 --families exponential,lognormal
golden fit/no-p-value.txt trace fit fit/day.csv --what lifetimes --bootstrap 19 \
    --families exponential
golden fit/lifetimes.json trace fit fit/day.csv --what lifetimes --json
golden fit-gaps.txt trace fit fit-trace.csv --what gaps
golden fit-bulk.txt trace fit fit-trace.csv --what bulk
golden fit-hourly.txt trace fit fit-trace.csv --what hourly
ends 0 trace fit fit-trace.csv --csv "$work/fits.csv"
same fit/all.csv "$work/fits.csv"
ends 1 trace fit fit/alike.csv
same fit/alike.txt "$work/stdout"
stderr_says "fit/alike.csv: lifetime: the fit of weibull did not converge: its numbers are"
ends 1 trace fit fit/alike-gaps.csv
for model in block mrp replay seed; do
    ends 0 trace fit fit/alike-gaps.csv --emit $model -o "$work/alike-gaps.yaml"
done
ends 1 trace fit fit/alike.csv --quiet
expect "no warnings with --quiet" [ ! -s "$work/stderr" ]
# What did not converge of a model is named, there and in the model.
ends 1 trace fit fit/regular.csv --emit mrp
failure="gaps of preempt_preempt: the fit of gamma did not converge, its numbers are no"
stderr_says "fit/regular.csv: The $failure estimates."
expect "the model says so" grep -qxF "# The $failure estimates." "$work/stdout"
ends 0 trace fit fit/regular.csv --emit block
# Sizes that are all equal have a law at a limit of its family, which is no failure.
golden fit/alike-sizes.txt trace fit fit/alike-sizes.csv --what bulk
for model in block mrp replay seed; do
    ends 0 trace fit fit/alike-sizes.csv --emit $model -o "$work/alike-sizes.yaml"
done
# Lives before a wall; the model that is proposed is one.
golden fit/wall.txt trace fit fit/wall.csv
golden fit/cut.txt trace fit fit/wall.csv --cut 7200
tr '\n' ' ' <"$work/stdout" | sed 's/.*refill law: //; s/}}.*/}}/; s/  */ /g' |
    sed 's/INSTANCES/20/g; s/SECONDS/36000/; s/SECONDS/300/' >"$work/lifetimes.yaml"
ends 0 trace generate "$work/lifetimes.yaml" -o "$work/generated.csv"
expect "lives end at the wall" grep -q '^72[0-9][0-9],preempt,' "$work/generated.csv"
# What a recording is too quiet to tell.
golden fit/quiet.txt trace fit fit/quiet.csv
golden fit/quiet.yaml trace fit fit/quiet.csv --emit mrp
stderr_says "quiet.csv: 1 preemption, 0 additions: the model's additions are invented."
stderr_says "quiet.csv: Last event at 24 h of 72 h: the model does not know that silence."
# A folder with a trace and its model may be moved; a model on a pipe may go anywhere.
mkdir -p "$work/before/traces" "$work/before/models"
cp fit/day.csv "$work/before/traces"
for model in block replay; do
    ends 0 trace fit "$work/before/traces/day.csv" --emit $model \
        -o "$work/before/models/$model.yaml"
    expect "the path in $model starts at its folder" \
        grep -qxF 'trace: "../traces/day.csv"' "$work/before/models/$model.yaml"
done
rm -rf "$work/after"
mv "$work/before" "$work/after"
ends 0 trace generate "$work/after/models/block.yaml" -o "$work/generated.csv"
ends 0 trace fit fit/day.csv --emit replay
mv "$work/stdout" "$work/after/models/piped.yaml"
ends 0 trace generate "$work/after/models/piped.yaml" -o "$work/generated.csv"
# Models: each is read, generates a trace, and is the trace of a scenario.
emits() {
    model=$1
    shift
    golden "fit/$model.yaml" trace fit fit/day.csv --emit "$@"
    "$spotsim" trace fit fit/day.csv --emit "$@" -o "$work/$model.yaml" >"$work/stdout" \
        2>"$work/stderr" || fail "--emit $* -o: exit code $?"
    grep -v '^trace: ' "fit/$model.yaml" >"$work/expected"
    sed "s/spotsim $version/spotsim VERSION/; /^trace: /d" "$work/$model.yaml" \
        >"$work/normal"
    expect "--emit $model is the same in a file" cmp "$work/expected" "$work/normal"
    ends 0 trace generate "$work/$model.yaml" -o "$work/generated.csv"
    ends 0 trace describe "$work/generated.csv"
    ends 0 run scenario.yaml --set "trace=$work/$model.yaml" --set "horizon=20 h" \
        --set fleet.initial=10
    expect "$model preempts" grep -q ' added, [1-9][0-9]* preempted' "$work/stdout"
}
emits seed seed
stderr_says "trace.tick_s is ignored: the scenario's tick, 5 s instead of 60 s, wins"
emits mrp mrp
emits block block
emits replay replay
emits hourly mrp --hourly
emits lifetimes mrp --lifetimes
emits everything mrp --hourly --lifetimes --limit 90001 --start-hour 3
golden fit-seed.yaml trace fit fit-trace.csv --emit seed
# The last line is a command that works, whatever the trace is called.
cp fit/day.csv "$work/a day's trace.csv"
cp fit/two.csv fit/limit.csv "$work"
follow() {
    num_checks=$((num_checks + 1))
    (
        cd "$work" && "$spotsim" "$@" >followed 2>stderr &&
            next=$(sed -n '$s/^Next: spotsim //p' followed) && [ -n "$next" ] &&
            eval "\"\$spotsim\" $next" >stdout 2>stderr
    ) || fail "what spotsim $* says to type next fails: $(cat "$work/stderr")"
}
follow trace fit "a day's trace.csv" --what gaps
follow trace fit "a day's trace.csv" --what bulk --emit mrp -o "a day's model.yaml"
follow trace fit two.csv
follow trace fit limit.csv
# ---- Job logs from laws ----
golden jobs.csv schedule generate jobs.yaml
golden jobs.csv schedule generate jobs.yaml --seed 1 --replication 0
golden jobs-other.csv schedule generate jobs.yaml --set jobs=3 --replication 1
ends 0 schedule generate jobs.yaml -o "$work/jobs.csv.gz" --vcs-out "$work/vcs.csv"
same jobs-vcs.csv "$work/vcs.csv"
gzip -dc "$work/jobs.csv.gz" >"$work/unpacked.csv"
expect "the same log in gzip" cmp -s jobs.csv "$work/unpacked.csv"
golden jobs-workloads.csv schedule generate jobs.yaml --set workload=workloads.csv \
    --set "checkpoint={every: 10 min, write: 30 s}"
# A run on laws meets the log that is generated from them. Laws alone assume a restart time.
for jobs in "generate: $PWD/jobs.yaml" "log: $work/same-jobs.csv"; do
    printf 'scenario: same\nengine: schedule\njobs: {%s}\npolicy: srtf\n' "$jobs"
    echo "cluster: {vcs: {research: 3, product: 1}}"
done >"$work/both.yaml"
head -n 5 "$work/both.yaml" >"$work/laws.yaml"
tail -n 5 "$work/both.yaml" >"$work/log.yaml"
ends 0 schedule generate jobs.yaml --seed 4 --replication 7 -o "$work/same-jobs.csv"
"$spotsim" run "$work/laws.yaml" --seed 4 --replication 7 --json |
    sed '/"assumed": \[/,/\]/d' >"$work/by_laws.json"
"$spotsim" run "$work/log.yaml" --seed 4 --replication 7 --json |
    sed '/"assumed": \[/,/\]/d' >"$work/by_log.json"
expect "a run has results" [ -s "$work/by_log.json" ]
expect "a run on laws meets the log that is generated from them" \
    cmp "$work/by_laws.json" "$work/by_log.json"
golden jobs-fit.yaml schedule fit jobs.csv --start "2024-05-06 08:00:00"
ends 0 schedule fit "$work/jobs.csv.gz" --vcs "$work/vcs.csv" -o "$work/fitted.yaml"
ends 0 schedule generate "$work/fitted.yaml" -o "$work/again.csv"

# ---- Converted traces ----
# converts NAME ARGUMENT...: both the trace and the report are as committed.
converts() {
    converted=$1
    shift
    golden "convert/$converted.trace" trace convert "$@"
    same "convert/$converted.report" "$work/stderr"
}
golden help-trace-convert.txt trace convert --help
converts bamboo convert/bamboo.csv --set cloud=aws --set mine=1 --start 2021-02-28
converts step convert/step.csv --unit h --capacity 8 --name steps
converts node-count convert/node.csv convert/term.csv --window "30 s"
converts skypilot convert/availability/4-node/gcp-02-29-2024/us-east1-b_t4_1.json
converts counts named.csv --kind counts --capacity unbounded
logs=../../unit/convert/logs
converts eventbridge $logs/eventbridge.jsonl --now 2024-06-03T14:00:00Z --notice "2 min" \
    --cause preempt
converts ec2 $logs/ec2_requests.json $logs/ec2_instances.json --now 2024-06-03T11:31:00Z
golden convert/step.json trace convert convert/step.csv --unit h --json \
    -o "$work/step.csv"
gzip -c convert/bamboo.csv >"$work/bamboo.csv.gz"
ends 0 trace convert "$work/bamboo.csv.gz" --quiet -o "$work/once.csv.gz"
expect "--quiet prints nothing" [ ! -s "$work/stderr" ]
ends 0 trace convert "$work/once.csv.gz" --quiet -o "$work/twice.csv.gz"
expect "what was converted stays as it is" cmp "$work/once.csv.gz" "$work/twice.csv.gz"
ends 2 trace convert convert/step.csv --strict -o "$work/none.csv"
expect "nothing is written of what is refused" [ ! -e "$work/none.csv" ]
# ---- Traces compared ----
models="compare-seed.yaml compare-mrp.yaml compare-block.yaml"
golden compare-traces.txt trace compare compare-second.csv compare-first.csv
golden compare-traces.json trace compare compare-second.csv compare-first.csv --json
golden compare-halves.txt trace compare --halves compare-probes.csv
# shellcheck disable=SC2086
golden compare-models.txt trace compare $models compare-first.csv --replications 50
# shellcheck disable=SC2086
golden compare-models.json trace compare $models compare-first.csv --replications 50 --json
# shellcheck disable=SC2086
ends 0 trace compare $models compare-first.csv --replications 50 -q --csv "$work/models.csv"
same compare-models.csv "$work/models.csv"
expect "--quiet prints nothing" [ ! -s "$work/stdout" ]
zone=../../../reports/studies/trace-model
ends 0 trace compare $zone/seed.yaml $zone/recorded.csv --replications 2
stderr_says "seed.yaml: the gaps of the trace have CV 1.44, those of a seed model at most 1"
golden compare-reference.txt trace compare compare-block.yaml compare-first.csv \
    --replications 40 --seed 2 --reference compare-models.csv
sed 's/,compare-block,/,block,/' compare-models.csv >"$work/kinds.csv"
golden compare-reference.txt trace compare compare-block.yaml compare-first.csv \
    --replications 40 --seed 2 --reference "$work/kinds.csv"
# Files, not kinds or names that they share, tell columns apart.
mkdir -p "$work/a" "$work/b"
cp compare-seed.yaml "$work/a/one.yaml"
cp compare-seed.yaml "$work/a/two.yml"
cp compare-seed.yaml "$work/b/one.yaml"
sed 's/^# name: .*/# name: first/' compare-second.csv >"$work/a/generated.csv"
ends 0 trace compare "$work/a/one.yaml" "$work/a/two.yml" "$work/b/one.yaml" \
    compare-first.csv --replications 2 --csv "$work/labels.csv"
expect "models are called as their files" [ "$(cut -d, -f2 "$work/labels.csv" | tr '\n' ' ')" \
    = "model recorded half1 half2-vs-half1 one two one#2 " ]
expect "gains speak of files" grep -q '^two beats one in ' "$work/stdout"
ends 0 trace compare "$work/a/generated.csv" compare-first.csv -q --csv "$work/labels.csv"
expect "a trace of the same name is called as its file" \
    [ "$(tail -n 1 "$work/labels.csv" | cut -d, -f2)" = generated ]
sed 's/^capacity: .*/capacity: 2/' compare-mrp.yaml >"$work/a/small.yaml"
ends 2 trace compare "$work/a/small.yaml" compare-first.csv
stderr_says "small.yaml:4:11: capacity: the model's 2 is less than the 4 instances that compare-first.csv"
ends 0 trace compare compare-first.csv compare-first.csv -q --limit w1_n=0 --limit acf_n=0
ends 1 trace compare compare-second.csv compare-first.csv -o "$work/limited.txt" \
    --limit w1_n=0.001
stderr_says "spotsim: second: w1_n is "
same compare-traces.txt "$work/limited.txt"
ends 1 trace compare --halves compare-first.csv -q --limit fano_1h=1000
stderr_says "spotsim: half2-vs-half1: fano_1h is undefined"
# The pictures and their points, without any other program; then what cannot be drawn.
rm -rf "$work/pictures"
compares() {
    PATH='' "$spotsim" trace compare "$@" --svg "$work/pictures" >"$work/stdout" \
        2>"$work/stderr"
    code=$?
    expect "exit code 0 for pictures of comparisons" [ $code -eq 0 ]
}
compares compare-second.csv compare-first.csv
same compare-traces.txt "$work/stdout"
compares --halves compare-second.csv
compares compare-block.yaml compare-first.csv --replications 40 --seed 2 \
    --reference compare-models.csv
same compare-reference.txt "$work/stdout"
for points in first-second-compare first-second-preempt-gap-compare \
    first-second-add-gap-compare second-distances second-halves-compare \
    second-halves-preempt-gap-compare first-compare-block-compare \
    first-compare-block-add-gap-compare first-distances first-reference; do
    same "points-compare-$points.csv" "$work/pictures/compare-$points.csv"
    expect "$points.svg" grep -q "</svg>" "$work/pictures/compare-$points.svg"
done
ends 2 trace compare compare-first.csv compare-second.csv --svg compare-first.csv
stderr_says "compare-first.csv: --svg: expected a folder to write pictures to: Not a dir"
ends 2 trace describe recorded.csv --svg "$work/no/such"
stderr_says "/no/such: --svg: expected a folder to write pictures to: No such file or dir"
ends 2 trace fit fit-trace.csv --svg ""
stderr_says "--svg: expected the name of a folder"
ends 2 trace compare compare-first.csv compare-second.csv --svg
expect "a missing folder is a wrong option" [ ! -s "$work/stdout" ]
if [ "$(id -u)" -ne 0 ]; then
    mkdir -p "$work/closed"
    chmod 555 "$work/closed"
    ends 2 trace describe recorded.csv --svg "$work/closed"
    stderr_says "closed: --svg: expected a folder to write pictures to: Permission denied"
    ends 2 trace describe recorded.csv --svg "$work/closed/new/"
    stderr_says "closed/new/: --svg: expected a folder to write pictures to: Permission de"
    chmod 755 "$work/closed"
fi
ends 1 trace compare compare-second.csv compare-first.csv -o "$work/no/such/folder.txt"
stderr_says "cannot write: No such file or directory"

# ---- Job logs ----
for command in import assign check; do
    golden "help-schedule-$command.txt" schedule "$command" --help
done
golden jobs/check.txt schedule check jobs/log.csv --vcs jobs/vcs.csv
golden jobs/check.json schedule check jobs/log.csv --vcs jobs/vcs.csv --json
golden jobs/check.csv schedule check jobs/log.csv --csv -
"$spotsim" schedule check - --vcs jobs/vcs.csv <jobs/log.csv >"$work/stdout"
same jobs/check.txt "$work/stdout"
golden jobs/assigned.csv schedule assign jobs/log.csv --seed 7 \
    --workloads "$source/share/jobs/workloads.csv"
golden jobs/imported.csv schedule import jobs/raw.csv --preset helios-sept --short clamp \
    --coverage "$work/import.csv"
same jobs/import.csv "$work/import.csv"
same jobs/import.stderr "$work/stderr"
ends 0 schedule import jobs/raw.csv -q --vc "*=one" --vc "vcbIW=two" --vc "vcsBT=" \
    --short drop -o "$work/imported.csv"
expect "the coverage is beside the log" [ -s "$work/import.csv" ]
expect "nothing is said with -q" [ ! -s "$work/stderr" ]
ends 0 schedule check "$work/imported.csv" --csv -
expect "VCs are renamed" [ "$(cut -d , -f 1,4 "$work/stdout" | tr '\n' ' ')" = \
    "vc,jobs one,4 two,1 all,5 " ]

# ---- Arrivals of queries ----
golden serve/deltas.txt serve gen serve/bursts.yaml
golden serve/deltas.txt serve gen serve/bursts.yaml --seed 1 --replication 0 \
    --set "arrivals={deltas: {file: $PWD/serve/deltas.txt}}"
golden serve/fit.txt serve fit serve/deltas.txt
golden serve/fit.csv serve fit serve/deltas.txt --csv -
golden serve/fit.json serve fit serve/requests.csv --trace --json
ends 0 serve gen serve/bursts.yaml --set arrivals.gamma.scv=1 --replication 1 -o "$work/deltas.gz"
ends 0 serve fit "$work/deltas.gz" --csv "$work/fit.csv"
expect "serve fit prints a table beside --csv" grep -q "^queries *33$" "$work/stdout"
expect "serve fit writes the same figures" grep -q "^queries,33$" "$work/fit.csv"

# ---- Measured runs of a data loader ----
rm -rf "$work/runs"
sh ../make_runs.sh "$work/runs"
tiny="--batch 4 --processes 2"
# shellcheck disable=SC2086
{
    golden input/table.txt input table "$work/runs" $tiny
    expect "input table warns of blocks that are none" \
        grep -q "says block size 2 but io_time has one entry per sample" "$work/stderr"
    golden input/table.csv input table "$work/runs" $tiny --csv -
    golden input/corrected.csv input table "$work/runs" $tiny --csv - --corrected
    golden input/table.json input table "$work/runs" $tiny --json
    ends 0 input table "$work/runs" $tiny --svg "$work/svg"
}
for picture in throughput waits search; do
    expect "the picture $picture" grep -q "^</svg>" "$work/svg/tiny-local-$picture.svg"
done
published=$source/../shared/data/input/librispeech_remote
if [ -d "$published" ]; then
    ends 0 input table "$published" --csv -
    expect "the published table, to six decimals" cmp "$work/stdout" "$published.table.csv"
else
    sh "$source/tests/left_out.sh" "${SPOT_TEST_TMP-}" golden_cli
fi

# ---- Placement ----
golden input/place.txt input place input/cluster.yaml input/jobs.yaml --weights --policy best-fit,csp
golden input/place.csv input place input/cluster.yaml input/jobs.yaml --policy all --csv -
golden input/place.json input place input/cluster.yaml input/jobs.yaml --json
ends 0 input place input/cluster.yaml input/jobs.yaml --policy all --csv "$work/place.csv"
same input/place.csv "$work/place.csv"
ends 2 input place input/cluster.yaml input/jobs.yaml --policy csp,last-fit
stderr_says "last-fit"

# A loader with round numbers.
loader=../../../models/sample/loader/round.yaml
golden input/predict.txt input predict "$loader"
golden input/predict.json input predict "$loader" --compute "0.25 s" --threads 2 --block 120 \
    --batch 200 --samples 10000 --json
golden input/predict-storage.txt input predict "$loader" \
    --set "input.storage.shared_bandwidth=50 MB/s"
ends 0 input predict "$loader" --compute "50 ms" --threads 8
same input/outside.stderr "$work/stderr"
# shellcheck disable=SC2086
ends 0 input fit "$work/runs" $tiny --form three -o "$work/loader.yaml"
expect "a fit prints its errors beside the model" grep -q "^mean rows" "$work/stdout"
stderr_says "the arrays have fewer samples than the batches: 24 are taken"
expect "a model says how times spread" grep -q \
    "^spread: {read: {lognormal: {cv: 0.34641}}, decode: {gamma: {cv: 0.247436}}}$" "$work/loader.yaml"
ends 0 run "$work/loader.yaml"
golden input/fitted.txt input predict "$work/loader.yaml" --set input.cost.merged="0 ms" \
    --set input.cost.collate.time="1 s" --set input.cost.start="1 s"

# Searches, on that model, on a table of invented times and by a command.
golden input/search.txt input search "$loader" --method tpe
ends 0 input search "$loader" --method tpe
expect "a choice within the fitted range needs no warning" [ ! -s "$work/stderr" ]
golden input/search.json input search "$loader" --method grid --threads 1,2 \
    --blocks 20,100,3000 --max-memory "1.5 GB" --json
golden input/search.csv input search input/blocks.csv --reference start --csv -
golden input/search-nearest.txt input search input/blocks.csv --method random --nearest \
    --threads 1,2 --blocks 15,35,120 --evaluations 3 --seed 2
ends 2 input search input/blocks.csv --method grid --threads 1,2
stderr_says "input/blocks.csv: no row for threads 2, block 1"
rm -f "$work/points.csv"
# shellcheck disable=SC2016
time_of='case {block} in 20) echo slow; exit 4 ;; 40) kill -15 $$ ;; 60) sleep 60 ;; 80) echo ?; exit ;; esac
    echo epoch 1; echo 0.{threads}{block} s, 0.3'
for time in first again; do
    golden input/search-command.txt input search --measure "$time_of" --timeout 1s \
        --method grid --threads 1,2 --blocks 20,40,60,80,100 --log "$work/points.csv"
    same input/points.csv "$work/points.csv"
    time_of="false # {block}" # all is known
done
ends 1 input search --measure "false {block}"
ends 0 input search "$work/points.csv" --threads 2 --blocks 100
# An interrupted search says how it goes on.
rm -f "$work/points.csv"
"$spotsim" input search --measure 'echo 1; [ {block} = 20 ] && sleep 60' --log "$work/points.csv" \
    >"$work/stdout" 2>"$work/stderr" &
pid=$!
while [ ! -s "$work/points.csv" ]; do
    sleep 0.05
done
kill -INT $pid
wait $pid
expect "an interrupted search ends with 130" [ $? -eq 130 ]
stderr_says "points.csv: the same command goes on from here"
expect "what was measured is kept" [ "$(wc -l <"$work/points.csv")" -eq 2 ]

# A run of a serving pipeline: a join, a hedge with outages, delays, an autoscaler.
golden serve/run.txt run serve/branches.yaml
golden serve/run.json run serve/branches.yaml --json
rm -rf "$work/series"
ends 0 run serve/branches.yaml --series "$work/series" --events "$work/events.jsonl"
same serve/run-events.jsonl "$work/events.jsonl"
for series in cdf cost fleet latency lineage queue queues replicas stages; do
    same "serve/run-$series.csv" "$work/series/$series.csv"
done
expect "no other series of serve" [ "$(find "$work/series" -type f | wc -l)" -eq 9 ]
golden serve/compare-replicas.txt compare serve/branches.yaml \
    --over config.Detect.replicas=2,3 --replications 20
golden serve/compare-service.txt compare serve/branches.yaml --over service=throughput,p99 \
    --replications 20
golden serve/engine.txt engine serve
# Epochs of a loader.
golden input/engine.txt engine input
golden input/run.txt run input/epoch.yaml
golden input/run.json run input/epoch.yaml --json
rm -rf "$work/series"
ends 0 run input/epoch.yaml --series "$work/series"
same input/run-waits.csv "$work/series/waits.csv"
same input/run-cdf.csv "$work/series/cdf.csv"
golden input/blocks.txt study input/blocks.yaml -o "$work/blocks.db"
golden input/report.txt report "$work/blocks.db"
golden input/compare.txt compare input/epoch.yaml \
    --over input.loader.mode=prefetch,synchronous --replications 20
# Spot slots that never come back.
spot="config.Detect={hardware: GX, batch: 8, replicas: 2, market: spot}"
ends 1 run serve/branches.yaml --set "$spot" --set "preemptions.outages=$PWD/serve/never.csv"
same serve/never.txt "$work/stdout"
stderr_says "40 queries never finished: no slot of Detect after 0.62 s"
ends 1 run serve/branches.yaml --set "$spot" --set "preemptions.outages=$PWD/serve/never.csv" \
    --set preemptions.in_flight=lose --json
same serve/never-lose.json "$work/stdout"
# What is no error, but said.
ends 0 run serve/branches.yaml --set service=notebook
expect "a run says what is wrong with the notebook" \
    grep -q "^warning: service: notebook takes the time of one query" "$work/stdout"
ends 0 run serve/branches.yaml --set arrivals.gamma.rate_qps=1000
expect "a run says that it is overloaded" \
    grep -q "^warning: more queries come than the configuration can do" "$work/stdout"
# Replica time, and a time, beyond 63 bits.
ends 1 run serve/branches.yaml --set "arrivals={constant: {rate_qps: 1e-6, count: 4600}}" \
    --set config.Rank.replicas=4096 --set config.Score.scale=none
stderr_says "bad parameter"
ends 1 run serve/branches.yaml --set "arrivals={deltas_ms: [4.6e12]}" --set service=p99 \
    --set "preemptions={hazard: {mtbf: 1 h, recover: 1 s}}" \
    --set "profiles=[{model: M, hardware: GX, batches: {1: {throughput_qps: 1, p99_ms: 1e12}}}]" \
    --set "pipeline=[{id: A, model: M, from: source}, {id: B, model: M, from: A}, {id: C, model: M, from: B},
        {id: D, model: M, from: C}, {id: E, model: M, from: D}]" \
    --set "config={A: {hardware: GX, batch: 1, replicas: 1}, B: {hardware: GX, batch: 1, replicas: 1},
        C: {hardware: GX, batch: 1, replicas: 1}, D: {hardware: GX, batch: 1, replicas: 1},
        E: {hardware: GX, batch: 1, replicas: 1}}"
stderr_says "bad parameter"
# A planner that cannot plan says why.
ends 1 run serve/branches.yaml --set config=exact --set "arrivals={deltas_ms: [0, 0]}"
stderr_says "no configuration was found: no arrival rate: all deltas are 0"
# So many samples that they are taken further apart.
ends 0 run serve/branches.yaml --set "output.samples=1 ns" --series "$work/series"
expect "not more than 20,000 samples" [ "$(wc -l <"$work/series/queue.csv")" -le 20001 ]
# ---- Plans of serving pipelines ----
for command in plan rate frontier check compare; do
    golden "help-serve-$command.txt" serve "$command" --help
done
# without_cpu NAME: stdout is as committed, without the CPU time at the end of rows.
without_cpu() {
    sed 's/ *[0-9]*\.[0-9]\{3\}$//' "$work/stdout" >"$work/without"
    same "$1" "$work/without"
}
ends 0 serve plan serve/plan.yaml
without_cpu serve/plan.txt
golden serve/stages.csv serve plan serve/plan.yaml --csv -
golden serve/plan.json serve plan serve/plan.yaml --method greedy --json
ends 0 serve compare serve/plan.yaml --csv "$work/compare.csv"
without_cpu serve/compare.txt
expect "compare writes a row for each planner" [ "$(wc -l <"$work/compare.csv")" -eq 4 ]
golden serve/rate.json serve rate serve/plan.yaml --set plan.budget=5 --method greedy --json
golden serve/frontier.txt serve frontier serve/plan.yaml --plot "$work/frontier.svg" \
    --set "frontier.slo=[150 ms, 80 ms, 10 ms, 300 ms]"
same serve/frontier.csv "$work/frontier.csv"
same serve/frontier.svg "$work/frontier.svg"
expect "objectives without a plan are shaded" grep -q "no plan" "$work/frontier.svg"
ends 0 serve frontier serve/plan.yaml --plot "$work/none.svg" --set "frontier.slo=[5 ms, 10 ms]"
expect "a picture says that no objective can be met" \
    grep -q "no configuration meets any of these objectives" "$work/none.svg"
expect "and shades nothing" sh -c '! grep -q "no plan" "$1"' sh "$work/none.svg"
ends 2 serve frontier serve/plan.yaml --plot serve/plan.svg
stderr_says "serve/plan.csv: is an input, which the output would replace"
golden serve/check.txt serve check serve/plan.yaml
golden serve/check.json serve check serve/plan.yaml --json
ends 1 serve check serve/plan.yaml --set "slo.latency=60 ms"
expect "the gate slo fails" grep -q "^slo  *detect" "$work/stdout"
ends 1 serve check serve/plan.yaml --set config.detect.hardware=small
expect "the gate throughput fails" grep -q "^throughput  *detect" "$work/stdout"
ends 1 serve plan serve/plan.yaml --set "slo.latency=10 ms" --json
expect "the gate that fails is named" grep -q '"infeasible": "latency"' "$work/stdout"
ends 1 serve rate serve/plan.yaml --set plan.budget=1
ends 2 serve rate serve/plan.yaml
stderr_says "serve/plan.yaml:2:1: plan.budget is needed"
ends 2 serve rate serve/plan.yaml --set plan.budget=5 --method polish
stderr_says "polish finds no highest rate; exact and greedy do"
ends 2 serve plan serve/plan.yaml --set service=notebook
stderr_says "a batch of n is n times too fast; plans need another service model"
ends 2 serve plan serve/plan.yaml --set "arrivals={deltas_ms: [0, 0]}"
stderr_says "no arrival rate: all deltas are 0"
ends 2 serve check serve/plan.yaml --set engine=train
stderr_says "unknown engine"
sed "s|plan.csv|$PWD/serve/plan.csv|; /^config:/,/^  label/d; /^frontier/d" serve/plan.yaml \
    >"$work/unplanned.yaml"
ends 0 serve plan "$work/unplanned.yaml"
ends 2 serve check "$work/unplanned.yaml"
stderr_says "config is needed: an option for each stage"
ends 2 serve frontier "$work/unplanned.yaml"
stderr_says "frontier.slo is needed"

# ---- Learned inputs ----
for command in estimate forecast pack-train; do
    golden "help-schedule-$command.txt" schedule "$command" --help
done
golden learned/rules.txt schedule pack-train learned/workloads.csv
golden learned/rules.json schedule pack-train learned/workloads.csv --depth 1 \
    --colocation learned/pairs.csv --json
golden learned/labels.csv schedule pack-train learned/workloads.csv \
    --colocation learned/pairs.csv -o -
golden learned/forecast.txt schedule forecast learned/throughput.csv \
    -o "$work/forecast.csv" --save-model "$work/scores.csv"
same learned/forecast.csv "$work/forecast.csv"
golden learned/forecast.csv schedule forecast learned/throughput.csv -o - \
    --model "$work/scores.csv" --evaluate-from "2024-05-30 20:00:00"
golden learned/forecast-all.txt schedule forecast learned/throughput.csv \
    -o "$work/forecast.csv" --model "$work/scores.csv"
expect "a forecast of every row" [ "$(wc -l <"$work/forecast.csv")" -eq 151 ]
golden learned/forecast.json schedule forecast learned/throughput.csv --json \
    --evaluate-from "2024-05-30 20:00:00" --choose-from "2024-05-30 15:00:00"
golden learned/forecast-log.csv schedule forecast --log jobs.csv -o -
golden learned/estimates.csv schedule estimate jobs.csv -o -
golden learned/estimates-noisy.csv schedule estimate jobs.csv --method noisy --sigma 0.5 \
    --seed 3 -o -
ends 0 schedule generate jobs.yaml --set jobs=1500 \
    --set "duration={family: lognormal, zeta: 6, sigma: 1}" -o "$work/many.csv"
golden learned/errors.txt schedule estimate "$work/many.csv" --from "7 d"
golden learned/errors-gam.json schedule estimate "$work/many.csv" --from "7 d" --method gam \
    --model "$work/durations.csv" --json
expect "scores of users and VCs have their names" \
    [ "$(grep -c -E ',(user,u1|vc,research),' "$work/durations.csv")" -eq 2 ]
ends 2 schedule estimate jobs.csv --method gam --model "$work/durations.csv"
stderr_says "jobs.csv: no model: it is fitted a week after the first submit"
ends 2 schedule forecast learned/throughput.csv --evaluate-from "2024-05-30 20:05:00"
stderr_says "--evaluate-from: no row begins at this time"
ends 2 schedule forecast learned/throughput.csv --choose-from "2024-05-31 00:50:00"
stderr_says "the time to choose settings on must begin before that of the forecast"
ends 2 schedule forecast learned/throughput.csv --choose-from 2024-05-31
stderr_says "--choose-from: expected a date and time such as"

# ---- A profile ----
num_checks=$((num_checks + 1))
(cd "$source" && "$spotsim" profile models/sample/seed-64) >"$work/stdout" ||
    fail "profile"
same profile.yaml "$work/stdout"

# ---- Published tables: each scenario runs, in memory or not ----
for model in bert-large gpt-2 gpt-3-2.7b; do
    sample=$source/models/sample/$model
    ends 0 run "$sample/scenario.yaml" --json
    expect "$model trains under varuna" grep -q '"kept": [1-9]' "$work/stdout"
    ends 0 run "$sample/scenario.yaml" --json \
        --set "recovery={system: oobleck, table: $sample/oobleck.csv, f: 0}"
    expect "$model trains under oobleck" grep -q '"kept": [1-9]' "$work/stdout"
done
ends 2 run "$sample/scenario.yaml" --set "recovery={system: bamboo, table: $sample/bamboo.csv}"
stderr_says "recovery.table: out of memory: "

# ---- A run in which the job never trained fails, with its reason ----
for form in "" --json; do
    # shellcheck disable=SC2086
    ends 1 run scenario.yaml --set job.pipeline_depth=4096 $form
    stderr_says "scenario.yaml: the job never ran: at no time were there enough ready"
    expect "it is written nevertheless" [ -s "$work/stdout" ]
done

# ---- A recorded trace leaves nothing to chance, nor do instances on demand ----
ends 0 compare scenario.yaml --recovery checkpoint,on-demand
expect "one replication beside a recorded trace" \
    grep -q "^2 points, 1 replication each" "$work/stdout"

# ---- Numbers: -0 is 0, .5 is 0.5 ----
ends 0 run generated.yaml --json --set trace.preemption.per_minute=0
cp "$work/stdout" "$work/zero.json"
ends 0 run generated.yaml --json --set trace.preemption.per_minute=-0
expect "a rate of -0 is a rate of 0" cmp -s "$work/zero.json" "$work/stdout"
ends 0 run generated.yaml --json --set trace.preemption.per_minute=0.5
cp "$work/stdout" "$work/half.json"
ends 0 run generated.yaml --json --set trace.preemption.per_minute=.5
expect "a rate of .5 is a rate of 0.5" cmp -s "$work/half.json" "$work/stdout"

# ---- A line that is too long ----
{
    sed -n '/^#/p' fit-trace.csv
    echo "time_s,event,count,instances"
    head -c 1048577 /dev/zero | tr '\0' 0
    echo
} >"$work/long.csv"
ends 2 trace describe "$work/long.csv"
stderr_says ":$(($(sed -n '/^#/p' fit-trace.csv | wc -l) + 2)):1: line longer than 1048576 bytes"
# ---- Advice ----
# advice NAME CODE ARGUMENT...: the answer, without the runs and the time of the search, and
# the files that it saves beside the job.
advice() {
    name=$1
    code=$2
    shift 2
    ends "$code" advise "$work/advice/job.yaml" "$@" --threads 2 --save "$work/advice" --quiet
    sed "/ alternatives in /,\$d; s|$work/||" "$work/stdout" >"$work/advised"
    same "advice/$name" "$work/advised"
}
rm -rf "$work/advice"
cp -r advice "$work/advice"
advice yes.txt 0 --steps 3000 --finish-by "2 d"
same advice/job.advice.yaml "$work/advice/job.advice.yaml"
same advice/job.advice-study.yaml "$work/advice/job.advice-study.yaml"
ends 0 run "$work/advice/job.advice.yaml" --quiet
ends 0 study "$work/advice/job.advice-study.yaml" --plan --quiet
advice yes.json 0 --steps 3000 --finish-by "2 d" --json
advice no.txt 1 --steps 12000 --finish-by "2 d"
same advice/no.advice.yaml "$work/advice/job.advice.yaml"
advice budget.txt 1 --steps 3000 --finish-by "2 d" --budget 60
advice now.txt 0 --steps 4000 --finish-by "2 d" --now advice/so-far.csv --progress 700
advice lost.json 3 --steps 6500 --finish-by "2 d" --now advice/so-far.csv --progress 300 --json
advice traces.txt 0 --steps 5000 --finish-by "2 d" --sure 0.8 --budget 500 \
    --trace advice/calm.csv --trace advice/rough.csv -o "$work/advice/page.html"
expect "the page has the answer" grep -q "<h3>The others</h3>" "$work/advice/page.html"
expect "a trace is named from the folder of the job" \
    grep -q "recordings: \[.*/advice/calm.csv" "$work/advice/job.advice.yaml"
ends 0 run "$work/advice/job.advice.yaml" --quiet
echo "scenario: mine" >"$work/advice/job.advice.yaml"
ends 2 advise "$work/advice/job.yaml" --steps 30 --finish-by "2 d" --save "$work/advice" --quiet
stderr_says "job.advice.yaml: exists and was not written by \`spotsim advise\`: move it away"
expect "it is as it was" grep -qx "scenario: mine" "$work/advice/job.advice.yaml"

# A log is converted in memory: the answer is that of its trace, and nothing is written but what
# --save names. What is saved names its files from there.
rm -rf "$work/advice"
cp -r advice "$work/advice"
until=2026-01-07T00:00:00Z
printf '%s\n' "# start: 2026-01-05T03:00:00Z" time_s,usd_per_h 0,0.9 36000,0.95 >"$work/advice/spot.csv"
sed 's/spot: 0.9/spot: {file: spot.csv}/' advice/job.yaml >"$work/advice/paid.yaml"
ends 0 trace convert advice/log.jsonl --until $until -o "$work/advice/log.csv"
find "$work/advice" | sort >"$work/files-before"
ends 0 advise "$work/advice/paid.yaml" --steps 3000 --finish-by "2 days" --threads 2 \
    --trace "$work/advice/log.csv"
stderr_says "the prices start at 2026-01-05T03:00:00Z, the trace log at 2026-01-05T00:00:00Z: \
both count as time 0, so the prices come 3 h too early"
sed 's/alternatives in [0-9.]* s/alternatives in T s/' "$work/stdout" >"$work/advised"
ends 0 advise "$work/advice/paid.yaml" --steps 3000 --threads 1 \
    --starts-at 2026-01-05T00:00:00Z --finish-by "2026-01-07 02:00 +02:00" \
    --trace "$work/advice/log.jsonl" --until $until
stderr_says "log.jsonl as a trace:"
sed "s/alternatives in [0-9.]* s/alternatives in T s/; s/more, with .*/more/
    s/ by 2026-01-07 02:00 +02:00, 2 d after the start:/ within 2 d:/" "$work/stdout" >"$work/normal"
sed "s/more, with .*/more/" "$work/advised" >"$work/expected"
expect "a log gives the answer of its trace, a date that of a duration" \
    sh -c 'tr -s " \n" " " <"$1" >"$1.1"; tr -s " \n" " " <"$2" | cmp "$1.1" -' \
    sh "$work/normal" "$work/expected"
find "$work/advice" | sort >"$work/files-after"
expect "nothing is written" cmp "$work/files-before" "$work/files-after"
# What the inputs are warned of is kept: in JSON, on the page, and with the rows of a study.
ends 0 advise "$work/advice/paid.yaml" --steps 3000 --finish-by "2 days" --threads 2 --json \
    --trace "$work/advice/log.jsonl" --until $until -o "$work/page.html"
for words in "warning: .*: the prices start at 2026-01-05T03:00:00Z, the trace log at" \
    "log.jsonl: uncertain: 7 losses without a cause follow a notice within 10 min"; do
    expect "JSON has $words" grep -q "^    \".*$words" "$work/stdout"
    expect "the page has $words" grep -q "<li>.*$words" "$work/page.html"
done
printf '%s\n' "study: warned" "scenario: scenario.yaml" "sweep: {job.reload: [47 s, 60 s]}" \
    "replications: {count: 2, seed: 1}" "metrics: [steps_executed, cost_usd]" >"$work/advice/warned.yaml"
sed 's/8: 19 s/8: 29 s/; s/^trace:/trace: {file: log.csv}/; /^  generator: seed/,$d' \
    "$work/advice/paid.yaml" >"$work/advice/scenario.yaml"
ends 0 study "$work/advice/warned.yaml" -o "$work/warned.db" --quiet --json
expect "JSON of a study has its warnings" grep -q '^    "scenario.yaml:.*the prices start at' "$work/stdout"
ends 0 report "$work/warned.db" -o "$work/page.html"
for words in "scenario.yaml:7:[0-9]*: job.step_time: a step of 8 instances takes longer (29 s) than" \
    "scenario.yaml:4:[0-9]*: .*the prices start at 2026-01-05T03:00:00Z"; do
    expect "the page of a report has $words" grep -q "Warning: $words" "$work/page.html"
done
ends 0 report "$work/warned.db"
expect "a report has the warnings" grep -q "Warning: scenario.yaml:7:" "$work/stdout"
rm -f "$work/warned.db" "$work/page.html"
(cd "$work/advice" && "$spotsim" advise paid.yaml --steps 3000 --finish-by 2026-01-08T12:00:00Z \
    --trace log.jsonl --now log.jsonl --progress 2000 --until $until --quiet --threads 2 \
    --save saved/ >"$work/stdout")
code=$?
expect "of a job that runs: exit code $code" [ $code -eq 0 ]
for name in log.jsonl.trace.csv paid.advice.yaml paid.advice-study.yaml; do
    expect "$name is saved" [ -f "$work/advice/saved/$name" ]
done
rm -rf "$work/saved"
mv "$work/advice/saved" "$work/saved"
mv "$work/advice/spot.csv" "$work/spot.csv"
ends 0 run "$work/saved/paid.advice.yaml" --quiet
ends 0 study "$work/saved/paid.advice-study.yaml" --plan --quiet
sed '/^# made_by/d; /^# source/d' "$work/saved/log.jsonl.trace.csv" >"$work/normal"
sed '/^# source/d' "$work/advice/log.csv" >"$work/expected"
expect "the trace is that of trace convert" cmp "$work/normal" "$work/expected"
"$spotsim" advise --help >"$work/normal"
"$spotsim" trace convert --help | sed -n 's/^ .* \(--[a-z-]*\)[= ].*/\1/p' |
    grep -vxe --output -e --json -e --now >"$work/expected"
expect "trace convert has options" [ "$(wc -l <"$work/expected")" -gt 17 ]
while read -r option; do
    expect "advise has $option" grep -q -e "^ .* $option\\b" "$work/normal"
done <"$work/expected"
# Warnings without ends: the way out.
grep Warning advice/log.jsonl >"$work/advice/warnings.jsonl"
ends 2 advise "$work/advice/job.yaml" --steps 3000 --finish-by "2 days" \
    --trace "$work/advice/warnings.jsonl"
stderr_says "7 notices of a preemption and not one end of an instance"
ends 0 advise "$work/advice/job.yaml" --steps 3000 --finish-by "2 days" --threads 2 \
    --trace "$work/advice/warnings.jsonl" --notice 120s --initial 8 --until $until
stderr_says "7 notices without a loss count as preemptions"
stderr_says "8 running at the start, 1 at the end; 7 preempted"
rm -rf "$work/saved" "$work/spot.csv"
rm -rf "$work/advice" "$work/advised"
golden fleet-replay.csv trace generate advice/fleet-replay.yaml --seed 3 --replication 1

# ---- Broken outputs ----
# No output replaces an input, nor another output.
for name in scenario.yaml study.yaml model.yaml recorded.csv compare-mrp.yaml; do
    cp "$name" "$work/kept-$name"
    cp "$name" "$work/kept-${name%.*}" # an ending that no output refuses
done
cp named.csv generated.yaml "$work"
while read -r input arguments; do
    # shellcheck disable=SC2086
    (cd "$work" && "$spotsim" $arguments >/dev/null 2>"$work/stderr")
    code=$?
    expect "spotsim $arguments: exit code $code" [ $code -eq 2 ]
    stderr_says "kept-$input: is an input, which the output would replace"
    for original in "$input" "$input.yaml" "$input.csv"; do
        [ ! -f "$original" ] || break
    done
    expect "$original is as it was" cmp "$original" "$work/kept-$input"
done <<'END'
scenario run kept-scenario --events kept-scenario
scenario compare kept-scenario --recovery checkpoint,bamboo --csv kept-scenario
study study kept-study -o kept-study
model trace generate kept-model -o ./kept-model
recorded.csv trace convert kept-recorded.csv -o kept-recorded.csv
recorded trace describe kept-recorded -o kept-recorded
recorded.csv trace describe kept-recorded.csv --csv kept-recorded.csv
recorded trace fit kept-recorded --emit replay -o kept-recorded
recorded.csv trace compare kept-compare-mrp.yaml kept-recorded.csv --csv kept-recorded.csv
END
# No output has the ending of another format.
while read -r endings arguments; do
    # shellcheck disable=SC2086
    ends 2 $arguments
    stderr_says "expected a $endings"
done <<'END'
file run scenario.yaml --events x.pdf
file run scenario.yaml --plot x.png
file study study.yaml -o x.pdf
file study study.yaml -o x.json
file study study.yaml -o x.HTML
file compare scenario.yaml --recovery checkpoint,bamboo --csv x.json
file report x.db -o x.pdf
file report x.db --markdown x.html
file export x.db -o x.json
file export x.db --jsonl -o x.csv
file merge x.csv y.db
file profile . -o x.json
file model fit x.csv -o x.xlsx
file trace convert recorded.csv -o x.json
file trace generate model.yaml -o x.pdf
text trace describe recorded.csv -o x.json
file trace describe recorded.csv --json -o x.csv
file trace fit recorded.csv --emit mrp -o x.csv
text trace compare compare-mrp.yaml recorded.csv -o x.svg
END
ends 2 trace describe recorded.csv -o "$work/shared" --csv "$work/shared"
stderr_says "two outputs cannot go to one file"
ends 1 trace compare compare-mrp.yaml compare-first.csv --csv /nonexistent/x --replications 1000000000
if [ -c /dev/full ]; then
    ends 1 run scenario.yaml --events /dev/full
    stderr_says "/dev/full: cannot write: No space left on device"
    ends 1 study study.yaml -o /dev/full
    stderr_says "/dev/full: cannot write: No space left on device"
    ends 1 compare scenario.yaml --recovery "$systems" --csv /dev/full
    stderr_says "/dev/full: cannot write: No space left on device"
    ends 1 trace convert convert/bamboo.csv -o /dev/full
    stderr_says "/dev/full: cannot write: No space left on device"
    ends 1 trace generate model.yaml -o /dev/full
    stderr_says "/dev/full: cannot write: No space left on device"
    ends 1 trace describe recorded.csv --csv /dev/full
    stderr_says "/dev/full: cannot write: No space left on device"
    for arguments in "run scenario.yaml" "run scenario.yaml --json" "study study.yaml" \
        "study study.yaml -o -" "trace generate model.yaml" \
        "trace describe recorded.csv" "trace describe recorded.csv --csv -" \
        "recovery" "recovery checkpoint --json" \
        "profile ../../../models/sample/seed-64" "--help" "--version" "help" \
        "help --man=spotsim.1"; do
        num_checks=$((num_checks + 1))
        # shellcheck disable=SC2086
        "$spotsim" $arguments >/dev/full 2>"$work/stderr"
        code=$?
        [ $code -eq 1 ] || fail "spotsim $arguments >/dev/full: exit code $code"
        stderr_says "standard output: cannot write"
    done
fi

# Pictures need no other program.
draws() {
    rm -f "$work/no.svg"
    PATH='' "$spotsim" "$@" "$work/no.svg" >/dev/null 2>"$work/stderr"
    code=$?
    expect "$1 draws: exit code $code" [ $code -eq 0 ]
    expect "$1 draws a whole picture" grep -q "</svg>" "$work/no.svg"
}
draws run scenario.yaml --plot
draws study study.yaml --plot
draws compare scenario.yaml --recovery "$systems" --plot
draws compare scenario.yaml --recovery "$systems" --plot-progress
rm -f "$work/no.svg"
ends 2 compare scenario.yaml --recovery "$systems" --plot "$work/no.svg" \
    --plot-progress "$work/no.svg"
stderr_says "two outputs cannot go to one file"

# What would be an empty frame is no picture, and says why; the table is there, and a
# picture that was there survives.
echo kept >"$work/kept.svg"
ends 1 study study.yaml --set "trace.preemption.per_minute=[0]" --set "metrics=[mtbp_s]" \
    --set "plot={x: job.pipeline_depth, y: mtbp_s}" --plot "$work/kept.svg"
stderr_says "kept.svg: nothing can be drawn: what it would draw is undefined at all points: mtbp_s"
expect "no empty picture" [ "$(cat "$work/kept.svg")" = kept ]
expect "the table without a picture" grep -q "^2 points, 20 replications" "$work/stdout"

ends 1 study study.yaml -o "$work/no/such/folder.csv"
stderr_says "cannot write: No such file or directory"
if [ "$(id -u)" -ne 0 ]; then
    mkdir -p "$work/locked"
    echo kept >"$work/locked/kept.csv"
    chmod 555 "$work/locked"
    ends 1 study study.yaml -o "$work/locked/kept.csv"
    stderr_says "cannot write: Permission denied"
    expect "a result that is there survives" [ "$(cat "$work/locked/kept.csv")" = kept ]
    chmod 755 "$work/locked"
fi

# ---- An interrupt ----
# The handler is there, and then the threads: /proc tells, else time has to do.
is_running() {
    if [ -r "/proc/$pid/status" ]; then
        set -- "/proc/$pid/task"/*
        [ $# -ge 2 ] && grep -q '^SigCgt:.*[2367abef]$' "/proc/$pid/status"
    else
        sleep 2
    fi
}

# interrupted HEAD ARGUMENT...: it would take minutes; once its process runs, it is
# interrupted until it heeds. What was done begins as the CSV in HEAD does.
interrupted() {
    head=$1
    shift
    rm -f "$work/long.csv" "$work/long.csv.partial"
    "$spotsim" "$@" "$work/long.csv" >"$work/stdout" 2>"$work/stderr" &
    pid=$!
    tries=0
    until is_running || [ $tries -ge 200 ]; do
        sleep 0.05
        tries=$((tries + 1))
    done
    kill -INT $pid
    wait $pid
    code=$?
    num_checks=$((num_checks + 1))
    [ $code -eq 130 ] || fail "an interrupted $1: exit code $code"
    stderr_says "what was done so far is in $work/long.csv.partial"
    stderr_says "spotsim: interrupted"
    expect "nothing is left under the final name" [ ! -e "$work/long.csv" ]
    expect "what was done is kept" \
        [ "$(head -n 1 "$work/long.csv.partial")" = "$(head -n 1 "$head")" ]
    expect "nothing else is left" [ "$(echo "$work"/long*)" = "$work/long.csv.partial" ]
    expect "nothing is printed" [ ! -s "$work/stdout" ]
}
interrupted study.csv study study.yaml --set replications.count=1000000 --threads 2 -o
interrupted compare-generated.csv compare generated.yaml --recovery "$systems" \
    --replications 1000000 --threads 2 --csv

# Many jobs on one cluster: the result, lines of progress, and the series.
golden cluster/run.txt run cluster/small.yaml --series "$work/cluster"
same cluster/progress.txt "$work/stderr"
for name in jobs job_details per_vc cdf seq_a seq_all nodes progress; do
    same "cluster/$name.csv" "$work/cluster/$name.csv"
done
expect "a VC without jobs has no samples" [ "$(wc -l <"$work/cluster/seq_c.csv")" -eq 1 ]
ends 0 run cluster/small.yaml --set stepping=every-second --series "$work/by-second" -q
expect "every second gives the same series" diff -r "$work/cluster" "$work/by-second"
rm -rf "$work/cluster" "$work/by-second"
golden cluster/run.json run cluster/small.yaml --set compat=lucid --json -q
golden cluster/compare.txt compare cluster/small.yaml --over policy=fifo,tiresias -q
# jobs that are left make a run fail, which prints its result all the same
ends 1 run cluster/small.yaml --set "horizon=900 s" -q
stderr_says "cluster/small.yaml: the horizon is reached: 3 jobs have not ended: 5 (12 GPUs in a), 6 (1 GPU in a), "
expect "its result is printed" grep -q "^unfinished  *3  jobs$" "$work/stdout"

# One run of years, in steps of a millisecond.
"$spotsim" run generated.yaml --set "horizon=30000 d" --set "tick=1 ms" \
    --set trace.preemption.per_minute=1 --set trace.addition.per_minute=1 \
    --json >"$work/stdout" 2>"$work/stderr" &
pid=$!
tries=0
until { grep -q '^Name:.*spotsim' "/proc/$pid/status" && # no longer this shell
    grep -q '^SigCgt:.*[2367abef]$' "/proc/$pid/status"; } 2>/dev/null || [ $tries -ge 200 ]; do
    sleep 0.05
    tries=$((tries + 1))
done
kill -INT $pid
sleep 1
expect "an interrupted run ends within a second" [ ! -r "/proc/$pid/stat" ] ||
    kill -KILL $pid
wait $pid
code=$?
expect "an interrupted run: exit code $code" [ $code -eq 130 ]
stderr_says "spotsim: interrupted"
expect "nothing is printed of it" [ ! -s "$work/stdout" ]

rm -rf "$work/traces" "$work/locked" "$work/series" "$work"/*.csv "$work"/*.yaml "$work"/*.gz "$work"/*.partial \
    "$work"/*.svg "$work"/*.jsonl
[ "$is_update" != --update ] || echo "the texts of cli/ are written anew"
echo "$num_checks checks, $num_failed failed"
[ $num_failed -eq 0 ]
