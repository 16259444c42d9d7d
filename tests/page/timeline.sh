#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# timeline.sh SPOTSIM WORK_DIR: the page of `spotsim run --plot FILE.html` in headless
# Chromium: drawn without an error, zoomed by keys, wheel, drag and address, read, toggled;
# a run of 30 days is zoomed down to one event, and the figures follow.
# Exits with 77 where Chromium is missing.
set -u
spotsim=$1
mkdir -p "$2" || exit 1
work=$(cd "$2" && pwd) || exit 1
source=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
browser=$(command -v chromium || command -v chromium-browser) || {
    echo "skipped: chromium is not installed"
    exit 77
}

seed=$source/reports/studies/idle-vs-preemption/seed-64.yaml
"$spotsim" run "$seed" --plot "$work/run.html" >/dev/null || exit 1
"$spotsim" run "$seed" --set "horizon=30 d" --plot "$work/month.html" --series "$work/month" >/dev/null || exit 1

# A page plays its reader in a copy of itself: what it finds goes into a data-... of body.
cat >"$work/common.html" <<'END'
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
const status = () => root.querySelector("output").textContent;
const key = (name, shiftKey = false) =>
    plot.dispatchEvent(new KeyboardEvent("keydown", {key: name, shiftKey, bubbles: true}));
const finish = () => { document.body.dataset.reader = faults.length === 0 ? "good" : faults.join(", "); };
addEventListener("error", (event) => faults.push(event.message));
</script>
END
cat >"$work/run-reader.html" <<'END'
<script>
(async () => {
    const figure = (table, name, column) => [...root.querySelectorAll(`#timeline-${table} tbody tr`)]
        .filter((row) => row.cells[0].textContent === name).map((row) => Number(row.cells[column].dataset.value))[0];
    const place = plot.getBoundingClientRect();
    const pointer = async (type, share) => {
        plot.setPointerCapture = () => {};
        plot.dispatchEvent(new PointerEvent(type, {pointerId: 1, button: 0, bubbles: true,
            pointerType: "mouse", clientX: place.left + share * place.width, clientY: place.top + 100}));
    };
    await check("address", () => status().startsWith("1 h to 2 h of 5 h 55 min"));
    key("Home");
    await check("whole run", () => status().startsWith("the whole run"));
    key("+");
    await check("key +", () => status().startsWith("1 h 28 min 45 s to 4 h 26 min 15 s"));
    key("ArrowRight");
    await check("key right", () => status().startsWith("2 h 4 min 15 s to"));
    key("-");
    await check("key -", () => status().startsWith("the whole run"));
    key("ArrowRight", true);
    await check("reading", () => /instances \d/.test(root.querySelector(".timeline-read").textContent));
    await pointer("pointerdown", 0.3);
    await pointer("pointermove", 0.5);
    await check("range", () => !root.querySelector(".timeline-range").hidden);
    await pointer("pointerup", 0.5);
    await check("drag", () => status().includes(" to "));
    await check("tip", () => root.querySelector(".timeline-tip").textContent.includes("instances"));
    key("Home");
    plot.dispatchEvent(new WheelEvent("wheel", {deltaY: -200, ctrlKey: true, cancelable: true,
        clientX: place.left + 400}));
    await check("wheel", () => status().includes(" to "));
    const entry = root.querySelector("#timeline-level button");
    const drawn = Number(root.dataset.drawn);
    entry.click();
    await check("toggle", () => entry.getAttribute("aria-pressed") === "false" && Number(root.dataset.drawn) > drawn);
    await check("static picture hidden", () => getComputedStyle(root.querySelector(".static")).display === "none");
    await check("ink", () => root.querySelector("canvas").getContext("2d").getImageData(200, 200, 200, 200).data.some((x) => x > 0));
    finish();
})();
</script>
END
# An event in the middle of the month, as the series has it, and how often its kind is.
middle=$(awk -F, '$2 == "preempted" { time[++n] = $1; count[n] = $3 }
    END { m = int(n / 2); print time[m] / 1000 ", " count[m] ", " n }' "$work/month/events.csv")
cost=$(awk -F, 'END { print $2 }' "$work/month/cost.csv")
{
    echo "<script>const [MIDDLE_S, COUNT, NUM, COST] = [$middle, $cost];</script>"
    cat <<'END'
<script>
(async () => {
    const figure = (table, name, column) => [...root.querySelectorAll(`#timeline-${table} tbody tr`)]
        .filter((row) => row.cells[0].textContent === name).map((row) => Number(row.cells[column].dataset.value))[0];
    const isNear = (a, b) => Math.abs(a - b) <= 1e-6 * Math.abs(b);
    key("Home");
    await check("whole", () => status() === "the whole run, 30 d");
    await check("what is binned", () => /events \(preempted, .*\) are counts of/.test(root.querySelector(".timeline-binned").textContent));
    await check("all events", () => figure("marks", "preempted", 1) === NUM);
    await check("whole cost", () => isNear(figure("curve", "cost", 1), COST));
    location.hash = `#t=${MIDDLE_S - 1},${MIDDLE_S + 1}`;
    await check("one event", () => figure("marks", "preempted", 1) === 1 && figure("marks", "preempted", 2) === COUNT);
    await check("rate", () => isNear(figure("curve", "cost", 2), figure("curve", "cost", 1) * 1800));
    await check("all is drawn", () => /Every row/.test(root.querySelector(".timeline-binned").textContent));
    key("-");
    await check("zoomed out", () => figure("curve", "cost", 1) > 0 && !status().startsWith("the whole"));
    key("n");
    await check("next event", () => /preempted|added|checkpoint|rolled/.test(root.querySelector(".timeline-read").textContent));
    for (let j = 0; j < 40; j++) {
        key("+");
    }
    await check("down to a second", () => isNear(figure("curve", "cost", 2), figure("curve", "cost", 1) * 3600));
    finish();
})();
</script>
END
} >"$work/month-reader.html"
# read_page NAME HASH: the page with its reader.
read_page() {
    sh "$source/tests/page/with_reader.sh" "$work/$1.html" "$work/common.html" "$work/$1-reader.html" >"$work/read.html"
    timeout 120 "$browser" --headless --no-sandbox --disable-gpu --window-size=1000,1200 --user-data-dir="$work/profile" \
        --virtual-time-budget=60000 --enable-logging=stderr --dump-dom "file://$work/read.html$2" \
        >"$work/dom.html" 2>"$work/log"
    if grep -q CONSOLE "$work/log"; then
        grep CONSOLE "$work/log"
        exit 1
    fi
    if ! grep -q '<body data-reader="good"' "$work/dom.html"; then
        grep -o '<body[^>]*>' "$work/dom.html" || echo "the page was not read"
        exit 1
    fi
}

read_page run '#t=3600,7200'
read_page month ''
echo "the timeline is drawn, zoomed, read and toggled; a month down to one event"
