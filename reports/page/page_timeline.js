/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Timelines of runs that can be zoomed. timeline_data.h describes the data. */
"use strict";

(() => {
    const {element, clamp, lastAt, niceStep, timeText, roughText, numberText, tickText} = spot;
    const AREAS = 190, LANE = 19, CURVE = 52, GAP = 28, FOOT = 30, RIGHT = 14;
    const HOUR_MS = 36e5;

    const sums = (differences, unit) => {
        let sum = 0;
        return Float64Array.from(differences, (difference) => (sum += difference * unit));
    };
    const precisionOf = (span_ms) =>
        span_ms > 20 * 864e5 ? 6e4 : span_ms > 600e3 ? 1000 : span_ms > 6e3 ? 100 : 1;
    const withUnit = (text, unit) => (unit === "" ? text : `${text} ${unit}`);

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
            this.data = JSON.parse(source.textContent);
            this.end = this.data.end_ms;
            this.least = Math.min(1000, this.end / 1000); /* the shortest stretch shown */
            this.from = 0;
            this.to = this.end;
            this.cursor = null;
            this.decode(this.data);
            this.plot.setAttribute("aria-label", `Zoomable timeline: ${source.dataset.label}`);
            this.buildRows("shares", [...this.categories].reverse(), 2);
            this.buildRows("marks", this.marks, 2);
            this.buildRows("curves", this.curves, 3);
            this.redraw();
        }

        /* The rows of a table below, whose heads are the legend: what has a colour can be
           hidden. */
        buildRows(name, items, num_cells) {
            const table = this.root.querySelector(`.timeline-${name}`);
            if (table === null) {
                return;
            }
            table.tBodies[0].replaceChildren(...items.map((item) => {
                item.cells = Array.from({length: num_cells}, () => element("td", {}));
                return element("tr", {}, element("th", {scope: "row"}, item.colour === undefined ? item.name
                    : spot.toggle(item.name, item.colour, (isShown) => {
                        item.isShown = isShown;
                        this.redraw();
                    })), ...item.cells);
            }));
        }

        decode(data) {
            const num = data.categories.length, heights = new Float64Array(num), starts = [], states = [];
            let time = 0;
            for (let j = 0; j < data.rows.length; j += 2 + 2 * data.rows[j + 1]) {
                time += data.rows[j] * data.unit_ms;
                for (let k = j + 2; k < j + 2 + 2 * data.rows[j + 1]; k += 2) {
                    heights[data.rows[k]] = data.rows[k + 1];
                }
                starts.push(time);
                states.push(...heights);
            }
            this.isBinned = data.bin_ms !== null;
            this.starts = Float64Array.from(starts);
            this.categories = data.categories.map((category, k) => ({
                ...category, isShown: true, heights: this.starts.map((_, j) => states[j * num + k])
            }));
            const total = this.starts.map((_, j) => this.categories.reduce((sum, category) => sum + category.heights[j], 0));
            this.low = this.isBinned ? Float64Array.from(data.low) : total;
            this.high = this.isBinned ? Float64Array.from(data.high) : total;
            this.peak = this.high.reduce((peak, value) => Math.max(peak, value), 1);
            this.marks = data.marks.map((mark) => ({
                ...mark, isShown: true, isBinned: mark.bins !== undefined,
                at: mark.at ? sums(mark.at, data.unit_ms) : sums(mark.bins, 1).map((bin) => (bin + 0.5) * this.end / data.num_mark_bins),
                most: mark.counts.reduce((most, count) => Math.max(most, count), 1)
            }));
            this.curves = data.curves.filter((curve) => curve.at.length > 0).map((curve) =>
                ({...curve, at: sums(curve.at, data.unit_ms), values: Float64Array.from(curve.values)}));
            this.areas = data.height === null ? 0 : AREAS;
        }

        build(number) {
            const help = element("p", {className: "note"},
                "Drag over a stretch to zoom in; Ctrl and the wheel, or two fingers, zoom too; Shift and drag moves. " +
                "Keys: + and −, ← and → to move, Shift with ← or → to read, N and P for the next and previous event, " +
                "Home for the whole run.");
            this.canvas = element("canvas", {"aria-hidden": "true"});
            this.range = element("div", {className: "timeline-range", hidden: true});
            this.tip = element("div", {className: "timeline-tip", hidden: true, "aria-hidden": "true"});
            this.plot = element("div", {className: "timeline-plot", tabIndex: 0, role: "application", "aria-describedby": `timeline-help-${number}`},
            this.canvas, this.range, this.tip);
            this.status = element("output", {});
            this.binned = element("p", {className: "note timeline-binned"});
            this.read = element("p", {className: "timeline-read", "aria-live": "polite"});
            const live = this.root.querySelector(".timeline-live");
            live.append(
                element("div", {className: "timeline-bar"},
                    ...(this.sources.length < 2 ? [] : [spot.control("Run", spot.select(
                        this.sources.map((source, value) => ({value, words: source.dataset.label})), 0,
                        (value) => this.load(this.sources[value])))]),
                    spot.button("+", () => this.zoom(0.5), "Zoom in"), spot.button("−", () => this.zoom(2), "Zoom out"),
                    spot.button("←", () => this.move(-0.5), "Earlier"), spot.button("→", () => this.move(0.5), "Later"),
                    spot.button("‹ event", () => this.goToEvent(-1), "Previous event"),
                    spot.button("event ›", () => this.goToEvent(1), "Next event"),
                    spot.button("Whole run", () => this.show(0, this.end)), this.status),
                this.plot, this.binned, this.read,
                element("details", {id: `timeline-help-${number}`}, element("summary", {}, "How to zoom and move"), help));
            live.hidden = false;
            this.root.classList.add("has-script");
        }

        /* Pointers in places of the plot. */
        listen() {
            const pointers = new Map();
            let drag = null;
            const place = (event) => event.clientX - this.plot.getBoundingClientRect().left;
            const pinch = () => [...pointers.values()].sort((a, b) => a - b);
            this.plot.addEventListener("pointerdown", (event) => {
                if (event.button !== 0) {
                    return;
                }
                pointers.set(event.pointerId, place(event));
                this.plot.setPointerCapture(event.pointerId);
                drag = {at: place(event), from: this.from, to: this.to, fingers: pinch(),
                    moves: event.pointerType === "touch" || event.shiftKey};
            });
            this.plot.addEventListener("pointermove", (event) => {
                const x = place(event);
                if (!pointers.has(event.pointerId)) {
                    this.point(this.timeAt(x));
                    return;
                }
                pointers.set(event.pointerId, x);
                if (pointers.size === 2 && drag.fingers.length === 2) {
                    this.pinch(drag, pinch());
                } else if (drag.moves) {
                    const shift = (drag.at - x) / this.width * (drag.to - drag.from);
                    this.show(drag.from + shift, drag.to + shift);
                } else {
                    this.range.hidden = Math.abs(x - drag.at) < 4;
                    this.range.style.left = `${Math.min(x, drag.at)}px`;
                    this.range.style.width = `${Math.abs(x - drag.at)}px`;
                    this.point(this.timeAt(x));
                }
            });
            const end = (event) => {
                const x = place(event);
                const isLast = pointers.delete(event.pointerId) && pointers.size === 0;
                this.range.hidden = true;
                if (isLast && event.type === "pointerup" && Math.abs(x - drag.at) >= 4 && !drag.moves) {
                    this.show(this.timeAt(Math.min(x, drag.at)), this.timeAt(Math.max(x, drag.at)));
                } else if (isLast && Math.abs(x - drag.at) < 4) {
                    this.point(this.timeAt(x));
                }
                if (pointers.size === 1) {
                    drag = {at: pinch()[0], from: this.from, to: this.to, fingers: pinch(), moves: true};
                }
            };
            this.plot.addEventListener("pointerup", end);
            this.plot.addEventListener("pointercancel", end);
            this.plot.addEventListener("pointerleave", (event) => {
                if (event.pointerType !== "touch") {
                    this.point(null);
                }
            });
            this.plot.addEventListener("dblclick", () => this.show(0, this.end));
            this.plot.addEventListener("wheel", (event) => this.wheel(event, place(event)), {passive: false});
            this.plot.addEventListener("keydown", (event) => this.key(event));
            window.addEventListener("hashchange", () => this.readHash());
            spot.isDark.addEventListener("change", () => this.redraw());
            window.matchMedia("print").addEventListener("change", () => this.draw());
            new ResizeObserver(() => this.redraw()).observe(this.plot);
        }

        /* What was under both fingers stays under them. */
        pinch(start, fingers) {
            const span = start.to - start.from;
            const time = (x) => start.from + (x - this.left) / this.width * span;
            const [first, second] = start.fingers.map(time);
            const scale = (second - first) / Math.max(fingers[1] - fingers[0], 8);
            const from = first - (fingers[0] - this.left) * scale;
            this.show(from, from + this.width * scale);
        }

        /* Without Ctrl the wheel scrolls the page, unless the plot was chosen before. */
        wheel(event, x) {
            if (!event.ctrlKey && document.activeElement !== this.plot) {
                return;
            }
            event.preventDefault();
            const delta = event.deltaMode === 1 ? 20 : 1;
            if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
                this.move((event.deltaX || event.deltaY) * delta / this.width);
            } else {
                this.zoom(Math.exp(clamp(event.deltaY * delta * 0.003, -1, 1)), this.timeAt(x));
            }
        }

        key(event) {
            const step = event.key === "ArrowLeft" ? -1 : event.key === "ArrowRight" ? 1 : 0;
            const actions = {
                "+": () => this.zoom(0.5), "=": () => this.zoom(0.5), "-": () => this.zoom(2),
                Home: () => this.show(0, this.end), Escape: () => this.point(null),
                n: () => this.goToEvent(1), p: () => this.goToEvent(-1)
            };
            if (event.ctrlKey || event.metaKey || event.altKey || (step === 0 && actions[event.key] === undefined)) {
                return;
            }
            event.preventDefault();
            if (step === 0) {
                actions[event.key]();
            } else if (event.shiftKey) {
                const at = this.cursor === null ? (this.from + this.to) / 2 : this.cursor;
                this.point(clamp(at + step * (this.to - this.from) / 100, this.from, this.to));
                this.read.textContent = this.words();
            } else {
                this.move(step * 0.2);
            }
        }

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
            const nearest = this.marks.filter((mark) => mark.isShown).reduce((best, mark) => {
                const j = direction > 0 ? lastAt(mark.at, at) + 1 : lastAt(mark.at, at - 1e-6);
                const time = mark.at[j];
                return time !== undefined && (best === null || (time - best) * direction < 0) ? time : best;
            }, null);
            if (nearest === null) {
                return;
            }
            if (nearest < this.from || nearest > this.to) {
                const half = (this.to - this.from) / 2;
                this.show(nearest - half, nearest + half);
            }
            this.point(nearest);
            this.read.textContent = this.words();
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
            this.hash = window.location.hash;
            const found = /^#t=([0-9.]+),([0-9.]+)$/.exec(window.location.hash);
            if (found !== null && Number(found[2]) > Number(found[1])) {
                this.show(1000 * Number(found[1]), 1000 * Number(found[2]), true);
            }
        }

        writeHash() {
            if (window.location.hash !== this.hash) {
                this.readHash(); /* another address came in between */
                return;
            }
            const isWhole = this.isWhole();
            const hash = isWhole ? window.location.pathname + window.location.search
                : `#t=${Math.round(this.from) / 1000},${Math.round(this.to) / 1000}`;
            if (isWhole && !window.location.hash.startsWith("#t=")) {
                return;
            }
            try {
                window.history.replaceState(null, "", hash);
                this.hash = window.location.hash;
            } catch (error) {
                /* Where pages may not change their address there is nothing to send. */
            }
        }

        isWhole() {
            return this.from === 0 && this.to === this.end;
        }

        point(time) {
            this.cursor = time;
            this.redraw();
        }

        redraw() {
            if (!this.isWaiting) {
                this.isWaiting = true;
                requestAnimationFrame(() => {
                    this.isWaiting = false;
                    this.draw();
                });
            }
        }

        /* From the top down: areas, a lane for each kind of events, curves, and how fast the
           first of them rises. On a narrow screen the names of lanes stand above them. */
        layout(width) {
            const isNarrow = width < 560, panels = [];
            let top = 24;
            const add = (height, gap, draw) => {
                panels.push({top: top + gap, height, draw});
                top += gap + height;
            };
            this.left = isNarrow ? 54 : 92;
            this.width = Math.max(width - this.left - RIGHT, 50);
            this.isNarrow = isNarrow;
            if (this.areas > 0) {
                add(this.areas, 0, (panel) => this.drawAreas(panel));
            }
            this.marks.filter((mark) => mark.isShown).forEach((mark) =>
                add(LANE, isNarrow ? 16 : 0, (panel) => this.drawLane(mark, panel)));
            this.curves.forEach((curve) => add(CURVE, GAP, (panel) => this.drawCurve(curve, panel)));
            if (this.curves.length > 0) {
                add(CURVE, GAP, (panel) => this.drawRate(this.curves[0], panel));
            }
            return {panels, height: top + FOOT};
        }

        draw() {
            const width = this.plot.clientWidth, ratio = window.devicePixelRatio || 1;
            if (width === 0) {
                return; /* hidden */
            }
            const {panels, height} = this.layout(width);
            this.ink = spot.colourOf("ink");
            this.quiet = spot.colourOf("quiet");
            this.edge = spot.colourOf("edge");
            this.accent = spot.colourOf("accent");
            this.canvas.width = Math.round(width * ratio);
            this.canvas.height = Math.round(height * ratio);
            this.canvas.style.height = `${height}px`;
            this.context = this.canvas.getContext("2d");
            this.context.scale(ratio, ratio);
            this.context.font = `12px ${getComputedStyle(this.root).fontFamily}`;
            this.context.textBaseline = "middle";
            this.notes = this.isBinned
                ? [`heights are averages over ${roughText(this.data.bin_ms)}: the run has more rows than the page holds`] : [];
            this.counted = new Map(); /* kinds of events that are drawn as counts, by length */
            this.drawGrid(height);
            panels.forEach((panel) => panel.draw(panel));
            this.counted.forEach((names, bin) => this.notes.push(`events (${names.join(", ")}) are counts of ${bin} each`));
            this.drawCursor(height - FOOT);
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

        /* Times below, with lines through all panels. */
        drawGrid(height) {
            const step = spot.timeStep(this.to - this.from, Math.max(2, this.width / (this.isNarrow ? 72 : 110)));
            for (let time = Math.ceil(this.from / step) * step; time <= this.to; time += step) {
                const x = Math.round(this.xOf(time)) + 0.5;
                this.line([[x, 24], [x, height - FOOT + 4]], this.edge);
                this.text(timeText(time, Math.min(step, 1000)), clamp(x, this.left + 4, this.left + this.width - 18),
                    height - FOOT + 16, "center");
            }
        }

        drawScale(low, high, count, yOf) {
            const step = niceStep(high - low, count);
            for (let value = Math.ceil(low / step) * step; value <= high * 1.000001; value += step) {
                const y = Math.round(yOf(value)) + 0.5;
                this.line([[this.left, y], [this.left + this.width, y]], this.edge);
                this.text(tickText(Number(value.toPrecision(6))), this.left - 6, y, "right");
            }
        }

        /* What of each row lies in a stretch: visit(row, start, end). */
        rowsBetween(from, to, visit) {
            for (let j = Math.max(lastAt(this.starts, from), 0); j < this.starts.length && this.starts[j] < to; j++) {
                const start = Math.max(this.starts[j], from);
                const end = Math.min(j + 1 < this.starts.length ? this.starts[j + 1] : this.end, to);
                visit(j, start, end);
            }
        }

        /* Averages over columns of one pixel, and their lowest and highest totals. */
        columns(shown, num_columns) {
            const sum = shown.map(() => new Float64Array(num_columns));
            const low = new Float64Array(num_columns).fill(Infinity), high = new Float64Array(num_columns);
            const column_ms = (this.to - this.from) / num_columns;
            let num_rows = 0;
            this.rowsBetween(this.from, this.to, (j, start, end) => {
                num_rows++;
                for (let c = Math.min(Math.floor((start - this.from) / column_ms), num_columns - 1); c < num_columns; c++) {
                    const left = this.from + c * column_ms;
                    const share = (Math.min(end, left + column_ms) - Math.max(start, left)) / column_ms;
                    if (share <= 0) {
                        break;
                    }
                    shown.forEach((category, k) => { sum[k][c] += share * category.heights[j]; });
                    low[c] = Math.min(low[c], this.low[j]);
                    high[c] = Math.max(high[c], this.high[j]);
                }
            });
            if (num_rows > num_columns && !this.isBinned) {
                this.notes.push(`a column of pixels is the average of ${roughText(column_ms)}, ` +
                    "with the lowest and the highest total as lines");
            }
            return {sum, low, high};
        }

        drawAreas({top, height}) {
            const context = this.context, bottom = top + height;
            const num_columns = Math.max(Math.round(this.width * (window.devicePixelRatio || 1)), 1);
            const shown = this.categories.filter((category) => category.isShown);
            const {sum, low, high} = this.columns(shown, num_columns);
            const step = this.width / num_columns, isAll = shown.length === this.categories.length;
            const scale = niceStep(this.peak, 5) * Math.ceil(this.peak / niceStep(this.peak, 5));
            const yOf = (value) => bottom - value / scale * height;
            const fill = (heights, colour) => {
                context.beginPath();
                context.moveTo(this.left, bottom);
                heights.forEach((value, c) => {
                    context.lineTo(this.left + c * step, yOf(value));
                    context.lineTo(this.left + (c + 1) * step, yOf(value));
                });
                context.lineTo(this.left + this.width, bottom);
                context.fillStyle = colour;
                context.fill();
            };
            const outline = (heights, colour, width) => this.line(
                Array.from(heights, (value, c) => [this.left + (c + 0.5) * step, yOf(value === Infinity ? 0 : value)]),
                colour, width);
            this.text(this.data.height, 8, 12, "left");
            this.drawScale(0, scale, 5, yOf);
            if (isAll) {
                context.globalAlpha = 0.4;
                fill(high, this.edge);
                context.globalAlpha = 1;
            }
            /* From the top of the stack down, each from 0, so that no seams show. */
            for (let k = 1; k < sum.length; k++) {
                sum[k].forEach((value, c) => { sum[k][c] = value + sum[k - 1][c]; });
            }
            for (let k = sum.length - 1; k >= 0; k--) {
                fill(sum[k], shown[k].colour);
            }
            if (isAll) {
                outline(low, this.ink, 0.5);
                outline(high, this.quiet, 1);
            }
            this.line([[this.left, bottom + 0.5], [this.left + this.width, bottom + 0.5]], this.quiet);
        }

        /* The marks of a stretch: the first and the last. */
        marksBetween(mark, from, to) {
            return [lastAt(mark.at, from - 1e-9) + 1, lastAt(mark.at, to)];
        }

        /* Triangles where there is room, else ticks, or bars of the counts in columns; the
           more they count, the larger. */
        drawLane(mark, {top}) {
            const context = this.context, bottom = top + LANE - 2, full = LANE - 5;
            const [first, last] = this.marksBetween(mark, this.from, this.to), num_visible = last - first + 1;
            const isWide = num_visible * 9 < this.width;
            if (this.isNarrow) {
                this.text(mark.name, this.left, top - 6, "left");
            } else {
                this.text(mark.name, this.left - 6, top + LANE / 2 + 1, "right");
            }
            this.line([[this.left, bottom + 0.5], [this.left + this.width, bottom + 0.5]], this.edge);
            context.fillStyle = mark.colour;
            if (num_visible * 2 > this.width || mark.isBinned) {
                this.drawBars(mark, first, last, bottom, full);
                return;
            }
            for (let j = first; j <= last; j++) {
                const size = 0.35 + 0.65 * mark.counts[j] / mark.most, x = this.xOf(mark.at[j]);
                if (!isWide || mark.shape === "tick") {
                    context.fillRect(x - 0.6, bottom - size * full, isWide ? 2 : 1.2, size * full);
                    continue;
                }
                const y = mark.shape === "up" ? top + 5 : bottom - 1, side = (LANE - 8) * (mark.shape === "up" ? 1 : -1);
                const half = 2.5 + 2.5 * size;
                context.beginPath();
                context.moveTo(x, y);
                context.lineTo(x - half, y + side);
                context.lineTo(x + half, y + side);
                context.fill();
            }
        }

        drawBars(mark, first, last, bottom, full) {
            const num_bars = Math.max(Math.floor(this.width / 3), 1), bars = new Float64Array(num_bars);
            const bar_ms = (this.to - this.from) / num_bars;
            for (let j = first; j <= last; j++) {
                bars[Math.min(Math.floor((mark.at[j] - this.from) / bar_ms), num_bars - 1)] += mark.counts[j];
            }
            const most = bars.reduce((value, bar) => Math.max(value, bar), 1);
            bars.forEach((bar, b) =>
                this.context.fillRect(this.left + b * 3, bottom - bar / most * full, 2, bar / most * full));
            const bin = roughText(mark.isBinned ? Math.max(bar_ms, this.end / this.data.num_mark_bins) : bar_ms);
            this.counted.set(bin, [...(this.counted.get(bin) || []), mark.name]);
        }

        valueAt(curve, time) {
            const {at, values} = curve, j = lastAt(at, time);
            if (j < 0 || j + 1 === at.length) {
                return values[Math.max(j, 0)];
            }
            return values[j] + (values[j + 1] - values[j]) * (time - at[j]) / (at[j + 1] - at[j]);
        }

        /* A line with what lies below it; its scale goes from where to where it goes. */
        drawLine(points, words, {top, height}, isFromZero) {
            const context = this.context, bottom = top + height;
            const least = isFromZero ? 0 : points.reduce((value, point) => Math.min(value, point[1]), Infinity);
            const most = points.reduce((value, point) => Math.max(value, point[1]), -Infinity);
            const step = niceStep(Math.max(most - least, Math.abs(most) * 1e-3, 1e-6), 3);
            const low = Math.floor(least / step) * step, high = Math.max(Math.ceil(most / step) * step, low + step);
            const yOf = (value) => bottom - (value - low) / (high - low) * height;
            this.text(words, 8, top - 14, "left");
            this.drawScale(low, high, 3, yOf);
            this.line(points.map(([time, value]) => [this.xOf(time), yOf(value)]), this.accent, 1.8);
            context.lineTo(this.left + this.width, bottom);
            context.lineTo(this.left, bottom);
            context.globalAlpha = 0.12;
            context.fillStyle = this.accent;
            context.fill();
            context.globalAlpha = 1;
        }

        drawCurve(curve, panel) {
            const points = [[this.from, this.valueAt(curve, this.from)]];
            for (let j = lastAt(curve.at, this.from) + 1; j < curve.at.length && curve.at[j] < this.to; j++) {
                points.push([curve.at[j], curve.values[j]]);
            }
            points.push([this.to, this.valueAt(curve, this.to)]);
            this.drawLine(points, this.curveWords(curve), panel, false);
        }

        curveWords(curve) {
            return curve.unit === "" || curve.name.includes(curve.unit) ? curve.name : `${curve.name} (${curve.unit})`;
        }

        drawRate(curve, panel) {
            const num_bars = Math.max(Math.floor(this.width / 6), 1), bar_ms = (this.to - this.from) / num_bars;
            const points = [];
            for (let b = 0; b < num_bars; b++) {
                const from = this.from + b * bar_ms;
                const rate = (this.valueAt(curve, from + bar_ms) - this.valueAt(curve, from)) / bar_ms * HOUR_MS;
                points.push([from, rate], [from + bar_ms, rate]);
            }
            this.drawLine(points,
                `${curve.name} per h, averages over ${roughText(bar_ms)}`, panel, true);
        }

        /* What the tables below say is of the stretch that is shown. */
        writeFigures() {
            const areas = this.categories.map(() => 0), span = this.to - this.from;
            this.rowsBetween(this.from, this.to, (j, start, end) => this.categories.forEach((category, k) => {
                areas[k] += category.heights[j] * (end - start);
            }));
            const total = areas.reduce((sum, area) => sum + area, 0);
            const show = (item, ...figures) => figures.forEach(([value, text], c) => {
                item.cells[c].dataset.value = String(value);
                item.cells[c].textContent = text;
            });
            this.categories.forEach((category, k) => show(category,
                [areas[k] / total, `${(100 * areas[k] / (total || 1)).toFixed(1)} %`],
                [areas[k] / span, (areas[k] / span).toFixed(2)]));
            this.marks.forEach((mark) => {
                const [times, count] = this.countMarks(mark, this.from, this.to);
                const about = mark.isBinned && !this.isWhole() ? "about " : "";
                show(mark, [times, about + times.toLocaleString("en")], [count, about + count.toLocaleString("en")]);
            });
            this.curves.forEach((curve) => {
                const end = this.valueAt(curve, this.to), change = end - this.valueAt(curve, this.from);
                const rate = change / span * HOUR_MS;
                show(curve, [change, withUnit(numberText(change), curve.unit)],
                    [rate, withUnit(numberText(rate), `${curve.unit}/h`)], [end, withUnit(numberText(end), curve.unit)]);
            });
            this.root.querySelectorAll(".timeline-tables caption").forEach((caption) => {
                caption.textContent = `${caption.dataset.words}, ${this.status.textContent}`;
            });
        }

        /* How often a kind happened in a stretch, and the counts of all. */
        countMarks(mark, from, to) {
            const [first, last] = this.marksBetween(mark, from, to);
            let times = 0, count = 0;
            for (let m = first; m <= last; m++) {
                count += mark.counts[m];
                times += mark.isBinned ? mark.times[m] : 1;
            }
            return [times, count];
        }

        /* What is known at the cursor: [text, number, colour] a row. */
        rows() {
            const j = Math.max(lastAt(this.starts, this.cursor), 0);
            const near_ms = 4 / this.width * (this.to - this.from);
            const rows = [];
            if (this.areas > 0) {
                const total = this.categories.reduce((sum, category) => sum + category.heights[j], 0);
                rows.push([this.data.height, this.low[j] < this.high[j]
                    ? `${numberText(total)} (${numberText(this.low[j])} to ${numberText(this.high[j])})`
                    : numberText(total), null]);
            }
            [...this.categories].reverse().filter((category) => category.isShown && category.heights[j] > 0)
                .forEach((category) => rows.push([category.name, numberText(category.heights[j]), category.colour]));
            this.marks.filter((mark) => mark.isShown).forEach((mark) => {
                const [times, count] = this.countMarks(mark, this.cursor - near_ms, this.cursor + near_ms);
                if (times > 0) {
                    rows.push([mark.name, times > 1 ? `${numberText(count)} (${times}×)` : numberText(count), mark.colour]);
                }
            });
            this.curves.forEach((curve) =>
                rows.push([curve.name, withUnit(numberText(this.valueAt(curve, this.cursor)), curve.unit), null]));
            return rows;
        }

        heading() {
            const time = timeText(this.cursor, precisionOf(this.to - this.from));
            return this.isBinned ? `${time}, averages over ${roughText(this.data.bin_ms)}` : time;
        }

        words() {
            return `${this.heading()}: ${this.rows().map(([name, value]) => `${name} ${value}`).join(", ")}`;
        }

        drawCursor(bottom) {
            const isShown = this.cursor !== null && this.cursor >= this.from && this.cursor <= this.to;
            this.tip.hidden = !isShown;
            if (!isShown) {
                return;
            }
            const x = this.xOf(this.cursor), isRight = x > this.left + this.width / 2;
            this.line([[x, 24], [x, bottom]], this.ink);
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
