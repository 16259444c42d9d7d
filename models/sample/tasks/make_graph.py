# SPDX-License-Identifier: GPL-3.0-or-later
"""make_graph.py FILE: writes the edges of an invented task graph, one taskInputs record a line, in
the form that `spotsim tasks --edges` and the engine `tasks` read. 40 parts are read and cleaned,
joined in pairs, and scaled once the statistics of all are known; three models are trained on
three of four folds and scored on the fourth. run.jsonl and solo.jsonl beside this file are runs
of it that scenario.yaml simulates: no machine was measured."""

import hashlib
import json
import sys

PARTS, FOLDS, MODELS = 40, 4, 3


def task(kind, *numbers):
    """An id as schedulers write it: class, arguments and a hash."""
    name = f"{kind}({', '.join(map(str, numbers))})"
    return f"{name}:{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def graph():
    """(task, inputs) of every task."""
    pairs = range(PARTS // 2)
    for part in range(PARTS):
        yield task("read", part), []
        yield task("clean", part), [task("read", part)]
    for pair in pairs:
        yield task("join", pair), [task("clean", 2 * pair), task("clean", 2 * pair + 1)]
    yield task("statistics"), [task("join", pair) for pair in pairs]
    for pair in pairs:
        yield task("scale", pair), [task("join", pair), task("statistics")]
    for fold in range(FOLDS):
        yield task("fold", fold), [task("scale", pair) for pair in pairs if pair % FOLDS == fold]
    for fold in range(FOLDS):
        for model in range(MODELS):
            train = task("train", model, fold)
            yield train, [task("fold", other) for other in range(FOLDS) if other != fold]
            yield task("score", model, fold), [train, task("fold", fold)]
    yield task("choose"), [task("score", m, fold) for m in range(MODELS) for fold in range(FOLDS)]
    yield task("report"), [task("choose"), task("statistics")]


with open(sys.argv[1], "w", encoding="utf-8") as file:
    for name, inputs in graph():
        record = {"action": "taskInputs", "task": name, "inputs": inputs}
        file.write(json.dumps(record) + "\n")
