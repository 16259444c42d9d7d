#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# run.sh SPOTSIM WORK_DIR: every bad input gives exactly its expected messages on stderr,
# nothing on stdout, and exit code 2. FOLDER/NAME.expected belongs to FOLDER/NAME (.csv,
# .yaml or a folder); command_line/NAME.args is a command line, one argument a line;
# convert/NAME.options has further arguments.
set -u
spotsim=$1
work=$2
num_expected=1333
cd "$(dirname "$0")" || exit 1
mkdir -p "$work" || exit 1
# The program's messages, whatever the terminal of the tester speaks.
unset COLUMNS
LC_ALL=C
export LC_ALL
num_cases=0
num_failed=0

# check NAME EXPECTED ARGUMENT...
check() {
    name=$1
    expected=$2
    shift 2
    "$spotsim" "$@" >"$work/stdout" 2>"$work/stderr" </dev/null
    code=$?
    num_cases=$((num_cases + 1))
    if [ $code -ne 2 ] || [ -s "$work/stdout" ] ||
        ! cmp -s "$expected" "$work/stderr"; then
        num_failed=$((num_failed + 1))
        echo "--- $name: exit code $code; expected and got:"
        diff -u "$expected" "$work/stderr"
        head -c 1000 "$work/stdout"
    fi
}

for expected in trace/*.expected; do
    check "$expected" "$expected" run base.yaml --trace "${expected%.expected}.csv"
done
for expected in scenario/*.expected; do
    check "$expected" "$expected" run "${expected%.expected}.yaml"
done
for expected in schedule/*.expected; do
    check "$expected" "$expected" run "${expected%.expected}.yaml"
done
for expected in serve/*.expected; do
    check "$expected" "$expected" run "${expected%.expected}.yaml"
done
for expected in input/*.expected; do
    check "$expected" "$expected" run "${expected%.expected}.yaml"
done
for expected in study/*.expected; do
    check "$expected" "$expected" study "${expected%.expected}.yaml"
done
for expected in model/*.expected; do
    check "$expected" "$expected" trace generate "${expected%.expected}.yaml"
done
for expected in laws/*.expected; do
    check "$expected" "$expected" schedule generate "${expected%.expected}.yaml"
done
for expected in queries/*.expected; do
    check "$expected" "$expected" serve gen "${expected%.expected}.yaml"
done
for expected in deltas/*.expected; do
    check "$expected" "$expected" serve fit "${expected%.expected}.txt"
done
placed=../golden/cli/input
for expected in place_cluster/*.expected; do
    check "$expected" "$expected" input place "${expected%.expected}.yaml" "$placed/jobs.yaml"
done
for expected in place_jobs/*.expected; do
    check "$expected" "$expected" input place "$placed/cluster.yaml" "${expected%.expected}.yaml"
done
for expected in points/*.expected; do
    check "$expected" "$expected" input search "${expected%.expected}.csv"
done
for expected in tasks/*.expected; do
    check "$expected" "$expected" tasks "${expected%.expected}.log"
done
log=../golden/cli/tasks/run.jsonl
for expected in task_edges/*.expected; do
    check "$expected" "$expected" tasks $log --edges "${expected%.expected}.jsonl"
done
for expected in steps/*.expected; do
    check "$expected" "$expected" model fit "${expected%.expected}.csv"
done
for expected in profile/*.expected; do
    check "$expected" "$expected" profile "${expected%.expected}"
done
for expected in jobs/*.expected; do
    check "$expected" "$expected" schedule check "${expected%.expected}.csv"
done
learned=../golden/cli/learned
for expected in throughput/*.expected; do
    check "$expected" "$expected" schedule forecast "${expected%.expected}.csv"
done
for expected in scores/*.expected; do
    check "$expected" "$expected" schedule forecast "$learned/throughput.csv" \
        --model "${expected%.expected}.csv"
done
for expected in workloads/*.expected; do
    check "$expected" "$expected" schedule pack-train "${expected%.expected}.csv"
done
for expected in pairs/*.expected; do
    check "$expected" "$expected" schedule pack-train "$learned/workloads.csv" \
        --colocation "${expected%.expected}.csv"
done
for expected in convert/*.expected; do
    input=${expected%.expected}
    set --
    if [ -e "$input.options" ]; then
        while IFS= read -r argument; do
            set -- "$@" "$argument"
        done <"$input.options"
    fi
    if [ -d "$input" ]; then
        check "$expected" "$expected" trace convert "$input/node.csv" "$input/term.csv"
    else
        check "$expected" "$expected" trace convert "$input.csv" "$@"
    fi
done
for expected in prices/*.expected; do
    check "$expected" "$expected" price convert "${expected%.expected}.txt"
done
for expected in command_line/*.expected; do
    set --
    while IFS= read -r argument; do
        set -- "$@" "$argument"
    done <"${expected%.expected}.args"
    check "$expected" "$expected" "$@"
done

# Files that are made here: too large, too deep, or not to be read.
made() {
    name=$1
    message=$2
    shift 2
    echo "$message" >"$work/expected"
    check "$name" "$work/expected" "$@"
}

head -c 100000 /dev/zero | tr '\0' '[' >"$work/nested.yaml"
made "100,000 brackets" "$work/nested.yaml:1:65: nested more than 64 levels deep" \
    run "$work/nested.yaml"
head -c 5242880 /dev/zero | tr '\0' '#' >"$work/large.yaml"
made "5 MiB" "$work/large.yaml: larger than 4 MiB" run "$work/large.yaml"
mkdir -p "$work/folder"
made "a folder as scenario" "$work/folder: cannot open: Is a directory" \
    run "$work/folder"
made "a folder as trace" "$work/folder: cannot open: Is a directory" \
    run base.yaml --trace "$work/folder"
rm -f "$work/pipe"
mkfifo "$work/pipe"
made "a pipe as log" "$work/pipe: expected a file: a pipe can be read only once, and its begin says what it is" \
    trace convert "$work/pipe"
rm -f "$work/first.db" "$work/pipe"
"$spotsim" study ../golden/cli/study.yaml --set replications.count=2 -o "$work/first.db" \
    >"$work/log" 2>&1 || cat "$work/log"
made "two databases, the second is missing" "$work/nowhere.db: there is no such database" \
    report "$work/first.db" "$work/nowhere.db"
made "two databases, the second is none" \
    "command_line/no_database.db: this is no SQLite database; use another name" \
    report "$work/first.db" command_line/no_database.db
rm -f "$work/first.db" "$work/log"
if [ "$(id -u)" -ne 0 ]; then
    cp base.yaml "$work/unreadable.yaml"
    chmod 0 "$work/unreadable.yaml"
    made "an unreadable scenario" "$work/unreadable.yaml: cannot open: Permission denied" \
        run "$work/unreadable.yaml"
    rm -f "$work/unreadable.yaml"
fi
{
    head -n 1 $log
    head -c 1048600 /dev/zero | tr '\0' x
    echo
} >"$work/long.jsonl"
made "a line above 1 MB" "$work/long.jsonl:2: the line is above 1 MB" tasks "$work/long.jsonl"
rm -f "$work/long.jsonl"
rm -rf "$work/nested.yaml" "$work/large.yaml" "$work/folder"

# Measured runs of a data loader. refused NAME MESSAGE PLACE: the message starts with the
# place, a file or folder in the runs; then they are made anew.
runs=$work/runs
make_runs() {
    rm -rf "$runs"
    sh ../golden/make_runs.sh "$runs"
    baseline=$runs/baseline1/tiny/run1/local/sim_compute_time=0.5
    ours=$runs/ours/tiny/run1/local/sim_compute_time=0.5
}
refused() {
    made "input table: $1" "$2" input table -q "$runs"
    make_runs
}
make_runs
made "input table: another data set" \
    "$runs: has no runs of the data set \"large\", but of: tiny" \
    input table "$runs" --dataset large
made "input table: another mode" "$runs: has no runs of the mode \"remote\", but of: local" \
    input table "$runs" --mode remote
mv "$runs/baseline1" "$runs/baseline"
made "input fit: no baseline" "$runs: has no runs of baseline1 with one entry per sample" \
    input fit -q "$runs"
make_runs
mv "$runs/ours/tiny" "$runs/ours/small"
refused "two data sets" "$runs: has runs of more than one data set, choose one: tiny, small"
mv "$runs/ours/tiny/run1/local" "$runs/ours/tiny/run1/remote"
refused "two modes" "$runs: has runs of more than one mode, choose one: local, remote"
rm -r "$runs/baseline1" "$runs/ours"
refused "no runs" "$runs: expected runs in folders KIND/DATASET/run<R>/MODE/sim_compute_time=<S> of the kinds baseline1 and ours"
mv "$runs/baseline1/tiny/run1" "$runs/baseline1/tiny/runA"
rm -r "$runs/baseline1/tiny/runA/local/sim_compute_time=1.0"
refused "a run without a number" \
    "$runs/baseline1/tiny/runA/local/sim_compute_time=0.5/: expected a folder run<R> with an integer R from 1 to 9999, got 'runA'"
for name in sim_compute_time sim_compute_time= sim_compute_time=-1 sim_compute_time=fast \
    sim_compute_time=1-block_size=0 sim_compute_time=1-threads=2; do
    mv "$baseline" "$runs/baseline1/tiny/run1/local/$name"
    refused "$name" "$runs/baseline1/tiny/run1/local/$name/: expected the name sim_compute_time=<S>[-block_size=<B>] with seconds S >= 0 and an integer B >= 1"
done
for array in data_load_time compute_time io_time processing_time memory; do
    rm "$baseline/$array".*
    refused "no $array" "$baseline/$array.npy: cannot open: No such file or directory"
done
cp -r "$baseline" "${baseline}0"
refused "a sim twice" "${baseline}0/: the same run and sim as $baseline/, which baseline1 may have once"
cp "$baseline/io_time.npy" "$baseline/compute_time.npy"
refused "other computations than waits" "$baseline/compute_time.npy: expected as many entries as data_load_time.npy has, 6, or one less, got 4"
for setting in 2 2,3,4 0,3 2,0 2.5,3 ""; do
    echo "$setting" >"$ours/opt_config"
    refused "opt_config $setting" "$ours/opt_config:1: expected two integers >= 1: THREADS,BLOCK"
done
printf '2,3\n4,5\n' >"$ours/opt_config"
refused "opt_config of two lines" "$ours/opt_config:2: expected two integers >= 1: THREADS,BLOCK"
echo threads,block_size,batch_completion_time >"$ours/search.csv"
refused "columns of search.csv" "$ours/search.csv:1:1: missing columns: threadpool_size"
# probe ROW COLUMN PROBLEM
probe() {
    printf '%s\n' threadpool_size,block_size,batch_completion_time "$1" >"$ours/search.csv"
    refused "search.csv $1" "$ours/search.csv:2:$2: $3"
}
probe 0,2,1 1 "threadpool_size: expected an integer from 1 to 4096, got '0'"
probe 1,0,1 3 "block_size: expected an integer from 1 to 1000000000000, got '0'"
probe 1,2,0 5 "batch_completion_time: expected seconds above 0, got '0'"
probe 1,2,nan 5 "batch_completion_time: expected seconds above 0, got 'nan'"
rm -rf "$runs"

# quoted MESSAGE ARGUMENT...: the first line is the message, and no byte is one that a terminal obeys;
# the rest says where help is.
quoted() {
    message=$1
    shift
    "$spotsim" "$@" >"$work/stdout" 2>"$work/stderr" </dev/null
    code=$?
    num_cases=$((num_cases + 1))
    if [ $code -ne 2 ] || [ -s "$work/stdout" ] || grep -q '[^ -~]' "$work/stderr" ||
        [ "$(head -n 1 "$work/stderr")" != "$message" ]; then
        num_failed=$((num_failed + 1))
        printf '%s\n' "--- exit code $code; expected and got:" "$message"
        cat -v "$work/stderr"
    fi
}

# What a message quotes of a command line is escaped, in all commands.
escape=$(printf '\033]0;x\007')
"$spotsim" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z ]*[a-z]\)  .*/\1/p' >"$work/commands"
while IFS= read -r command; do
    # shellcheck disable=SC2086
    quoted "spotsim $command: unrecognized option '--\x1b]0;x\x07=1'" $command "--$escape=1"
    # shellcheck disable=SC2086
    quoted "spotsim $command: unrecognized option '--unknown=\x1b]0;x\x07'" \
        $command "--unknown=$escape"
done <"$work/commands"
quoted "spotsim run: option '--se=\x1b]0;x\x07' is ambiguous; possibilities: '--seed' '--set' '--series'" \
    run "--se=$escape"
quoted "spotsim run: invalid option -- '\x1b'" run "-$escape"
rm -f "$work/commands"

echo "$num_cases cases, $num_failed failed"
if [ $num_cases -lt $num_expected ]; then
    echo "expected at least $num_expected cases"
    exit 1
fi
if [ -e part.db ]; then
    echo "a refused command made a database"
    exit 1
fi
[ $num_failed -eq 0 ]
