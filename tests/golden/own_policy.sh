#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# own_policy.sh SPOTSIM SOURCE_DIR WORK_DIR: a spotsim with share/examples/policy_mine.c in its list
# of scheduling policies runs, compares, studies and reports it, and no line of a room names it.
set -eu
spotsim=$1
rm -rf "$3"
mkdir -p "$3"
cd "$3"

fail() {
    echo "$*" >&2
    exit 1
}

# expect FILE TEXT...: each text is in the file.
expect() {
    file=$1
    shift
    for text in "$@"; do
        grep -qF -e "$text" "$file" || { cat "$file" >&2; fail "$file: no \"$text\""; }
    done
}

# The engine does not know the example; the example is at most 100 lines long.
for room in base models traces sim reports cli cmake; do
    if grep -rnE 'policy_mine[^.]|PATIENCE_S' "$2/$room"; then
        fail "$room knows the example"
    fi
done
[ "$(wc -l <"$2/share/examples/policy_mine.c")" -le 100 ] || fail "more than 100 lines"

# Two nodes of 8 GPUs. Jobs 3 and 4 overtake job 2, which needs both nodes; job 9 does within
# the hour; job 8 comes later and waits behind job 2.
cat >jobs.csv <<'END_OF_JOBS'
job_id,vc,gpu_num,submit_time,duration
1,a,8,0,600
2,a,16,10,300
3,a,4,20,100
4,a,4,20,50
5,a,12,30,200
6,a,1,130,5000
7,a,8,190,30
9,a,4,3500,100
8,a,4,3700,100
END_OF_JOBS
cat >mine.yaml <<'END_OF_SCENARIO'
scenario: mine
engine: schedule
jobs: {log: jobs.csv}
cluster: {vcs: {a: 2}, price: 10}
policy: mine
END_OF_SCENARIO
cat >expected.csv <<'END_OF_JOBS'
job_id,start,end,queue
1,0,600,0
2,5130,5430,5120
3,20,120,0
4,20,70,0
5,600,800,570
6,130,5130,0
7,800,830,610
8,5430,5530,1730
9,3500,3600,0
END_OF_JOBS

# ---- Its place in the list ----
"$spotsim" engine schedule >engine.txt
expect engine.txt "Values of policy:" "jobs overtake one that cannot be placed" "Source: an example."
"$spotsim" engine schedule --json >engine.json
expect engine.json '"name": "mine"' '"source": "an example"'
"$spotsim" help --man=spotsim-engine-schedule.5 >schedule.5
expect schedule.5 ".SH VALUES OF POLICY" "an example"
printf 'scenario: x\nengine: schedule\njobs: {log: jobs.csv}\ncluster: {vcs: {a: 2}}\npolicy: mime\n' >near.yaml
status=0
"$spotsim" run near.yaml >/dev/null 2>near.txt || status=$?
[ "$status" -eq 2 ] || fail "an unknown policy ended with $status"
expect near.txt 'near.yaml:5:9: policy: unknown policy "mime", did you mean "mine"?'

# ---- One run by hand, in both ways of stepping ----
"$spotsim" run mine.yaml --series due >run.txt
cmp expected.csv due/jobs.csv
"$spotsim" run mine.yaml --set stepping=every-second --series every >/dev/null
cmp expected.csv every/jobs.csv

# ---- Many jobs: the same in both ways of stepping and for any number of threads ----
cat >many.yaml <<'END_OF_SCENARIO'
scenario: many
engine: schedule
jobs:
  generate: {per_hour: 20, horizon: 1 d, sizes: {1: 5, 4: 3, 8: 2, 16: 1}, duration: {family: exponential, mu: 1800}, checkpoint: {every: 300 s, write: 20 s}}
cluster: {vcs: {a: 4, b: 3}, spot_share: 0.5, price: 8}
pools: [{trace: {generator: lifetimes, lifetime: {family: exponential, mu: 14400}, refill: {family: exponential, mu: 1200}}, price: {spot: 3}}]
END_OF_SCENARIO
for policy in mine fifo; do
    for seed in 1 2 3; do
        "$spotsim" run many.yaml --set policy=$policy --seed $seed --series due >/dev/null
        "$spotsim" run many.yaml --set policy=$policy --set stepping=every-second --seed $seed --series every >/dev/null
        cmp due/job_details.csv every/job_details.csv
    done
done
"$spotsim" compare many.yaml --over policy=fifo,mine --replications 8 --threads 1 --csv one.csv \
    -o compare.db >compare.txt 2>/dev/null
"$spotsim" compare many.yaml --over policy=fifo,mine --replications 8 --threads 3 --csv three.csv \
    >/dev/null 2>&1
cmp one.csv three.csv
expect compare.txt "2 points, 8 replications each" "difference to policy = fifo"
awk -F, '$3 == "avg_queue" { queue[$2] = $7 } END { exit !(queue["mine"] < queue["fifo"]) }' one.csv ||
    fail "jobs that overtake wait less in the mean"
"$spotsim" report compare.db -o compare.html 2>/dev/null
expect compare.html "mine"
echo "a policy of one's own is run, compared and reported, on reserved and on spot nodes"
