#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# lanes.sh SPOTSIM_WITH_LANES WORK_DIR: pages of an engine with a series of every shape, in headless
# Chromium: stacks, spans in lanes, a distribution and a table; the figures of a stretch of a large
# run are those of its series; another run of a study brings its own distribution and table.
# Exits with 77 where Chromium is missing.
set -eu
spotsim=$1
mkdir -p "$2"
here=$(cd "$(dirname "$0")" && pwd)
work=$(cd "$2" && pwd)
browser=$(command -v chromium || command -v chromium-browser) || {
    echo "skipped: chromium is not installed"
    exit 77
}
cd "$work"
rm -f lanes.db frontier.db
printf 'scenario: lanes\nengine: lanes\n' >lanes.yaml
"$spotsim" run lanes.yaml --set nodes=135 --set jobs=40000 --plot many.html --series many >out 2>err
grep -qx '40000 jobs on 135 nodes' err || { echo "no line of the run itself"; cat err; exit 1; }
"$spotsim" run -q lanes.yaml >out 2>err
[ ! -s err ] || { echo "-q prints"; cat err; exit 1; }
"$spotsim" run -q lanes.yaml --plot few.svg >out
printf 'study: lanes\nscenario: lanes.yaml\nsweep: {nodes: [2, 3]}\nseries: [0]\n' >study.yaml
"$spotsim" study -q study.yaml -o lanes.db >out
"$spotsim" report -q lanes.db -o study.html

# Series in ns: the objective and the percentile stand in pictures and on the page, with the rows beside.
printf 'scenario: stages\nengine: lanes\nstages: 8\nrows: 90000\nspan: 450 ms\nobjective: 350 ms\n' >stages.yaml
"$spotsim" run -q stages.yaml --plot stages.svg >out
"$spotsim" run -q stages.yaml --plot stages.html >out
"$spotsim" run -q stages.yaml --set rows=12 --ccdf --plot short.svg >out
"$spotsim" run -q stages.yaml --set rows=12 --plot short.html >out
grep -q '>objective 350 ms<' stages.svg || { echo "no objective in the picture"; exit 1; }
[ "$(head -n 1 stages.csv)" = latency_ms,fraction ] || { echo "no data beside the picture"; exit 1; }
[ "$(tail -n 1 stages.csv | cut -d, -f2)" = 1 ] || { echo "the last row is not there"; exit 1; }
"$spotsim" compare -q stages.yaml --over stages=2,3 --replications 2 --plot-cdf cases.svg >out
[ "$(cut -d, -f3 cases.csv | sort -u | tr '\n' ' ')" = "2 3 line " ] || { echo "not both cases"; exit 1; }
# Points without a plan have no run: the page shows the first one that there is.
printf '%s\n' 'study: frontier' 'scenario: stages.yaml' \
    'sweep: {objective: [100 ms, 150 ms, 175 ms, 1 s], planner: [exact, greedy]}' \
    'metrics: [cost_per_hour]' 'replications: {count: 2}' 'series: [0]' >frontier.yaml
"$spotsim" study -q frontier.yaml --set rows=50 -o frontier.db >out
"$spotsim" report -q frontier.db -o frontier.html
grep -q 'data-label="objective 150 ms, exact, replication 0"' frontier.html || { echo "the first run is not shown"; exit 1; }
grep -q 'data-label="objective 100 ms' frontier.html && { echo "an empty run is shown"; exit 1; }

# What large jobs take of their nodes in the third day, and how many jobs run in its middle.
figures=$(awk -F, 'NR > 1 && $2 > 172800 && $1 < 259200 {
        s = $1 > 172800 ? $1 : 172800; e = $2 < 259200 ? $2 : 259200
        taken[$6] += (e - s) * $5 / 86400
        running += $1 <= 216000 && $2 > 216000 }
    END { print taken["large"] ", " taken["small"] ", " running }' many/nodes.csv)
cat >common.html <<'END'
<script>
"use strict";
const faults = [];
const check = async (what, isGood) => {
    for (let j = 0; j < 40; j++) {
        if (isGood()) {
            return;
        }
        await new Promise((resolve) => setTimeout(resolve, 100));
    }
    faults.push(what);
};
const root = document.querySelector(".timeline"), plot = root.querySelector(".timeline-plot");
const canvas = root.querySelector("canvas"), tip = root.querySelector(".timeline-tip");
const figure = (table, name, column) => [...root.querySelectorAll(`#timeline-${table} tbody tr`)]
    .filter((row) => row.cells[0].textContent === name).map((row) => Number(row.cells[column].dataset.value))[0];
const isNear = (a, b) => Math.abs(a - b) <= 1e-4 * Math.abs(b);
const finish = () => { document.body.dataset.reader = faults.length === 0 ? "good" : faults.join(", "); };
addEventListener("error", (event) => faults.push(event.message));
</script>
END
{
    echo "<script>const [LARGE, SMALL, RUNNING] = [$figures];</script>"
    cat <<'END'
<script>
(async () => {
    const place = plot.getBoundingClientRect();
    const point = (x, y) => plot.dispatchEvent(new PointerEvent("pointermove", {pointerId: 1, bubbles: true,
        pointerType: "mouse", clientX: place.left + x, clientY: place.top + y}));
    await check("drawn", () => canvas.toDataURL().length > 50000);
    await check("tables", () => figure("level", "large", 1) > 0 && figure("level-2", "busy", 1) > 0);
    location.hash = "#t=172800,259200";
    await check("large", () => isNear(figure("spans", "large", 2), LARGE));
    await check("small", () => isNear(figure("spans", "small", 2), SMALL));
    location.hash = "#t=215999,216001";
    await check("two seconds", () => root.querySelector("output").textContent.startsWith("2 d 11 h 59 min 59 s"));
    point(92 + (place.width - 2 - 92 - 14) / 2, 40);
    await check("how many run", () => [...tip.querySelectorAll(".row")].some((row) =>
        row.textContent === `jobs on each node${RUNNING}`));
    point(500, 600);
    await check("what runs on a node", () => /node \d+.*job \d+/.test(tip.textContent));
    const tall = [...root.querySelectorAll(".timeline-bar button")].find((made) => made.textContent === "Taller lanes");
    tall.click();
    await check("taller lanes", () => canvas.clientHeight > 135 * 22);
    const before = canvas.toDataURL(), toggle = root.querySelector("#timeline-spans button");
    toggle.click();
    await check("toggle", () => toggle.getAttribute("aria-pressed") === "false" && canvas.toDataURL() !== before);
    await check("distribution", () => root.querySelector(".distribution svg").getBoundingClientRect().width > 300);
    await check("table", () => /mean queue \(s\).*small\d+\.\d\d/.test(
        root.querySelector(".timeline-more table").textContent.replace(/\n/g, "")));
    finish();
})();
</script>
END
} >many-reader.html
# 12 rows in 450 ms: none is lost where it falls on the edge of a pixel, however many there are.
{
    cat <<'END'
<script>
(async () => {
    const {stacksOf, decode, average} = spot.lanes;
    const data = JSON.parse(document.querySelector(".timeline-data").textContent);
    const [stack] = stacksOf(data.lanes.map(decode));
    await check("drawn", () => canvas.toDataURL().length > 20000);
    const mean = stack.total.values.reduce((sum, value, j) => sum + value *
        ((j + 1 < stack.total.at.length ? stack.total.at[j + 1] : data.end_ms) - stack.total.at[j]), 0) / data.end_ms;
    for (let num = 1; num < 2000; num++) {
        const {sum} = average(stack.total, 0, data.end_ms, num, data.end_ms);
        if (!isNear(sum.reduce((all, value) => all + value, 0) / num, mean)) {
            faults.push(`a step is lost in ${num} pieces`);
        }
    }
    await check("eight colours", () => new Set(stack.levels.map((level) => level.colour)).size === 8);
    await check("a small cost is not 0", () => figure("curve", "cost", 3) > 0 &&
        !/^0$/.test(root.querySelector("#timeline-curve tbody tr").cells[3].textContent));
    await check("objective", () => root.querySelector(".distribution svg").textContent.includes("objective 350 ms"));
    finish();
})();
</script>
END
} >short-reader.html
cat >study-reader.html <<'END'
<script>
(async () => {
    const run = root.querySelector(".timeline-bar select"), more = [...document.querySelectorAll(".timeline-more")];
    const shown = () => more.filter((part) => part.getBoundingClientRect().height > 0).map((part) => part.dataset.run).join();
    await check("one of two", () => more.length === 2 && shown() === "0");
    const first = canvas.toDataURL();
    run.value = "1";
    run.dispatchEvent(new Event("change"));
    await check("few lanes", () => [...root.querySelectorAll(".timeline-bar button")].some((made) =>
        made.textContent === "Taller lanes" && made.getBoundingClientRect().height === 0));
    await check("the other", () => shown() === "1" && canvas.toDataURL() !== first);
    finish();
})();
</script>
END
# Each page with its reader.
for name in many short study; do
    sh "$here/with_reader.sh" "$name.html" common.html "$name-reader.html" >read.html
    timeout 120 "$browser" --headless --no-sandbox --disable-gpu --window-size=1000,1200 --user-data-dir="$work/profile" \
        --virtual-time-budget=60000 --enable-logging=stderr --dump-dom "file://$work/read.html" >dom.html 2>log || true
    if grep CONSOLE log; then
        exit 1
    fi
    grep -q '<body data-reader="good"' dom.html || {
        echo "$name: $(grep -o '<body[^>]*>' dom.html || echo "the page was not read")"
        exit 1
    }
done
echo "stacks, spans, distributions with their rules and tables are drawn, zoomed and read"
