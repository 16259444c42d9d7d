// SPDX-License-Identifier: GPL-3.0-or-later
// Measures the labels of all charts of a page in the browser: none overlaps another or a
// marker, none leaves its picture, none is smaller than 11 px. Writes what is wrong into the
// page, and a last line "labels: N of M charts".
"use strict";
(function () {
    var SMALLEST_PX = 11;
    var lines = [];

    // The ink of a line of text: its box without the room above capitals and below letters.
    function inkOf(text) {
        var box = text.getBoundingClientRect();
        return {
            left: box.left + 0.5, right: box.right - 0.5, top: box.top + 0.15 * box.height,
            bottom: box.bottom - 0.15 * box.height, name: text.textContent
        };
    }

    function overlap(a, b) {
        return Math.min(a.right, b.right) - Math.max(a.left, b.left) > 0.5 &&
            Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 0.5;
    }

    // The boxes of the markers in a path, in client px: each begins with a move.
    function markersOf(path, svg) {
        var scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
        var origin = svg.getBoundingClientRect(), half = 0, x = 0, y = 0, startX = 0, startY = 0, boxes = [], box = null;
        var parts = path.getAttribute("d").match(/[a-zA-Z][^a-zA-Z]*/g) || [];

        if (path.classList.contains("o") || path.classList.contains("q")) {
            half = Number(path.getAttribute("stroke-width")) / 2;
        }
        function reach(atX, atY) {
            box.left = Math.min(box.left, origin.left + scale * (atX - half));
            box.right = Math.max(box.right, origin.left + scale * (atX + half));
            box.top = Math.min(box.top, origin.top + scale * (atY - half));
            box.bottom = Math.max(box.bottom, origin.top + scale * (atY + half));
        }
        parts.forEach(function (part) {
            var numbers = (part.slice(1).match(/-?(\d+\.?\d*|\.\d+)/g) || []).map(Number);
            switch (part[0]) {
            case "M":
            case "m":
                x = numbers[0] + (part[0] === "m" ? x : 0);
                y = numbers[1] + (part[0] === "m" ? y : 0);
                box = {left: 1e9, right: -1e9, top: 1e9, bottom: -1e9, name: "a marker"};
                boxes.push(box);
                startX = x;
                startY = y;
                reach(x, y);
                break;
            case "z":
                x = startX;
                y = startY;
                break;
            case "h":
                numbers.forEach(function (by) { x += by; reach(x, y); });
                break;
            case "v":
                numbers.forEach(function (by) { y += by; reach(x, y); });
                break;
            case "l":
                for (var j = 0; j + 1 < numbers.length; j += 2) {
                    x += numbers[j];
                    y += numbers[j + 1];
                    reach(x, y);
                }
                break;
            case "a": // half a circle, level
                reach(x, y - numbers[0]);
                reach(x, y + numbers[0]);
                x += numbers[5];
                reach(x, y);
                break;
            }
        });
        return boxes;
    }

    function check(svg, name) {
        var edge = svg.getBoundingClientRect();
        var texts = Array.prototype.slice.call(svg.querySelectorAll("text"));
        var boxes = texts.map(inkOf), markers = [], num = lines.length;

        Array.prototype.forEach.call(svg.querySelectorAll("path.o, path.q, path.h"),
            function (path) { markers = markers.concat(markersOf(path, svg)); });
        boxes.forEach(function (box, j) {
            var size = parseFloat(getComputedStyle(texts[j]).fontSize) * edge.width /
                svg.viewBox.baseVal.width;

            if (size < SMALLEST_PX - 0.01) {
                lines.push(name + ": \"" + box.name + "\" has " + size + " px");
            }
            if (box.left < edge.left - 1 || box.right > edge.right + 1 ||
                box.top < edge.top - 1 || box.bottom > edge.bottom + 1) {
                lines.push(name + ": \"" + box.name + "\" leaves the picture");
            }
            boxes.slice(0, j).concat(markers).forEach(function (other) {
                if (overlap(box, other)) {
                    lines.push(name + ": \"" + box.name + "\" overlaps \"" + other.name + "\" at " +
                        Math.round(box.left - edge.left) + " " + Math.round(box.top - edge.top));
                }
            });
        });
        return lines.length > num;
    }

    window.addEventListener("load", function () {
        var charts = document.querySelectorAll("svg.chart"), numBad = 0;
        var verdict = document.createElement("pre");

        Array.prototype.forEach.call(charts, function (svg) {
            var label = svg.closest("[data-study]").getAttribute("data-study");

            numBad += check(svg, label + ", " + svg.getAttribute("class") + ", " +
                svg.getAttribute("aria-label"));
        });
        lines.push("labels: " + numBad + " of " + charts.length + " charts");
        verdict.id = "verdict";
        verdict.textContent = "\n" + lines.join("\n") + "\n";
        document.body.appendChild(verdict);
    });
})();
