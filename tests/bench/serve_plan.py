# SPDX-License-Identifier: GPL-3.0-or-later
"""The exact planner of the engine serve in plain Python, for bench_serve_plan.c: what its
search costs in Python, and a second implementation that must find the same plan.

usage: serve_plan.py FILE
FILE is JSON: {"arrivals_ns", "slo_ns", "max_late", "cap", "branches": [[stage, ...], ...]}.
The branches lead from the source into one join, and nothing follows it. A stage is a list
of options {"key", "cost", "batch", "busy_ns", "least_replicas"}; key orders them, and an
option has any number of replicas from the least one on. Prints the cost, the late
queries, the number of simulated stages and the CPU seconds.
"""

import heapq
import json
import sys
import time


class Planner:
    def __init__(self, problem):
        self.deadlines = [at + problem["slo_ns"] for at in problem["arrivals_ns"]]
        self.max_late = problem["max_late"]
        self.best = (problem["cap"], float("inf"), ())
        self.branches = problem["branches"]
        self.num_simulations = 0
        self.source = list(enumerate(problem["arrivals_ns"]))
        self.cheapest = [
            [min(option["cost"] * option["least_replicas"] for option in stage) for stage in branch]
            for branch in self.branches
        ]
        self.fastest = [
            [min(min(option["busy_ns"][1 : option["batch"] + 1]) for option in stage) for stage in branch]
            for branch in self.branches
        ]

    def options(self, stage, budget):
        """(cost, key, option, replicas) of what a stage may cost at most, cheapest first."""
        found = []
        for option in stage:
            replicas = option["least_replicas"]
            while option["cost"] * replicas <= budget and replicas <= 4096:
                found.append((option["cost"] * replicas, (option["key"], replicas), option, replicas))
                replicas += 1
        return sorted(found, key=lambda each: each[:2])

    def simulate(self, flow, option, replicas, rest_ns):
        """What a stage delivers: (query, time) in order; None: too many are late."""
        self.num_simulations += 1
        limit, busy_of, deadlines = option["batch"], option["busy_ns"], self.deadlines
        free = [0] * replicas
        batches = []
        num_late = head = 0
        while head < len(flow):
            now = max(heapq.heappop(free), flow[head][1])
            end = head + 1
            while end < len(flow) and end - head < limit and flow[end][1] <= now:
                end += 1
            done = now + busy_of[end - head]
            heapq.heappush(free, done)
            batches.append((done, head, end))
            for query, _ in flow[head:end]:
                num_late += done + rest_ns > deadlines[query]
            if num_late > self.max_late:
                return None
            head = end
        batches.sort()
        return [(query, done) for done, head, end in batches for query, _ in flow[head:end]]

    def ways(self, branch_id, others):
        """All ways through a branch that may be part of the best plan: (cost, keys, late)."""
        branch = self.branches[branch_id]

        def walk(depth, cost, keys, flow):
            if depth == len(branch):
                late = 0
                for query, done in flow:
                    if done > self.deadlines[query]:
                        late |= 1 << query
                yield cost, keys, late
                return
            rest = sum(self.cheapest[branch_id][depth + 1 :]) + others
            rest_ns = sum(self.fastest[branch_id][depth + 1 :])
            for more, key, option, replicas in self.options(
                branch[depth], self.best[0] - cost - rest
            ):
                if cost + more + rest > self.best[0]:
                    break
                then = self.simulate(flow, option, replicas, rest_ns)
                if then is not None:
                    yield from walk(depth + 1, cost + more, keys + (key,), then)

        yield from walk(0, 0, (), self.source)

    def plan(self):
        """Branch by branch; the last one is combined with all ways through the others."""
        least = [sum(costs) for costs in self.cheapest]
        united = [(0, (), 0)]
        for branch_id in range(len(self.branches) - 1):
            ways = list(self.ways(branch_id, sum(least) - least[branch_id]))
            if not ways:
                return
            least[branch_id] = min(way[0] for way in ways)
            united = [
                (cost + more, keys + way_keys, late | way_late)
                for cost, keys, late in united
                for more, way_keys, way_late in ways
                if (late | way_late).bit_count() <= self.max_late
            ]
        united.sort()
        for more, way_keys, way_late in self.ways(len(self.branches) - 1, sum(least[:-1])):
            for cost, keys, late in united:
                if cost + more > self.best[0]:
                    break
                num_late = (late | way_late).bit_count()
                if num_late <= self.max_late:
                    self.best = min(self.best, (cost + more, num_late, keys + way_keys))


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        problem = json.load(file)
    start_s = time.process_time()
    planner = Planner(problem)
    planner.plan()
    took_s = time.process_time() - start_s
    print(planner.best[0], planner.best[1], planner.num_simulations, f"{took_s:.6f}")


if __name__ == "__main__":
    main()
