/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The explorer: any metric along any key or metric, a series for each value of a key,
   with intervals; or the ledger of the points. Drawn by Chart.js. */
"use strict";

spotPage.explorer = (() => {
    const { data } = spotPage, { element, control } = spot;
    const place = document.getElementById("explorer-place");
    const maxSeries = 40, shownSeries = 10, maxBars = 40, maxIntervals = 400, maxTicks = 30, maxChoices = 1000;
    const shapes = ["circle", "rect", "triangle", "rectRot", "star", "crossRot"];
    const axes = data.axes.filter((axis) => axis.labels.length > 1);
    const metrics = data.metrics.filter((metric) => metric.hasMean);
    const ledger = data.ledger.map((part) => ({ ...part, metric: data.metrics[part.metric_id] }))
        .filter(({ metric }) => metric.hasMean);
    const isPercent = ledger.every(({ metric }) => metric.unit === "%");

    if (place === null || data.num_points === 0 || metrics.length === 0) {
        return null;
    }

    /* x is an axis or a metric, y a metric, series an axis or null; filters: the chosen value
       of an axis, -1 for all. */
    const state = {
        kind: "curves", y: null, x: null, series: null, filters: new Map(), isLogX: false, isLogY: false, hidden: new Set(),
    };
    let chart = null;

    /* -------- what is chosen -------- */

    const hasValue = (metric, points) => points.some((point) => Number.isFinite(metric.value(point)));

    function chooseFirst() {
        const asked = data.metrics[data.plot.y];
        state.y = [asked, ...metrics].find((metric) => hasValue(metric, spotPage.points)) || asked;
        state.x = axes.find((axis) => axis.id === data.plot.x) || axes.find((axis) => axis.isNumeric) || axes[0] ||
            metrics[Math.min(1, metrics.length - 1)];
        chooseSeries(data.plot.curves);
    }

    /* A key whose values make curves: the one that is asked for, else the first of few values. */
    function chooseSeries(asked) {
        const can = axes.filter((axis) => axis !== state.x && axis.labels.length <= maxSeries);
        state.series = can.find((axis) => axis.id === asked) || (data.is_design ? null : can[0] || null);
    }

    /* Keys that are neither x nor series. Curves are of one value of each of them. */
    const filteredAxes = () => axes.filter((axis) => axis.labels.length <= maxChoices &&
        (state.kind === "ledger" || (axis !== state.x && axis !== state.series)));

    function chooseFilters() {
        const hasAll = data.is_design || state.x.isMetric || state.kind === "ledger";
        state.filters = new Map(filteredAxes().map((axis) =>
            [axis, state.filters.has(axis) ? state.filters.get(axis) : hasAll ? -1 : axis.valueIds[0]]));
    }

    const chosenPoints = () => spotPage.points.filter((point) =>
        [...state.filters].every(([axis, valueId]) => valueId < 0 || axis.valueIds[point] === valueId));

    /* Of many series the first ones are shown; the others wait in the legend. */
    function hideMost() {
        state.hidden = new Set(groups(chosenPoints()).slice(shownSeries).map((group) => group.name));
    }

    /* -------- words and colours -------- */

    /* Long words would leave no room for the picture. */
    function short(text, maxChars) {
        const chars = [...text];
        return chars.length > maxChars ? chars.slice(0, maxChars - 1).join("") + "…" : text;
    }

    const xWords = () => short(state.x.id === data.plot.x && !state.x.isMetric && data.plot.x_label || state.x.title, 80);

    /* "8" alone does not say what it is: "pipeline depth 8". */
    const nameOf = (axis, label) =>
        (axis.isNumeric ? axis.path.split(".").pop().replace(/_/g, " ") + " " : "") + label;

    /* In what a point differs from the others. */
    const pointWords = (point) =>
        axes.map((axis) => nameOf(axis, axis.text(point))).join(", ") || "point " + point;

    /* The palette is made for white paper: in the dark each colour is lightened. */
    function inked(colour, alpha) {
        const parts = [1, 3, 5].map((start) => parseInt(colour.slice(start, start + 2), 16))
            .map((part) => (spot.isDark.matches ? Math.round(part + (255 - part) * 0.3) : part));
        return "rgba(" + parts.join(", ") + ", " + alpha + ")";
    }

    /* -------- what is drawn -------- */

    function groups(points) {
        const axis = state.series;
        if (axis === null) {
            return [{ name: state.y.words, points, valueId: 0, isBound: false }];
        }
        const found = axis.labels.map((label, valueId) => ({
            name: nameOf(axis, label), points: [], valueId,
            isBound: data.plot.bounds_axis === axis.id && data.plot.bounds.includes(valueId),
        }));
        points.forEach((point) => found[axis.valueIds[point]].points.push(point));
        return found.filter((group) => group.points.length > 0);
    }

    function makeDots(points) {
        const canBe = (value, isLog) => Number.isFinite(value) && !(isLog && value <= 0);
        return points.map((point) => ({
            x: state.x.value(point), y: state.y.value(point), half: state.y.half(point), halfX: state.x.half(point), point,
        })).filter((dot) => canBe(dot.x, state.isLogX) && canBe(dot.y, state.isLogY))
            .sort((a, b) => a.x - b.x || a.point - b.point);
    }

    /* A series: its curve, and below and above it the edges of its band. A line joins points
       of one x each; others are dots. */
    function makeSeries(group) {
        const id = group.valueId; /* the same colour as in the pictures, whatever is left out */
        const colour = group.isBound ? data.plot.bounds_colour : data.lines[id % data.lines.length];
        const dots = makeDots(group.points);
        const hasLine = !data.is_design && !state.x.isMetric && state.x.isNumeric && dots.length > 1 &&
            dots.every((dot, k) => k === 0 || dot.x > dots[k - 1].x);
        const common = {
            series: group.name, label: group.name, hidden: state.hidden.has(group.name), borderColor: inked(colour, 1), parsing: false,
        };
        const edge = (sign) => ({
            ...common, isEdge: true, showLine: true, borderWidth: 0, pointRadius: 0, pointHitRadius: 0, pointHoverRadius: 0,
            backgroundColor: inked(colour, 0.18), order: 1, fill: sign > 0 ? "-1" : false,
            data: dots.map((dot) => ({ x: dot.x, y: edgeOf(dot, sign) })),
        });
        return [{
            ...common, data: dots, showLine: hasLine, borderWidth: 2, borderDash: group.isBound ? [6, 4] : [],
            backgroundColor: inked(colour, hasLine ? 1 : 0.65), pointStyle: shapes[id % shapes.length],
            pointRadius: dots.length > 60 && hasLine ? 0 : dots.length > 1000 ? 2 : 4, pointHoverRadius: 6, pointHitRadius: 8,
            spotBars: !hasLine && dots.length <= maxIntervals, order: 0,
        }, ...(hasLine && state.y.hasInterval ? [edge(-1), edge(1)] : [])];
    }

    /* Ends of intervals: on a logarithmic scale only those above 0. */
    const endOf = (value, half, isLog) => (!Number.isFinite(half) || (isLog && value + half <= 0) ? value : value + half);
    const edgeOf = (dot, sign) => endOf(dot.y, sign * dot.half, state.isLogY);
    const edgeOfX = (dot, sign) => endOf(dot.x, sign * dot.halfX, state.isLogX);

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

    function scale(words, isLog) {
        return {
            type: isLog ? "logarithmic" : "linear", title: { display: words !== "", text: words, color: spot.colourOf("ink") },
            grid: { color: spot.colourOf("edge"), borderColor: spot.colourOf("control-edge") },
            ticks: { color: spot.colourOf("quiet"), maxRotation: 50 },
        };
    }

    /* A tick for each value of a key that is no number, or for every so many of them: left
       to itself, the scale would count in steps from its end, half a step before a value. */
    function ticksOf(labels) {
        const step = Math.ceil(labels.length / maxTicks);
        return labels.map((_, value) => ({ value })).filter(({ value }) => value % step === 0);
    }

    const valueWords = (name, metric, point) => short(name, 50) + ": " + metric.text(point);

    function curvesConfig(points) {
        const { x, y } = state;
        const xScale = scale(xWords(), state.isLogX), yScale = scale(short(y.title, 60), state.isLogY);
        xScale.afterDataLimits = (drawn) => takeIn(drawn, edgeOfX);
        yScale.afterDataLimits = (drawn) => takeIn(drawn, edgeOf);
        if (!x.isNumeric) {
            Object.assign(xScale, {
                min: -0.5, max: x.labels.length - 0.5, afterBuildTicks: (drawn) => { drawn.ticks = ticksOf(x.labels); },
            });
            xScale.ticks.callback = (value) => short(x.labels[value] || "", 18);
        }
        return {
            type: "scatter", data: { datasets: groups(points).slice(0, maxSeries).flatMap(makeSeries) }, mode: "nearest",
            scales: { x: xScale, y: yScale },
            title: ({ raw }) => xWords() + ": " + x.text(raw.point),
            label: ({ dataset, raw }) => valueWords(dataset.label, y, raw.point),
            footer: ({ raw }) => short(pointWords(raw.point), 120),
        };
    }

    function ledgerConfig(points) {
        const bars = points.slice().sort((a, b) => state.x.value(a) - state.x.value(b) || a - b).slice(0, maxBars);
        const labels = bars.map(pointWords), xScale = { ...scale("", false), type: "category", stacked: true };
        xScale.ticks.callback = (id) => short(labels[id], window.innerWidth < 640 ? 14 : 26);
        const datasets = ledger.map(({ metric, colour }) => ({
            label: metric.words, series: metric.words, hidden: state.hidden.has(metric.words), parsing: true, metric,
            data: bars.map((point) => (isPercent ? metric.value(point) : metric.raw(point))),
            backgroundColor: colour, borderColor: spot.colourOf("paper"), borderWidth: 1,
        }));
        return {
            type: "bar", data: { labels, datasets }, mode: "index",
            scales: { x: xScale, y: { ...scale(isPercent ? "share of the time (%)" : "", false), stacked: true } },
            title: ({ dataIndex }) => short(labels[dataIndex], 120),
            label: ({ dataset, dataIndex }) => valueWords(dataset.label, dataset.metric, bars[dataIndex]),
            footer: () => "",
        };
    }

    /* What a chart of curves cannot be drawn of, in words; "" where it can. */
    function nothingToDraw(points) {
        const missing = [state.y, state.x].find((column) => column.isMetric && !hasValue(column, points));
        return state.kind === "ledger" || missing === undefined ? "" : short(missing.words, 80) +
            " has no value at any " + (points.length < data.num_points ? "of the chosen points." : "point.");
    }

    function draw() {
        const points = chosenPoints(), nothing = nothingToDraw(points);
        if (chart !== null) {
            chart.destroy();
            chart = null;
        }
        box.hidden = legend.hidden = nothing !== "";
        note.textContent = nothing;
        if (nothing === "") {
            drawChart(state.kind === "ledger" ? ledgerConfig(points) : curvesConfig(points));
            drawLegend();
            describe(points);
        }
    }

    function drawChart(config) {
        Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
        Chart.defaults.color = spot.colourOf("quiet");
        chart = new Chart(canvas, {
            type: config.type, data: config.data, plugins: [intervals],
            options: {
                animation: false, maintainAspectRatio: false, responsive: true, normalized: true,
                interaction: { mode: config.mode, intersect: false }, scales: config.scales,
                plugins: {
                    legend: { display: false },
                    tooltip: {
                        filter: (item) => !item.dataset.isEdge,
                        callbacks: {
                            title: (items) => items.slice(0, 1).map(config.title), label: config.label,
                            footer: (items) => items.slice(0, 1).map(config.footer),
                        },
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
    function describe(points) {
        const isLedger = state.kind === "ledger", numSeries = groups(points).length;
        const left = data.metrics.filter((metric) => !metric.is_total).length - metrics.length;
        const notes = [isLedger && points.length > maxBars
            ? "the first " + maxBars + " of " + points.length + " points: choose values to see others"
            : points.length + (points.length === 1 ? " point" : " points")];
        if (!isLedger) {
            notes.push((numSeries > maxSeries ? "the first " + maxSeries + " of " : "") + numSeries + " series",
                state.y.hasInterval ? "with 95 % confidence intervals"
                    : "intervals of this metric are left out, the page would grow too large");
        }
        if (data.num_points < data.num_points_of_study) {
            notes.push("the page holds " + data.num_points + " of " + data.num_points_of_study + " points");
        }
        if (left > 0) {
            notes.push(left + " metrics that were not asked for are left out, the page would grow too large");
        }
        note.textContent = (isLedger ? "Where the time goes" : short(state.y.words, 80) + " along " + xWords()) + ": " +
            notes.join(", ") + ".";
        canvas.setAttribute("aria-label", note.textContent + " The table of all points has the numbers.");
    }

    /* -------- controls -------- */

    /* Options are columns, by their keys, or texts by their places; whenChosen gets the value. */
    function choice(id, words, options, chosen, whenChosen) {
        const made = spot.select(options, chosen, (value) => {
            whenChosen(value);
            renew();
        });
        made.id = "explore-" + id;
        return control(words, made);
    }

    function check(id, words, name, values) {
        const isPossible = values.length > 0 && values.every((value) => !(value <= 0));
        state[name] = state[name] && isPossible;
        const made = element("input", { type: "checkbox", id: "explore-" + id, checked: state[name], disabled: !isPossible });
        made.addEventListener("change", () => {
            state[name] = made.checked;
            renew();
        });
        return control(words, made, "check");
    }

    const optionsOf = (columns, key) => columns.map((column) => ({ value: column[key], words: short(column.title, 60) }));

    function curveControls() {
        const series = axes.filter((axis) => axis.labels.length <= maxChoices && axis !== state.x), points = chosenPoints();
        const chooseX = (key) => {
            state.x = [...axes, ...metrics].find((column) => column.key === key);
            if (state.series === state.x) {
                chooseSeries(undefined);
            }
            state.filters.clear();
        };
        const setSeries = (value) => {
            state.series = value < 0 ? null : data.axes[value];
            hideMost();
        };
        return [
            choice("y", "Metric", optionsOf(metrics, "id"), state.y.id, (value) => { state.y = data.metrics[value]; }),
            choice("x", "Along", optionsOf([...axes, ...metrics], "key"), state.x.key, chooseX),
            ...(series.length === 0 ? [] : [choice("series", "A series for each",
                [{ value: -1, words: "none" }, ...optionsOf(series, "id")], state.series === null ? -1 : state.series.id, setSeries)]),
            check("log-x", "log x", "isLogX", state.x.isNumeric ? points.map(state.x.value) : []),
            check("log-y", "log y", "isLogY", points.map(state.y.value)),
        ];
    }

    const filterControls = () => filteredAxes().map((axis) => choice("filter-" + axis.id, short(axis.title, 60),
        [{ value: -1, words: "all" }, ...axis.labels.map((label, value) => ({ value, words: short(label, 60) }))],
        state.filters.get(axis), (value) => state.filters.set(axis, Number(value))));

    function kindControl() {
        const kinds = [{ value: "curves", words: "curves of a metric" }, { value: "ledger", words: "where the time goes" }];
        return choice("kind", "Show", kinds, state.kind, (value) => {
            state.kind = value;
            state.hidden.clear();
            state.filters.clear();
        });
    }

    /* The control that was used keeps the focus. */
    function renew() {
        const { id } = document.activeElement || { id: "" };
        chooseFilters();
        controls.replaceChildren(...(ledger.length > 0 ? [kindControl()] : []),
            ...(state.kind === "curves" ? curveControls() : []), ...filterControls());
        draw();
        if (id !== "" && document.getElementById(id) !== null) {
            document.getElementById(id).focus();
        }
    }

    const controls = element("div", { className: "controls", role: "group", "aria-label": "What the chart shows" });
    const canvas = element("canvas", { id: "explorer-chart", role: "img" });
    const legend = element("ul", { className: "legend", "aria-label": "Series: choose to hide or show" });
    const note = element("p", { className: "note", role: "status", id: "explorer-note" });
    const box = element("div", { className: "chart" }, canvas);

    place.append(controls, box, legend, note);
    place.hidden = false;
    chooseFirst();
    chooseFilters();
    hideMost();
    renew();
    spot.isDark.addEventListener("change", draw);
    return { state, chart: () => chart, renew };
})();
