# SPDX-License-Identifier: GPL-3.0-or-later
"""make_runs.py FOLDER: writes invented measured runs of a data loader, in the form that
`spotsim input table` and `input fit` read. No machine was measured: four processes load
5,120 samples of the data set "pictures" in batches of 160 from another machine. Each run
has its own luck. Only Python itself is needed; the function npy shows how to write arrays
without numpy, and run what to write."""

import json
import math
import pathlib
import random
import struct
import sys

SAMPLES, BATCH, PROCESSES, PREFETCH = 5120, 160, 4, 2
DECODE_S, MERGED_S, OPEN_S, READ_S = 0.008, 0.0005, 0.004, 0.001  # of a sample, of a file
COLLATE_S, START_S, HANDOVER_S, ADDED_S = 0.2, 1.0, 0.007, 0.05  # of a batch, of a process


def npy(path, values):
    """An array of doubles as numpy.save() writes it."""
    head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({len(values)},), }}"
    head = head.ljust(117) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() +
                     struct.pack(f"<{len(values)}d", *values))


def epoch(rng, samples, compute_s, threads, block):
    """Waits, files read and samples decoded by four processes that work ahead in turn."""
    per_process = samples // PROCESSES
    luck = rng.gauss(1, 0.01)
    reads = [[(OPEN_S + READ_S * block) * luck * rng.gammavariate(4, 0.25)
              for _ in range(math.ceil(per_process / block))] for _ in range(PROCESSES)]
    cost_s = (DECODE_S + MERGED_S) * (1 + 0.03 * math.log2(threads)) if block > 1 else DECODE_S
    decodes = [[cost_s * luck * rng.gammavariate(10, 0.1) for _ in range(per_process)]
               for _ in range(PROCESSES)]
    free, gets, waits, now = [START_S] * PROCESSES, [], [], 0.0
    for j in range(samples // BATCH):
        who, low = j % PROCESSES, j // PROCESSES * BATCH
        files = range(math.ceil(low / block), math.ceil((low + BATCH) / block))
        issued = gets[j - PROCESSES * PREFETCH] if j >= PROCESSES * PREFETCH else 0.0
        free[who] = max(free[who], issued) + COLLATE_S + sum(reads[who][f] for f in files) + sum(
            decodes[who][low:low + BATCH])
        gets.append(max(now, free[who]) + HANDOVER_S)
        waits.append(gets[-1] - now)
        now = gets[-1] + compute_s
    return waits, sum(reads, []), sum(decodes, [])


def run(folder, rng, sim_s, threads, block):
    """One run: the arrays, the memory, and for merged samples their settings."""
    folder.mkdir(parents=True)
    compute_s = sim_s + ADDED_S
    waits, reads, decodes = epoch(rng, SAMPLES, compute_s, threads, block)
    npy(folder / "data_load_time.npy", waits)
    npy(folder / "compute_time.npy", [compute_s * rng.gauss(1, 0.005) for _ in waits])
    npy(folder / "io_time.npy", reads)
    npy(folder / "processing_time.npy", decodes)
    memory = [{"loader": str(2_000_000_000 + 1_000_000 * block + j), "trainer": "500000000"}
              for j in range(5)]
    (folder / "memory.jsonl").write_text("".join(json.dumps(row) + "\n" for row in memory))
    if block > 1:
        (folder / "opt_config").write_text(f"{threads},{block}\n")
        probes = ["threadpool_size,block_size,batch_completion_time"]
        for t, b in [(1, 1), (1, 20), (1, 40), (1, 80), (1, 160), (2, 20), (4, 40)]:
            half = epoch(rng, SAMPLES // 2, compute_s, t, b)[0]
            probes.append(f"{t},{b},{sum(half) / len(half) + compute_s:.6f}")
        (folder / "search.csv").write_text("\n".join(probes) + "\n")


def main(root):
    rng = random.Random(1)
    for number in (1, 2, 3):
        for sim_s in (0.1, 0.25, 0.5, 1.0):
            name = f"pictures/run{number}/remote/sim_compute_time={sim_s}"
            run(root / "baseline1" / name, rng, sim_s, 1, 1)
            run(root / "ours" / name, rng, sim_s, 1 if number < 3 else 2, 20 * number)


main(pathlib.Path(sys.argv[1]))
