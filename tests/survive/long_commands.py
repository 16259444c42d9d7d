# SPDX-License-Identifier: GPL-3.0-or-later
"""Commands that take long, each in another of its phases, for stop_everywhere.py.

make_inputs() writes what they read into the working folder; COMMANDS has the words of each by name.
They write into the folder out, if they write.
"""

import json
import os
import random
import shlex
import shutil
import subprocess

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden", "cli")
SAMPLE = os.path.join(GOLDEN, "..", "..", "..", "models", "sample")

TRAIN = """scenario: long
horizon: 6 h
fleet: {capacity: 64, initial: 32, preparation: 180 s}
job: {pipeline_depth: 16, step_time: {16: 18 s, 32: 11 s, 48: 9 s, 64: 8 s}}
trace:
  generator: seed
  preemption: {per_minute: 0.2, count: {normal: {mean: 2.4, std: 2.1}}}
  addition: {per_minute: 0.2, count: {normal: {mean: 2.5, std: 1.9}}}
"""

STUDY = """study: long
scenario:
  %s
sweep: {trace.preemption.per_minute: [0.05, 0.2], job.pipeline_depth: [8, 16]}
replications: {count: 30000}
""" % TRAIN.rstrip().replace("\n", "\n  ")

LAWS = """spotsim-jobs: 1
per_hour: 20000
horizon: 36500 d
sizes: {1: 6, 2: 2, 4: 1, 8: 1}
duration: {family: lognormal, zeta: 5, sigma: 1.5}
vcs: {a: 2, b: 1, c: 1}
users: 200
"""

WORKLOADS = "model,dataset,amp,batch_size,gpu_num,gpu_util,gmem_util,weight\n" + "".join(
    f"resnet,imagenet,0,64,{num},{40 + num},50,1\n" for num in (1, 2, 4, 8))

CLUSTER = """scenario: long
engine: schedule
jobs: {generate: {per_hour: 100000, jobs: 5000000, horizon: 36500 d, duration: {family: exponential, mu: 600}}}
cluster: {vcs: {main: 3000}}
"""

CLUSTER_STUDY = """study: long
scenario:
  %s
sweep: {policy: [fifo, sjf]}
""" % CLUSTER.rstrip().replace("\n", "\n  ")

CLUSTER_OF_LOG = """scenario: long
engine: schedule
jobs: {log: jobs.csv}
cluster: {vcs: {a: 2000, b: 1000, c: 1000}}
policy: %s
"""

QUERIES = "arrivals: {poisson: {rate_qps: 100, count: %d}}\n"

TABLE_HEAD = "# samples_per_step: 256   micro_batch: 8   layers: 300\nD,P,step_ms\n"


def write(name, text):
    with open(name, "w", encoding="utf-8") as file:
        file.write(text)


def write_prices(num):
    """A history of prices of one zone, newest first, as the cloud gives it."""
    with open("prices.json", "w", encoding="utf-8") as file:
        file.write('{"SpotPriceHistory": [\n')
        for j in range(num, 0, -1):
            day, rest = divmod(j * 7, 86400)
            day, month, year = day % 28 + 1, day // 28 % 12 + 1, 2000 + day // 336
            row = {"AvailabilityZone": "us-east-1a", "InstanceType": "p3.2xlarge",
                   "ProductDescription": "Linux/UNIX", "SpotPrice": f"{0.5 + j // 100 % 997 / 1000:.4f}",
                   "Timestamp": f"{year}-{month:02}-{day:02}T{rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}+00:00"}
            file.write(json.dumps(row) + (",\n" if j > 1 else "\n"))
        file.write("]}\n")


def write_tasks(num):
    """The event log of num tasks on 8 workers."""
    with open("tasks.jsonl", "w", encoding="utf-8") as file:
        draw = random.Random(1)
        for j in range(num):
            worker, at = j % 8, j // 8 * 2000
            for action, delay in (("taskPlanned", 0), ("taskStarted", 200),
                                  ("taskFinished", 300 + draw.randrange(1500))):
                host = "controller" if action == "taskPlanned" else "h0"
                file.write(f'{{"action": "{action}", "task": "t{j % 5}:{j}", "worker": "'
                           f'{"h0:" if host == "controller" else ""}w{worker}", '
                           f'"host": "{host}", "at": {16000000000000 + (at + delay) * 1000}}}\n')


def write_profile(num):
    """A folder of measured times."""
    os.makedirs("times", exist_ok=True)
    rows = range(num)
    write("times/reconfig.csv", "ws,start,end,elapsed\n" + "".join(
        f"{16 + j % 4 * 8},{j},{j + 30.5},30.5\n" for j in rows))
    write("times/loop_times_0.csv", "ws,step,loop start,loop end,train time,start chkpt thread,total loop time\n"
          + "".join(f"{16 + j % 4 * 8},{j},{j},{j + 1},0.9,0.05,{1 + j % 7 / 100}\n" for j in rows))
    write("times/async-checkpoint_0.csv", "elapsed\n" + "".join(f"{40 + j % 9}\n" for j in rows))
    write("times/load_times_0.csv", "ws,step,elapsed\n" + "".join(
        f"{16 + j % 4 * 8},{j},{9 + j % 5}\n" for j in rows))


def make_inputs(program, size):
    """size: 1 for some seconds a command on a machine of 2020."""

    def run(*words):
        subprocess.run([program, *words], check=True, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    os.makedirs("out", exist_ok=True)
    write("train.yaml", TRAIN)
    write("study.yaml", STUDY)
    write("points.yaml", STUDY.replace("count: 30000", "count: 1").replace(
        "per_minute: [0.05, 0.2]", "per_minute: {from: 0.00001, to: 1, points: 50000}"))
    write("laws.yaml", LAWS)
    write("workloads.csv", WORKLOADS)
    write("cluster.yaml", CLUSTER)
    write("cluster-study.yaml", CLUSTER_STUDY)
    run("schedule", "generate", "laws.yaml", "--set", f"jobs={int(2000000 * size)}", "-o", "jobs.csv")
    for policy in ("fifo", "tiresias"):
        write(f"cluster-{policy}.yaml", CLUSTER_OF_LOG % policy)
    for name in ("plan.yaml", "plan.csv"):
        shutil.copy(os.path.join(GOLDEN, "serve", name), name)
    run("engine", "serve", "--example", "-o", "serve.yaml")
    run("engine", "input", "--example", "-o", "input.yaml")
    for name, file in (("queries", "serve.yaml"), ("batches", "input.yaml"),
                       ("runs", "train.yaml"), ("log", "cluster-tiresias.yaml")):
        write(f"study-of-{name}.yaml", f"study: long\nscenario: {file}\nreplications: {{count: 100}}\n")
    write("queries.yaml", QUERIES % 100000000)
    write("queries-some.yaml", QUERIES % int(10000000 * size))
    run("serve", "gen", "queries-some.yaml", "-o", "deltas.txt")
    run("trace", "generate", "train.yaml", "--horizon", f"{int(10000 * size)} d", "-o", "trace.csv")
    run("trace", "generate", "train.yaml", "--horizon", "30 d", "-o", "month.csv")
    run("study", "study.yaml", "--set", f"replications.count={int(50000 * size)}", "-o", "study.db")
    run("study", "study.yaml", "--set", f"replications.count={int(50000 * size)}", "--shard", "1/2",
        "-o", "part-1.db")
    run("study", "study.yaml", "--set", f"replications.count={int(50000 * size)}", "--shard", "2/2",
        "-o", "part-2.db")
    write_prices(int(1000000 * size))
    run("price", "convert", "prices.json", "--zone", "us-east-1a", "-o", "prices.csv")
    write_tasks(int(300000 * size))
    write_profile(int(3000000 * size))
    write("steps.csv", TABLE_HEAD + "".join(
        f"{d},{p},{20000 / d + 700 * p + 9000 / p:.3f}\n" for d in range(1, 300) for p in range(1, 300)))


COMMANDS = {
    "jobs made": "schedule generate laws.yaml --set jobs=90000000 -o out/jobs.csv",
    "jobs made, compressed": "schedule generate laws.yaml --set jobs=3000000 -o out/jobs.csv.gz",
    "jobs printed": "schedule generate laws.yaml --set jobs=3000000",
    "jobs of a run": "run cluster.yaml",
    "jobs of a study": "study cluster-study.yaml -o out/cluster.db",
    "run of a log, fifo": "run cluster-fifo.yaml",
    "run of a log, tiresias": "run cluster-tiresias.yaml --series out/series",
    "schedule check": "schedule check jobs.csv",
    "schedule fit": "schedule fit jobs.csv -o out/laws.yaml",
    "schedule import": "schedule import jobs.csv -o out/jobs.csv",
    "schedule assign": "schedule assign jobs.csv --workloads workloads.csv -o out/jobs.csv",
    "schedule estimate": "schedule estimate jobs.csv -o out/estimates.csv",
    "schedule estimate, gam": "schedule estimate jobs.csv --method gam -o out/estimates.csv",
    "schedule forecast": "schedule forecast --log jobs.csv -o out/forecast.csv",
    "advise, cluster": "advise cluster-fifo.yaml",
    "queries made": "serve gen queries.yaml -o out/deltas.txt",
    "queries printed": "serve gen queries-some.yaml",
    "queries made, compressed": "serve gen queries-some.yaml -o out/deltas.gz",
    "serve fit": "serve fit deltas.txt",
    "queries of a run": "run serve.yaml --set arrivals.poisson.count=50000000",
    "serve plan": "serve plan plan.yaml --set 'arrivals={poisson: {rate_qps: 60, count: 3000000}}'",
    "serve rate": "serve rate plan.yaml --set plan.budget=5 --set 'arrivals={poisson: {rate_qps: 60, count: 1000000}}'",
    "serve frontier": "serve frontier plan.yaml --set 'arrivals={poisson: {rate_qps: 60, count: 1000000}}' --csv out/frontier.csv",
    "serve compare": "serve compare plan.yaml --set 'arrivals={poisson: {rate_qps: 60, count: 300000}}'",
    "run of queries": "run serve.yaml --set arrivals.poisson.count=3000000 --series out/series",
    "serve check": "serve check plan.yaml --set 'arrivals={poisson: {rate_qps: 60, count: 10000000}}'",
    "trace generate": "trace generate train.yaml --horizon 36000d -o out/trace.csv",
    "traces generate": "trace generate train.yaml --horizon 3000d --replications 30 -o out/traces",
    "trace convert": "trace convert trace.csv -o out/trace.csv",
    "trace convert, compressed": "trace convert trace.csv -o out/trace.csv.gz",
    "trace describe": "trace describe trace.csv --csv out/figures.csv --svg out/pictures",
    "trace fit": "trace fit trace.csv",
    "trace fit, json": "trace fit trace.csv --what gaps --json",
    "trace fit, bootstrap": "trace fit month.csv --what gaps --likelihood continuous --bootstrap 9999",
    "trace fit, block": "trace fit trace.csv --emit block -o out/model.yaml",
    "trace fit, mrp": "trace fit trace.csv --emit mrp",
    "trace compare": f"trace compare {GOLDEN}/model.yaml {GOLDEN}/recorded.csv --replications 30000",
    "trace compare, two": "trace compare trace.csv trace.csv",
    "check, trace": "check trace.csv",
    "check, jobs": "check jobs.csv",
    "check, database": "check study.db",
    "run": "run train.yaml --set horizon=20000d",
    "run, series": "run train.yaml --set horizon=6000d --series out/series --events out/events.jsonl",
    "run, check-theory": "run train.yaml --set horizon=20000d --check-theory",
    "study, csv": "study study.yaml -o out/study.csv",
    "study, printed": "study study.yaml --json",
    "study, database": "study study.yaml -o out/study.db",
    "study, points": "study points.yaml -o out/points.csv",
    "study, points, database": "study points.yaml -o out/points.db",
    "study of queries": "study study-of-queries.yaml --set arrivals.poisson.count=10000000 -o out/queries.db",
    "study of batches": "study study-of-batches.yaml --set input.samples=300000000 -o out/batches.db",
    "study of long runs": "study study-of-runs.yaml --set horizon=20000d -o out/runs.db",
    "study of a log": "study study-of-log.yaml -o out/log.db",
    "study, differences": "study study.yaml --set 'baseline={job.pipeline_depth: 8}' -o out/study.db",
    "study, sensitivity": "study study.yaml --set 'plan={sensitivity: {points: 1024}}' "
                          "--set replications.count=64 -o out/study.db",
    "study, page": "study study.yaml --set replications.count=100000 -o out/study.db --json",
    "study, points, plan": "study points.yaml --plan",
    "export": "export study.db -o out/rows.csv",
    "export, json lines": "export study.db --jsonl",
    "export, json": "export study.db --json",
    "export, points": "export study.db --per point",
    "report": "report study.db",
    "report, page": "report study.db -o out/page.html",
    "report, pictures": "report study.db --svg out/pictures --latex out/tables.tex",
    "merge": "merge out/all.db part-1.db part-2.db",
    "compare": "compare train.yaml --recovery checkpoint,bamboo,varuna --replications 100000",
    "compare, database": "compare train.yaml --recovery checkpoint,bamboo --replications 60000 -o out/compare.db",
    "compare, over": "compare train.yaml --over fleet.capacity=32,48,64 --replications 100000 --json",
    "advise": "advise train.yaml --steps 2000 --finish-by 12h --save out/advice",
    "price convert": "price convert prices.json --zone us-east-1a -o out/prices.csv",
    "price describe": "price describe prices.csv",
    "tasks": "tasks tasks.jsonl --csv out/tasks",
    "tasks fit": "tasks fit tasks.jsonl -o out/model.yaml",
    "tasks, compare": "tasks --compare tasks.jsonl tasks.jsonl",
    "profile": "profile times -o out/profile.yaml",
    "model fit": "model fit steps.csv -o out/full.csv",
    "model estimate": "model estimate --model gpt-2-1.5b --accelerator v100 --samples-per-step 1024 "
                      "--depths 1-3000 --instances 100000 -o out/steps.csv",
    "input": "run input.yaml --set input.samples=300000000",
    "input search": "input search --measure 'sleep 60' --log out/points.csv",
}


def command(program, name):
    return [program, *shlex.split(COMMANDS[name])]
