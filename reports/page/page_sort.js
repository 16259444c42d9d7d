/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables of two stores side by side sort by the heads of their columns. A cell is
   compared by its data-value, else by its text; cells without a value come last. */
"use strict";

(() => {
    const collator = new Intl.Collator("en", { numeric: true });

    /* Below, at or above 0, as the first cell comes before the second. */
    function compare(first, second, direction) {
        const a = first.dataset.value, b = second.dataset.value;
        const isNone = (cell) => cell.classList.contains("none");
        if (isNone(first) || isNone(second)) {
            return (isNone(first) ? 1 : 0) - (isNone(second) ? 1 : 0);
        }
        if (a !== undefined && b !== undefined) {
            return direction * (Number(a) - Number(b));
        }
        return direction * collator.compare(first.textContent, second.textContent);
    }

    function sort(table, column, direction) {
        const body = table.tBodies[0];
        const rows = Array.from(body.rows);
        rows.sort((first, second) =>
            compare(first.cells[column], second.cells[column], direction) || first.spotPlace - second.spotPlace);
        body.append(...rows);
    }

    for (const table of document.querySelectorAll("#tables table")) {
        const heads = Array.from(table.tHead.rows[0].cells);
        Array.from(table.tBodies[0].rows).forEach((row, place) => { row.spotPlace = place; });
        heads.forEach((head, column) => {
            const button = document.createElement("button");
            button.type = "button";
            button.textContent = head.textContent;
            head.replaceChildren(button);
            head.setAttribute("aria-sort", "none");
            button.addEventListener("click", () => {
                const isAscending = head.getAttribute("aria-sort") !== "ascending";
                sort(table, column, isAscending ? 1 : -1);
                heads.forEach((other) => other.setAttribute("aria-sort", "none"));
                head.setAttribute("aria-sort", isAscending ? "ascending" : "descending");
            });
        });
    }
})();
