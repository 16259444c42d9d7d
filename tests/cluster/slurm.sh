#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# slurm.sh SPOTSIM WORK_DIR: the job array of share/slurm in a Slurm of its own on this machine, on
# loopback. Of its 8 tasks one is killed with -9, one is requeued from outside and one is told that its
# time limit is near, all in the middle of their work. All must end as COMPLETED without anyone's help,
# and the merged store must hold the rows of a run in one process.
# Exit code 77: skipped, Slurm is not there.
set -euo pipefail
spotsim=$1
work=$2/slurm
here=$(cd "$(dirname "$0")" && pwd)
share=$here/../../share/slurm
num_shards=8
export PATH=$PATH:/usr/sbin

skip() {
    echo "skipped: $*"
    exit 77
}

for program in munged slurmctld slurmd sbatch scancel scontrol squeue sinfo sqlite3 pkill; do
    command -v "$program" >/dev/null || skip "$program is not installed"
done
[ "$(id -u)" -eq 0 ] || skip "the daemons of Slurm need root"

rm -rf "$work"
mkdir -p "$work"
cd "$work"
# shellcheck source=tests/cluster/small_study.sh
. "$here/small_study.sh"

# The path of a socket is short, so what the daemons need is not in the work folder.
state=$(mktemp -d)
chmod 711 "$state" # munged insists
unset "${!SLURM_@}" "${!SBATCH_@}" # of a job that runs this test
export SLURM_CONF=$state/slurm.conf
export SPOTSIM=$state/spotsim SPOTSIM_SCRATCH=$state/scratch SPOTSIM_COPY_S=3
daemons=()

# What the daemons started too: it has our SLURM_CONF in its environment.
kill_all() {
    local file pid
    # shellcheck disable=SC2013 # words are meant
    for file in $(grep -lsF "SLURM_CONF=$SLURM_CONF" /proc/[0-9]*/environ); do
        pid=${file#/proc/}
        pid=${pid%/environ}
        [ "$pid" = "$BASHPID" ] || kill -KILL "$pid" 2>/dev/null || true
    done
}

clean_up() {
    local code=$?
    trap - EXIT INT TERM
    trap '' PIPE
    if [ "$code" -ne 0 ]; then
        tail -n 40 "$state"/*.log "$work"/*.log 2>/dev/null || true
    fi
    [ ${#daemons[@]} -eq 0 ] || kill "${daemons[@]}" 2>/dev/null || true
    sleep 1
    kill_all
    wait
    rm -rf "$state"
    exit "$code"
}
trap clean_up EXIT
trap 'exit 1' INT TERM

fail() {
    echo "FAILED after $SECONDS s: $*" >&2
    squeue --array >&2 || true
    exit 1
}

# wait_until SECONDS COMMAND...: until the command succeeds.
wait_until() {
    local end=$((SECONDS + $1))
    shift
    until "$@" >/dev/null 2>&1; do
        [ "$SECONDS" -lt "$end" ] || fail "waited too long for: $*"
        sleep 0.2
    done
}

# The spotsim of the tasks notes with how many rows it starts, in starts-I.
write_spotsim() {
    cat >"$SPOTSIM" <<END
#!/bin/sh
if [ "\$1" = study ]; then
    shard=\${6%/*}
    rows=0
    [ ! -e "\$4" ] || rows=\$(sqlite3 "\$4" 'SELECT count(*) FROM replication')
    echo "\$rows" >>"$work/starts-\$shard"
fi
exec "$spotsim" "\$@"
END
    chmod +x "$SPOTSIM"
}

is_free() {
    ! (: <>"/dev/tcp/127.0.0.1/$1") 2>/dev/null
}

configure() {
    local port=$((20000 + RANDOM % 10000))
    until is_free "$port" && is_free $((port + 1)); do
        port=$((port + 2))
    done
    mkdir "$state/ctld" "$state/d" "$state/tmp" "$SPOTSIM_SCRATCH"
    head -c 128 /dev/urandom >"$state/munge.key"
    chmod 600 "$state/munge.key"
    # A requeued task waits for the end of its credential's life: 2 minutes, if nothing is said.
    cat >"$SLURM_CONF" <<END
ClusterName=spotsim
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$state/munge.socket,cred_expire=5
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$state/ctld
SlurmdSpoolDir=$state/d
SlurmctldPidFile=$state/slurmctld.pid
SlurmdPidFile=$state/slurmd.pid
TmpFS=$state/tmp
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
SchedulerType=sched/builtin
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=100000
ReturnToService=2
KillWait=30
NodeName=$(hostname -s) NodeAddr=127.0.0.1 CPUs=$num_shards State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
}

start_slurm() {
    munged --foreground --socket="$state/munge.socket" --key-file="$state/munge.key" \
        --pid-file="$state/munge.pid" --seed-file="$state/munge.seed" >"$state/munged.log" 2>&1 &
    daemons+=($!)
    wait_until 20 test -S "$state/munge.socket"
    slurmctld -D -c >"$state/slurmctld.log" 2>&1 &
    daemons+=($!)
    wait_until 30 scontrol ping
    slurmd -D >"$state/slurmd.log" 2>&1 &
    daemons+=($!)
    wait_until 30 is_idle
}

is_idle() {
    [ "$(sinfo --noheader --format=%t)" = idle ]
}

# task_field TASK FIELD: as Slurm has it, e.g. JobState, Restarts.
task_field() {
    scontrol show job --oneliner "${array}_$1" | tr ' ' '\n' | sed -n "s/^$2=//p" | head -n 1
}

has_copy() {
    [ -e "results/shard-$1-of-$num_shards.db" ]
}

# Fails where one run of spotsim has just ended and the next has not begun.
kill_spotsim_of() {
    pkill -KILL -f -- "study $work/study.yaml .*--shard $1/$num_shards"
}

# In the middle of the work: its first copy is there, and is not all of its rows.
injure() {
    local shard=$1 copied
    shift
    wait_until 60 has_copy "$shard"
    copied=$(num_rows "results/shard-$shard-of-$num_shards.db")
    [ "$(task_field "$shard" JobState)" = RUNNING ] || fail "task $shard ended too early"
    wait_until 10 "$@"
    echo "$SECONDS s: task $shard, $copied rows in its copy: $*"
    copied_rows[shard]=$copied
}

is_queue_empty() {
    [ -z "$(squeue --noheader)" ]
}

# Complete, after one restart if it was injured, and never begun again from nothing.
check_task() {
    local shard=$1 restarts=0 rows
    rows=$(num_rows "results/shard-$shard-of-$num_shards.db")
    echo "task $shard: $(task_field "$shard" JobState), $(task_field "$shard" Restarts) restarts," \
        "$rows rows; spotsim started with $(tr '\n' ' ' <"starts-$shard")rows"
    if [ -n "${copied_rows[shard]-}" ]; then
        restarts=1
        if [ "${copied_rows[shard]}" -eq 0 ] || [ "${copied_rows[shard]}" -ge "$rows" ]; then
            fail "task $shard was not in the middle of its work"
        fi
    fi
    [ "$(task_field "$shard" JobState)" = COMPLETED ] || fail "task $shard did not complete"
    [ "$(task_field "$shard" Restarts)" -eq $restarts ] || fail "not $restarts restarts"
    [ "$(grep -c '^0$' "starts-$shard")" -eq 1 ] || fail "task $shard began again"
}

# A shard that is lost later is made again by its number; one that is complete ends at once.
check_lost_shard() {
    local rows
    mv "results/shard-5-of-$num_shards.db" shard-5.db
    rows=$(num_rows "results/shard-3-of-$num_shards.db")
    rm starts-*
    submit --array=3,5 "$work/study.yaml" results $num_shards >/dev/null
    wait_until 60 is_queue_empty
    sh "$here/same_rows.sh" shard-5.db "results/shard-5-of-$num_shards.db"
    [ "$(cat starts-3)" = "$rows" ] || fail "shard 3 was not left as it was"
    echo "$SECONDS s: --array=3,5 made shard 5 again"
}

submit() {
    sbatch --parsable "$1" "$share/spotsim-array.sbatch" "${@:2}"
}

# Part of an array does not say how many shards there are: refused, not guessed.
code=0
SLURM_ARRAY_TASK_ID=3 SLURM_ARRAY_TASK_MIN=3 SLURM_ARRAY_TASK_MAX=5 SLURM_ARRAY_TASK_COUNT=2 \
    bash "$share/spotsim-array.sbatch" study.yaml results 2>refused.txt || code=$?
if [ "$code" -ne 2 ] || ! grep -q 'third argument' refused.txt; then
    fail "--array=3,5 was not refused"
fi

make_study "$spotsim"
echo "$SECONDS s: study is made"
configure
write_spotsim
start_slurm
echo "$SECONDS s: Slurm is up"

array=$(submit --array=1-$num_shards "$work/study.yaml" results)
sbatch --parsable --dependency="afterok:$array" "$share/spotsim-merge.sbatch" results \
    $num_shards >/dev/null
copied_rows=()
injure 3 kill_spotsim_of 3
injure 5 scontrol requeue "${array}_5"
injure 7 scancel --batch --signal=USR1 "${array}_7"
wait_until 150 is_queue_empty
echo "$SECONDS s: queue is empty"
for ((shard = 1; shard <= num_shards; shard++)); do
    check_task "$shard"
done
[ -e results/merged.db ] || fail "the merge did not run"
sh "$here/same_rows.sh" whole.db results/merged.db
echo "$SECONDS s: merged is what one process makes"
check_lost_shard
[ -z "$(ls "$SPOTSIM_SCRATCH")" ] || fail "left in scratch: $(ls "$SPOTSIM_SCRATCH")"
