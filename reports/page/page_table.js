/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of all points: sorts by the heads of its columns, filters, turns pages. */
"use strict";

spotPage.table = (() => {
    const { data } = spotPage, { element, control } = spot;
    const table = document.getElementById("points-table");
    const rowsOfPage = 100, rowsOfPrint = 500;

    if (table === null || data.num_points === 0) {
        return null;
    }

    const columns = [
        {
            words: "point", name: "point", names: ["point"], isNumeric: true, isMetric: false, unit: "", labels: [],
            text: String, sortValue: (point) => point,
        },
        ...data.axes, ...data.metrics.filter((metric) => metric.is_listed && metric.hasMean),
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
        return column.isMetric ? Number.parseFloat(column.text(point))
            : column.isNumeric ? column.sortValue(point) : column.text(point).toLowerCase();
    }

    function comparison(clause) {
        const found = /^([^<>=!]+)(<=|>=|!=|=|<|>)([^<>=!]+)$/.exec(clause);
        const column = found === null ? undefined : findColumn(found[1]);
        if (column === undefined) {
            return { problem: "No column is called “" + (found === null ? clause : found[1].trim()) + "”." };
        }
        const { wanted, problem } = readValue(column, found[3].trim());
        return { problem, test: (point) => operators[found[2]](shownValue(column, point), wanted) };
    }

    function containsText(clause) {
        const wanted = clause.toLowerCase();
        return { test: (point) => columns.some((column) => column.text(point).toLowerCase().includes(wanted)) };
    }

    function choosePoints() {
        const clauses = filter.value.split(/,(?!\d{3}\b)|\band\b/i).map((clause) => clause.trim()).filter((clause) => clause !== "")
            .map((clause) => (/[<>=]/.test(clause) ? comparison(clause) : containsText(clause)));
        const { sortValue } = columns[state.sortedBy];
        state.problem = clauses.filter((clause) => clause.problem).map((clause) => clause.problem).join(" ");
        state.points = spotPage.points.filter((point) => clauses.every((clause) => clause.problem || clause.test(point)))
            .sort((a, b) => spot.compare(sortValue(a), sortValue(b), state.direction) || a - b);
    }

    /* "idle < 54 %": about half of the points. */
    function comparisonThatHalves(column) {
        const values = spotPage.points.map((point) => column.value(point)).filter(Number.isFinite).sort((a, b) => a - b);
        const middle = values.length === 0 ? 0 : Number(values[Math.floor(values.length / 2)].toPrecision(2));
        return column.words + "\u00a0< " + middle + (column.unit === "%" ? "\u00a0%" : "");
    }

    /* -------- rows -------- */

    function cell(column, point) {
        const text = column.text(point);
        return column === columns[0] ? element("th", { scope: "row" }, text)
            : !column.isMetric ? element("td", {}, text)
            : text === "–" ? element("td", { className: "none" }, text)
            : element("td", { "data-value": String(column.value(point)) }, text);
    }

    function showRows(first, count) {
        table.tBodies[0].replaceChildren(...state.points.slice(first, first + count)
            .map((point) => element("tr", {}, ...columns.map((column) => cell(column, point)))));
    }

    function show() {
        const numPages = Math.max(1, Math.ceil(state.points.length / rowsOfPage));
        state.page = Math.min(state.page, numPages - 1);
        showRows(state.page * rowsOfPage, rowsOfPage);
        filter.setAttribute("aria-invalid", String(state.problem !== ""));
        count.textContent = (state.problem === "" ? "" : state.problem + " ") + state.points.length + " of " +
            data.num_points_of_study + " points" + (numPages > 1 ? ", page " + (state.page + 1) + " of " + numPages : "");
        pager.hidden = numPages < 2;
        before.disabled = state.page === 0;
        after.disabled = state.page === numPages - 1;
    }

    function renew() {
        state.page = 0;
        choosePoints();
        show();
    }

    /* The points that are shown, on all pages, as a file. */
    function download() {
        const field = (value) => (Number.isNaN(value) ? "" : /[",\n\r]/.test(value)
            ? '"' + value.replace(/"/g, '""') + '"' : String(value));
        const rows = [columns.map((column) => column.words), ...state.points.map((point) =>
            columns.map((column) => (column.isMetric ? column.raw(point) : column.text(point))))];
        const link = element("a", {
            href: URL.createObjectURL(new Blob(rows.map((row) => row.map(field).join(",") + "\n"), { type: "text/csv" })),
            download: "points.csv",
        });
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    }

    /* -------- what is not in the static table -------- */

    const heads = columns.map((column) => element("th", { scope: "col", className: column.isMetric ? "number" : "" }, column.words));
    const filter = element("input", { type: "search", id: "points-filter", autocomplete: "off", spellcheck: false });
    const count = element("p", { className: "note", role: "status", id: "points-count" });
    const before = spot.button("Previous page", () => { state.page--; show(); });
    const after = spot.button("Next page", () => { state.page++; show(); });
    const pager = element("div", { className: "controls" }, before, after);
    const example = columns.find((column) => column.isMetric);
    const staticNote = document.getElementById("points-note");

    spot.sortBy(heads, (column, direction) => {
        Object.assign(state, { sortedBy: column, direction });
        renew();
    });
    heads[0].ariaSort = "ascending";
    filter.placeholder = example === undefined ? "words" : comparisonThatHalves(example);
    filter.setAttribute("aria-describedby", "points-hint");
    filter.addEventListener("input", renew);
    table.tHead.replaceChildren(element("tr", {}, ...heads));
    table.parentElement.before(
        element("div", { className: "controls" }, control("Filter rows", filter, "wide"),
            spot.button("Save these rows as CSV", download)),
        element("p", { className: "note scripted", id: "points-hint" },
            "Words are searched in all columns; a column can be compared with a number as it is shown, as in “" +
            filter.placeholder + "”, and several conditions are divided by commas."),
        count);
    table.parentElement.after(pager);
    if (staticNote !== null) {
        staticNote.remove();
    }
    window.addEventListener("beforeprint", () => showRows(0, rowsOfPrint));
    window.addEventListener("afterprint", show);
    renew();
    return { state, columns, filter, count };
})();
