/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lanes of a timeline: what is read from their data, and spans, which are drawn in lanes of
   their own. page_timeline.h describes the data. */
"use strict";

spot.lanes = (() => {
    const {clamp, lastAt, roughText, numberText} = spot;
    const LANES = 600, MAX_LANE = 22, MIN_LANE = 4, LINE = 13, MAX_TIP_ROWS = 8, MOST = 12000;

    /* Times in ms from differences in s, each exact to the ns. */
    function timesOf(differences) {
        let time = 0;
        return Float64Array.from(differences, (difference) => (time = Math.round((time + difference * 1000) * 1e6) / 1e6));
    }

    /* A lane with its times in ms. */
    function decode(lane) {
        const at = lane.at === undefined ? Float64Array.from(lane.values, (_, j) => j * lane.bin_ms) : timesOf(lane.at);
        return {...lane, at, more: lane.more || lane.values, isShown: true, isBinned: lane.bin_ms !== null,
            most: lane.values.reduce((most, value) => Math.max(most, value), 1)};
    }

    /* The levels of each total. */
    function stacksOf(lanes) {
        return lanes.filter((lane) => lane.kind === "total").map((total, j, totals) => {
            const [before, end] = [totals[j - 1], total].map((lane) => lanes.indexOf(lane));
            return {total, levels: lanes.slice(before + 1, end)};
        });
    }

    /* The value of a level or a curve at a time. */
    function valueAt(lane, time) {
        const {at, values} = lane, j = lastAt(at, time);
        if (lane.kind !== "curve") {
            return j < 0 ? 0 : values[j];
        }
        return j < 0 || j + 1 === at.length ? values[Math.max(j, 0)]
            : values[j] + (values[j + 1] - values[j]) * (time - at[j]) / (at[j + 1] - at[j]);
    }

    /* How often a kind of marks happened in a stretch, and the counts of all. */
    function countMarks(marks, from, to) {
        let times = 0, count = 0;
        for (let j = lastAt(marks.at, from - 1e-9) + 1; j < marks.at.length && marks.at[j] <= to; j++) {
            count += marks.values[j];
            times += marks.isBinned ? marks.more[j] : 1;
        }
        return [times, count];
    }

    /* A level in num equal pieces of a stretch of a run: averages, lowest and highest values, and
       how many of its steps lie in all. */
    function average(lane, from, to, num, runEnd) {
        const sum = new Float64Array(num), low = new Float64Array(num).fill(Infinity), high = new Float64Array(num);
        const piece_ms = (to - from) / num;
        let num_steps = 0;
        for (let j = Math.max(lastAt(lane.at, from), 0); j < lane.at.length && lane.at[j] < to; j++) {
            const start = Math.max(lane.at[j], from), end = Math.min(j + 1 < lane.at.length ? lane.at[j + 1] : runEnd, to);
            num_steps++;
            for (let c = Math.min(Math.floor((start - from) / piece_ms), num - 1); c < num; c++) {
                const left = from + c * piece_ms;
                const share = (Math.min(end, left + piece_ms) - Math.max(start, left)) / piece_ms;
                if (left >= end) {
                    break;
                }
                if (share <= 0) {
                    continue; /* the first piece may end at the start, to the last bit */
                }
                sum[c] += share * lane.values[j];
                low[c] = Math.min(low[c], lane.more[j]);
                high[c] = Math.max(high[c], lane.values[j]);
            }
        }
        return {sum, low, high, num_steps};
    }

    /* Figures of a lane, [value, text] each, go into the cells of its row. */
    function show(lane, ...figures) {
        figures.forEach(([value, text], c) => {
            lane.cells[c].dataset.value = String(value);
            lane.cells[c].textContent = text;
        });
    }

    function showShares(lanes, means) {
        const total = means.reduce((sum, mean) => sum + mean, 0);
        lanes.forEach((lane, k) => show(lane,
            [means[k] / total, `${(100 * means[k] / (total || 1)).toFixed(1)} %`], [means[k], means[k].toFixed(2)]));
    }

    /* Black or white, which can be read on a colour "#rrggbb". */
    function inkOn(colour) {
        const [red, green, blue] = [1, 3, 5].map((place) => parseInt(colour.slice(place, place + 2), 16));
        return 0.3 * red + 0.59 * green + 0.11 * blue > 140 ? "#000000" : "#ffffff";
    }

    class Spans {
        constructor(data) {
            Object.assign(this, data);
            /* Thin spans in a lane that belongs to the one above it: "node" and "node data". */
            this.lanes.forEach((lane, j) => {
                if (j > 0 && lane.name.startsWith(`${this.lanes[j - 1].name} `)) {
                    lane.slots = Math.max(lane.slots, 3);
                    lane.words = lane.name.slice(this.lanes[j - 1].name.length + 1);
                }
            });
            this.at = timesOf(data.at);
            this.end = Float64Array.from(data.to, (length, j) => this.at[j] + 1000 * length);
            this.colours = data.colours.map((colour) => ({...colour, isShown: true, ink: inkOn(colour.colour)}));
            this.named = this.colours.filter((colour, c) => colour.name !== null && data.colour.includes(c));
        }

        /* isTall: so that labels can be read, as far as a canvas may be high. */
        height(isTall) {
            const num = this.lanes.length;
            return num * clamp(Math.floor((isTall ? MOST : LANES) / num), MIN_LANE, MAX_LANE);
        }

        drawNames(timeline) {
            const {context, left} = timeline, step = Math.ceil(LINE / this.pitch);
            for (let j = 0; j < this.lanes.length; j += step) {
                let name = this.lanes[j].words || this.lanes[j].name;
                while (name.length > 1 && context.measureText(name).width > left - 10) {
                    name = `${name.slice(0, name.endsWith("…") ? -2 : -1)}…`;
                }
                timeline.text(name, left - 6, this.top + (j + 0.5) * this.pitch, "right");
            }
        }

        /* What is hidden behind the pixel of a span before it is left out. */
        draw(timeline, top, bottom) {
            const {context, from, to, left, width} = timeline, last = lastAt(this.at, to), right = left + width;
            const scale = width / (to - from), drawn = new Map();
            this.top = top;
            this.pitch = (bottom - top) / this.lanes.length;
            timeline.text(this.name, 8, top - 12, "left");
            this.drawNames(timeline);
            const gap = this.pitch >= 10 ? 2 : this.pitch > 5 ? 1 : 0;
            for (let j = 0; j <= last; j++) {
                const colour = this.colours[this.colour[j]];
                if (this.end[j] < from || !colour.isShown) {
                    continue;
                }
                const start = Math.max(left + (this.at[j] - from) * scale, left), key = this.lane[j] * 64 + this.slot[j];
                const end = Math.min(Math.max(left + (this.end[j] - from) * scale, start + 0.8), right);
                if (end <= (drawn.get(key) || 0)) {
                    continue;
                }
                drawn.set(key, Math.ceil(end));
                const slot = (this.pitch - gap) / this.lanes[this.lane[j]].slots, height = slot * this.slots[j];
                const y = top + this.lane[j] * this.pitch + gap / 2 + slot * this.slot[j];
                context.fillStyle = colour.colour;
                context.fillRect(start, y, end - start > 4 ? end - start - 1 : end - start, height);
                if (height >= LINE - 1 && end - start > 7 * this.label[j].length + 8) {
                    context.fillStyle = colour.ink;
                    context.textAlign = "left";
                    context.fillText(this.label[j], start + 4, y + height / 2 + 0.5);
                }
            }
            timeline.base(bottom, timeline.quiet);
            if (this.shorter > 0) {
                timeline.notes.push(`${numberText(this.shorter)} spans that are shorter than ${roughText(this.least_ms)} are not drawn`);
            }
        }

        /* What runs at a time in the lane at a height of the plot, or how many in all: rows of the tip. */
        rows(time, y) {
            const lane = y === undefined || !(this.pitch > 0) ? -1 : Math.floor((y - this.top) / this.pitch), last = lastAt(this.at, time);
            const slots = new Map(), colours = new Map();
            for (let j = 0; j <= last; j++) {
                if (this.end[j] > time && (this.lanes[lane] === undefined || this.lane[j] === lane)) {
                    slots.set(this.label[j], (slots.get(this.label[j]) || 0) + this.slots[j]);
                    colours.set(this.label[j], this.colours[this.colour[j]].colour);
                }
            }
            if (this.lanes[lane] === undefined) {
                return [[this.name, numberText(slots.size), null]];
            }
            return [[this.lanes[lane].name, numberText(slots.size), null], ...[...slots].slice(0, MAX_TIP_ROWS).map(([label, num]) =>
                [label, num > 1 ? `${numberText(num)} ${this.unit}` : "", colours.get(label)])];
        }

        /* What spans of each named colour take on average. */
        means(from, to) {
            const sums = new Map(this.named.map((colour) => [colour, 0]));
            for (let j = 0; j < this.at.length && this.at[j] < to; j++) {
                const colour = this.colours[this.colour[j]];
                sums.set(colour, sums.get(colour) + Math.max(Math.min(this.end[j], to) - Math.max(this.at[j], from), 0) * this.slots[j]);
            }
            return this.named.map((colour) => sums.get(colour) / (to - from));
        }
    }

    return {decode, stacksOf, valueAt, countMarks, average, show, showShares, Spans};
})();
