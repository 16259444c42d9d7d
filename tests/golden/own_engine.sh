#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# own_engine.sh SPOTSIM SOURCE_DIR WORK_DIR: a spotsim with share/examples/engine_queue.c in its list
# of engines does with it all that the bench can do, and no line of the bench names it.
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

# The bench does not know the example; the example is at most 200 lines long.
for room in base models traces sim reports cli cmake; do
    if grep -rnE 'engine_queue|wait_p99_s|services_per_s' "$2/$room"; then
        fail "$room knows the example"
    fi
done
[ "$(wc -l <"$2/share/examples/engine_queue.c")" -le 200 ] || fail "more than 200 lines"

printf 'scenario: desk\nengine: queue\ncustomers: 2000\nwarm_up: 100\n' >queue.yaml

# ---- The engine, its help and its manual page ----
"$spotsim" engine >engines.txt
expect engines.txt "train       One elastic" "queue       Customers who queue for servers"
"$spotsim" engine queue >engine.txt
expect engine.txt "servers: integer from 1 to 1000" "(default 1.6)" \
    "wait_mean_s (s): time, lower is better" "busy_fraction.server-1: share" "queue: levels"
if grep -q 'busy_fraction.server-2' engine.txt; then fail "the example has two servers"; fi
"$spotsim" engine queue --json >engine.json
expect engine.json '"name": "busy_fraction.server-0"' '"ticks_per_s": 1000000000'
"$spotsim" help --man=list >pages.txt
expect pages.txt "spotsim-engine-queue.5"
"$spotsim" help --man=spotsim-engine-queue.5 >queue.5
expect queue.5 "services_per_s" "busy_fraction.server\\-1" ".SH SERIES"

# ---- One replication and its series ----
"$spotsim" run queue.yaml --set servers=4 --seed 3 --series series >run.txt
expect run.txt "desk: engine queue, seed 3, replication 0" "busy_fraction.server-3"
[ "$(head -1 series/queue.csv)" = "time_ns,length_customers" ] || fail "the head of the series"
[ "$(sed -n 2p series/queue.csv)" = "0,0" ] || fail "the start of the series"
"$spotsim" run queue.yaml --plot run.html >/dev/null 2>&1
expect run.html '"kind": "total", "name": "customers"' '"name": "length"'
if grep -q '"kind": "curve"' run.html; then fail "the example has no curve"; fi
"$spotsim" run queue.yaml --json >run.json
expect run.json '"engine": "queue"' '"utilisation": {'

# ---- Bad input ----
printf 'scenario: desk\nengine: queu\n' >bad-engine.yaml
printf 'scenario: desk\nengine: queue\nservers: 0\nfleet: 3\n' >bad-keys.yaml
printf 'study: bad\nscenario: queue.yaml\nmetrics: [wait_men_s]\n' >bad-metric.yaml
for what in "run bad-engine" "run bad-keys" "study bad-metric"; do
    status=0
    "$spotsim" ${what% *} "${what#* }.yaml" >/dev/null 2>"${what#* }.txt" || status=$?
    [ "$status" -eq 2 ] || fail "spotsim $what ended with $status"
done
expect bad-engine.txt 'bad-engine.yaml:2:9: engine: unknown engine "queu", did you mean "queue"?'
expect bad-keys.txt "bad-keys.yaml:3:10: servers: expected an integer from 1 to 1000" \
    'bad-keys.yaml:4:1: unknown key "fleet"'
expect bad-metric.txt 'did you mean "wait_mean_s"?'

# ---- A sweep whose points differ in metrics ----
cat >servers.yaml <<'END'
study: servers
question: How many servers does the desk need?
scenario: queue.yaml
sweep: {servers: [1, 2, 4], arrivals_per_s: {from: 0.2, to: 0.8, points: 3}}
replications: {count: 20}
series: [0, 3]
END
"$spotsim" study servers.yaml -o servers.db >servers.txt 2>messages.txt
"$spotsim" export servers.db -o whole.csv
if grep -iE 'warning:|nan' servers.txt messages.txt whole.csv; then fail "a warning or nan"; fi
[ "$(head -1 whole.csv)" = "point,servers,arrivals_per_s,replication,wait_mean_s,wait_p99_s,\
utilisation,busy_fraction.server-0,busy_fraction.server-1,busy_fraction.server-2,\
busy_fraction.server-3,warnings" ] || fail "the columns are not the union of the points' metrics"
awk -F, 'NR > 1 { # busy_fraction.server-J is in column 8 + J, and empty where there is none
    num++
    for (j = 0; j < 4; j++) {
        if (($(8 + j) != "") != (j < $2)) {
            print "row " NR ": server " j; exit 1
        }
    }
} END { exit num != 180 }' whole.csv || fail "what a point lacks is not empty"

# ---- As many replications as the engine says, and a precision ----
printf 'study: usual\nscenario: queue.yaml\n' >usual.yaml
"$spotsim" study usual.yaml >usual.txt 2>/dev/null
expect usual.txt "1 point, 100 replications each"
"$spotsim" study usual.yaml --set 'replications={until: {metric: utilisation, half_width: 0.1}}' \
    >until.txt 2>/dev/null
expect until.txt "1 point, 16 replications each until utilisation is known within ±0.1"

# ---- The same rows again, from shards, after a resume and by one thread ----
for shard in 1 2 3; do
    "$spotsim" study servers.yaml -o "shard-$shard.db" --shard $shard/3 --threads 1 >/dev/null 2>&1
done
"$spotsim" merge --complete merged.db shard-1.db shard-2.db shard-3.db >/dev/null
"$spotsim" study servers.yaml -o resumed.db --set replications.count=7 >/dev/null 2>&1
"$spotsim" study servers.yaml -o resumed.db >/dev/null 2>&1
for store in merged resumed; do
    "$spotsim" export $store.db -o $store.csv
    cmp whole.csv $store.csv
    "$spotsim" export $store.db --per=point -o $store-points.csv
    "$spotsim" export servers.db --per=point -o points.csv
    cmp points.csv $store-points.csv
done

# ---- The series of the replications that the study names ----
if command -v sqlite3 >/dev/null; then
    for store in servers merged resumed; do
        [ "$(sqlite3 $store.db "SELECT count(*), sum(replication), max(rows) > 500 FROM series")" = "18|27|1" ] ||
            fail "$store.db: the series"
        sqlite3 $store.db "SELECT replication, time, length FROM series_queue WHERE point = 4" >$store-queue.txt
        cmp servers-queue.txt $store-queue.txt
    done
    [ "$(sed -n 1p servers-queue.txt)" = "0|0|0" ] || fail "the start of the series"
    cp servers.db damaged.db
    sqlite3 damaged.db "UPDATE series_queue SET length = 7 WHERE point = 4 AND replication = 3 AND row = 100"
    for what in "report damaged.db -o damaged.html" "merge damaged-merged.db damaged.db"; do
        status=0
        "$spotsim" $what >/dev/null 2>damaged.txt || status=$?
        [ "$status" -eq 2 ] || fail "spotsim $what ended with $status"
        expect damaged.txt "damaged (the series of point 4, replication 3 are not those"
    done
fi

# ---- A race with a limit on a metric that is no plain word ----
cat >race.yaml <<'END'
study: race
scenario: queue.yaml
optimise:
  minimise: wait_mean_s
  over: {servers: [2, 3, 4]}
  subject_to: ["`busy_fraction.server-1` >= 0.4", utilisation >= 0.5]
END
"$spotsim" study race.yaml -o race.db >race.txt 2>/dev/null
expect race.txt "best: servers = 3" "1 infeasible"

# ---- A comparison over two keys; the first values are the baseline ----
"$spotsim" compare queue.yaml --over servers=2,4 --over arrivals_per_s=0.8,1.6 --replications 20 \
    -o compare.db --csv compare.csv >compare.txt 2>/dev/null
expect compare.txt "4 points, 20 replications each" "difference to servers = 2" "busy_fraction.server-3"
[ "$(grep -c '^[0-9]*,2,.*,busy_fraction' compare.csv)" -eq 4 ] || fail "two servers, two rates"
[ "$(grep -c '^[0-9]*,4,.*,busy_fraction' compare.csv)" -eq 8 ] || fail "four servers, two rates"

# ---- Reports from the stores alone ----
for store in servers race compare; do
    "$spotsim" report $store.db >$store-report.txt
    "$spotsim" report $store.db -o $store.html --markdown $store.md 2>/dev/null
    expect $store.html "wait_mean_s"
    expect $store.md "mean wait (s)"
done
expect servers.html "Runs over time: customers that wait." "replication 3"
expect servers-report.txt "As servers goes from 1 to 4"
echo "an engine of one's own is run, swept, raced, sharded, merged, compared and reported"
