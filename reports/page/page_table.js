/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of all points: sorts by the heads of its columns, filters, turns pages. */
"use strict";

spotPage.table = (() => {
    const { data } = spotPage, { element, control } = spot;
    const table = document.getElementById("points-table");
    const rowsOfPage = 100, rowsOfPrint = 500;

    if (table === null || data.numPoints === 0) {
        return null;
    }

    /* A column: its head, the text of a cell, and what it is sorted and compared by. */
    function columnOfAxis(axis) {
        return {
            words: axis.words, names: [axis.words, axis.path, axis.path.split(".").pop().replace(/_/g, " ")],
            isNumeric: axis.isNumeric, isFraction: false, isMetric: false,
            unit: axis.unit, labels: axis.isNumeric ? axis.labels : [], numbers: axis.numbers,
            text: (point) => spotPage.label(axis, point),
            value: (point) => (axis.isNumeric ? spotPage.axisValue(axis, point) : spotPage.label(axis, point)),
        };
    }

    function columnOfMetric(metric) {
        return {
            words: metric.words, names: [metric.words, metric.name, metric.name.replace(/_/g, " ")],
            isNumeric: true, isFraction: metric.isFraction, isMetric: true,
            unit: metric.unit === "1" ? "" : metric.unit, labels: [],
            text: (point) => spotPage.meanText(metric, point), value: (point) => metric.means[point],
        };
    }

    const columns = [
        {
            words: "point", names: ["point"], isNumeric: true, isFraction: false, isMetric: false, unit: "", labels: [],
            text: String, value: (point) => point,
        },
        ...data.axes.map(columnOfAxis),
        ...data.metrics.filter((metric) => metric.isListed && metric.hasMean).map(columnOfMetric),
    ];
    const state = { sortedBy: 0, direction: 1, page: 0, points: [], problem: "" };

    /* -------- filter: "goodput > 0.5, varuna" -------- */

    const operators = {
        "<": (a, b) => a < b, "<=": (a, b) => a <= b, ">": (a, b) => a > b, ">=": (a, b) => a >= b,
        "=": (a, b) => a === b, "!=": (a, b) => a !== b,
    };

    function findColumn(name) {
        const wanted = name.trim().toLowerCase();
        const has = (test) => columns.find((column) => column.names.some((words) => test(words.toLowerCase())));
        return has((words) => words === wanted) || has((words) => words.startsWith(wanted)) ||
            has((words) => words.includes(wanted));
    }

    /* What is compared with: "20", "20 %", "1e3", or a value as its cells show it; texts for
       columns of texts. */
    function readValue(column, text) {
        const number = /^([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)\s*(.*)$/i.exec(text);
        const valueId = column.labels.findIndex((label) => label.toLowerCase() === text.toLowerCase());
        if (!column.isNumeric) {
            return { wanted: text.toLowerCase() };
        }
        if (valueId >= 0) {
            return { wanted: column.numbers[valueId] };
        }
        if (number === null) {
            return { problem: "“" + text + "” is no number." };
        }
        if (number[2] !== "" && number[2].toLowerCase() !== column.unit.toLowerCase()) {
            return {
                problem: "“" + column.words + "” is not in “" + number[2] + "”: it is " +
                    (column.unit === "" ? "a number without unit." : "in “" + column.unit + "”."),
            };
        }
        return { wanted: Number(number[1]) };
    }

    /* What a reader sees in a cell: 35.1 of "35.1 ±0.2 %". */
    function shownValue(column, point) {
        const value = column.value(point);
        if (typeof value === "string") {
            return value.toLowerCase();
        }
        return column.isMetric ? Number.parseFloat(column.text(point)) : value;
    }

    function comparison(clause) {
        const found = /^([^<>=!]+)(<=|>=|!=|=|<|>)([^<>=!]+)$/.exec(clause);
        const column = found === null ? undefined : findColumn(found[1]);
        if (column === undefined) {
            return { problem: "No column is called “" + (found === null ? clause : found[1].trim()) + "”." };
        }
        const { wanted, problem } = readValue(column, found[3].trim());
        return problem !== undefined
            ? { problem }
            : { test: (point) => operators[found[2]](shownValue(column, point), wanted) };
    }

    function containsText(clause) {
        const wanted = clause.toLowerCase();
        return { test: (point) => columns.some((column) => column.text(point).toLowerCase().includes(wanted)) };
    }

    function readFilter(text) {
        const clauses = text.split(/,|\band\b/i).map((clause) => clause.trim()).filter((clause) => clause !== "");
        return clauses.map((clause) => (/[<>=]/.test(clause) ? comparison(clause) : containsText(clause)));
    }

    /* -------- rows -------- */

    /* Points without a value come last, whatever the direction. */
    function compare(first, second) {
        const column = columns[state.sortedBy];
        const a = column.value(first), b = column.value(second);
        const isNone = (value) => typeof value === "number" && Number.isNaN(value);
        let order;
        if (isNone(a) || isNone(b)) {
            order = (isNone(a) ? 1 : 0) - (isNone(b) ? 1 : 0);
        } else if (column.isNumeric) {
            order = state.direction * (a - b);
        } else {
            order = state.direction * collator.compare(a, b);
        }
        return order || first - second;
    }

    const collator = new Intl.Collator("en", { numeric: true });

    function choosePoints() {
        const clauses = readFilter(filter.value);
        state.problem = clauses.filter((clause) => clause.problem).map((clause) => clause.problem).join(" ");
        state.points = [];
        for (let point = 0; point < data.numPoints; point++) {
            if (clauses.every((clause) => clause.problem || clause.test(point))) {
                state.points.push(point);
            }
        }
        state.points.sort(compare);
    }

    function cell(column, point) {
        if (column === columns[0]) {
            return element("th", { scope: "row" }, column.text(point));
        }
        if (!column.isNumeric || !column.isMetric) {
            return element("td", {}, column.text(point));
        }
        const value = column.value(point);
        return Number.isFinite(value)
            ? element("td", { "data-value": String(value) }, column.text(point))
            : element("td", { className: "none" }, "–");
    }

    function showRows(first, count) {
        const rows = state.points.slice(first, first + count)
            .map((point) => element("tr", {}, ...columns.map((column) => cell(column, point))));
        table.tBodies[0].replaceChildren(...rows);
    }

    function show() {
        const numPages = Math.max(1, Math.ceil(state.points.length / rowsOfPage));
        state.page = Math.min(state.page, numPages - 1);
        showRows(state.page * rowsOfPage, rowsOfPage);
        heads.forEach((head, id) => {
            head.setAttribute("aria-sort",
                id !== state.sortedBy ? "none" : state.direction > 0 ? "ascending" : "descending");
        });
        filter.setAttribute("aria-invalid", String(state.problem !== ""));
        count.textContent = (state.problem === "" ? "" : state.problem + " ") + state.points.length + " of " +
            data.numPointsOfStudy + " points" + (numPages > 1 ? ", page " + (state.page + 1) + " of " + numPages : "");
        pager.hidden = numPages < 2;
        before.disabled = state.page === 0;
        after.disabled = state.page === numPages - 1;
    }

    function renew() {
        state.page = 0;
        choosePoints();
        show();
    }

    /* -------- what is not in the static table -------- */

    function makeHead(column, id) {
        const button = element("button", { type: "button" }, column.words);
        const head = element("th", { scope: "col" }, button);
        button.addEventListener("click", () => {
            state.direction = state.sortedBy === id ? -state.direction : 1;
            state.sortedBy = id;
            renew();
        });
        return head;
    }

    function csvField(text) {
        return /[",\n\r]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
    }

    /* The points that are shown, on all pages, as a file. */
    function download() {
        const lines = [columns.map((column) => csvField(column.words)).join(",")];
        for (const point of state.points) {
            lines.push(columns.map((column) => {
                const value = column.isMetric ? column.value(point) : column.text(point);
                return typeof value === "number" ? (Number.isNaN(value) ? "" : String(value)) : csvField(value);
            }).join(","));
        }
        const link = element("a", {
            href: URL.createObjectURL(new Blob([lines.join("\n") + "\n"], { type: "text/csv" })),
            download: "points.csv",
        });
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    }

    const heads = columns.map(makeHead);
    const filter = element("input", { type: "search", id: "points-filter", autocomplete: "off", spellcheck: false });
    const count = element("p", { className: "note", role: "status", id: "points-count" });
    const before = spot.button("Previous page", () => { state.page--; show(); });
    const after = spot.button("Next page", () => { state.page++; show(); });
    const pager = element("div", { className: "controls" }, before, after);
    const save = spot.button("Save these rows as CSV", download);
    const example = data.metrics.find((metric) => metric.isListed);

    filter.placeholder = example === undefined ? "words" : example.words + (example.isFraction ? " < 20 %" : " < 0.2");
    filter.setAttribute("aria-describedby", "points-hint");
    filter.addEventListener("input", renew);
    table.tHead.replaceChildren(element("tr", {}, ...heads));
    table.parentElement.before(
        element("div", { className: "controls" }, control("Filter rows", filter, "wide"), save),
        element("p", { className: "note scripted", id: "points-hint" },
            "Words are searched in all columns; a column can be compared with a number as it is shown, as in “" +
            filter.placeholder + "”, and several conditions are divided by commas."),
        count);
    table.parentElement.after(pager);
    const staticNote = document.getElementById("points-note");

    if (staticNote !== null) {
        staticNote.remove();
    }
    window.addEventListener("beforeprint", () => showRows(0, rowsOfPrint));
    window.addEventListener("afterprint", show);
    renew();
    return { state, columns, filter, count };
})();
