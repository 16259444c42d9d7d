/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The explorer: any metric along any key or metric, a series for each value of a key,
   with intervals; or the ledger of the points. Drawn by Chart.js. */
"use strict";

spotPage.explorer = (() => {
    const { data } = spotPage, { element, control, select } = spot;
    const place = document.getElementById("explorer-place");
    const maxSeries = 40, shownSeries = 10, maxBars = 40, maxIntervals = 400, maxTicks = 30;
    const shapes = ["circle", "rect", "triangle", "rectRot", "star", "crossRot"];
    const metrics = data.metrics.map((metric, id) => ({ metric, id })).filter(({ metric }) => metric.hasMean);
    const ledger = data.ledger.filter((part) => data.metrics[part.metricId].hasMean);

    if (place === null || data.numPoints === 0 || metrics.length === 0) {
        return null;
    }

    /* x is an axis ("a2") or a metric ("m5"). */
    const state = {
        kind: "curves", y: data.plot.y, x: "", seriesAxis: -1, filters: new Map(), isLogX: false, isLogY: false,
        hidden: new Set(),
    };
    let chart = null;

    function hasMany(axis) {
        return axis.labels.length > 1;
    }

    function hasValue(metric, points) {
        return points.some((point) => Number.isFinite(metric.means[point]));
    }

    function chooseFirst() {
        const all = chosenPoints();
        const asked = metrics.filter(({ id }) => id === data.plot.y);
        const first = [...asked, ...metrics].find(({ metric }) => hasValue(metric, all));
        const axes = data.axes.map((axis, id) => ({ axis, id })).filter(({ axis }) => hasMany(axis));
        const numeric = axes.find(({ axis }) => axis.isNumeric);
        if (first !== undefined) {
            state.y = first.id;
        }
        if (data.plot.x !== undefined && hasMany(data.axes[data.plot.x])) {
            state.x = "a" + data.plot.x;
        } else if (axes.length > 0) {
            state.x = "a" + (numeric || axes[0]).id;
        } else {
            state.x = "m" + metrics[Math.min(1, metrics.length - 1)].id;
        }
        chooseSeries(data.plot.curves);
        chooseFilters();
    }

    /* A key whose values make curves: the one that is asked for, else the first of few values. */
    function chooseSeries(asked) {
        const canBe = (axis, id) => "a" + id !== state.x && hasMany(axis) && axis.labels.length <= maxSeries;
        state.seriesAxis = asked !== undefined && asked < data.axes.length && canBe(data.axes[asked], asked)
            ? asked
            : data.isDesign ? -1 : data.axes.findIndex(canBe);
    }

    /* Keys that are neither x nor series. Curves are of one value of each of them. */
    function filteredAxes() {
        return data.axes.map((axis, id) => ({ axis, id }))
            .filter(({ axis, id }) => hasMany(axis) && axis.labels.length <= 1000 && (state.kind === "ledger" ||
                ("a" + id !== state.x && id !== state.seriesAxis)));
    }

    function chooseFilters() {
        const axes = filteredAxes();
        const hasAll = data.isDesign || state.x[0] === "m" || state.kind === "ledger";
        for (const id of [...state.filters.keys()]) {
            if (!axes.some((other) => other.id === id)) {
                state.filters.delete(id);
            }
        }
        for (const { id } of axes) {
            if (!state.filters.has(id)) {
                state.filters.set(id, hasAll ? -1 : data.axes[id].valueIds[0]);
            }
        }
    }

    function chosenPoints() {
        const filters = [...state.filters].filter(([, valueId]) => valueId >= 0);
        const points = [];
        for (let point = 0; point < data.numPoints; point++) {
            if (filters.every(([id, valueId]) => data.axes[id].valueIds[point] === valueId)) {
                points.push(point);
            }
        }
        return points;
    }

    /* -------- colours -------- */

    /* The palette is made for white paper: in the dark each colour is lightened. */
    function inked(colour, alpha) {
        const parts = [1, 3, 5].map((start) => parseInt(colour.slice(start, start + 2), 16))
            .map((part) => (spot.isDark.matches ? Math.round(part + (255 - part) * 0.3) : part));
        return "rgba(" + parts.join(", ") + ", " + alpha + ")";
    }

    /* -------- what is drawn -------- */

    const x = () => {
        const id = Number(state.x.slice(1));
        if (state.x[0] === "m") {
            const metric = data.metrics[id], factor = metric.isFraction ? 100 : 1;
            return {
                words: spotPage.metricWords(metric), isNumeric: true, isMetric: true,
                value: (point) => metric.means[point] * factor, half: (point) => metric.halfWidths[point] * factor,
                text: (point) => spotPage.meanText(metric, point) + spotPage.unitText(metric),
            };
        }
        const axis = data.axes[id];
        const words = id === data.plot.x && data.plot.x_label ? data.plot.x_label : axis.words;
        return {
            words, isNumeric: axis.isNumeric, isMetric: false, labels: axis.labels,
            value: (point) => spotPage.axisValue(axis, point), half: () => NaN,
            text: (point) => spotPage.label(axis, point),
        };
    };

    function groups(points) {
        if (state.seriesAxis < 0) {
            return [{ name: data.metrics[state.y].words, points, valueId: 0, isBound: false }];
        }
        const axis = data.axes[state.seriesAxis];
        const found = axis.labels.map((name, valueId) => ({
            name: nameBefore(axis) + name, points: [], valueId,
            isBound: data.plot.bounds_axis === state.seriesAxis && data.plot.bounds.includes(valueId),
        }));
        points.forEach((point) => found[axis.valueIds[point]].points.push(point));
        return found.filter((group) => group.points.length > 0);
    }

    /* "8" alone does not tell what it is: "pipeline depth 8". */
    function nameBefore(axis) {
        return axis.isNumeric ? axis.path.split(".").pop().replace(/_/g, " ") + " " : "";
    }

    /* A line joins points of one x each; others are dots. */
    function isLine(dots, along) {
        return !data.isDesign && !along.isMetric && along.isNumeric && dots.length > 1 &&
            dots.every((dot, id) => id === 0 || dot.x > dots[id - 1].x);
    }

    function makeDots(group, along) {
        const metric = data.metrics[state.y], factor = metric.isFraction ? 100 : 1;
        const dots = [];
        for (const point of group.points) {
            const dot = {
                x: along.value(point), y: metric.means[point] * factor,
                half: metric.halfWidths[point] * factor, halfX: along.half(point), point,
            };
            if (Number.isFinite(dot.x) && Number.isFinite(dot.y) && !(state.isLogX && dot.x <= 0) &&
                !(state.isLogY && dot.y <= 0)) {
                dots.push(dot);
            }
        }
        return dots.sort((a, b) => a.x - b.x || a.point - b.point);
    }

    /* A series: its curve, and below and above it the edges of its band. */
    function makeSeries(group, along) {
        const id = group.valueId; /* the same colour as in the pictures, whatever is left out */
        const colour = group.isBound ? data.plot.bounds_colour : data.lines[id % data.lines.length];
        const dots = makeDots(group, along);
        const hasLine = isLine(dots, along);
        const isHidden = state.hidden.has(group.name);
        const many = dots.length > 60;
        const common = { series: group.name, hidden: isHidden, borderColor: inked(colour, 1), parsing: false };
        const series = [{
            ...common, label: group.name, data: dots, showLine: hasLine, borderWidth: 2, borderDash: group.isBound ? [6, 4] : [],
            backgroundColor: inked(colour, hasLine ? 1 : 0.65), pointStyle: shapes[id % shapes.length],
            pointRadius: many && hasLine ? 0 : dots.length > 1000 ? 2 : 4, pointHoverRadius: 6, pointHitRadius: 8,
            spotBars: !hasLine && dots.length <= maxIntervals, order: 0,
        }];
        if (hasLine && data.metrics[state.y].hasInterval) {
            const edge = (sign) => ({
                ...common, label: group.name, isEdge: true, showLine: true, borderWidth: 0, pointRadius: 0,
                pointHitRadius: 0, pointHoverRadius: 0, backgroundColor: inked(colour, 0.18), order: 1,
                data: dots.map((dot) => ({ x: dot.x, y: edgeOf(dot, sign) })), fill: sign > 0 ? "-1" : false,
            });
            series.push(edge(-1), edge(1));
        }
        return series;
    }

    function edgeOf(dot, sign) {
        const y = dot.y + sign * (Number.isFinite(dot.half) ? dot.half : 0);
        return state.isLogY && y <= 0 ? dot.y : y;
    }

    function edgeOfX(dot, sign) {
        const x = dot.x + sign * (Number.isFinite(dot.halfX) ? dot.halfX : 0);
        return state.isLogX && x <= 0 ? dot.x : x;
    }

    function makeBars(points) {
        const along = x();
        const sorted = points.slice().sort((a, b) => along.value(a) - along.value(b) || a - b).slice(0, maxBars);
        const factor = ledger.every((part) => data.metrics[part.metricId].isFraction) ? 100 : 1;
        return {
            points: sorted,
            labels: sorted.map(pointWords),
            datasets: ledger.map((part) => {
                const metric = data.metrics[part.metricId];
                return {
                    label: metric.words, series: metric.words, hidden: state.hidden.has(metric.words), parsing: true,
                    data: sorted.map((point) => metric.means[point] * factor), metric,
                    backgroundColor: part.colour, borderColor: spot.colourOf("paper"), borderWidth: 1,
                };
            }),
        };
    }

    /* What tells a point from the others. */
    function pointWords(point) {
        const words = data.axes.filter(hasMany).map((axis) => nameBefore(axis) + spotPage.label(axis, point));
        return words.length > 0 ? words.join(", ") : "point " + point;
    }

    /* -------- the chart -------- */

    /* Intervals of single dots: along y, and along x where x is a mean too. */
    const intervals = {
        id: "spotIntervals",
        beforeDatasetDraw(drawn, { index }) {
            const dataset = drawn.data.datasets[index];
            if (!dataset.spotBars || !drawn.isDatasetVisible(index)) {
                return;
            }
            const { ctx, scales, chartArea } = drawn;
            ctx.save();
            ctx.beginPath();
            ctx.rect(chartArea.left, chartArea.top, chartArea.width, chartArea.height);
            ctx.clip();
            ctx.strokeStyle = dataset.borderColor;
            ctx.lineWidth = 1.25;
            ctx.beginPath();
            for (const dot of dataset.data) {
                const atX = scales.x.getPixelForValue(dot.x), atY = scales.y.getPixelForValue(dot.y);
                if (dot.half > 0) {
                    ctx.moveTo(atX, scales.y.getPixelForValue(edgeOf(dot, -1)));
                    ctx.lineTo(atX, scales.y.getPixelForValue(edgeOf(dot, 1)));
                }
                if (dot.halfX > 0) {
                    ctx.moveTo(scales.x.getPixelForValue(edgeOfX(dot, -1)), atY);
                    ctx.lineTo(scales.x.getPixelForValue(edgeOfX(dot, 1)), atY);
                }
            }
            ctx.stroke();
            ctx.restore();
        },
    };

    /* Chart.js knows the dots only: a scale takes in the intervals that are drawn at them. */
    function takeIn(drawn, edge) {
        drawn.chart.data.datasets.forEach((dataset, id) => {
            if (dataset.spotBars && drawn.chart.isDatasetVisible(id)) {
                for (const dot of dataset.data) {
                    drawn.min = Math.min(drawn.min, edge(dot, -1));
                    drawn.max = Math.max(drawn.max, edge(dot, 1));
                }
            }
        });
    }

    function scale(words, isLog, more) {
        return {
            type: isLog ? "logarithmic" : "linear", title: { display: true, text: words, color: spot.colourOf("ink") },
            grid: { color: spot.colourOf("edge"), borderColor: spot.colourOf("control-edge") },
            ticks: { color: spot.colourOf("quiet"), maxRotation: 50, ...(more || {}) },
        };
    }

    /* Long words would leave no room for the picture. */
    function short(text, maxChars) {
        const chars = [...text];
        return chars.length > maxChars ? chars.slice(0, maxChars - 1).join("") + "…" : text;
    }

    /* A tick for each value of a key that is no number, or for every so many of them: left
       to itself, the scale would count in steps from its end, half a step before a value. */
    function ticksOf(labels) {
        const step = Math.ceil(labels.length / maxTicks);
        return labels.map((_, value) => ({ value })).filter(({ value }) => value % step === 0);
    }

    function curvesConfig(points) {
        const along = x();
        const metric = data.metrics[state.y];
        const found = groups(points).slice(0, maxSeries);
        const xScale = scale(short(along.words, 80), state.isLogX);
        const yScale = scale(short(spotPage.metricWords(metric) + unitOf(metric), 60), state.isLogY);
        xScale.type = state.isLogX ? "logarithmic" : "linear";
        xScale.afterDataLimits = (drawn) => takeIn(drawn, edgeOfX);
        yScale.afterDataLimits = (drawn) => takeIn(drawn, edgeOf);
        if (!along.isNumeric) {
            Object.assign(xScale, { min: -0.5, max: along.labels.length - 0.5 });
            xScale.afterBuildTicks = (drawn) => { drawn.ticks = ticksOf(along.labels); };
            xScale.ticks.callback = (value) => short(along.labels[value] || "", 18);
        }
        const datasets = found.flatMap((group) => makeSeries(group, along));
        return {
            type: "scatter", data: { datasets },
            scales: { x: xScale, y: yScale },
            title: (items) => items.slice(0, 1).map((item) => short(along.words, 80) + ": " + along.text(item.raw.point)),
            label: (item) => short(item.dataset.label, 50) + ": " + spotPage.meanText(metric, item.raw.point) +
                spotPage.unitText(metric),
            footer: (items) => items.slice(0, 1).map((item) => short(pointWords(item.raw.point), 120)),
        };
    }

    function unitOf(metric) {
        return metric.isFraction || metric.unit === "1" || metric.unit === "" || metric.words.includes(metric.unit)
            ? ""
            : " (" + metric.unit + ")";
    }

    function ledgerConfig(points) {
        const bars = makeBars(points);
        const isPercent = ledger.every((part) => data.metrics[part.metricId].isFraction);
        const xScale = { ...scale("", false), type: "category", stacked: true };
        xScale.title.display = false;
        xScale.ticks.callback = (id) => short(bars.labels[id], window.innerWidth < 640 ? 14 : 26);
        return {
            type: "bar", data: { labels: bars.labels, datasets: bars.datasets },
            scales: { x: xScale, y: { ...scale(isPercent ? "share of the time (%)" : "", false), stacked: true } },
            title: (items) => items.slice(0, 1).map((item) => short(bars.labels[item.dataIndex], 120)),
            label: (item) => short(item.dataset.label, 50) + ": " +
                spotPage.meanText(item.dataset.metric, bars.points[item.dataIndex]) +
                spotPage.unitText(item.dataset.metric),
            footer: () => [],
        };
    }

    /* What a chart of curves cannot be drawn of, in words; null where it can. */
    function nothingToDraw(points) {
        const chosen = [state.y, ...(state.x[0] === "m" ? [Number(state.x.slice(1))] : [])]
            .map((id) => data.metrics[id]);
        const missing = chosen.find((metric) => !hasValue(metric, points));
        if (state.kind === "ledger" || missing === undefined) {
            return null;
        }
        return short(missing.words, 80) + " has no value at any " +
            (points.length < data.numPoints ? "of the chosen points." : "point.");
    }

    function draw() {
        const points = chosenPoints();
        const nothing = nothingToDraw(points);
        if (chart !== null) {
            chart.destroy();
            chart = null;
        }
        box.hidden = nothing !== null;
        if (nothing !== null) {
            legend.hidden = true;
            note.textContent = nothing;
            return;
        }
        drawChart(points);
        drawLegend();
        tell(points);
    }

    function drawChart(points) {
        const isLedger = state.kind === "ledger";
        const config = isLedger ? ledgerConfig(points) : curvesConfig(points);
        Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
        Chart.defaults.color = spot.colourOf("quiet");
        chart = new Chart(canvas, {
            type: config.type, data: config.data, plugins: [intervals],
            options: {
                animation: false, maintainAspectRatio: false, responsive: true, normalized: true,
                interaction: isLedger ? { mode: "index", intersect: false } : { mode: "nearest", intersect: false },
                scales: config.scales,
                plugins: {
                    legend: { display: false },
                    tooltip: {
                        filter: (item) => !item.dataset.isEdge,
                        callbacks: { title: config.title, label: config.label, footer: config.footer },
                    },
                },
            },
        });
    }

    function show(name, isShown) {
        state.hidden[isShown ? "delete" : "add"](name);
        chart.data.datasets.forEach((dataset, id) => {
            if (dataset.series === name) {
                chart.setDatasetVisibility(id, isShown);
            }
        });
        chart.update();
    }

    function drawLegend() {
        const named = chart.data.datasets.filter((dataset) => !dataset.isEdge);
        legend.hidden = named.length < 2;
        legend.replaceChildren(...named.map((dataset) => element("li", {}, spot.toggle(short(dataset.label, 80),
            state.kind === "ledger" ? dataset.backgroundColor : dataset.borderColor,
            (isShown) => show(dataset.series, isShown), !state.hidden.has(dataset.series)))));
    }

    /* In words what the canvas shows, and what it leaves out. */
    function tell(points) {
        const notes = [];
        const metric = data.metrics[state.y];
        const what = state.kind === "ledger" ? "Where the time goes" : short(metric.words, 80) + " along " + short(x().words, 80);
        if (state.kind === "ledger" && points.length > maxBars) {
            notes.push("the first " + maxBars + " of " + points.length + " points: choose values to see others");
        } else {
            notes.push(points.length + (points.length === 1 ? " point" : " points"));
        }
        if (state.kind === "curves") {
            const all = groups(points).length;
            notes.push(all > maxSeries ? "the first " + maxSeries + " of " + all + " series"
                : all + " series");
            notes.push(metric.hasInterval ? "with 95 % confidence intervals"
                : "intervals of this metric are left out, the page would grow too large");
        }
        if (data.numPoints < data.numPointsOfStudy) {
            notes.push("the page holds " + data.numPoints + " of " + data.numPointsOfStudy + " points");
        }
        const left = data.metrics.filter((other) => other.isShown).length - metrics.length;
        if (left > 0) {
            notes.push(left + " metrics that were not asked for are left out, the page would grow too large");
        }
        note.textContent = what + ": " + notes.join(", ") + ".";
        canvas.setAttribute("aria-label", note.textContent + " The table of all points has the numbers.");
    }

    /* -------- controls -------- */

    function xOptions() {
        return [
            ...data.axes.map((axis, id) => ({ value: "a" + id, words: short(axis.words, 60), axis }))
                .filter(({ axis }) => hasMany(axis)),
            ...metrics.map(({ metric, id }) => ({ value: "m" + id, words: short(spotPage.metricWords(metric), 60) })),
        ];
    }

    /* Whether a logarithmic scale can show all of it. */
    function isPositive(values) {
        return values.length > 0 && values.every((value) => !(value <= 0));
    }

    function check(id, words, isOn, isPossible, whenChanged) {
        const box = element("input", { type: "checkbox", checked: isOn, disabled: !isPossible });
        box.addEventListener("change", () => whenChanged(box.checked));
        return control(words, named(id, box), "check");
    }

    function renew() {
        const active = document.activeElement === null ? "" : document.activeElement.id;
        chooseFilters();
        buildControls();
        draw();
        if (active !== "" && document.getElementById(active) !== null) {
            document.getElementById(active).focus();
        }
    }

    function named(id, made) {
        made.id = "explore-" + id;
        return made;
    }

    function curveControls() {
        const along = x();
        const series = [{ value: -1, words: "none" },
            ...data.axes.map((axis, id) => ({ value: id, words: short(axis.words, 60), axis }))
                .filter(({ axis, value }) => hasMany(axis) && axis.labels.length <= 1000 && "a" + value !== state.x)];
        const points = chosenPoints();
        const canLogX = along.isNumeric && isPositive(points.map(along.value));
        const canLogY = isPositive(points.map((point) => data.metrics[state.y].means[point]));
        state.isLogX = state.isLogX && canLogX;
        state.isLogY = state.isLogY && canLogY;
        return [
            control("Metric", named("y", select(
                metrics.map(({ metric, id }) => ({ value: id, words: short(spotPage.metricWords(metric), 60) })), state.y,
                (value) => { state.y = Number(value); renew(); }))),
            control("Along", named("x", select(xOptions(), state.x, (value) => {
                state.x = value;
                if ("a" + state.seriesAxis === value) {
                    chooseSeries(undefined);
                }
                state.filters.clear();
                renew();
            }))),
            ...(series.length < 2 ? [] : [control("A series for each", named("series", select(series, state.seriesAxis, (value) => {
                state.seriesAxis = Number(value);
                hideMost();
                renew();
            })))]),
            check("log-x", "log x", state.isLogX, canLogX, (isOn) => { state.isLogX = isOn; renew(); }),
            check("log-y", "log y", state.isLogY, canLogY, (isOn) => { state.isLogY = isOn; renew(); }),
        ];
    }

    /* Of many series the first ones are shown; the others wait in the legend. */
    function hideMost() {
        state.hidden.clear();
        groups(chosenPoints()).slice(shownSeries).forEach((group) => state.hidden.add(group.name));
    }

    function filterControls() {
        return filteredAxes().map(({ axis, id }) => {
            const options = [{ value: -1, words: "all" },
                ...axis.labels.map((name, value) => ({ value, words: short(name, 60) }))];
            return control(short(axis.words, 60), named("filter-" + id, select(options, state.filters.get(id), (value) => {
                state.filters.set(id, Number(value));
                renew();
            })));
        });
    }

    function buildControls() {
        const kinds = [{ value: "curves", words: "curves of a metric" }, { value: "ledger", words: "where the time goes" }];
        const kind = control("Show", named("kind", select(kinds, state.kind, (value) => {
            state.kind = value;
            state.hidden.clear();
            state.filters.clear();
            renew();
        })));
        controls.replaceChildren(...(ledger.length > 0 ? [kind] : []),
            ...(state.kind === "curves" ? curveControls() : []), ...filterControls());
    }

    const controls = element("div", { className: "controls", role: "group", "aria-label": "What the chart shows" });
    const canvas = element("canvas", { id: "explorer-chart", role: "img" });
    const legend = element("ul", { className: "legend", "aria-label": "Series: choose to hide or show" });
    const note = element("p", { className: "note", role: "status", id: "explorer-note" });

    const box = element("div", { className: "chart" }, canvas);

    place.append(controls, box, legend, note);
    place.hidden = false;
    chooseFirst();
    hideMost();
    renew();
    spot.isDark.addEventListener("change", draw);
    return { state, chart: () => chart, renew };
})();
