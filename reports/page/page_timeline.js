/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Timelines of runs that can be zoomed. page_timeline.h describes the data. */
"use strict";

(() => {
    const {element, clamp, lastAt, niceStep, timeText, roughText, numberText, tickText} = spot;
    const {decode, stacksOf, valueAt, countMarks, average, show, showShares, Spans} = spot.lanes;
    const AREAS = 190, MORE_AREAS = 120, LANE = 19, CURVE = 52, GAP = 28, FOOT = 30, RIGHT = 14, TOP = 24;
    const HOUR_MS = 36e5, NUM_CELLS = {marks: 2, curve: 3};

    const precisionOf = (span_ms) =>
        span_ms > 20 * 864e5 ? 6e4 : span_ms > 600e3 ? 1000 : span_ms > 6e3 ? 100 : 1;
    const withUnit = (value, unit) => (unit === "" ? numberText(value) : `${numberText(value)} ${unit}`);

    class Timeline {
        /* The first of the sources is in the tables already. */
        constructor(root, number) {
            this.root = root;
            this.sources = [...(root.closest(".timelines") || root).querySelectorAll(".timeline-data")];
            this.build(number);
            this.load(this.sources[0]);
            this.listen();
            this.readHash();
        }

        load(source) {
            const data = JSON.parse(source.textContent);
            const lanes = data.lanes.map(decode);
            this.end = data.end_ms;
            this.least = Math.min(1000, this.end / 1000); /* the shortest stretch shown */
            [this.from, this.to, this.cursor] = [0, this.end, null];
            [this.marks, this.curves] = ["marks", "curve"].map((kind) => lanes.filter((lane) => lane.kind === kind));
            this.stacks = stacksOf(lanes);
            this.spans = data.spans === undefined ? null : new Spans(data.spans);
            this.hasSpansFirst = data.spans_first === true;
            this.gathered = data.gathered === undefined ? [] : [data.gathered];
            this.tall.hidden = this.spans === null || this.spans.height(true) === this.spans.height(false);
            this.plot.setAttribute("aria-label", `Zoomable timeline: ${source.dataset.label}`);
            for (const [kind, num_cells] of Object.entries(NUM_CELLS)) {
                this.buildRows(kind, lanes.filter((lane) => lane.kind === kind), num_cells);
            }
            this.stacks.forEach(({levels}, j) => this.buildRows(j === 0 ? "level" : `level-${j + 1}`, [...levels].reverse(), 2));
            this.buildRows("spans", this.spans === null ? [] : this.spans.named, 2);
            (this.root.closest(".timelines") || this.root).querySelectorAll(".timeline-more").forEach((more) => {
                more.hidden = Number(more.dataset.run) !== this.sources.indexOf(source);
            });
            this.redraw();
        }

        /* The rows of a table below, whose heads are the legend: what has a colour can be
           hidden. A stack of levels is named from its top down. */
        buildRows(kind, lanes, num_cells) {
            const table = this.root.querySelector(`#timeline-${kind}`);
            const rows = lanes.map((lane) => {
                const whenChanged = (isShown) => {
                    lane.isShown = isShown;
                    this.redraw();
                };
                lane.cells = Array.from({length: num_cells}, () => element("td", {}));
                return element("tr", {}, element("th", {scope: "row"}, lane.colour === null ? lane.name
                    : spot.toggle(lane.name, lane.colour, whenChanged)), ...lane.cells);
            });
            if (table !== null) {
                table.tBodies[0].replaceChildren(...rows);
            }
        }

        build(number) {
            const buttons = [["+", "Zoom in", () => this.zoom(0.5)], ["−", "Zoom out", () => this.zoom(2)],
                ["←", "Earlier", () => this.move(-0.5)], ["→", "Later", () => this.move(0.5)],
                ["‹ event", "Previous event", () => this.goToEvent(-1)], ["event ›", "Next event", () => this.goToEvent(1)],
                ["Whole run", undefined, () => this.show(0, this.end)]];
            this.tall = spot.button("Taller lanes", () => {
                this.isTall = !this.isTall;
                this.tall.textContent = this.isTall ? "Lower lanes" : "Taller lanes";
                this.redraw();
            });
            const run = spot.control("Run", spot.select(this.sources.map((source, value) => ({value, words: source.dataset.label})), 0,
                (value) => this.load(this.sources[value])));
            const live = this.root.querySelector(".timeline-live"), help = `timeline-help-${number}`;
            this.canvas = element("canvas", {"aria-hidden": "true"});
            this.range = element("div", {className: "timeline-range", hidden: true});
            this.tip = element("div", {className: "timeline-tip", hidden: true, "aria-hidden": "true"});
            this.plot = element("div", {className: "timeline-plot", tabIndex: 0, role: "application", "aria-describedby": help},
                this.canvas, this.range, this.tip);
            this.status = element("output", {});
            this.binned = element("p", {className: "note timeline-binned"});
            this.read = element("p", {className: "timeline-read", "aria-live": "polite"});
            live.append(
                element("div", {className: "timeline-bar"}, ...(this.sources.length < 2 ? [] : [run]),
                    ...buttons.map(([words, label, action]) => spot.button(words, action, label)), this.tall, this.status),
                this.plot, this.binned, this.read,
                element("details", {id: help}, element("summary", {}, "How to zoom and move"), element("p", {className: "note"},
                    "Drag over a stretch to zoom in; Ctrl and the wheel, or two fingers, zoom too; Shift and drag moves. " +
                    "Keys: + and −, ← and → to move, Shift with ← or → to read, N and P for the next and previous event, " +
                    "Home for the whole run.")));
            live.hidden = false;
            this.root.classList.add("has-script");
        }

        /* ---- Pointers, wheel and keys ---- */

        /* Pointers in places of the plot. */
        listen() {
            const pointers = new Map();
            const place = (event) => event.clientX - this.plot.getBoundingClientRect().left;
            const begin = (at, moves) => ({at, moves, from: this.from, to: this.to, fingers: [...pointers.values()].sort((a, b) => a - b)});
            let drag = null;
            const end = (event) => {
                const x = place(event), isLast = pointers.delete(event.pointerId) && pointers.size === 0;
                this.range.hidden = true;
                if (isLast && Math.abs(x - drag.at) < 4) {
                    this.point(this.timeAt(x));
                } else if (isLast && event.type === "pointerup" && !drag.moves) {
                    this.show(this.timeAt(Math.min(x, drag.at)), this.timeAt(Math.max(x, drag.at)));
                } else if (pointers.size === 1) {
                    drag = begin([...pointers.values()][0], true);
                }
            };
            const handlers = {
                pointerdown: (event) => {
                    if (event.button === 0) {
                        pointers.set(event.pointerId, place(event));
                        this.plot.setPointerCapture(event.pointerId);
                        drag = begin(place(event), event.pointerType === "touch" || event.shiftKey);
                    }
                },
                pointermove: (event) => {
                    const x = place(event);
                    this.pointerY = event.clientY - this.plot.getBoundingClientRect().top;
                    if (!pointers.has(event.pointerId)) {
                        this.point(this.timeAt(x));
                        return;
                    }
                    pointers.set(event.pointerId, x);
                    if (pointers.size === 2 && drag.fingers.length === 2) {
                        this.pinch(drag, begin(x, true).fingers);
                    } else if (drag.moves) {
                        const shift = (drag.at - x) / this.width * (drag.to - drag.from);
                        this.show(drag.from + shift, drag.to + shift);
                    } else {
                        this.range.hidden = Math.abs(x - drag.at) < 4;
                        this.range.style.left = `${Math.min(x, drag.at)}px`;
                        this.range.style.width = `${Math.abs(x - drag.at)}px`;
                        this.point(this.timeAt(x));
                    }
                },
                pointerup: end,
                pointercancel: end,
                pointerleave: (event) => event.pointerType === "touch" || this.point(null),
                dblclick: () => this.show(0, this.end),
                wheel: (event) => this.wheel(event, place(event)),
                keydown: (event) => this.key(event)
            };
            for (const [name, handler] of Object.entries(handlers)) {
                this.plot.addEventListener(name, handler, {passive: false});
            }
            window.addEventListener("hashchange", () => this.readHash());
            spot.isDark.addEventListener("change", () => this.redraw());
            window.matchMedia("print").addEventListener("change", () => this.draw());
            new ResizeObserver(() => this.redraw()).observe(this.plot);
        }

        /* What was under both fingers stays under them. */
        pinch(start, fingers) {
            const ms_per_px = (start.to - start.from) / this.width;
            const scale = (start.fingers[1] - start.fingers[0]) * ms_per_px / Math.max(fingers[1] - fingers[0], 8);
            const from = start.from + (start.fingers[0] - this.left) * ms_per_px - (fingers[0] - this.left) * scale;
            this.show(from, from + this.width * scale);
        }

        /* Without Ctrl the wheel scrolls the page, unless the plot was chosen before. */
        wheel(event, x) {
            if (!event.ctrlKey && document.activeElement !== this.plot) {
                return;
            }
            const scale = event.deltaMode === 1 ? 20 : 1;
            event.preventDefault();
            if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
                this.move((event.deltaX || event.deltaY) * scale / this.width);
            } else {
                this.zoom(Math.exp(clamp(event.deltaY * scale * 0.003, -1, 1)), this.timeAt(x));
            }
        }

        key(event) {
            const arrow = (step) => () => {
                const at = this.cursor === null ? (this.from + this.to) / 2 : this.cursor;
                if (event.shiftKey) {
                    this.readAt(clamp(at + step * (this.to - this.from) / 100, this.from, this.to));
                } else {
                    this.move(step * 0.2);
                }
            };
            const action = {
                "+": () => this.zoom(0.5), "=": () => this.zoom(0.5), "-": () => this.zoom(2),
                Home: () => this.show(0, this.end), Escape: () => this.point(null),
                n: () => this.goToEvent(1), p: () => this.goToEvent(-1), ArrowLeft: arrow(-1), ArrowRight: arrow(1)
            }[event.key];
            if (action !== undefined && !event.ctrlKey && !event.metaKey && !event.altKey) {
                event.preventDefault();
                action();
            }
        }

        /* ---- The stretch that is shown ---- */

        timeAt(x) {
            return this.from + clamp((x - this.left) / this.width, 0, 1) * (this.to - this.from);
        }

        zoom(factor, around) {
            const isInside = this.cursor !== null && this.cursor >= this.from && this.cursor <= this.to;
            const at = around !== undefined ? around : isInside ? this.cursor : (this.from + this.to) / 2;
            const span = clamp((this.to - this.from) * factor, this.least, this.end);
            const from = at - (at - this.from) / (this.to - this.from) * span;
            this.show(from, from + span);
        }

        move(share) {
            const shift = share * (this.to - this.from);
            this.show(this.from + shift, this.to + shift);
        }

        /* The cursor goes to the nearest event of a shown kind on one side, and the stretch
           with it. */
        goToEvent(direction) {
            const at = this.cursor === null ? (direction > 0 ? this.from : this.to) : this.cursor;
            const times = this.marks.filter((marks) => marks.isShown)
                .map((marks) => marks.at[direction > 0 ? lastAt(marks.at, at) + 1 : lastAt(marks.at, at - 1e-6)])
                .filter((time) => time !== undefined);
            const nearest = direction > 0 ? Math.min(...times) : Math.max(...times);
            const half = (this.to - this.from) / 2;
            if (times.length > 0) {
                if (nearest < this.from || nearest > this.to) {
                    this.show(nearest - half, nearest + half);
                }
                this.readAt(nearest);
            }
        }

        /* A stretch of the run, moved inside of it. */
        show(from, to, isFromHash) {
            const span = clamp(to - from, this.least, this.end);
            this.from = clamp(from, 0, this.end - span);
            this.to = this.from + span;
            this.redraw();
            if (!isFromHash) {
                clearTimeout(this.hashTimer);
                this.hashTimer = setTimeout(() => this.writeHash(), 250);
            }
        }

        /* #t=START,END in seconds, as in media fragments: a stretch that can be sent. */
        readHash() {
            const [, from, to] = /^#t=([0-9.]+),([0-9.]+)$/.exec(window.location.hash) || [];
            this.hash = window.location.hash;
            if (Number(to) > Number(from)) {
                this.show(1000 * Number(from), 1000 * Number(to), true);
            }
        }

        /* Where pages may not change their address there is nothing to send. */
        writeHash() {
            if (window.location.hash !== this.hash) {
                this.readHash(); /* another address came in between */
            } else if (!this.isWhole() || this.hash.startsWith("#t=")) {
                try {
                    window.history.replaceState(null, "", this.isWhole() ? window.location.pathname + window.location.search
                        : `#t=${Math.round(this.from) / 1000},${Math.round(this.to) / 1000}`);
                    this.hash = window.location.hash;
                } catch (error) {
                    return;
                }
            }
        }

        isWhole() {
            return this.from === 0 && this.to === this.end;
        }

        point(time) {
            this.cursor = time;
            this.redraw();
        }

        /* The same, read out. */
        readAt(time) {
            this.pointerY = undefined;
            this.point(time);
            this.read.textContent = `${this.heading()}: ${this.rows().map(([name, value]) => `${name} ${value}`).join(", ")}`;
        }

        /* ---- Drawing ---- */

        redraw() {
            if (!this.isWaiting) {
                this.isWaiting = true;
                requestAnimationFrame(() => {
                    this.isWaiting = false;
                    this.draw();
                });
            }
        }

        /* From the top down: levels, a strip for each kind of events, curves, and how fast
           the first of them rises, spans, unless they are the first series of the run. On a
           narrow screen the names of strips stand above them. */
        layout(width) {
            const panels = [];
            this.isNarrow = width < 560;
            this.left = this.isNarrow ? 54 : 92;
            this.width = Math.max(width - this.left - RIGHT, 50);
            this.bottom = TOP;
            const add = (height, gap, draw) => {
                const top = this.bottom + gap;
                this.bottom = top + height;
                panels.push(() => draw(top, top + height));
            };
            const addSpans = () => add(this.spans.height(this.isTall), this.bottom === TOP ? 0 : GAP,
                (top, bottom) => this.spans.draw(this, top, bottom));
            if (this.spans !== null && this.hasSpansFirst) {
                addSpans();
            }
            this.stacks.forEach((stack, j) => add(j === 0 && !this.hasSpansFirst ? AREAS : MORE_AREAS, this.bottom === TOP ? 0 : GAP,
                (top, bottom) => this.drawLevels(stack, top, bottom)));
            this.marks.filter((marks) => marks.isShown).forEach((marks) =>
                add(LANE, this.isNarrow ? 16 : 0, (top, bottom) => this.drawMarks(marks, top, bottom - 2)));
            this.curves.forEach((curve) => add(CURVE, GAP, (top, bottom) => this.drawCurve(curve, top, bottom)));
            this.curves.slice(0, 1).forEach((curve) => add(CURVE, GAP, (top, bottom) => this.drawRate(curve, top, bottom)));
            if (this.spans !== null && !this.hasSpansFirst) {
                addSpans();
            }
            return panels;
        }

        draw() {
            const width = this.plot.clientWidth, ratio = window.devicePixelRatio || 1;
            if (width === 0) {
                return; /* hidden */
            }
            const panels = this.layout(width), height = this.bottom + FOOT;
            for (const name of ["ink", "quiet", "edge", "accent"]) {
                this[name] = spot.colourOf(name);
            }
            this.canvas.width = Math.round(width * ratio);
            this.canvas.height = Math.round(height * ratio);
            this.canvas.style.height = `${height}px`;
            this.context = this.canvas.getContext("2d");
            this.context.scale(ratio, ratio);
            this.context.font = `12px ${getComputedStyle(this.root).fontFamily}`;
            this.context.textBaseline = "middle";
            this.notes = [...this.gathered];
            this.counted = new Map(); /* kinds of events that are drawn as counts, by length */
            this.drawGrid();
            panels.forEach((draw) => draw());
            this.counted.forEach((names, bin) => this.notes.push(`events (${names.join(", ")}) are counts of ${bin} each`));
            this.drawCursor();
            this.status.textContent = this.isWhole() ? `the whole run, ${this.wordsOf(this.end)}`
                : `${this.wordsOf(this.from)} to ${this.wordsOf(this.to)} of ${this.wordsOf(this.end)}`;
            this.binned.textContent = this.notes.length === 0 ? "Every row and event of this stretch is drawn."
                : `In this stretch ${this.notes.join("; ")}.`;
            this.writeFigures();
            this.root.dataset.drawn = String(Number(this.root.dataset.drawn || 0) + 1);
        }

        wordsOf(time) {
            return timeText(time, precisionOf(this.to - this.from));
        }

        xOf(time) {
            return this.left + (time - this.from) / (this.to - this.from) * this.width;
        }

        text(text, x, y, align) {
            this.context.textAlign = align;
            this.context.fillStyle = this.quiet;
            this.context.fillText(text, x, y);
        }

        line(points, colour, width) {
            this.context.beginPath();
            points.forEach(([x, y]) => this.context.lineTo(x, y));
            this.context.strokeStyle = colour;
            this.context.lineWidth = width || 1;
            this.context.stroke();
        }

        /* A filled shape; share: how much of it is seen. */
        fill(points, colour, share) {
            this.context.beginPath();
            points.forEach(([x, y]) => this.context.lineTo(x, y));
            this.context.fillStyle = colour;
            this.context.globalAlpha = share;
            this.context.fill();
            this.context.globalAlpha = 1;
        }

        base(bottom, colour) {
            this.line([[this.left, bottom + 0.5], [this.left + this.width, bottom + 0.5]], colour);
        }

        /* Times below, with lines through all panels. */
        drawGrid() {
            const step = spot.timeStep(this.to - this.from, Math.max(2, this.width / (this.isNarrow ? 72 : 110)));
            for (let time = Math.ceil(this.from / step) * step; time <= this.to; time += step) {
                const x = Math.round(this.xOf(time)) + 0.5;
                this.line([[x, TOP], [x, this.bottom + 4]], this.edge);
                this.text(timeText(time, Math.min(step, 1000)), clamp(x, this.left + 4, this.left + this.width - 18),
                    this.bottom + 16, "center");
            }
        }

        drawScale(low, high, count, yOf) {
            const step = niceStep(high - low, count);
            const digits = clamp(2 + Math.floor(Math.log10(Math.abs(high) / step)), 4, 12); /* so that ticks differ */
            for (let value = Math.ceil(low / step) * step; value <= high * 1.000001; value += step) {
                const y = Math.round(yOf(value));
                this.base(y, this.edge);
                this.text(tickText(Number(value.toPrecision(digits + 2)), digits), this.left - 6, y + 0.5, "right");
            }
        }

        /* Of the stretch that is shown. */
        average(lane, num) {
            return average(lane, this.from, this.to, num, this.end);
        }

        /* A column for each pixel. From the top of the stack down, each from 0, so that no
           seams show. */
        drawLevels(stack, top, bottom) {
            const num = Math.max(Math.round(this.width * (window.devicePixelRatio || 1)), 1), step = this.width / num;
            const shown = stack.levels.filter((level) => level.isShown), isAll = shown.length === stack.levels.length;
            const total = this.average(stack.total, num), column_ms = (this.to - this.from) / num;
            const num_ticks = top === TOP ? 5 : 3;
            const tick = niceStep(stack.total.most, num_ticks), scale = tick * Math.ceil(stack.total.most / tick);
            const yOf = (value) => bottom - (value === Infinity ? 0 : value) / scale * (bottom - top);
            const columns = (values) => [[this.left, bottom], ...Array.from(values).flatMap((value, c) =>
                [[this.left + c * step, yOf(value)], [this.left + (c + 1) * step, yOf(value)]]), [this.left + this.width, bottom]];
            const outline = (values, colour, width) =>
                this.line(Array.from(values, (value, c) => [this.left + (c + 0.5) * step, yOf(value)]), colour, width);
            const heights = [];
            shown.forEach((level, k) => {
                const below = heights[k - 1];
                heights.push(this.average(level, num).sum.map((value, c) => value + (below ? below[c] : 0)));
            });
            this.text(stack.total.name, 8, top - 12, "left");
            this.drawScale(0, scale, num_ticks, yOf);
            if (isAll) {
                this.fill(columns(total.high), this.edge, 0.4);
            }
            for (let k = shown.length - 1; k >= 0; k--) {
                this.fill(columns(heights[k]), shown[k].colour, 1);
            }
            if (isAll) {
                outline(total.low, this.ink, 0.5);
                outline(total.high, this.quiet, 1);
            }
            this.base(bottom, this.quiet);
            if (stack.total.isBinned) {
                this.notes.push(`heights of ${stack.total.name} are averages over ${roughText(stack.total.bin_ms)}: the run has more rows than the page holds`);
            } else if (total.num_steps > num && !this.notes.some((note) => note.startsWith("a column"))) {
                this.notes.push(`a column of pixels is the average of ${roughText(column_ms)}, with the lowest and the highest total as lines`);
            }
        }

        /* Triangles where there is room, else ticks, or bars of the counts in columns; the
           more they count, the larger. */
        drawMarks(marks, top, bottom) {
            const full = LANE - 5, first = lastAt(marks.at, this.from - 1e-9) + 1, last = lastAt(marks.at, this.to);
            const num_visible = last - first + 1, isWide = num_visible * 9 < this.width;
            const [x, y, align] = this.isNarrow ? [this.left, top - 6, "left"] : [this.left - 6, top + LANE / 2 + 1, "right"];
            this.text(marks.name, x, y, align);
            this.base(bottom, this.edge);
            if (num_visible * 2 > this.width || marks.isBinned) {
                this.drawBars(marks, first, last, bottom, full);
                return;
            }
            for (let j = first; j <= last; j++) {
                const size = 0.35 + 0.65 * marks.values[j] / marks.most, at = this.xOf(marks.at[j]);
                if (!isWide || marks.sign === ".") {
                    this.context.fillStyle = marks.colour;
                    this.context.fillRect(at - 0.6, bottom - size * full, isWide ? 2 : 1.2, size * full);
                    continue;
                }
                const [tip, base] = marks.sign === "+" ? [top + 5, top + LANE - 3] : [bottom - 1, bottom - LANE + 7];
                const half = 2.5 + 2.5 * size;
                this.fill([[at, tip], [at - half, base], [at + half, base]], marks.colour, 1);
            }
        }

        drawBars(marks, first, last, bottom, full) {
            const num_bars = Math.max(Math.floor(this.width / 3), 1), bars = new Float64Array(num_bars);
            const bar_ms = (this.to - this.from) / num_bars;
            for (let j = first; j <= last; j++) {
                bars[Math.min(Math.floor((marks.at[j] - this.from) / bar_ms), num_bars - 1)] += marks.values[j];
            }
            const most = bars.reduce((value, bar) => Math.max(value, bar), 1);
            const bin = roughText(marks.isBinned ? Math.max(bar_ms, marks.bin_ms) : bar_ms);
            this.context.fillStyle = marks.colour;
            bars.forEach((bar, b) => this.context.fillRect(this.left + b * 3, bottom - bar / most * full, 2, bar / most * full));
            this.counted.set(bin, [...(this.counted.get(bin) || []), marks.name]);
        }

        /* A line with what lies below it; its scale goes from where to where it goes. */
        drawLine(points, words, top, bottom, isFromZero) {
            const values = points.map((point) => point[1]).concat(isFromZero ? [0] : []);
            const [least, most] = values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, -Infinity]);
            const step = niceStep(Math.max(most - least, Math.abs(most) * 1e-3, 1e-6), 3);
            const low = Math.floor(least / step) * step, high = Math.max(Math.ceil(most / step) * step, low + step);
            const yOf = (value) => bottom - (value - low) / (high - low) * (bottom - top);
            const line = points.map(([time, value]) => [this.xOf(time), yOf(value)]);
            this.text(words, 8, top - 14, "left");
            this.drawScale(low, high, 3, yOf);
            this.line(line, this.accent, 1.8);
            this.fill([...line, [this.left + this.width, bottom], [this.left, bottom]], this.accent, 0.12);
        }

        drawCurve(curve, top, bottom) {
            const points = [[this.from, valueAt(curve, this.from)]];
            for (let j = lastAt(curve.at, this.from) + 1; j < curve.at.length && curve.at[j] < this.to; j++) {
                points.push([curve.at[j], curve.values[j]]);
            }
            points.push([this.to, valueAt(curve, this.to)]);
            this.drawLine(points, curve.unit === "" || curve.name.includes(curve.unit) ? curve.name : `${curve.name} (${curve.unit})`,
                top, bottom, false);
        }

        drawRate(curve, top, bottom) {
            const num_bars = Math.max(Math.floor(this.width / 6), 1), bar_ms = (this.to - this.from) / num_bars;
            const points = Array.from({length: num_bars}, (_, b) => {
                const from = this.from + b * bar_ms;
                const rate = (valueAt(curve, from + bar_ms) - valueAt(curve, from)) / bar_ms * HOUR_MS;
                return [[from, rate], [from + bar_ms, rate]];
            }).flat();
            this.drawLine(points, `${curve.name} per h, averages over ${roughText(bar_ms)}`, top, bottom, true);
        }

        /* ---- Figures ---- */

        /* What the tables below say is of the stretch that is shown. */
        writeFigures() {
            const {from, to} = this, span = to - from;
            this.stacks.forEach(({levels}) => showShares(levels, levels.map((level) => this.average(level, 1).sum[0])));
            if (this.spans !== null) {
                showShares(this.spans.named, this.spans.means(from, to));
            }
            this.marks.forEach((marks) => {
                const about = marks.isBinned && !this.isWhole() ? "about " : "";
                show(marks, ...countMarks(marks, from, to).map((value) => [value, about + value.toLocaleString("en")]));
            });
            this.curves.forEach((curve) => {
                const end = valueAt(curve, to), change = end - valueAt(curve, from), rate = change / span * HOUR_MS;
                show(curve, [change, withUnit(change, curve.unit)], [rate, withUnit(rate, `${curve.unit}/h`)],
                    [end, withUnit(end, curve.unit)]);
            });
            this.root.querySelectorAll(".timeline-tables caption").forEach((caption) => {
                caption.textContent = `${caption.textContent.split(",")[0]}, ${this.status.textContent}`;
            });
        }

        /* What is known at the cursor: [text, number, colour] a row. */
        rows() {
            const near_ms = 4 / this.width * (this.to - this.from), rows = [];
            this.stacks.forEach(({total, levels}) => {
                const j = Math.max(lastAt(total.at, this.cursor), 0), low = total.more[j], high = total.values[j];
                const height = levels.reduce((sum, level) => sum + valueAt(level, this.cursor), 0);
                rows.push([total.name, low < high ? `${numberText(height)} (${numberText(low)} to ${numberText(high)})`
                    : numberText(height), null]);
                [...levels].reverse().filter((level) => level.isShown && valueAt(level, this.cursor) > 0)
                    .forEach((level) => rows.push([level.name, numberText(valueAt(level, this.cursor)), level.colour]));
            });
            this.marks.filter((marks) => marks.isShown).forEach((marks) => {
                const [times, count] = countMarks(marks, this.cursor - near_ms, this.cursor + near_ms);
                if (times > 0) {
                    rows.push([marks.name, times > 1 ? `${numberText(count)} (${times}×)` : numberText(count), marks.colour]);
                }
            });
            this.curves.forEach((curve) => rows.push([curve.name, withUnit(valueAt(curve, this.cursor), curve.unit), null]));
            return this.spans === null ? rows : rows.concat(this.spans.rows(this.cursor, this.pointerY));
        }

        heading() {
            const time = this.wordsOf(this.cursor), binned = this.stacks.find(({total}) => total.isBinned);
            return binned !== undefined ? `${time}, averages over ${roughText(binned.total.bin_ms)}` : time;
        }

        drawCursor() {
            const x = this.xOf(this.cursor), isRight = x > this.left + this.width / 2;
            this.tip.hidden = this.cursor === null || this.cursor < this.from || this.cursor > this.to;
            if (this.tip.hidden) {
                return;
            }
            this.line([[x, TOP], [x, this.bottom]], this.ink);
            this.tip.replaceChildren(element("strong", {}, this.heading()),
                ...this.rows().map(([name, value, colour]) => {
                    const swatch = element("span", {className: "swatch"});
                    swatch.style.background = colour || "transparent";
                    return element("span", {className: "row"}, swatch, name, element("b", {}, value));
                }));
            this.tip.style.left = isRight ? "auto" : `${x + 12}px`;
            this.tip.style.right = isRight ? `${this.plot.clientWidth - x + 12}px` : "auto";
        }
    }

    document.querySelectorAll(".timeline").forEach((root, number) => new Timeline(root, number));
})();
