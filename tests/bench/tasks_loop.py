# SPDX-License-Identifier: GPL-3.0-or-later
"""What a task log says, as a plain loop over its lines, for bench_tasks.c: what a program
in Python costs, and a second implementation that must find the same figures.

usage: tasks_loop.py LOG RESULTS
LOG is a log of JSON lines with one attempt a task and transmit; RESULTS is what
`spotsim tasks LOG --json` prints. Prints the CPU seconds of the loop, then the names of
figures that differ.
"""

import json
import sys
import time

STAGES = {
    "taskPlanned": 0, "taskEnqueued": 1, "taskStarted": 2, "taskFinished": 3,
    "transmitPlanned": 0, "transmitStarted": 1, "transmitLoaded": 2, "transmitFinished": 3,
}
WINDOW = 10_000_000


def read(path):
    """Stamps of tasks and transmits by (id, worker), modes of transmits, hosts of workers."""
    tasks, transmits, modes, hosts = {}, {}, {}, {}
    num_lines = 0
    raw_modes = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            event = json.loads(line)
            num_lines += 1
            worker, host = event["worker"], event["host"]
            if host != "controller":
                worker = f"{host}:{worker}"
                hosts.setdefault(worker, host)
            stage = STAGES[event["action"]]
            if "task" in event:
                tasks.setdefault((event["task"], worker), [None] * 4)[stage] = event["at"]
                continue
            key = event["dataset"], worker
            transmits.setdefault(key, [None] * 4)[stage] = event["at"]
            if "mode" in event:
                modes[key] = event["mode"]
                raw_modes[event["mode"]] = raw_modes.get(event["mode"], 0) + 1
    for key, at in transmits.items():
        if modes[key] == "local":
            at[1] = at[2] = at[3]
    return num_lines, tasks, transmits, modes, raw_modes, hosts


def quantile(values, p):
    place = (len(values) - 1) * p
    index, rest = divmod(place, 100)
    low = values[index]
    return low + (values[min(index + 1, len(values) - 1)] - low) * rest / 100


def statistics(values):
    values = sorted(values)
    if not values:
        return {"count": 0, "sum": 0, "negative": 0} | dict.fromkeys(
            ("mean", "min", "max", "p50", "p90", "p99"))
    return {
        "count": len(values), "sum": sum(values), "mean": sum(values) / len(values),
        "min": values[0], "max": values[-1], "p50": quantile(values, 50),
        "p90": quantile(values, 90), "p99": quantile(values, 99),
        "negative": sum(value < 0 for value in values),
    }


def few(values):
    return {"count": len(values), "sum": sum(values), "mean": sum(values) / len(values)}


def union(stretches):
    joined = []
    for start, end in sorted(stretches):
        if joined and start <= joined[-1][1]:
            joined[-1][1] = max(joined[-1][1], end)
        elif end > start:
            joined.append([start, end])
    return joined


def length(stretches):
    return sum(end - start for start, end in stretches)


def common(first, second):
    """Of two sorted unions."""
    found = []
    j = k = 0
    while j < len(first) and k < len(second):
        start = max(first[j][0], second[k][0])
        end = min(first[j][1], second[k][1])
        if end > start:
            found.append((start, end))
        if first[j][1] < second[k][1]:
            j += 1
        else:
            k += 1
    return found


def without(whole, part):
    """What is left of a sorted union."""
    left = []
    k = 0
    for start, end in whole:
        while k < len(part) and part[k][1] <= start:
            k += 1
        m = k
        while m < len(part) and part[m][0] < end:
            if part[m][0] > start:
                left.append((start, part[m][0]))
            start = max(start, part[m][1])
            m += 1
        if end > start:
            left.append((start, end))
    return left


def concurrency(runs, t0, t1):
    ends = sorted([(start, 1) for start, _ in runs] + [(end, -1) for _, end in runs])
    found = {}
    now, running = t0, 0
    for at, step in ends:
        if at > now:
            found[str(running)] = found.get(str(running), 0) + at - now
            now = at
        running += step
    if t1 > now:
        found[str(running)] = found.get(str(running), 0) + t1 - now
    return found


def worker_times(mine, sent, host, t0, t1):
    busy = union((at[2], at[3]) for at in mine)
    in_flight = union((at[0], at[3]) for at in sent)
    left = without([(t0, t1)], busy)
    split = {}
    for cause, stretches in (
        ("queue", union((at[1], at[2]) for at in mine)),
        ("comm", union((at[0], at[1]) for at in mine)),
        ("inputs", in_flight),
        ("lost", []),
        ("head", [(t0, min(at[0] for at in mine))]),
        ("tail", [(max(at[3] for at in mine), t1)]),
    ):
        split[cause] = length(common(left, stretches))
        left = without(left, stretches)
    split["unplanned"] = length(left)
    gaps = [after[0] - before[1] for before, after in zip(busy, busy[1:])]
    hidden = length(common(in_flight, busy))
    return {
        "host": host, "tasks": len(mine), "busy": length(busy),
        "idle": t1 - t0 - length(busy), "utilisation": length(busy) / (t1 - t0),
        "gaps": len(gaps), "gap_max": max(gaps, default=0), "idle_split": split,
        "transmit_in_flight": length(in_flight), "transmit_hidden": hidden,
        "transmit_exposed": length(in_flight) - hidden,
    }


def head_of_line(tasks, hosts, t0, t1):
    ends = {host: [] for host in hosts.values()}
    comm_sum = matched = covered = 0
    requests = {host: [] for host in ends}
    for (_, worker), at in tasks.items():
        ends[hosts[worker]].append(at[3])
        requests[hosts[worker]].append((at[1], at[1] - at[0]))
        comm_sum += at[1] - at[0]
    for host, finished in ends.items():
        finished.sort()
        k = 0
        for at, comm in sorted(requests[host]):
            while k + 1 < len(finished) and finished[k + 1] <= at:
                k += 1
            if finished[k] <= at <= finished[k] + WINDOW:
                matched += comm
        covered += length(common([(t0, t1)], union((at, at + WINDOW) for at in finished)))
    return {
        "window": WINDOW, "comm_sum": comm_sum, "matched_sum": matched,
        "share": matched / comm_sum, "chance": covered / ((t1 - t0) * len(ends)),
    }


def clock_offsets(tasks, transmits, modes, hosts):
    found = {host: {"low": None, "high": None} for host in hosts.values()}
    producers = {task: (hosts[worker], at[3]) for (task, worker), at in tasks.items()}
    for (_, worker), at in tasks.items():
        row = found[hosts[worker]]
        row["high"] = min(row["high"] or at[1] - at[0], at[1] - at[0])
    for key, at in transmits.items():
        if modes[key] == "local":
            row = found[hosts[key[1]]]
            row["high"] = min(row["high"], at[3] - at[0])
        host, end = producers[key[0]]
        row = found[host]
        row["low"] = end - at[0] if row["low"] is None else max(row["low"], end - at[0])
    return found


def analyse(path):
    num_lines, tasks, transmits, modes, raw_modes, hosts = read(path)
    stamps = [at for row in tasks.values() for at in row]
    stamps += [at for row in transmits.values() for at in row]
    t0, t1 = min(stamps), max(stamps)
    by_worker = {worker: [] for worker in sorted(hosts)}
    sent = {worker: [] for worker in hosts}
    classes, totals, counts, per_dataset = {}, {}, {}, {}
    for (task, worker), at in tasks.items():
        by_worker[worker].append(at)
        classes.setdefault(task.partition("(")[0], []).append(at[3] - at[2])
    for key, at in transmits.items():
        sent[key[1]].append(at)
        totals[modes[key]] = totals.get(modes[key], 0) + at[3] - at[0]
        counts[modes[key]] = counts.get(modes[key], 0) + 1
        per_dataset[key[0]] = per_dataset.get(key[0], 0) + 1
    histogram = {}
    for count in per_dataset.values():
        histogram[str(count)] = histogram.get(str(count), 0) + 1
    remote = [at for key, at in transmits.items() if modes[key] == "remote"]
    workers = {
        worker: worker_times(mine, sent[worker], hosts[worker], t0, t1)
        for worker, mine in by_worker.items()
    }
    balance = {"worker_time": (t1 - t0) * len(workers)}
    balance["busy"] = sum(row["busy"] for row in workers.values())
    for cause in ("queue", "comm", "inputs", "lost", "head", "tail", "unplanned"):
        balance[cause] = sum(row["idle_split"][cause] for row in workers.values())
    runs = [(at[2], at[3]) for at in tasks.values()]
    of_host = {host: [] for host in hosts.values()}
    for (_, worker), at in tasks.items():
        of_host[hosts[worker]].append((at[2], at[3]))
    task_any = union(runs)
    transmit_any = union((at[0], at[3]) for at in transmits.values())

    def spans(rows, start, end):
        return statistics([at[end] - at[start] for at in rows])

    return {
        "log": {
            "lines": num_lines, "task_events": 4 * len(tasks), "workers": len(workers),
            "hosts": len(of_host), "t0": t0, "t1": t1, "makespan": t1 - t0,
        },
        "tasks": {
            "attempts": len(tasks), "total": spans(tasks.values(), 0, 3),
            "comm": spans(tasks.values(), 0, 1), "queue": spans(tasks.values(), 1, 2),
            "run": spans(tasks.values(), 2, 3), "on_worker": spans(tasks.values(), 1, 3),
            "per_worker": {
                worker: few([at[3] - at[1] for at in mine])
                for worker, mine in by_worker.items()
            },
            "per_class": {name: few(values) for name, values in classes.items()},
        },
        "transmits": {
            "attempts": len(transmits), "mode_counts": counts, "raw_mode_lines": raw_modes,
            "total": spans(transmits.values(), 0, 3), "total_per_mode": totals,
            "comm": spans(transmits.values(), 0, 1), "load_remote": spans(remote, 1, 2),
            "transfer_remote": spans(remote, 2, 3), "datasets": len(per_dataset),
            "per_dataset_histogram": histogram,
        },
        "workers": workers,
        "balance": balance,
        "concurrency": {
            "all": concurrency(runs, t0, t1),
            "hosts": {host: concurrency(rows, t0, t1) for host, rows in of_host.items()},
        },
        "overlap": {
            "task_any": length(task_any), "transmit_any": length(transmit_any),
            "both": length(common(task_any, transmit_any)),
        },
        "head_of_line": head_of_line(tasks, hosts, t0, t1),
        "clock_offset": clock_offsets(tasks, transmits, modes, hosts),
    }


def differences(path, found, expected):
    """Names of members of found that differ: integers at all, others by 1e-12."""
    if isinstance(found, dict):
        for key, value in found.items():
            yield from differences(f"{path}/{key}", value, expected.get(key))
    elif isinstance(found, float) and isinstance(expected, (int, float)):
        if abs(found - expected) > 1e-12 * abs(expected):
            yield path
    elif found != expected:
        yield path


def main():
    start_s = time.process_time()
    found = analyse(sys.argv[1])
    text = json.dumps(found)
    print(f"{time.process_time() - start_s:.3f}")
    with open(sys.argv[2], encoding="utf-8") as file:
        for path in differences("", json.loads(text), json.load(file)):
            print(path)


if __name__ == "__main__":
    main()
