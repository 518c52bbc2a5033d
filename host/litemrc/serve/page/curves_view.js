// SPDX-License-Identifier: BSD-2-Clause
// The curves of a device, and the table of its contexts, which is the legend, too.

import { app, contextsShown, hiddenContexts, shown, timesShown, timesText } from "./app.js";
import { curveTable, curveTrace, memoryAxis, missAxis } from "./curve_chart.js";
import { byId, el, fill, setAttribute, setText } from "./dom.js";
import { count, measured, ratio, size, smallest, speed } from "./format.js";
import { lineStyle } from "./palette.js";
import { touch } from "./schedule.js";
import { showSwatch, sparkline } from "./small_pictures.js";

const TREND = 5, BANDWIDTH = 6; // columns of the contexts

export function drawCurves(figure) {
  const hidden = hiddenContexts();
  const entries = contextsShown().filter(({ context, curve }) => measured(curve) && !hidden.has(context));
  const curves = entries.map(({ curve }) => curve);
  const traces = entries.map(({ context, name, curve }) => curveTrace(curve, context, name, app.log));
  const width = figure.chart.clientWidth;
  figure.draw({
    traces,
    layout: { margin: { l: 64, r: 28, t: 10, b: 48 }, xaxis: memoryAxis(curves, app.log, width - 70), yaxis: missAxis(curves) },
    empty: whyEmpty(),
    summary: summary(entries),
    table: () => curveTable(entries),
  });
  setText(byId("seen"), timesText());
  figure.chart.dataset.arrived = timesShown()?.end ?? "";
  const asked = app.mode === "history" ? app.range.curves?.asked : null;
  figure.chart.dataset.range = asked ? `${asked.start},${asked.end}` : "";
}

/** Why no curve is drawn, in place of an empty frame. */
function whyEmpty() {
  if (!timesShown()) return timesText();
  const counted = contextsShown().filter(({ curve }) => measured(curve));
  if (counted.length) return "All curves are hidden. Press a context in the table to show its curve.";
  const { epochs } = timesShown();
  return `No accesses were counted in ${epochs === 1 ? "this epoch" : `these ${count(epochs)} epochs`}.`;
}

function summary(entries) {
  if (!entries.length) return whyEmpty();
  const parts = entries.map(({ name, curve }) => `${name}: at best ${ratio(curve.miss_ratio.at(-1))}, within 0.01 of it at ${size(smallest(curve))}`);
  return `${timesText()}. ${parts.join("; ")}`;
}

export function drawContexts() {
  const hidden = hiddenContexts();
  const entries = contextsShown();
  const body = byId("contexts").tBodies[0], unknown = entries.every(({ bandwidth }) => bandwidth === null);
  byId("device-view").classList.toggle("bandwidth", !unknown); // a column more
  for (const each of [byId("contexts").tHead.rows[0].cells[BANDWIDTH], byId("bandwidth-note")]) each.hidden = unknown;
  fill(body, entries, newRow, (row, entry) => {
    const [head, accesses, misses, workingSet, enough] = row.cells, bandwidth = row.cells[BANDWIDTH];
    const button = head.firstChild;
    button.value = entry.context;
    setAttribute(button, "aria-pressed", String(!hidden.has(entry.context)));
    showSwatch(button.firstChild, lineStyle(entry.context));
    setText(button.lastChild, entry.name);
    setText(accesses, count(entry.accesses));
    setText(misses, count(entry.misses));
    setText(workingSet, size(entry.working_set_bytes));
    setText(enough, measured(entry.curve) ? size(smallest(entry.curve)) : "–");
    setText(bandwidth, entry.bandwidth === null ? "–" : speed(entry.bandwidth));
    bandwidth.hidden = unknown;
  });
  // The last thing to be set: whoever watches it finds the values of this epoch.
  const last = app.mode === "history" ? null : shown()?.last;
  body.dataset.arrived = last?.arrived ?? "";
  body.dataset.epoch = last?.number ?? "";
}

/** The pictures of the working sets, which need not change with each epoch. */
export function drawTrends() {
  const rows = byId("contexts").tBodies[0].rows;
  contextsShown().forEach(({ trend, context }, place) => {
    if (rows[place]) sparkline(rows[place].cells[TREND].firstChild, trend, lineStyle(context).color);
  });
}

function newRow() {
  const button = el("button", { type: "button", class: "context" }, showSwatch(), el("span"));
  button.addEventListener("click", () => {
    const hidden = hiddenContexts(), context = Number(button.value);
    if (!hidden.delete(context)) hidden.add(context);
    touch("contexts", "curves", "overview");
  });
  // Roles, as the narrow page lays rows out as blocks, with the name of its column before each value.
  const cell = (place, ...content) => el("td", { role: "cell", "data-column": byId("contexts").tHead.rows[0].cells[place].textContent }, ...content);
  const cells = [1, 2, 3, 4].map((place) => cell(place));
  return el("tr", { role: "row" }, el("th", { scope: "row", role: "rowheader" }, button), ...cells, cell(TREND, sparkline()), cell(BANDWIDTH));
}
