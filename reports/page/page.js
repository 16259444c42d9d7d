/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The points of a study as columns: keys and metrics. Texts of the study go into the page
   as text only, never as markup. */
"use strict";

const spotPage = (() => {
    const place = document.getElementById("data");
    const data = JSON.parse(place.textContent);

    place.textContent = ""; /* read; the text is large */

    /* ".125  3" as numbers; NaN where there is none. */
    function numbersOf(text) {
        const column = new Float64Array(data.num_points).fill(NaN);
        (text || "").split(" ").forEach((cell, row) => {
            if (cell !== "") {
                column[row] = Number(cell);
            }
        });
        return column;
    }

    /* Two digits of half the width decide how many decimals both have, as in all tables;
       numbers without it have three digits. */
    function numberText(value, half) {
        const size = Math.abs(value);
        if (half > 0) {
            const numDecimals = Math.max(0, Math.min(1 - Math.floor(Math.log10(half)), 12));
            return value.toFixed(numDecimals) + " ±" + half.toFixed(numDecimals);
        }
        return size >= 1 && size < 1e6 ? value.toFixed(size < 10 ? 2 : size < 100 ? 1 : 0)
            : String(Number(value.toPrecision(3)));
    }

    /* Of a point, a column has a value to draw, half the width of its interval, a text, and
       what it is sorted and compared by; names are what a filter may call it. */
    function readAxis(axis, id) {
        const valueIds = numbersOf(axis.value_ids), isNumeric = axis.numbers.length > 0;
        const labels = axis.labels.length > 0 ? axis.labels : axis.numbers.map(String);
        const text = (point) => labels[valueIds[point]];
        const value = (point) => (isNumeric ? axis.numbers[valueIds[point]] : valueIds[point]);
        return {
            ...axis, id, key: "a" + id, isNumeric, isMetric: false, labels, valueIds, title: axis.words, name: axis.path,
            names: [axis.words, axis.path, axis.path.split(".").pop().replace(/_/g, " ")],
            value, half: () => NaN, text, sortValue: isNumeric ? value : text,
        };
    }

    function readMetric(metric, id) {
        const { factor } = metric, means = numbersOf(metric.mean), halfWidths = numbersOf(metric.half_width);
        const value = (point) => means[point] * factor, half = (point) => halfWidths[point] * factor;
        const unit = metric.unit === "" ? "" : " " + metric.unit;
        return {
            ...metric, id, key: "m" + id, isNumeric: true, isMetric: true, labels: [],
            hasMean: "mean" in metric, hasInterval: "half_width" in metric,
            names: [metric.words, metric.name, metric.name.replace(/_/g, " ")],
            value, half, sortValue: value, raw: (point) => means[point],
            text: (point) => (Number.isFinite(value(point)) ? numberText(value(point), half(point)) + unit : "–"),
        };
    }

    data.axes = data.axes.map(readAxis);
    data.metrics = data.metrics.map(readMetric);

    /* Boxes that scroll can be reached and moved with the keyboard. */
    for (const box of document.querySelectorAll(".scroll:not([tabindex]), .static:not([tabindex])")) {
        const section = box.closest("section");
        box.tabIndex = 0;
        if (!box.hasAttribute("role") && section !== null) {
            box.setAttribute("role", "region");
            box.setAttribute("aria-labelledby", section.getAttribute("aria-labelledby"));
        }
    }

    return { data, points: Array.from({ length: data.num_points }, (_, point) => point) };
})();
