/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What all scripts of a page share. Texts from outside go into the page as text only,
   never as markup. */
"use strict";

const spot = (() => {
    const UNITS = [["d", 864e5], ["h", 36e5], ["min", 6e4], ["s", 1000], ["ms", 1]];
    const STEPS_MS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 15e3, 3e4, 6e4, 12e4, 3e5, 6e5, 9e5, 18e5,
        36e5, 72e5, 108e5, 216e5, 432e5, 864e5, 1728e5, 432e6, 864e6, 1728e6, 432e7, 864e7];
    let numControls = 0;

    /* An element: properties are those of the DOM, or attributes; children are elements or
       texts. */
    function element(tag, properties, ...children) {
        const made = document.createElement(tag);
        for (const [name, value] of Object.entries(properties || {})) {
            if (/-|^(role|for|scope)$/.test(name)) {
                made.setAttribute(name, value);
            } else {
                made[name] = value;
            }
        }
        made.append(...children);
        return made;
    }

    function button(words, whenClicked, label) {
        const made = element("button", {type: "button", className: "button"}, words);
        if (label !== undefined) {
            made.setAttribute("aria-label", label);
            made.title = label;
        }
        made.addEventListener("click", whenClicked);
        return made;
    }

    /* An entry of a legend: pressed while what it names is shown. */
    function toggle(words, colour, whenChanged, isShown = true) {
        const swatch = element("span", {className: "swatch"});
        const made = button(words, () => {
            const isNow = made.getAttribute("aria-pressed") !== "true";
            made.setAttribute("aria-pressed", String(isNow));
            whenChanged(isNow);
        });
        swatch.style.background = colour;
        made.prepend(swatch);
        made.setAttribute("aria-pressed", String(isShown));
        return made;
    }

    /* A labelled control for a row of controls. */
    function control(words, input, className) {
        input.id = input.id || "control-" + numControls++;
        const name = element("label", {for: input.id}, words);
        return className === "check"
            ? element("div", {className: "control check"}, input, name)
            : element("div", {className: "control " + (className || "")}, name, input);
    }

    function select(options, chosen, whenChanged) {
        const made = element("select", {}, ...options.map((option) =>
            element("option", {value: String(option.value)}, option.words)));
        made.value = String(chosen);
        made.addEventListener("change", () => whenChanged(made.value));
        return made;
    }

    const collator = new Intl.Collator("en", {numeric: true});

    /* Below 0 as a comes before b: numbers, else texts. NaN comes last in both directions. */
    function compare(a, b, direction) {
        if (Number.isNaN(a) || Number.isNaN(b)) {
            return Number.isNaN(a) - Number.isNaN(b);
        }
        return direction * (typeof a === "number" && typeof b === "number" ? a - b : collator.compare(a, b));
    }

    /* Heads of a table become buttons; whenSorted gets the column, and 1 or -1. */
    function sortBy(heads, whenSorted) {
        heads.forEach((head, column) => {
            const sort = element("button", {type: "button"}, head.textContent);
            head.replaceChildren(sort);
            head.ariaSort = "none";
            sort.addEventListener("click", () => {
                const direction = head.ariaSort === "ascending" ? -1 : 1;
                heads.forEach((other) => { other.ariaSort = "none"; });
                head.ariaSort = direction > 0 ? "ascending" : "descending";
                whenSorted(column, direction);
            });
        });
    }

    const clamp = (value, low, high) => Math.max(low, Math.min(high, value));

    /* The last index of sorted values whose value is at most x; -1: none. */
    function lastAt(values, x) {
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
    }

    /* 1, 2 or 5 times a power of ten, so that range has about count of them. */
    function niceStep(range, count) {
        const rough = range / count, power = 10 ** Math.floor(Math.log10(rough));
        return power * [1, 2, 5, 10].find((factor) => factor * power >= rough * 0.999);
    }

    /* The same of a time, in the parts of days and hours. */
    const timeStep = (span_ms, count) => STEPS_MS.find((step) => step >= span_ms / count) || STEPS_MS[STEPS_MS.length - 1];

    /* "2 d 6 h": rounded to precision_ms. */
    function timeText(time_ms, precision_ms) {
        const words = [];
        let rest = Math.round(time_ms / precision_ms) * precision_ms;
        for (const [name, unit] of UNITS) {
            const count = Math.floor(rest / unit);
            if (count > 0) {
                words.push(`${count} ${name}`);
            }
            rest -= count * unit;
        }
        return words.length === 0 ? "0" : words.join(" ");
    }

    /* The same to two units: "7 h 39 min", "25 s". */
    const roughText = (time_ms) => timeText(time_ms, time_ms >= 864e5 ? 36e5 : time_ms >= 36e5 ? 6e4
        : time_ms >= 1e4 ? 1000 : time_ms >= 100 ? 10 : 1);

    /* "12,345.6": as many decimals as people read; never with an exponent below 1e15. */
    function numberText(value) {
        const size = Math.abs(value);
        const digits = Math.abs(value - Math.round(value)) < 1e-9 || size >= 1000 ? 0 : size < 10 ? 2 : 1;
        return value.toLocaleString("en", size > 1e-9 && size < 0.1 ? {maximumSignificantDigits: 2}
            : {maximumFractionDigits: digits});
    }

    /* "120,000", "2.5M", for the ticks of an axis. */
    const tickText = (value, digits = 4) => value.toLocaleString("en",
        {notation: Math.abs(value) < 1e6 ? "standard" : "compact", maximumSignificantDigits: digits});

    /* A colour of the page's style, as it is now: light or dark. */
    const colourOf = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();

    const isDark = window.matchMedia("(prefers-color-scheme: dark)");

    return {element, button, toggle, control, select, compare, sortBy, clamp, lastAt, niceStep, timeStep, timeText, roughText,
        numberText, tickText, colourOf, isDark};
})();
