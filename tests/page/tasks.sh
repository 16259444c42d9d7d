#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# tasks.sh SPOTSIM WORK_DIR: the page of task logs in headless Chromium: lanes above the number of
# tasks, thin lanes of transmits, ids under the pointer as they are, a large log without bars.
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
# log NUM: a worker of two hosts each, tasks of 60 ms that wait 10 ms, data between the hosts.
log() {
    awk -v num="$1" 'function put(at, action, host, worker, more) {
            printf "{\"action\": \"%s\", \"at\": %.0f, \"host\": \"%s\", \"worker\": \"%s\", %s}\n", action, at * 1e6, host, worker, more }
        BEGIN { for (j = 0; j < num; j++) for (w = 0; w < 2; w++) {
            host = "h" w; name = host ":w"; at = 1000 + 100 * j
            id = sprintf("\"task\": \"<b>%s</b>(%d):%d\"", j % 2 ? "odd" : "even", w, j)
            put(at, "taskPlanned", "controller", name, id); put(at + 2, "taskEnqueued", host, "w", id)
            put(at + 10, "taskStarted", host, "w", id); put(at + 70, "taskFinished", host, "w", id)
            if (w == 1) {
                data = sprintf("\"dataset\": \"<b>even</b>(0):%d\"", j)
                put(at + 71, "transmitPlanned", "controller", name, data)
                put(at + 90, "transmitFinished", host, "w", data ", \"mode\": \"remote\"") } } }'
}
log 20 >small.jsonl
log 4000 >large.jsonl
"$spotsim" tasks small.jsonl --html small.html >out
"$spotsim" tasks small.jsonl --html again.html >out
cmp small.html again.html
"$spotsim" tasks large.jsonl --html large.html >out
"$spotsim" tasks small.jsonl small.jsonl --html two.html >out
for name in small large two; do
    [ "$(wc -c <$name.html)" -lt 5000000 ] || { echo "$name.html is large"; exit 1; }
    {
        echo "<script>const name = \"$name\";</script>"
        cat <<'END'
<script>
"use strict";
(async () => {
    const faults = [];
    addEventListener("error", (event) => faults.push(event.message));
    const check = async (what, isGood) => {
        for (let j = 0; j < 40 && !isGood(); j++) {
            await new Promise((resolve) => setTimeout(resolve, 100));
        }
        isGood() || faults.push(what);
    };
    const plot = document.querySelector(".timeline-plot"), canvas = document.querySelector("canvas");
    const tip = document.querySelector(".timeline-tip"), place = plot.getBoundingClientRect();
    const data = JSON.parse(document.querySelector(".timeline-data").textContent);
    /* In the middle of a lane, at a time. */
    const point = (lane, time_ms) => plot.dispatchEvent(new PointerEvent("pointermove", {pointerId: 1, bubbles: true,
        pointerType: "mouse", clientX: place.left + 92 + time_ms / data.end_ms * (plot.clientWidth - 92 - 14), clientY: place.top + 24 + 22 * (lane + 0.5)}));
    const names = data.spans.lanes.map((lane) => lane.name).join();
    await check("drawn", () => canvas.toDataURL().length > 10000);
    await check("lanes", () => names === {small: "h0:w,h1:w,h1:w data", large: "h0:w,h1:w",
        two: "1 h0:w,1 h1:w,1 h1:w data,2 h0:w,2 h1:w,2 h1:w data"}[name]);
    await check("idle causes", () => document.querySelector("figure:not(.timeline *) svg").textContent.includes("unplanned"));
    point(0, 40);
    await check("under the pointer", () => tip.textContent.includes(name === "large" ? "busy (up to 75 %)" : "<b>even</b>(0):0"));
    await check("what bars are", () => document.querySelector(".timeline").textContent.includes("bars are how busy workers are") ===
        (name === "large"));
    await check("every row", () => document.querySelector(".timeline").textContent.includes("Every row and event") === (name !== "large"));
    if (name === "small") {
        point(2, 80);
        await check("a transmit", () => tip.textContent.includes("h1:w data1<b>even</b>(0):0"));
        /* A bar of odd tasks is as high as its lane, one of transmits is thin. */
        const copy = Object.assign(document.createElement("canvas"), {width: canvas.width, height: canvas.height});
        const context = copy.getContext("2d", {willReadFrequently: true});
        context.drawImage(canvas, 0, 0);
        const column = (time_ms, from) => context.getImageData((92 + time_ms / data.end_ms * (plot.clientWidth - 92 - 14)) *
            devicePixelRatio, from * devicePixelRatio, 1, 22).data;
        const inked = (pixels) => Array.from({length: 22}, (_, j) => pixels[4 * j + 3] > 200).filter(Boolean).length;
        await check("thick", () => inked(column(1040, 24)) > 17);
        await check("thin", () => inked(column(1080, 68)) > 3 && inked(column(1080, 68)) < 12);
    }
    document.body.dataset.reader = faults.length === 0 ? "good" : faults.join(", ");
})();
</script>
END
    } >reader.html
    sh "$here/with_reader.sh" "$name.html" reader.html >read.html
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
echo "lanes of tasks and transmits are drawn and read, of a small log, a large one and two"
