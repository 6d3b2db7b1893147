// The charts of a run, and the only file that names Plotly. Axes say their units, lines are labelled where they end,
// and nothing a user wrote is handed to Plotly as it is: it would read tags in it.

const MANY = 60; // more lines than this are a thicket: the server then sends quantile bands instead
const TICKS = 7; // labels of an axis of periods or values
const MARGIN = { l: 52, r: 64, t: 8, b: 40 }; // fixed, so that the frame does not move with the width of its numbers
const LABEL_LINE = 15; // pixels from a name at the right edge to the next
const LEAST_HEIGHT = 100; // pixels of a frame that has not been laid out yet

// A custom property may hold light-dark(…); only a computed colour says which of the two holds now.
function colours() {
  const probe = document.body.appendChild(document.createElement("i"));
  const read = (name) => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const every = getComputedStyle(document.documentElement);
  const topics = []; // --t0, --t1 …: base.css says how many there are
  while (every.getPropertyValue(`--t${topics.length}`)) topics.push(read(`t${topics.length}`));
  const lines = topics.slice(Number(every.getPropertyValue("--first-choice"))); // of what is no topic
  const found = {
    paper: read("paper"), ink: read("ink"), faded: read("faded"), rule: read("rule"), topics, lines,
  };
  probe.remove();
  return found;
}

const clear = (colour, alpha) => colour.replace(/^rgb\((.*)\)$/, `rgba($1, ${alpha})`);
const signed = (x, places) => x.toFixed(places).replace("-", "−");
const short = (x) => signed(x, Math.abs(x) < 10 ? 2 : 1); // coherence is a sum over pairs of words: its size varies
const last = (list) => list[list.length - 1];
const heightOf = (element) => element.clientHeight - MARGIN.t - MARGIN.b; // pixels of the frame
// Some labels of an axis, the first and the last among them, evenly apart.
const ticksOf = (labels) => [...new Set(Array.from({ length: TICKS }, (_, i) => labels[Math.round((i * (labels.length - 1)) / (TICKS - 1))]))];

function layout(colour, { steps, y, labels }) {
  const axis = {
    color: colour.faded, gridcolor: colour.rule, zeroline: false, showline: false, ticks: "", nticks: 6,
    tickfont: { size: 13 }, title: { font: { size: 13 } }, fixedrange: false,
  };
  return {
    uirevision: "keep", // what the reader zoomed to stays when points are added
    font: { family: getComputedStyle(document.body).fontFamily, color: colour.ink, size: 13 },
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
    margin: { ...MARGIN },
    showlegend: false, hovermode: "closest",
    hoverlabel: { bgcolor: colour.paper, bordercolor: colour.rule, font: { color: colour.ink, size: 13 } },
    dragmode: matchMedia("(pointer: coarse)").matches ? false : "zoom", // a finger scrolls the page
    xaxis: { ...axis, range: [0, steps], showgrid: false, tickformat: ",d", title: { ...axis.title, text: "step", standoff: 6 } },
    yaxis: { ...axis, tickformat: y },
    annotations: labels.map(({ x, y: at, text, color, weight, shift = 0 }) => ({ // no <b> in texts: Plotly would make a style attribute of it
      x, y: at, text, font: { color, size: 13, weight }, showarrow: false, xanchor: "left", xshift: 8, yshift: shift,
    })),
  };
}

function draw(element, traces, shape) {
  const first = !element.matches(".js-plotly-plot");
  if (first) element.replaceChildren();
  Plotly.react(element, traces, shape, { displayModeBar: false, responsive: true, doubleClick: "reset" });
  if (!first) return;
  // Tells light.js which topic's line is under the pointer, so that the same topic is lit elsewhere.
  const tell = (number) => element.dispatchEvent(new CustomEvent("topic", { detail: number, bubbles: true }));
  element.on("plotly_hover", ({ points }) => tell(points[0].data.meta ?? null));
  element.on("plotly_unhover", () => tell(null));
  offer(element);
}

// Links below a chart that save it: as a picture, on paper of the page's colour, and as the numbers it was drawn from.
function offer(element) {
  const name = element.closest("[data-chart]")?.dataset.chart ?? "chart";
  const line = document.createElement("p");
  line.className = "chart-files";
  for (const ending of ["svg", "png", "csv"]) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "quiet";
    button.textContent = ending.toUpperCase();
    button.setAttribute("aria-label", `Save this chart as ${ending.toUpperCase()}`);
    button.addEventListener("click", () => save(element, name, ending));
    line.append(button, " ");
  }
  element.after(line);
}

async function save(element, name, ending) {
  const link = document.createElement("a");
  if (ending === "csv") {
    link.href = URL.createObjectURL(new Blob([numbers(element.data)], { type: "text/csv" }));
  } else {
    const { width, height } = element.getBoundingClientRect();
    const layout = { ...element.layout, paper_bgcolor: colours().paper };
    link.href = await Plotly.toImage({ data: element.data, layout }, { format: ending, width, height, scale: ending === "png" ? 2 : 1 });
  }
  link.download = `${location.pathname.replace(/[^\w-]+/g, "-").replace(/^-|-$/g, "")}-${name}.${ending}`;
  link.click();
  if (ending === "csv") URL.revokeObjectURL(link.href);
}

// A row for each point of each trace; `line` is the topic's number, or the trace's place.
function numbers(traces) {
  const rows = traces.flatMap(({ x, y, meta }, i) => Array.from(x, (at, j) => [meta ?? i, cell(at), y[j] ?? ""].join(",")));
  return ["line,x,y", ...rows].join("\n") + "\n";
}

// A text, such as a category that somebody named, as a cell that no spreadsheet runs: as webapp/platform/storage/csv_cells.py writes it.
function cell(value) {
  if (typeof value === "number") return value;
  const text = /^[-=+@\t\r\n＝＋－＠]/.test(value) ? `'${value}` : `${value}`;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

// One series by step: `places` decimals where it ends, `unit` behind a value that is pointed at.
export function line(element, step, values, steps, { places, unit }) {
  const points = step.map((at, i) => [at, values[i]]).filter(([, value]) => value !== null);
  if (!points.length) return;
  const colour = colours();
  const [x, y] = last(points);
  draw(element, [{
    x: points.map(([step]) => step), y: points.map(([, value]) => value), mode: "lines+markers", cliponaxis: false,
    line: { color: colour.ink, width: 2 }, marker: { color: colour.ink, size: points.map((_, i) => (i === points.length - 1 ? 7 : 3)) },
    hovertemplate: `step %{x:,d}<br>%{y:.${places}f} ${unit}<extra></extra>`,
  }], layout(colour, { steps, y: ".2f", labels: [{ x, y, text: signed(y, places), color: colour.ink }] }));
}

// A line a topic with a dot where it stands, or bands when there are many; the mean over them in ink.
// `hues` and `names` say the colour and the name of each topic; `lit` is the number of the topic that the reader points at, or null.
// The topics that end highest and lowest are named, the others where they are pointed at.
export function byTopic(element, step, mean, { topic_coherence: rows, bands }, { hues, names }, steps, lit) {
  if (!step.length || last(mean) === null) return;
  const colour = colours();
  const x = last(step);
  const labels = [];
  const traces = [];
  if (rows?.length && rows[0].length <= MANY) {
    const order = rows[0].map((_, k) => k).sort((a, b) => (a === lit) - (b === lit)); // the lit one on top
    for (const k of order) {
      const faint = lit !== null && k !== lit;
      traces.push({
        x: step, y: rows.map((row) => row[k]), meta: k, mode: "lines", opacity: faint ? 0.1 : lit === k ? 1 : 0.4,
        line: { color: colour.topics[hues[k]], width: lit === k ? 3 : 1 },
        hovertemplate: `${called(k, names)}  %{y:.2f}<extra></extra>`,
      });
    }
    const ends = last(rows);
    traces.push({
      x: ends.map(() => x), y: ends, mode: "markers", hoverinfo: "skip", cliponaxis: false,
      marker: { size: 6, color: ends.map((_, k) => clear(colour.topics[hues[k]], lit === null || lit === k ? 1 : 0.15)) },
    });
    if (lit !== null && ends[lit] !== null && ends[lit] !== undefined) {
      const above = ends[lit] >= last(mean);
      labels.push({ x, y: ends[lit], text: called(lit, names), color: colour.ink, weight: 700,
        shift: Math.abs(ends[lit] - last(mean)) < 0.15 ? (above ? 9 : -9) : 0 });
    }
    if (lit === null) labels.push(...extremes(element, rows, ends, last(mean), (k) => ({ x, text: called(k, names), color: colour.topics[hues[k]] })));
  } else if (bands) {
    const edge = { x: step, mode: "lines", line: { width: 0 }, hoverinfo: "skip" };
    const band = (low, high, alpha) => traces.push(
      { ...edge, y: bands[low] }, { ...edge, y: bands[high], fill: "tonexty", fillcolor: clear(colour.topics[0], alpha) });
    band("p05", "p95", 0.16);
    band("p25", "p75", 0.3);
    labels.push({ x, y: last(bands.p95), text: "95%", color: colour.faded }, { x, y: last(bands.p75), text: "75%", color: colour.faded },
      { x, y: last(bands.p25), text: "25%", color: colour.faded }, { x, y: last(bands.p05), text: "5%", color: colour.faded });
  }
  traces.push({
    x: step, y: mean, mode: step.length > 1 ? "lines" : "markers", line: { color: colour.ink, width: 2.5 }, marker: { color: colour.ink, size: 7 },
    hovertemplate: "mean  %{y:.2f}<extra></extra>",
  });
  if (lit === null || !labels.length) labels.push({ x, y: last(mean), text: `mean<br>${short(last(mean))}`, color: colour.ink });
  const shape = layout(colour, { steps, y: ".2~f", labels });
  if (names) shape.margin.r = element.clientWidth < 480 ? 96 : 150;
  draw(element, traces, shape);
}

// What a topic is called, short enough for a margin and without what Plotly would read as tags or templates.
function called(k, names) {
  const name = (names?.[k] ?? "").replace(/[<>&%{}]/g, " ");
  return name.length > 20 ? `${name.slice(0, 19)}…` : name || `T${String(k).padStart(2, "0")}`;
}

// Labels of the two topics that end highest and the two that end lowest, where they stand apart from each other and from the mean.
function extremes(element, rows, ends, mean, label) {
  const values = rows.flat().filter((value) => value !== null);
  const apart = (18 * (Math.max(...values) - Math.min(...values))) / Math.max(60, heightOf(element));
  const known = ends.map((_, k) => k).filter((k) => ends[k] !== null).sort((a, b) => ends[a] - ends[b]);
  const at = [mean, mean - apart]; // its label has two lines
  return [...new Set([...known.slice(-2).reverse(), ...known.slice(0, 2)])].flatMap((k) => {
    if (at.some((other) => Math.abs(other - ends[k]) < apart)) return [];
    at.push(ends[k]);
    return [{ ...label(k), y: ends[k] }];
  });
}

// A line for each of several runs, the first in ink. Names stand at the right edge, moved apart where ends lie close.
export function curves(element, lines, { x, places }) {
  const colour = colours();
  const known = lines.map((line) => line.x.map((at, i) => [at, line.y[i]]).filter(([, value]) => value !== null));
  const values = known.flat().map(([, value]) => value);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const room = (high - low || 1) * 0.06;
  const range = [low - room, high + room];
  const perPixel = (range[1] - range[0]) / Math.max(60, heightOf(element));
  const width = Math.max(...known.flat().map(([at]) => at));
  const hue = (place) => (place ? colour.lines[(place * 5) % colour.lines.length] : colour.ink); // neighbours in the list far apart in colour
  const ends = known.map((points, i) => ({ at: last(points)[1], i })).sort((a, b) => a.at - b.at);
  ends.forEach((end, i) => { end.y = i ? Math.max(end.at, ends[i - 1].y + 16 * perPixel) : end.at; });
  const over = Math.max(0, last(ends).y - range[1]); // pushed beyond the top: all come down together
  const shape = layout(colour, { steps: width, y: ".2~f", labels: ends.map(({ y, i }) => ({
    x: width, y: y - over, color: hue(lines[i].place), text: `${lines[i].label} ${signed(last(known[i])[1], places)}`,
  })) });
  shape.margin.r = 104;
  shape.xaxis = { ...shape.xaxis, tickformat: "~s", title: { ...shape.xaxis.title, text: x } };
  shape.yaxis.range = range;
  draw(element, known.map((points, i) => ({
    x: points.map(([at]) => at), y: points.map(([, value]) => value), mode: "lines+markers", cliponaxis: false,
    line: { color: hue(lines[i].place), width: lines[i].place ? 1.5 : 2.2 }, marker: { color: hue(lines[i].place), size: 3 },
    hovertemplate: `${lines[i].label}, %{x:,d} ${x}<br>%{y:.${places}f}<extra></extra>`,
  })), shape);
}

// Topics on one another, bin after bin: `bins` have labels, `series` {number, label, hue, values}, `other` values, null where they
// are not drawn. Labels stand where the bands end. onPoint(bin, number or null) hears clicks, onSpan(first, last) which bins were chosen by dragging.
export function stacked(element, { bins, series, other, unit, lit }, { onPoint, onSpan }) {
  const colour = colours();
  const x = bins.map(({ label }) => label);
  const ticks = ticksOf(x);
  const percent = unit === "shares", narrow = element.clientWidth < 600;
  const named = series.map((topic) => ({ ...topic, label: plain(topic.label) }));
  const bands = other ? [...named, { number: null, label: "other topics", values: other }] : named;
  const said = (value) => (percent ? `${(100 * value).toFixed(other ? 1 : 2)}%` : value.toLocaleString("en"));
  const paint = ({ number, hue }) => (number === null ? colour.rule : colour.topics[hue]);
  const traces = bands.map((band) => ({
    x, y: band.values.map((value) => value ?? 0), stackgroup: "all", mode: "lines", meta: band.number, hoveron: "points",
    line: { width: lit === band.number && lit !== null ? 2 : 0.5, color: lit === band.number && lit !== null ? colour.ink : colour.paper },
    fillcolor: clear(paint(band), lit === null || lit === band.number ? 0.85 : 0.3),
    text: band.values.map((value, i) => `${bins[i].label}  ${band.label}  ${said(value ?? 0)}`), hovertemplate: "%{text}<extra></extra>",
  }));
  const total = percent && other ? 1 : Math.max(...bins.map((_, i) => bands.reduce((sum, { values }) => sum + (values[i] ?? 0), 0)));
  const shape = layout(colour, { steps: bins.length - 1, y: !percent ? ",d" : other ? ".0%" : "~%", labels: ends(bands, x.length - 1, total, { height: heightOf(element), letters: narrow ? 13 : 24 }, colour) });
  Object.assign(shape.xaxis, { type: "category", title: undefined, tickvals: ticks, tickformat: undefined });
  Object.assign(shape.yaxis, { range: [0, total], fixedrange: true });
  Object.assign(shape.margin, { r: narrow ? 92 : 190 });
  Object.assign(shape, { dragmode: shape.dragmode && "select", selectdirection: "h", newselection: { line: { color: colour.ink, width: 1, dash: "solid" } } });
  const first = !element.matches(".js-plotly-plot");
  draw(element, traces, shape);
  if (!first) return;
  element.on("plotly_click", ({ points }) => onPoint(points[0].pointIndex, points[0].data.meta ?? null));
  element.on("plotly_selected", (event) => {
    if (!event?.range) return;
    const inside = x.map((_, i) => i).filter((i) => i >= event.range.x[0] - 0.5 && i <= event.range.x[1] + 0.5); // places of categories
    if (inside.length) onSpan(inside[0], last(inside));
  });
}

// Shares that a notebook has kept: `labels` of periods or values, `lines` {label, values} with null where nothing is known.
// `ticks` {position, text}: what the server wrote below its drawing, as long names of periods find no room; position: among the labels.
export function keptLines(element, labels, lines, ticks) {
  const colour = colours();
  const most = Math.max(...lines.flatMap(({ values }) => values.filter((value) => value !== null)));
  const shift = colour.topics.length - colour.lines.length;
  const place = (i) => shift + ((i * 5) % colour.lines.length);
  const hue = (i) => colour.topics[place(i)];
  const lasts = lines.map(({ label, values }, i) => ({ number: i, label, hue: place(i), at: last(values.filter((value) => value !== null)) ?? 0 }));
  const shape = layout(colour, { steps: labels.length - 1, y: ".0%", labels: spread(lasts, labels.length - 1, most, heightOf(element), colour) });
  Object.assign(shape.xaxis, {
    title: undefined, tickformat: undefined, tickvals: ticks.map(({ position }) => position), ticktext: ticks.map(({ text }) => plain(text)),
  });
  shape.yaxis.range = [0, most * 1.06];
  shape.margin.r = element.clientWidth < 600 ? 110 : 190;
  draw(element, lines.map(({ label, values }, i) => ({
    x: labels.map((_, i) => i), y: values, mode: labels.length > 40 ? "lines" : "lines+markers", cliponaxis: false, connectgaps: false,
    line: { color: hue(i), width: 1.8 }, marker: { color: hue(i), size: 4 },
    text: values.map((value, j) => plain(`${labels[j]}  ${label}  ${value === null ? "" : `${(100 * value).toFixed(1)}%`}`)), hovertemplate: "%{text}<extra></extra>",
  })), shape);
}

// Names at the right edge beside the ends of their lines, moved apart where these lie close.
function spread(lines, x, most, height, colour) {
  const line = (LABEL_LINE * most) / Math.max(height, LEAST_HEIGHT);
  const labels = [...lines].sort((a, b) => a.at - b.at)
    .map(({ label, hue, at }) => ({ x, y: at, text: plain(shortened(label)), color: colour.topics[hue] }));
  moveApart(labels, line, Math.max(most, labels.length * line));
  return labels;
}

// Moves labels, of which the lowest is the first, until each is a line above the one before, and none above the top.
function moveApart(labels, line, top) {
  for (let i = 1; i < labels.length; i += 1) labels[i].y = Math.max(labels[i].y, labels[i - 1].y + line);
  let highest = top;
  for (const label of [...labels].reverse()) {
    label.y = Math.min(label.y, highest);
    highest = label.y - line;
  }
}

const plain = (text) => text.replaceAll("<", "‹").replaceAll(">", "›"); // Plotly reads tags in texts
const shortened = (text, most = 24) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

// Labels at the right edge, moved apart where bands are thinner than a line of text.
function ends(bands, x, total, { height, letters }, colour) {
  let below = 0;
  const labels = bands.map(({ number, label, hue, values }) => {
    const value = last(values) ?? 0;
    below += value;
    return { x, y: below - value / 2, text: shortened(label, letters), color: number === null ? colour.faded : colour.topics[hue] };
  });
  const line = (LABEL_LINE * total) / Math.max(height, LEAST_HEIGHT);
  moveApart(labels, line, total);
  return labels;
}
