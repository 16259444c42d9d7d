# SPDX-License-Identifier: GPL-3.0-or-later
"""serve_plans.py SPOTSIM SOURCE WORK: plans and rates, move by move, against those of an
independent implementation. Skipped (exit code 77) without the data."""

import json
import os
import subprocess
import sys

METHODS = ("greedy", "polish", "exact")


def differences(expected, got, path):
    """Where got lacks something of expected, or has it otherwise; more keys are good."""
    if isinstance(expected, dict) and isinstance(got, dict):
        pairs = [(key, value, got.get(key)) for key, value in expected.items()]
    elif isinstance(expected, list) and isinstance(got, list) and len(expected) == len(got):
        pairs = [(j, value, got[j]) for j, value in enumerate(expected)]
    else:
        return [] if expected == got else [f"{path}: {expected!r}, not {got!r}"]
    return [text for key, value, other in pairs
            for text in differences(value, other, f"{path}.{key}")]


def scenario(data, case):
    """The pipeline of the case, as YAML."""
    profiles = os.path.join(data, "profiles", "serving", "inferline_")
    arrivals = dict(case["arrivals"])
    arrivals["file"] = os.path.join(data, "serving", arrivals["file"])
    return json.dumps({
        "scenario": "image-driver-1",
        "engine": "serve",
        "hardware": profiles + "hardware.csv",
        "profiles": [profiles + name + ".csv"
                     for name in ("resnet", "inception", "ksvm", "logreg")],
        "pipeline": [
            {"id": "ResNet", "from": "source"}, {"id": "KSVM", "from": "ResNet"},
            {"id": "Inception", "from": "source"}, {"id": "LogReg", "from": "Inception"},
            {"id": "join", "join": ["KSVM", "LogReg"]}],
        "arrivals": {"deltas": arrivals},
        "slo": {"latency": f"{case['slo_ms']:g} ms", "percentile": case["percentile"]},
        "plan": {"budget": case["budget"]} if "budget" in case else {}})


def main(spotsim, source, work):
    data = os.path.join(source, "..", "shared", "data")
    path = os.path.join(data, "serving", "plans.expected.json")
    if not os.path.exists(path):
        print(f"skipped: no {path}")
        subprocess.run(["sh", os.path.join(source, "tests", "left_out.sh"),
                        os.environ.get("SPOT_TEST_TMP", ""), "serve_plans"], check=True)
        return 77
    num_failed = 0
    os.makedirs(work, exist_ok=True)
    with open(path, encoding="utf-8") as file:
        cases = json.load(file)["cases"]
    for number, case in enumerate(cases):
        name = os.path.join(work, "case.yaml")
        with open(name, "w", encoding="utf-8") as file:
            file.write(scenario(os.path.abspath(data), case))
        is_rate = case["objective"] == "max_rate"
        # All planners side by side, and each alone.
        calls = [] if is_rate else [(["compare"], METHODS)]
        calls += [(["rate" if is_rate else "plan", "--method", method], (method,))
                  for method in METHODS if method in case or "infeasible" in case]
        for words, methods in calls:
            run = subprocess.run([spotsim, "serve", *words, name, "--json"],
                                 capture_output=True, text=True, check=False)
            wanted = {key: value for key, value in case.items()
                      if key != "arrivals" and (key not in METHODS or key in methods)}
            found = [f"exit code {run.returncode}: {run.stderr}"]
            if run.returncode == ("infeasible" in case):
                found = differences(wanted, json.loads(run.stdout), "")
            for text in found:
                num_failed += 1
                print(f"--- case {number}, {' '.join(words)}: {text}")
    print(f"{len(cases)} cases, {num_failed} differences")
    return num_failed > 0 or len(cases) == 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:4]))
