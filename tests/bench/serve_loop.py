# SPDX-License-Identifier: GPL-3.0-or-later
"""The rules of the engine serve as a plain event loop, for bench_serve.c: what a program
in Python costs, and a second implementation that must find the same latencies.

usage: serve_loop.py FILE
FILE is JSON: {"cases": [{"name", "rounds", "arrivals_ns", "nodes": [...]}, ...]}. A stage is
{"id", "parents", "batch", "replicas", "delay_ns", "release", "busy_ns"}; a join has the
first two only. Nodes are in pipeline order, "source" is the parent of the first ones. For
each case a line: name, checksum of the latencies, best CPU seconds of the rounds.
"""

import heapq
import json
import sys
import time
from collections import deque

WORK, TAKING = 0, 2  # phases
SOURCE, RETURN, DISPATCH, TAKE = range(4)


class Stage:
    def __init__(self, spec):
        self.batch = spec["batch"]
        self.delay_ns = spec["delay_ns"]
        self.release = spec["release"]
        self.busy_of = spec["busy_ns"]
        self.children = []
        self.queue = deque()  # of (query, since when it waits)
        self.is_marked = False
        self.idle = list(range(spec["replicas"]))  # a heap: the lowest index goes first
        self.pending = deque()  # [replica, is it still pending], longest first
        self.num_pending = 0
        # statistics
        self.seen = self.queue_max = self.area_ns = self.changed_ns = 0
        self.wait_ns = self.busy_ns = self.batches = 0
        self.histogram = [0] * (self.batch + 1)

    def count_area(self, now):
        self.area_ns += len(self.queue) * (now - self.changed_ns)
        self.changed_ns = now


class Join:
    def __init__(self, num_parents):
        self.num_parents = num_parents
        self.children = []
        self.seen = {}
        self.max_waiting = 0


class Loop:
    def __init__(self, nodes, arrivals):
        by_id = {}
        self.first = []
        self.arrivals = arrivals
        self.sink_ns = [-2] * len(arrivals)
        self.events = []
        self.sequence = 0
        for spec in nodes:
            by_id[spec["id"]] = Stage(spec) if "batch" in spec else Join(len(spec["parents"]))
        for spec in nodes:
            for parent in spec["parents"]:
                children = self.first if parent == "source" else by_id[parent].children
                children.append((by_id[spec["id"]], parent))

    def schedule(self, when, phase, kind, stage, what):
        heapq.heappush(self.events, (when, phase, self.sequence, kind, stage, what))
        self.sequence += 1

    def mark(self, stage, now):
        if stage.queue and not stage.is_marked:
            stage.is_marked = True
            self.schedule(now, TAKING, DISPATCH, stage, None)

    def hand_on(self, children, ids, now):
        if not children:
            for query in ids:
                self.sink_ns[query] = now
        for child, parent in children:
            if isinstance(child, Stage):
                self.arrive(child, ids, now)
            else:
                self.join(child, parent, ids, now)

    def arrive(self, stage, ids, now):
        stage.count_area(now)
        for query in ids:
            stage.seen += len(stage.queue)
            stage.queue.append((query, now))
        stage.queue_max = max(stage.queue_max, len(stage.queue))
        self.mark(stage, now)

    def join(self, join, parent, ids, now):
        ready = []
        for query in ids:
            seen = join.seen.setdefault(query, set())
            seen.add(parent)
            if len(seen) == join.num_parents:
                del join.seen[query]
                ready.append(query)
        join.max_waiting = max(join.max_waiting, len(join.seen))
        if ready:
            self.hand_on(join.children, ready, now)

    def take(self, stage, replica, now):
        n = min(len(stage.queue), stage.batch)
        stage.count_area(now)
        ids = []
        for _ in range(n):
            query, since = stage.queue.popleft()
            stage.wait_ns += now - since
            ids.append(query)
        stage.batches += 1
        stage.histogram[n] += 1
        stage.busy_ns += stage.busy_of[n]
        self.schedule(now + stage.busy_of[n], WORK, RETURN, stage, (replica, ids))

    def dispatch(self, stage, now):
        stage.is_marked = False
        want = -(-len(stage.queue) // stage.batch)
        while stage.num_pending < want and stage.idle:
            replica = heapq.heappop(stage.idle)
            if stage.delay_ns == 0:
                self.take(stage, replica, now)
                want -= 1
            else:
                entry = [replica, True]
                stage.pending.append(entry)
                stage.num_pending += 1
                self.schedule(now + stage.delay_ns, TAKING, TAKE, stage, entry)
        while stage.release and stage.num_pending and len(stage.queue) >= stage.batch:
            entry = self.oldest_pending(stage)
            entry[1] = False
            self.take(stage, entry[0], now)

    def oldest_pending(self, stage):
        stage.num_pending -= 1
        return stage.pending.popleft()

    def run(self):
        events = self.events
        arrivals = self.arrivals
        self.schedule(arrivals[0], WORK, SOURCE, None, 0)
        while events:
            now, _, _, kind, stage, what = heapq.heappop(events)
            if kind == SOURCE:
                if what + 1 < len(arrivals):
                    self.schedule(arrivals[what + 1], WORK, SOURCE, None, what + 1)
                self.hand_on(self.first, [what], now)
            elif kind == RETURN:
                replica, ids = what
                self.hand_on(stage.children, ids, now)
                heapq.heappush(stage.idle, replica)
                self.mark(stage, now)
            elif kind == DISPATCH:
                self.dispatch(stage, now)
            elif what[1]:  # TAKE that was not cancelled: all delays are equal
                self.oldest_pending(stage)
                if stage.queue:
                    self.take(stage, what[0], now)
                else:
                    heapq.heappush(stage.idle, what[0])
        return [sink - source for sink, source in zip(self.sink_ns, arrivals)]


def checksum(latencies):
    """FNV-1a, 64 bits."""
    total = 0xCBF29CE484222325
    for latency in latencies:
        for byte in latency.to_bytes(8, "little"):
            total = (total ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return total


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        cases = json.load(file)["cases"]
    for case in cases:
        best_s = float("inf")
        for _ in range(case["rounds"]):
            start_s = time.process_time()
            latencies = Loop(case["nodes"], case["arrivals_ns"]).run()
            best_s = min(best_s, time.process_time() - start_s)
        print(f"{case['name']} {checksum(latencies):016x} {best_s:.6f}")


if __name__ == "__main__":
    main()
