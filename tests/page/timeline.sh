#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# timeline.sh SPOTSIM WORK_DIR: the page of `spotsim run --plot FILE.html` in headless
# Chromium: drawn without an error, zoomed by keys, wheel, drag and address, read, toggled.
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

"$spotsim" run "$source/reports/studies/idle-vs-preemption/seed-64.yaml" \
    --plot "$work/run.html" >/dev/null || exit 1

# The page plays its reader in a copy of itself: what it finds goes into a data-... of body.
cat >"$work/reader.html" <<'END'
<script>
"use strict";
(async () => {
    const faults = [];
    const wait = () => new Promise((resolve) => setTimeout(resolve, 100));
    const check = async (what, isGood) => {
        for (let j = 0; j < 40; j++) {
            if (isGood()) {
                return;
            }
            await wait();
        }
        faults.push(what);
    };
    const root = document.querySelector(".timeline"), plot = root.querySelector(".timeline-plot");
    const status = () => root.querySelector("output").textContent;
    const key = async (name, shiftKey = false) => {
        plot.dispatchEvent(new KeyboardEvent("keydown", {key: name, shiftKey, bubbles: true}));
    };
    const place = plot.getBoundingClientRect();
    const pointer = async (type, share) => {
        plot.setPointerCapture = () => {};
        plot.dispatchEvent(new PointerEvent(type, {pointerId: 1, button: 0, bubbles: true,
            pointerType: "mouse", clientX: place.left + share * place.width, clientY: place.top + 100}));
    };
    addEventListener("error", (event) => faults.push(event.message));
    await check("address", () => status().startsWith("1 h to 2 h of 5 h 55 min"));
    await key("Home");
    await check("whole run", () => status().startsWith("the whole run"));
    await key("+");
    await check("key +", () => status().startsWith("1 h 28 min 45 s to 4 h 26 min 15 s"));
    await key("ArrowRight");
    await check("key right", () => status().startsWith("2 h 4 min 15 s to"));
    await key("-");
    await check("key -", () => status().startsWith("the whole run"));
    await key("ArrowRight", true);
    await check("reading", () => /instances \d/.test(root.querySelector(".timeline-read").textContent));
    await pointer("pointerdown", 0.3);
    await pointer("pointermove", 0.5);
    await check("range", () => !root.querySelector(".timeline-range").hidden);
    await pointer("pointerup", 0.5);
    await check("drag", () => status().includes(" to "));
    await check("tip", () => root.querySelector(".timeline-tip").textContent.includes("instances"));
    await key("Home");
    plot.dispatchEvent(new WheelEvent("wheel", {deltaY: -200, ctrlKey: true, cancelable: true,
        clientX: place.left + 400}));
    await check("wheel", () => status().includes(" to "));
    const entry = root.querySelector(".timeline-legend button"), drawn = Number(root.dataset.drawn);
    entry.click();
    await check("toggle", () => entry.getAttribute("aria-pressed") === "false" && Number(root.dataset.drawn) > drawn);
    await check("static picture hidden", () => getComputedStyle(root.querySelector(".static")).display === "none");
    await check("ink", () => root.querySelector("canvas").getContext("2d").getImageData(200, 200, 200, 200).data.some((x) => x > 0));
    document.body.dataset.reader = faults.length === 0 ? "good" : faults.join(", ");
})();
</script>
END
{
    # Frames are rare in virtual time.
    sed -e 's|^<body>$|<body><script>window.requestAnimationFrame = (draw) => setTimeout(draw, 5);</script>|' \
        -e '/<\/body>/,$d' "$work/run.html"
    cat "$work/reader.html"
    echo "</body></html>"
} >"$work/read.html"

timeout 120 "$browser" --headless --no-sandbox --disable-gpu --window-size=1000,1200 --user-data-dir="$work/profile" \
    --virtual-time-budget=60000 --enable-logging=stderr --dump-dom "file://$work/read.html#t=3600,7200" \
    >"$work/dom.html" 2>"$work/log"
if grep -q CONSOLE "$work/log"; then
    grep CONSOLE "$work/log"
    exit 1
fi
if ! grep -q '<body data-reader="good"' "$work/dom.html"; then
    grep -o '<body[^>]*>' "$work/dom.html" || echo "the page was not read"
    exit 1
fi
echo "the timeline is drawn, zoomed, read and toggled"
