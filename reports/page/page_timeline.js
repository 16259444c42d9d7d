/* Timelines of runs that can be zoomed. The data is described in timeline_data.h; texts
   from outside are only ever set as textContent. */
"use strict";
(() => {
    const LEFT = 84, RIGHT = 14, TOP = 24, AREAS = 280, LANE = 20, PROGRESS = 90, FOOT = 34;
    const MIN_SPAN_MS = 1000;
    const UNITS = [["d", 86400000], ["h", 3600000], ["min", 60000], ["s", 1000], ["ms", 1]];
    const STEPS_MS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 15e3, 3e4, 6e4, 12e4, 3e5, 6e5, 9e5, 18e5,
        36e5, 72e5, 108e5, 216e5, 432e5, 864e5, 1728e5, 432e6, 864e6, 1728e6, 432e7, 864e7];

    const element = (tag, properties, ...children) => {
        const node = Object.assign(document.createElement(tag), properties);
        node.append(...children);
        return node;
    };
    const sums = (differences) => {
        let sum = 0;
        return Float64Array.from(differences, (difference) => (sum += difference));
    };
    const clamp = (value, low, high) => Math.max(low, Math.min(high, value));

    /* The last index of sorted values whose value is at most x; -1: none. */
    const lastAt = (values, x) => {
        let low = 0, high = values.length;
        while (low < high) {
            const middle = (low + high) >> 1;
            if (values[middle] <= x) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low - 1;
    };

    /* "2 d 6 h": at most three units, down to the one of precision_ms. */
    const timeText = (time_ms, precision_ms) => {
        const words = [];
        let rest = Math.round(time_ms / precision_ms) * precision_ms;
        for (const [name, unit] of UNITS) {
            const count = Math.floor(rest / unit);
            if (count > 0 && words.length < 4) {
                words.push(`${count} ${name}`);
            }
            rest -= count * unit;
        }
        return words.length === 0 ? "0" : words.join(" ");
    };
    const precisionOf = (span_ms) =>
        span_ms > 20 * 864e5 ? 6e4 : span_ms > 600e3 ? 1000 : span_ms > 6e3 ? 100 : 1;
    const numberText = (value) => {
        const digits = Math.abs(value - Math.round(value)) < 1e-9 ? 0 : Math.abs(value) < 10 ? 2 : 1;
        return value.toLocaleString("en", {maximumFractionDigits: digits});
    };
    const niceStep = (range, count) => {
        const rough = range / count, power = 10 ** Math.floor(Math.log10(rough));
        return power * [1, 2, 5, 10].find((factor) => factor * power >= rough * 0.999);
    };
    const shortText = (value) =>
        value.toLocaleString("en", {notation: Math.abs(value) < 1e5 ? "standard" : "compact", maximumFractionDigits: 3});

    class Timeline {
        constructor(root, number) {
            const data = JSON.parse(root.querySelector(".timeline-data").textContent);
            this.root = root;
            this.data = data;
            this.end = data.end_ms;
            this.from = 0;
            this.to = this.end;
            this.cursor = null;
            this.decode(data);
            this.build(number);
            this.listen();
            this.readHash();
        }

        decode(data) {
            this.isThinned = data.bin_ms !== null;
            this.categories = data.categories.map((category) => ({
                ...category, heights: Float64Array.from(category.heights), isShown: true
            }));
            this.starts = this.isThinned ? Float64Array.from(data.low, (_, j) => j * data.bin_ms) : sums(data.starts);
            const totals = () => this.starts.map((_, j) =>
                this.categories.reduce((sum, category) => sum + category.heights[j], 0));
            this.low = this.isThinned ? Float64Array.from(data.low) : totals();
            this.high = this.isThinned ? Float64Array.from(data.high) : this.low;
            this.peak = this.high.reduce((peak, value) => Math.max(peak, value), 1);
            this.marks = data.marks.map((mark) => ({
                ...mark, times: mark.times || null, isShown: true,
                at: mark.at ? sums(mark.at) : sums(mark.bins).map((bin) => (bin + 0.5) * this.end / data.num_mark_bins),
                most: mark.counts.reduce((most, count) => Math.max(most, count), 1)
            }));
            this.areas = data.height === null ? 0 : AREAS;
            this.hasCurve = data.progress !== null;
            this.progressAt = sums(data.progress_at);
            this.progressValues = Float64Array.from(data.progress_values);
        }

        build(number) {
            const live = this.root.querySelector(".timeline-live");
            const help = element("p", {className: "note", id: `timeline-help-${number}`, textContent:
                "Drag over a stretch to zoom in; Ctrl and the wheel, or two fingers, zoom too; Shift and drag moves. " +
                "Keys: + and −, ← and → to move, Shift with ← or → to read, Home for the whole run."});
            const button = (label, text, action) => {
                const node = element("button", {type: "button", className: "button", textContent: text});
                node.setAttribute("aria-label", label);
                node.title = label;
                node.addEventListener("click", action);
                return node;
            };
            this.canvas = element("canvas", {});
            this.canvas.setAttribute("aria-hidden", "true");
            this.range = element("div", {className: "timeline-range", hidden: true});
            this.tip = element("div", {className: "timeline-tip", hidden: true});
            this.tip.setAttribute("aria-hidden", "true");
            this.plot = element("div", {className: "timeline-plot", tabIndex: 0}, this.canvas, this.range, this.tip);
            this.plot.setAttribute("role", "application");
            this.plot.setAttribute("aria-label", `Zoomable timeline: ${this.root.dataset.label}`);
            this.plot.setAttribute("aria-describedby", help.id);
            this.status = element("output", {});
            this.read = element("p", {className: "timeline-read"});
            this.read.setAttribute("aria-live", "polite");
            this.legend = element("ul", {className: "timeline-legend"});
            [...this.categories].reverse().forEach((category) =>
                this.addEntry(category, `${(100 * category.share).toFixed(1)} %`));
            this.marks.forEach((mark) => this.addEntry(mark, `${mark.num_marks.toLocaleString("en")}×`));
            live.append(
                element("div", {className: "timeline-bar"},
                    button("Zoom in", "+", () => this.zoom(0.5)), button("Zoom out", "−", () => this.zoom(2)),
                    button("Earlier", "←", () => this.move(-0.5)), button("Later", "→", () => this.move(0.5)),
                    button("Whole run", "Whole run", () => this.show(0, this.end)), this.status),
                this.plot, this.read, this.legend, help);
            live.hidden = false;
            this.root.classList.add("has-script");
        }

        addEntry(item, note) {
            const swatch = element("span", {className: "swatch"});
            const node = element("button", {type: "button", className: "button"}, swatch, `${item.name} ${note}`);
            swatch.style.background = item.colour;
            node.setAttribute("aria-pressed", "true");
            node.addEventListener("click", () => {
                item.isShown = !item.isShown;
                node.setAttribute("aria-pressed", String(item.isShown));
                this.redraw();
            });
            this.legend.append(element("li", {}, node));
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
            window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.redraw());
            new ResizeObserver(() => this.redraw()).observe(this.plot);
        }

        /* What was under both fingers stays under them. */
        pinch(start, fingers) {
            const span = start.to - start.from;
            const time = (x) => start.from + (x - LEFT) / this.width * span;
            const [first, second] = start.fingers.map(time);
            const scale = (second - first) / Math.max(fingers[1] - fingers[0], 8);
            const from = first - (fingers[0] - LEFT) * scale;
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
            if (event.ctrlKey || event.metaKey || event.altKey) {
                return;
            }
            if (event.key === "+" || event.key === "=") {
                this.zoom(0.5);
            } else if (event.key === "-") {
                this.zoom(2);
            } else if (event.key === "Home") {
                this.show(0, this.end);
            } else if (event.key === "Escape") {
                this.point(null);
            } else if (step !== 0 && event.shiftKey) {
                const at = this.cursor === null ? (this.from + this.to) / 2 : this.cursor;
                this.point(clamp(at + step * (this.to - this.from) / 100, this.from, this.to));
                this.read.textContent = this.words();
            } else if (step !== 0) {
                this.move(step * 0.2);
            } else {
                return;
            }
            event.preventDefault();
        }

        timeAt(x) {
            return this.from + clamp((x - LEFT) / this.width, 0, 1) * (this.to - this.from);
        }

        zoom(factor, around) {
            const isInside = this.cursor !== null && this.cursor >= this.from && this.cursor <= this.to;
            const at = around !== undefined ? around : isInside ? this.cursor : (this.from + this.to) / 2;
            const span = clamp((this.to - this.from) * factor, Math.min(MIN_SPAN_MS, this.end), this.end);
            const from = at - (at - this.from) / (this.to - this.from) * span;
            this.show(from, from + span);
        }

        move(share) {
            const shift = share * (this.to - this.from);
            this.show(this.from + shift, this.to + shift);
        }

        /* A stretch of the run, moved inside of it. */
        show(from, to, isFromHash) {
            const span = clamp(to - from, Math.min(MIN_SPAN_MS, this.end), this.end);
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
            const found = /^#t=([0-9.]+),([0-9.]+)$/.exec(window.location.hash);
            if (found !== null && Number(found[2]) > Number(found[1])) {
                this.show(1000 * Number(found[1]), 1000 * Number(found[2]), true);
            }
        }

        writeHash() {
            const isWhole = this.from === 0 && this.to === this.end;
            const hash = isWhole ? window.location.pathname + window.location.search
                : `#t=${Math.round(this.from) / 1000},${Math.round(this.to) / 1000}`;
            if (isWhole && !window.location.hash.startsWith("#t=")) {
                return;
            }
            try {
                window.history.replaceState(null, "", hash);
            } catch (error) {
                /* Where pages may not change their address there is nothing to send. */
            }
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

        draw() {
            const width = this.plot.clientWidth, ratio = window.devicePixelRatio || 1;
            if (width === 0) {
                return; /* hidden */
            }
            const style = getComputedStyle(this.root);
            const lanes = this.marks.filter((mark) => mark.isShown);
            const height = TOP + this.areas + lanes.length * LANE + (this.hasCurve ? 34 + PROGRESS : 0) + FOOT;
            this.width = Math.max(width - LEFT - RIGHT, 50);
            this.ink = style.color;
            this.quiet = style.getPropertyValue("--quiet").trim() || style.color;
            this.edge = style.getPropertyValue("--edge").trim() || "#8c959f55";
            this.accent = style.getPropertyValue("--accent").trim() || "#0072b2";
            this.canvas.width = Math.round(width * ratio);
            this.canvas.height = Math.round(height * ratio);
            this.canvas.style.height = `${height}px`;
            this.context = this.canvas.getContext("2d");
            this.context.scale(ratio, ratio);
            this.context.font = `12px ${style.fontFamily}`;
            this.context.textBaseline = "middle";
            this.drawGrid(height);
            if (this.areas > 0) {
                this.drawAreas();
            }
            lanes.forEach((mark, j) => this.drawLane(mark, TOP + this.areas + j * LANE));
            if (this.hasCurve) {
                this.drawProgress(height - FOOT - PROGRESS);
            }
            this.drawCursor(height - FOOT);
            this.status.textContent = this.from === 0 && this.to === this.end ? `the whole run, ${this.wordsOf(this.end)}`
                : `${this.wordsOf(this.from)} to ${this.wordsOf(this.to)} of ${this.wordsOf(this.end)}`;
            this.root.dataset.drawn = String(Number(this.root.dataset.drawn || 0) + 1);
        }

        wordsOf(time) {
            return timeText(time, precisionOf(this.to - this.from));
        }

        xOf(time) {
            return LEFT + (time - this.from) / (this.to - this.from) * this.width;
        }

        text(text, x, y, align, colour) {
            this.context.textAlign = align;
            this.context.fillStyle = colour || this.quiet;
            this.context.fillText(text, x, y, align === "right" ? LEFT - 10 : undefined);
        }

        line(x0, y0, x1, y1, colour, width) {
            const context = this.context;
            context.beginPath();
            context.moveTo(x0, y0);
            context.lineTo(x1, y1);
            context.strokeStyle = colour;
            context.lineWidth = width || 1;
            context.stroke();
        }

        /* Times below, with lines through all panels. */
        drawGrid(height) {
            const span = this.to - this.from, count = Math.max(2, this.width / 110);
            const step = STEPS_MS.find((candidate) => candidate >= span / count) || STEPS_MS[STEPS_MS.length - 1];
            for (let time = Math.ceil(this.from / step) * step; time <= this.to; time += step) {
                const x = Math.round(this.xOf(time)) + 0.5;
                this.line(x, TOP, x, height - FOOT + 4, this.edge);
                this.text(timeText(time, Math.min(step, 1000)), clamp(x, LEFT + 4, LEFT + this.width - 18),
                    height - FOOT + 16, "center");
            }
        }

        drawScale(low, high, count, yOf) {
            const step = niceStep(high - low, count);
            for (let value = Math.ceil(low / step) * step; value <= high * 1.000001; value += step) {
                const y = Math.round(yOf(value)) + 0.5;
                this.line(LEFT, y, LEFT + this.width, y, this.edge);
                this.text(shortText(Number(value.toPrecision(6))), LEFT - 8, y, "right");
            }
        }

        /* Averages over columns of one pixel, and their lowest and highest totals. */
        columns(num_columns) {
            const shown = this.categories.filter((category) => category.isShown);
            const sum = shown.map(() => new Float64Array(num_columns));
            const low = new Float64Array(num_columns).fill(Infinity), high = new Float64Array(num_columns);
            const column_ms = (this.to - this.from) / num_columns;
            let j = Math.max(lastAt(this.starts, this.from), 0);
            for (; j < this.starts.length && this.starts[j] < this.to; j++) {
                const start = Math.max(this.starts[j], this.from);
                const end = Math.min(j + 1 < this.starts.length ? this.starts[j + 1] : this.end, this.to);
                const first = Math.min(Math.floor((start - this.from) / column_ms), num_columns - 1);
                for (let c = first; c < num_columns; c++) {
                    const left = this.from + c * column_ms;
                    const share = (Math.min(end, left + column_ms) - Math.max(start, left)) / column_ms;
                    if (share <= 0) {
                        break;
                    }
                    shown.forEach((category, k) => { sum[k][c] += share * category.heights[j]; });
                    low[c] = Math.min(low[c], this.low[j]);
                    high[c] = Math.max(high[c], this.high[j]);
                }
            }
            return {shown, sum, low, high};
        }

        drawAreas() {
            const context = this.context, num_columns = Math.max(Math.round(this.width * (window.devicePixelRatio || 1)), 1);
            const {shown, sum, low, high} = this.columns(num_columns);
            const step = this.width / num_columns, bottom = TOP + AREAS;
            const scale = niceStep(this.peak, 5) * Math.ceil(this.peak / niceStep(this.peak, 5));
            const yOf = (value) => bottom - value / scale * AREAS;
            const fill = (heights, colour) => {
                context.beginPath();
                context.moveTo(LEFT, bottom);
                heights.forEach((value, c) => {
                    context.lineTo(LEFT + c * step, yOf(value));
                    context.lineTo(LEFT + (c + 1) * step, yOf(value));
                });
                context.lineTo(LEFT + this.width, bottom);
                context.fillStyle = colour;
                context.fill();
            };
            const outline = (heights, colour, line_px) => {
                context.beginPath();
                heights.forEach((value, c) => context.lineTo(LEFT + (c + 0.5) * step, yOf(value)));
                context.strokeStyle = colour;
                context.lineWidth = line_px;
                context.stroke();
            };
            this.text(this.data.height, 8, 12, "left");
            this.drawScale(0, scale, 5, yOf);
            const isWhole = shown.length === this.categories.length;
            if (isWhole) {
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
            if (isWhole) {
                outline(low.map((value) => (value === Infinity ? 0 : value)), this.ink, 0.5);
                outline(high, this.quiet, 1);
            }
            this.line(LEFT, bottom + 0.5, LEFT + this.width, bottom + 0.5, this.quiet);
        }

        /* Triangles where there is room, else ticks; the more they count, the larger. */
        drawLane(mark, top) {
            const context = this.context, bottom = top + LANE - 2;
            const first = lastAt(mark.at, this.from - 1e-9) + 1, last = lastAt(mark.at, this.to);
            const num_visible = last - first + 1;
            const isWide = num_visible * 9 < this.width;
            this.text(mark.name, LEFT - 8, top + LANE / 2 + 1, "right");
            this.line(LEFT, bottom + 0.5, LEFT + this.width, bottom + 0.5, this.edge);
            context.fillStyle = mark.colour;
            for (let j = first; j <= last; j++) {
                const size = 0.35 + 0.65 * mark.counts[j] / mark.most;
                const x = this.xOf(mark.at[j]);
                if (!isWide || mark.shape === "tick") {
                    context.fillRect(x - 0.6, bottom - size * (LANE - 5), isWide ? 2 : 1.2, size * (LANE - 5));
                    continue;
                }
                const y = mark.shape === "up" ? top + 5 : bottom - 1, height = (LANE - 8) * (mark.shape === "up" ? 1 : -1);
                const half = 2.5 + 2.5 * size;
                context.beginPath();
                context.moveTo(x, y);
                context.lineTo(x - half, y + height);
                context.lineTo(x + half, y + height);
                context.fill();
            }
        }

        progress(time) {
            const at = this.progressAt, values = this.progressValues, j = lastAt(at, time);
            if (j < 0) {
                return values.length === 0 ? 0 : values[0];
            }
            return j + 1 < at.length
                ? values[j] + (values[j + 1] - values[j]) * (time - at[j]) / (at[j + 1] - at[j]) : values[j];
        }

        /* The curve fills its panel at any zoom; its scale tells from where to where. */
        drawProgress(top) {
            const context = this.context, bottom = top + PROGRESS;
            const points = [[this.from, this.progress(this.from)]];
            for (let j = lastAt(this.progressAt, this.from) + 1;
                j < this.progressAt.length && this.progressAt[j] < this.to; j++) {
                points.push([this.progressAt[j], this.progressValues[j]]);
            }
            points.push([this.to, this.progress(this.to)]);
            const least = points.reduce((value, point) => Math.min(value, point[1]), Infinity);
            const most = points.reduce((value, point) => Math.max(value, point[1]), -Infinity);
            const step = niceStep(Math.max(most - least, Math.abs(most) * 1e-3, 1), 3);
            const low = Math.floor(least / step) * step, high = Math.max(Math.ceil(most / step) * step, low + step);
            const yOf = (value) => bottom - (value - low) / (high - low) * PROGRESS;
            this.text(this.data.progress, 8, top - 16, "left");
            this.drawScale(low, high, 3, yOf);
            context.beginPath();
            points.forEach(([time, value]) => context.lineTo(this.xOf(time), yOf(value)));
            context.strokeStyle = this.accent;
            context.lineWidth = 1.8;
            context.stroke();
            context.lineTo(LEFT + this.width, bottom);
            context.lineTo(LEFT, bottom);
            context.globalAlpha = 0.12;
            context.fillStyle = this.accent;
            context.fill();
            context.globalAlpha = 1;
        }

        /* What is known at the cursor: [text, number, colour] a row. */
        rows() {
            const j = Math.max(lastAt(this.starts, this.cursor), 0);
            const near_ms = 4 / this.width * (this.to - this.from);
            const rows = [];
            const total = this.categories.reduce((sum, category) => sum + category.heights[j], 0);
            if (this.areas > 0) {
                rows.push([this.data.height, this.isThinned && this.low[j] < this.high[j]
                    ? `${numberText(total)} (${numberText(this.low[j])} to ${numberText(this.high[j])})`
                    : numberText(total), null]);
            }
            [...this.categories].reverse().filter((category) => category.isShown && category.heights[j] > 0)
                .forEach((category) => rows.push([category.name, numberText(category.heights[j]), category.colour]));
            this.marks.filter((mark) => mark.isShown).forEach((mark) => {
                const first = lastAt(mark.at, this.cursor - near_ms) + 1, last = lastAt(mark.at, this.cursor + near_ms);
                let count = 0, times = 0;
                for (let m = first; m <= last; m++) {
                    count += mark.counts[m];
                    times += mark.times === null ? 1 : mark.times[m];
                }
                if (times > 0) {
                    rows.push([mark.name, times > 1 ? `${numberText(count)} (${times}×)` : numberText(count), mark.colour]);
                }
            });
            if (this.hasCurve) {
                rows.push([this.data.progress, numberText(Math.floor(this.progress(this.cursor))), null]);
            }
            return rows;
        }

        heading() {
            const time = timeText(this.cursor, precisionOf(this.to - this.from));
            return this.isThinned ? `${time}, averages over ${timeText(this.data.bin_ms, 1000)}` : time;
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
            const x = this.xOf(this.cursor);
            this.line(x, TOP, x, bottom, this.ink, 1);
            this.tip.replaceChildren(element("strong", {textContent: this.heading()}),
                ...this.rows().map(([name, value, colour]) => {
                    const swatch = element("span", {className: "swatch"});
                    swatch.style.background = colour || "transparent";
                    return element("span", {className: "row"}, swatch, name, element("b", {textContent: value}));
                }));
            const isRight = x > LEFT + this.width / 2;
            this.tip.style.left = isRight ? "auto" : `${x + 12}px`;
            this.tip.style.right = isRight ? `${this.plot.clientWidth - x + 12}px` : "auto";
        }
    }

    /* Of several timelines one at a time, chosen by their labels. */
    const choose = (box, number) => {
        const timelines = [...box.querySelectorAll(":scope > .timeline")];
        if (timelines.length < 2) {
            return;
        }
        const select = element("select", {id: `timeline-choice-${number}`},
            ...timelines.map((timeline, j) => element("option", {value: String(j), textContent: timeline.dataset.label})));
        const show = () => timelines.forEach((timeline, j) => { timeline.hidden = j !== select.selectedIndex; });
        select.addEventListener("change", show);
        box.prepend(element("p", {className: "timeline-chooser"},
            element("label", {htmlFor: select.id, textContent: "Run: "}), select));
        show();
    };

    document.querySelectorAll(".timelines").forEach(choose);
    document.querySelectorAll(".timeline").forEach((root, number) => new Timeline(root, number));
})();
