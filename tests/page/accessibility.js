/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Faults of a page that keep people from reading it, each as "rule: element". The rules
   are those of WCAG 2.1 (A, AA) that a program can check. */
"use strict";

const accessibility = (() => {
    const all = (selector, from) => [...(from || document).querySelectorAll(selector)];
    const isShown = (node) => node.checkVisibility({ visibilityProperty: true }) && node.getClientRects().length > 0;
    const named = (node) => "<" + node.tagName.toLowerCase() + (node.id ? "#" + node.id : "") + "> " +
        (node.textContent || "").trim().slice(0, 40);

    function textOfIds(ids) {
        return ids.split(/\s+/).map((id) => document.getElementById(id)).filter((node) => node !== null)
            .map((node) => node.textContent).join(" ");
    }

    /* Its name, as a screen reader would say it. */
    function nameOf(node) {
        const labels = node.labels ? [...node.labels].map((label) => label.textContent).join(" ") : "";
        const own = /^(BUTTON|A|SUMMARY|TH)$/.test(node.tagName) ? node.textContent : "";

        return (textOfIds(node.getAttribute("aria-labelledby") || "") || node.getAttribute("aria-label") || labels ||
            node.getAttribute("alt") || own || node.getAttribute("title") || "").trim();
    }

    /* -------- contrast -------- */

    function rgba(text) {
        const parts = (/rgba?\(([^)]*)\)/.exec(text) || [0, "0, 0, 0, 0"])[1].split(/[\s,/]+/).map(Number);

        return { red: parts[0], green: parts[1], blue: parts[2], alpha: parts.length > 3 ? parts[3] : 1 };
    }

    function over(top, below) {
        const mix = (a, b) => a * top.alpha + b * (1 - top.alpha);

        return { red: mix(top.red, below.red), green: mix(top.green, below.green), blue: mix(top.blue, below.blue), alpha: 1 };
    }

    function backgroundOf(node) {
        const layers = [];

        for (let at = node; at !== null; at = at.parentElement) {
            layers.push(rgba(getComputedStyle(at).backgroundColor));
            if (layers[layers.length - 1].alpha === 1) {
                break;
            }
        }
        return layers.reduceRight((below, layer) => over(layer, below), { red: 255, green: 255, blue: 255, alpha: 1 });
    }

    function luminance(colour) {
        const [red, green, blue] = [colour.red, colour.green, colour.blue].map((part) => part / 255)
            .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));

        return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    }

    function contrast(node) {
        const below = backgroundOf(node);
        const [dark, light] = [luminance(over(rgba(getComputedStyle(node).color), below)), luminance(below)]
            .sort((a, b) => a - b);

        return (light + 0.05) / (dark + 0.05);
    }

    function neededContrast(node) {
        const style = getComputedStyle(node);
        const size = parseFloat(style.fontSize);

        return size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
    }

    function hasOwnText(node) {
        return [...node.childNodes].some((child) => child.nodeType === Node.TEXT_NODE && child.data.trim() !== "") ||
            /^(SELECT|INPUT)$/.test(node.tagName);
    }

    /* -------- rules: each yields the elements at fault -------- */

    function headingsOutOfOrder() {
        const levels = all("h1, h2, h3, h4, h5, h6").filter(isShown);

        return levels.filter((node, id) => id > 0 && Number(node.tagName[1]) > Number(levels[id - 1].tagName[1]) + 1);
    }

    function duplicates() {
        const seen = new Set();

        return all("[id]").filter((node) => {
            const isOfPicture = node.closest("svg") !== null;
            const isKnown = seen.has(node.id);

            seen.add(node.id);
            return isKnown && !isOfPicture;
        });
    }

    function lostReferences() {
        const names = ["aria-labelledby", "aria-describedby", "aria-controls", "aria-owns", "for"];

        return [
            ...names.flatMap((name) => all("[" + name + "]").filter((node) =>
                node.getAttribute(name).split(/\s+/).some((id) => document.getElementById(id) === null))),
            ...all("a[href^='#']").filter((node) => document.getElementById(node.getAttribute("href").slice(1)) === null),
        ];
    }

    function pictureWithoutName(node) {
        const holder = node.closest("[role='img'], [aria-hidden='true']");

        return holder === null || (holder.getAttribute("aria-hidden") !== "true" && nameOf(holder) === "");
    }

    function scrollsWithoutKeyboard(node) {
        const style = getComputedStyle(node);
        const scrolls = (/auto|scroll/.test(style.overflowX) && node.scrollWidth > node.clientWidth + 1) ||
            (/auto|scroll/.test(style.overflowY) && node.scrollHeight > node.clientHeight + 1);

        return scrolls && node.tabIndex < 0 && all("a, button, input, select, [tabindex='0']", node).length === 0;
    }

    const rules = {
        "language": () => all("html").filter((node) => !/^[a-z]{2}/.test(node.lang)),
        "title": () => (document.title.trim() === "" ? all("html") : []),
        "zoom": () => all("meta[name='viewport']").filter((node) => /user-scalable\s*=\s*no|maximum-scale/.test(node.content)),
        "one-main": () => (all("main").length === 1 ? [] : all("body")),
        "one-h1": () => (all("h1").filter(isShown).length === 1 ? [] : all("body")),
        "landmarks": () => all("body > *").filter((node) =>
            isShown(node) && !node.matches("header, nav, main, footer, aside, script, a[href^='#'], [data-test]")),
        "region-name": () => all("nav, section, [role='region'], [role='group']").filter((node) =>
            isShown(node) && nameOf(node) === "" && !node.matches("figure")),
        "heading-order": headingsOutOfOrder,
        "heading-empty": () => all("h1, h2, h3, h4, h5, h6").filter((node) => node.textContent.trim() === ""),
        "picture-name": () => all("img, canvas, svg").filter((node) =>
            isShown(node) && (node.tagName === "IMG" ? !node.hasAttribute("alt") : pictureWithoutName(node))),
        "input-label": () => all("input, select, textarea").filter((node) => isShown(node) && nameOf(node) === ""),
        "button-name": () => all("button, a[href], summary").filter((node) => isShown(node) && nameOf(node) === ""),
        "nested-control": () => all("button, a, label").filter((node) => all("button, a, select, input", node).length > 0),
        "table-head": () => all("table").filter((node) => isShown(node) && all("th", node).length === 0),
        "table-scope": () => all("th").filter((node) => !/^(col|row|colgroup|rowgroup)$/.test(node.scope)),
        "list": () => all("li").filter((node) => !node.parentElement.matches("ul, ol")),
        "duplicate-id": duplicates,
        "lost-reference": lostReferences,
        "tab-order": () => all("[tabindex]").filter((node) => node.tabIndex > 0),
        "keyboard": () => all("[onclick]").filter((node) => node.tabIndex < 0),
        "scroll-keyboard": () => all("body *").filter((node) => isShown(node) && scrollsWithoutKeyboard(node)),
        "aria-value": () => [
            ...all("[aria-sort]").filter((node) => !/^(none|ascending|descending|other)$/.test(node.ariaSort)),
            ...all("[aria-pressed]").filter((node) => !/^(true|false|mixed)$/.test(node.ariaPressed)),
        ],
        "hidden-focus": () => all("[aria-hidden='true']").filter((node) => all("a, button, input, select", node).length > 0),
        "contrast": () => all("body *").filter((node) => hasOwnText(node) && isShown(node) && !node.disabled &&
            node.closest("svg, [data-test]") === null && node.closest(".skip") === null &&
            contrast(node) < neededContrast(node)),
    };

    function faults() {
        return Object.entries(rules).flatMap(([rule, find]) => find().map((node) => rule + ": " + named(node)));
    }

    return { rules: Object.keys(rules), faults };
})();
