/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the scripts of the page share: the data, and how it is shown. Texts of the study
   go into the page as text only, never as markup. */
"use strict";

const spotPage = (() => {
    const place = document.getElementById("data");
    const raw = JSON.parse(place.textContent);

    /* ".125  3" as numbers; NaN where there is none. */
    function readColumn(text, numRows) {
        const column = new Float64Array(numRows).fill(NaN);
        if (typeof text === "string" && numRows > 0) {
            text.split(" ").forEach((cell, row) => {
                if (cell !== "") {
                    column[row] = Number(cell);
                }
            });
        }
        return column;
    }

    function readAxis(axis, numPoints) {
        const isNumeric = axis.numbers.length > 0;
        const labels = axis.labels.length > 0 ? axis.labels : axis.numbers.map(String);
        return {
            path: axis.path, words: axis.words, unit: axis.unit, isNumeric, labels, numbers: axis.numbers,
            valueIds: readColumn(axis.value_ids, numPoints),
        };
    }

    function readMetric(metric, numPoints) {
        return {
            name: metric.name, words: metric.words, unit: metric.unit, help: metric.help,
            isFraction: metric.is_fraction, isListed: metric.is_listed,
            isShown: metric.is_total !== true, /* not a total that is kept for ratios only */
            shownFactor: metric.shown_factor || 1, shownUnit: metric.shown_unit || "",
            hasMean: "mean" in metric, hasInterval: "half_width" in metric,
            means: readColumn(metric.mean, numPoints), halfWidths: readColumn(metric.half_width, numPoints),
        };
    }

    const numPoints = raw.num_points || 0;
    const data = {
        numPoints, numPointsOfStudy: raw.num_points_of_study || 0, name: raw.name || "", isDesign: raw.is_design === true,
        axes: (raw.axes || []).map((axis) => readAxis(axis, numPoints)),
        metrics: (raw.metrics || []).map((metric) => readMetric(metric, numPoints)),
        ledger: (raw.ledger || []).map((part) => ({ metricId: part.metric_id, colour: part.colour })),
        plot: raw.plot || {}, lines: raw.lines || ["#0072b2"],
    };

    place.textContent = ""; /* read; the text is large */

    /* Three digits, as the pictures have them. */
    function shortNumber(value) {
        const size = Math.abs(value);
        if (!Number.isFinite(value)) {
            return "–";
        }
        if (size >= 1 && size < 1e6) {
            return value.toFixed(size < 10 ? 2 : size < 100 ? 1 : 0);
        }
        return String(Number(value.toPrecision(3)));
    }

    /* Two digits of half the width tell how many decimals both have, as in all tables. */
    function intervalText(mean, half) {
        const numDecimals = Math.max(0, Math.min(1 - Math.floor(Math.log10(half)), 12));
        return mean.toFixed(numDecimals) + " ±" + half.toFixed(numDecimals);
    }

    /* "12.31 ±0.42 %". */
    function meanText(metric, point) {
        const factor = metric.isFraction ? 100 : metric.shownFactor;
        const mean = metric.means[point], half = metric.halfWidths[point];
        if (!Number.isFinite(mean)) {
            return "–";
        }
        return (half > 0 ? intervalText(mean * factor, half * factor) : shortNumber(mean * factor)) +
            (metric.isFraction ? " %" : metric.shownUnit === "" ? "" : " " + metric.shownUnit);
    }

    /* "idle (%)": fractions are shown in percent. */
    function metricWords(metric) {
        return metric.isFraction ? metric.words + " (%)" : metric.words;
    }

    function unitText(metric) {
        return metric.isFraction || metric.unit === "1" || metric.unit === "" ? "" : " " + metric.unit;
    }

    function label(axis, point) {
        return axis.labels[axis.valueIds[point]];
    }

    /* What a value is among others: a number where the axis has numbers. */
    function axisValue(axis, point) {
        const id = axis.valueIds[point];
        return axis.isNumeric ? axis.numbers[id] : id;
    }

    /* Boxes that scroll can be reached and moved with the keyboard. */
    for (const box of document.querySelectorAll(".scroll:not([tabindex]), .static:not([tabindex])")) {
        const section = box.closest("section");
        box.tabIndex = 0;
        if (!box.hasAttribute("role") && section !== null) {
            box.setAttribute("role", "region");
            box.setAttribute("aria-labelledby", section.getAttribute("aria-labelledby"));
        }
    }

    return { data, shortNumber, meanText, metricWords, unitText, label, axisValue };
})();
