/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Uses the page as a reader would, and writes a verdict into it: lines of "ok" or "FAIL",
   and "end" as the last one. run.sh says by data-case what page this is. */
"use strict";

(() => {
    const lines = [];
    const is = document.querySelector("script[data-case]").dataset;
    const get = (id) => document.getElementById(id);

    function check(what, isSo, more) {
        lines.push((isSo ? "ok " : "FAIL ") + what + (isSo || more === undefined ? "" : ": " + more));
    }

    function same(what, found, wanted) {
        check(what, found === wanted, found + ", not " + wanted);
    }

    function choose(id, value) {
        get(id).value = value;
        get(id).dispatchEvent(new Event("change", { bubbles: true }));
        check("there is a choice " + value + " of " + id, get(id) !== null && get(id).value === String(value));
    }

    function type(text) {
        get("points-filter").value = text;
        get("points-filter").dispatchEvent(new Event("input", { bubbles: true }));
    }

    /* Pixels of the canvas that have something on them. */
    function numDrawn(canvas) {
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        let count = 0;

        for (let j = 3; j < data.length; j += 4) {
            count += data[j] > 0 ? 1 : 0;
        }
        return count;
    }

    /* Pixels of a colour as in the swatch of a series. */
    function numOfColour(canvas, colour) {
        const wanted = colour.match(/\d+/g).map(Number);
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        let count = 0;

        for (let j = 0; j < data.length; j += 4) {
            count += [0, 1, 2].every((k) => Math.abs(data[j + k] - wanted[k]) < 3) && data[j + 3] > 200 ? 1 : 0;
        }
        return count;
    }

    const rows = () => [...get("points-table").tBodies[0].rows];
    const values = (column) => rows().map((row) => row.cells[column]).filter((cell) => cell.dataset.value !== undefined)
        .map((cell) => Number(cell.dataset.value));
    const isAscending = (list) => list.length > 1 && list.every((value, id) => id === 0 || value >= list[id - 1]);

    function testChart() {
        const canvas = get("explorer-chart");
        const button = document.querySelector(".legend button");
        const colour = getComputedStyle(button.querySelector(".swatch")).backgroundColor;
        const before = numOfColour(canvas, colour);
        const chart = spotPage.explorer.chart;

        check("the chart is drawn", numDrawn(canvas) > 2000, numDrawn(canvas));
        check("a series is drawn in the colour of its legend", before > 50, before);
        check("a curve has a band", chart().data.datasets.some((dataset) => dataset.isEdge && dataset.fill === "-1"));
        button.click();
        same("a series is told to be hidden", button.getAttribute("aria-pressed"), "false");
        check("a series and its band are hidden", chart().data.datasets.every((dataset, id) =>
            chart().isDatasetVisible(id) === (dataset.series !== button.textContent)));
        check("what is hidden is not drawn", numOfColour(canvas, colour) < before / 10, numOfColour(canvas, colour));
        button.click();
        same("a series comes back", numOfColour(canvas, colour), before);
    }

    function testTooltip() {
        const chart = spotPage.explorer.chart();
        const dot = chart.getDatasetMeta(0).data[2];

        chart.tooltip.setActiveElements([{ datasetIndex: 0, index: 2 }], { x: dot.x, y: dot.y });
        chart.update();
        const text = chart.tooltip.body.map((part) => part.lines.join(" ")).join(" ");

        check("a tooltip has value, interval and unit", /\d ±[\d.]+ %/.test(text), text);
        check("a tooltip says where", chart.tooltip.title.join("").includes("0.2"), chart.tooltip.title.join(""));
    }

    /* Both ends of the intervals of dots are on the scales. */
    function testIntervals({ data, scales }) {
        const dots = data.datasets.filter((dataset) => dataset.spotBars).flatMap((dataset) => dataset.data);

        check("dots have intervals", dots.some((dot) => dot.half > 0 && dot.halfX > 0));
        for (const [scale, value, half] of [[scales.x, "x", "halfX"], [scales.y, "y", "half"]]) {
            const ends = dots.flatMap((dot) => [dot[value] - (dot[half] || 0), dot[value] + (dot[half] || 0)]);

            check("a scale has all intervals: " + value, scale.min <= Math.min(...ends) && scale.max >= Math.max(...ends),
                scale.min + " to " + scale.max + ", not " + Math.min(...ends) + " to " + Math.max(...ends));
        }
    }

    function testChoices() {
        const chart = spotPage.explorer.chart;
        const metricOf = () => chart().options.scales.y.title.text;
        const old = metricOf();

        choose("explore-y", "2");
        check("another metric has another axis", metricOf() !== old, metricOf());
        choose("explore-x", "a1");
        same("along another key there are its values", chart().data.datasets[0].data.length, 2);
        choose("explore-x", "m0");
        check("along a metric there are dots", chart().data.datasets.every((dataset) => !dataset.showLine));
        check("dots are drawn", numDrawn(get("explorer-chart")) > 1000);
        testIntervals(chart());
        choose("explore-series", "-1");
        same("all points are in one series", chart().data.datasets[0].data.length, 24);
        choose("explore-filter-1", "0");
        same("a filter leaves half of the points", chart().data.datasets[0].data.length, 12);
        get("explore-log-y").click();
        same("an axis is logarithmic", chart().options.scales.y.type, "logarithmic");
        choose("explore-x", "a0");
        choose("explore-kind", "ledger");
        same("the ledger has all points", chart().data.labels.length, 24);
        same("the ledger is stacked", chart().options.scales.y.stacked, true);
        const [button] = document.querySelectorAll(".legend button");

        same("a part has the colour of the palette",
            getComputedStyle(button.querySelector(".swatch")).backgroundColor, "rgb(104, 185, 234)");
        button.click();
        check("a part is taken out", !chart().isDatasetVisible(0) && chart().isDatasetVisible(1));
        choose("explore-kind", "curves");
        check("the note says what is shown", get("explorer-note").textContent.includes("points"));
    }

    /* Numbers of a filter are read as the cells show them. */
    function testComparisons(shown) {
        const below = (limit) => shown.filter((text) => parseFloat(text) < limit).length;

        check("means and intervals have the same decimals", shown.every((text) =>
            /^(\d+(\.\d+)?|\d+(\.\d+)? ±\d+(\.\d+)?) %$/.test(text) &&
            new Set(text.replace(" %", "").split(" ±").map((part) => part.split(".").length === 1 ? 0
                : part.split(".")[1].length)).size === 1), shown);
        type("idle < 30");
        check("a comparison leaves some rows", below(30) > 0 && below(30) < 24 && rows().length === below(30), rows().length);
        same("the count is told", get("points-count").textContent, below(30) + " of 24 points");
        type("idle < 30 %");
        same("percent are understood", rows().length, below(30));
        type("idle < 0.3");
        same("a fraction of a percent is one", rows().length, below(0.3));
        type("idle = " + parseFloat(shown[0]));
        check("what is shown is found", rows().some((row) => row.textContent.includes(shown[0])), shown[0]);
        type("idle < 30 h");
        check("a foreign unit is told", get("points-count").textContent.includes("“h”"), get("points-count").textContent);
        same("a box that is wrong says so", get("points-filter").getAttribute("aria-invalid"), "true");
    }

    function testTable() {
        const heads = [...get("points-table").tHead.rows[0].cells];
        const idle = heads.findIndex((head) => head.textContent === "idle");
        const click = () => heads[idle].querySelector("button").click();

        same("all rows are there", rows().length, 24);
        click();
        same("a head tells its order", heads[idle].getAttribute("aria-sort"), "ascending");
        check("rows are sorted", values(idle).length === 24 && isAscending(values(idle)), values(idle));
        click();
        same("a head tells the other order", heads[idle].getAttribute("aria-sort"), "descending");
        check("rows are sorted the other way", isAscending(values(idle).reverse()), values(idle));
        same("no other head claims to sort", heads.filter((head) => head.getAttribute("aria-sort") !== "none").length, 1);
        testComparisons(rows().map((row) => row.cells[idle].textContent));
        type("depth = 8, per minute >= 0.2");
        same("conditions are joined", rows().length, 8);
        type("preparation = 60 s");
        same("a unit of a key is understood", rows().length, 12);
        type("no such words");
        same("words that are nowhere leave nothing", rows().length, 0);
        type("nonsense < 3");
        check("an unknown column is told", get("points-count").textContent.includes("nonsense"));
        type("");
        same("without filter all rows are back", rows().length, 24);
    }

    /* The page of a study without replications says so, and has nothing that is empty. */
    function testNothing() {
        check("it is said in words", get("answer").textContent.startsWith("No replication is there yet: run "));
        same("there is nothing to explore", document.querySelectorAll("#explorer, #points, #differences, .static").length, 0);
        same("what was varied is there", document.querySelectorAll("#parameters, #origin, #warnings").length, 3);
    }

    /* The explorer opens on what has values, and says so of what has none. */
    function testUndefined() {
        const metrics = spotPage.data.metrics.map((metric) => metric.name);
        const note = get("explorer-note");

        same("a metric with values comes first", get("explore-y").value, String(metrics.indexOf("idle_fraction")));
        check("it is drawn", numDrawn(get("explorer-chart")) > 500);
        choose("explore-y", metrics.indexOf("preemption_gap_s"));
        check("that there is no value is told", note.textContent.endsWith("has no value at any point."), note.textContent);
        same("no empty chart is left", get("explorer-chart").checkVisibility(), false);
        choose("explore-y", metrics.indexOf("idle_fraction"));
        check("the chart comes back", get("explorer-chart").checkVisibility() && numDrawn(get("explorer-chart")) > 500);
    }

    /* Every control can be reached, in the order of the page. */
    function testKeyboard() {
        const controls = [...document.querySelectorAll("select, input, th button, .legend button")]
            .filter((node) => !node.disabled && node.checkVisibility());

        check("controls are there", controls.length > 10, controls.length);
        for (const node of controls) {
            node.focus();
            if (document.activeElement !== node) {
                check("can be focused: " + node.outerHTML.slice(0, 80), false);
            }
        }
        controls[0].focus();
        check("focus is seen", getComputedStyle(controls[0]).outlineStyle !== "none" ||
            !controls[0].matches(":focus-visible"));
    }

    function testWidth() {
        const width = document.documentElement.clientWidth;

        check("nothing is wider than the page", document.documentElement.scrollWidth <= width &&
            document.body.scrollWidth <= width, document.documentElement.scrollWidth + " of " + width);
        if (is.width !== undefined) {
            same("the window is as wide as asked", window.innerWidth, Number(is.width));
        }
    }

    function testHostile() {
        same("markup is text", document.querySelectorAll("b, h1 img, script[src], iframe").length, 0);
        check("what would be markup is shown", document.querySelector("h1").textContent.includes("<script>alert(1)</scr" + "ipt>"));
        check("other scripts are shown", document.querySelector("h1").textContent.includes("عربي 中文 😀"));
        check("values are shown", get("points-table").textContent.includes("<img src=x onerror=alert(2)>"));
        check("a control character is not",
            !/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u0080-\u009f]/.test(document.body.textContent));
        check("nothing turns the text around", !/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/.test(document.body.textContent));
        check("what would is shown by its number", document.querySelector("h1").textContent.includes("\\u202e drawkcab"));
        const texts = JSON.stringify(spotPage.data);

        check("texts of scripts have nothing unseen",
            !/\\u00[01]|[\u0080-\u009f\u061c\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/.test(texts));
        check("what can be seen of a label stays", spotPage.data.plot.x_label.includes("אב عربي 日本語 😀  [31mRED"),
            spotPage.data.plot.x_label);
        check("the chart is drawn", numDrawn(get("explorer-chart")) > 500);
        check("the long text is there", document.body.textContent.length > 100000);
        type("<img");
        check("markup can be searched", rows().length > 0);
        type("");
        choose("explore-x", "a1");
        same("each value of a key of texts has a tick",
            spotPage.explorer.chart().scales.x.ticks.filter((tick) => tick.label.length > 3).length, 2);
    }

    function testAccessibility() {
        for (const fault of accessibility.faults()) {
            check("accessibility", false, fault);
        }
        same("one of the wide and the narrow form of each picture is shown",
            [...document.querySelectorAll(".static:not([hidden])")].filter((place) =>
                place.querySelector("svg") !== null && place.offsetParent !== null &&
                [...place.querySelectorAll("svg")].filter((svg) => getComputedStyle(svg).display !== "none").length !== 1).length, 0);
        check("accessibility was checked", accessibility.rules.length > 20);
    }

    /* The checker itself: each rule finds its fault. */
    function testChecker() {
        const found = new Set(accessibility.faults().map((fault) => fault.split(":")[0]));

        for (const rule of accessibility.rules) {
            check("the checker finds " + rule, found.has(rule));
        }
    }

    const shown = () => [...document.querySelectorAll("body *")].filter((node) =>
        node.closest("[data-test], script, noscript") === null && node.checkVisibility());

    /* Text can be read: in pictures, whose scale may be another one, too. */
    function testText() {
        const sizeOf = (node) => {
            const svg = node.closest("svg");
            const scale = svg === null ? 1 : svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;

            return parseFloat(getComputedStyle(node).fontSize) * scale;
        };
        const small = shown().filter((node) => !node.matches(".skip, title, desc") && sizeOf(node) < 10.95 &&
            [...node.childNodes].some((child) => child.nodeType === Node.TEXT_NODE && child.data.trim() !== ""));

        same("no text is below 11 px", small.slice(0, 3).map((node) => sizeOf(node) + " " + node.outerHTML.slice(0, 80)).join("; "), "");
    }

    /* In the dark nothing large is white, neither a card nor the ground of a picture. */
    function testDark() {
        const isLight = (colour) => {
            const parts = (colour.match(/[\d.]+/g) || []).map(Number);

            return parts.length >= 3 && (parts.length < 4 || parts[3] > 0.5) && Math.min(...parts.slice(0, 3)) > 200;
        };
        const light = shown().filter((node) => {
            const { width, height } = node.getBoundingClientRect(), style = getComputedStyle(node);

            return width * height > 40000 && isLight(node.tagName === "rect" ? style.fill : style.backgroundColor);
        });

        same("no white card is in the dark",
            is.scheme === "dark" ? light.slice(0, 3).map((node) => node.outerHTML.slice(0, 80)).join("; ") : "", "");
    }

    function testHeight() {
        check("the page is at most 6,500 px high", document.documentElement.scrollHeight <= 6500,
            document.documentElement.scrollHeight);
    }

    function testScheme() {
        same("the colours are those asked for", matchMedia("(prefers-color-scheme: dark)").matches, is.scheme === "dark");
    }

    function testAll() {
        const cases = {
            page: [testChart, testTooltip, testTable, testAccessibility, testKeyboard, testChoices, testWidth, testScheme],
            look: [testAccessibility, testWidth, testScheme, testText, testDark],
            shipped: [testHeight, testWidth, testText],
            hostile: [testHostile, testAccessibility, testWidth],
            nothing: [testNothing, testAccessibility, testWidth],
            undefined: [testUndefined, testAccessibility, testWidth, testText],
            faulty: [testChecker],
        };

        for (const test of cases[is.case]) {
            try {
                test();
            } catch (error) {
                check(test.name, false, error.stack);
            }
        }
        if (is.case !== "faulty") {
            same("errors", recorded.errors.join("; "), "");
            same("requests", performance.getEntriesByType("resource").length, 0);
            same("foreign code ran", recorded.wasExecuted, false);
        }
    }

    addEventListener("load", () => setTimeout(() => {
        const verdict = document.createElement("pre");

        testAll();
        verdict.id = "verdict";
        verdict.setAttribute("data-test", "");
        verdict.textContent = "\n" + lines.join("\n") + "\nend\n";
        document.body.append(verdict);
        if (parent !== window) {
            parent.postMessage(verdict.textContent, "*");
        }
    }, 100));
})();
