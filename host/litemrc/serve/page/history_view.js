// SPDX-License-Identifier: BSD-2-Clause
// The overview of a device's history, and the slider that chooses a range of it.

import * as api from "./api.js";
import { app, deviceNamed, goLive, hiddenContexts, say, showRange, timesShown } from "./app.js";
import { el, setText } from "./dom.js";
import { clock, count, plain, local, ratio, size, sizeTicks } from "./format.js";
import { chartColors, lineStyle } from "./palette.js";
import { touch } from "./schedule.js";
import { RangeSlider } from "./slider.js";

export const MARGIN = { l: 72, r: 14, t: 8, b: 62 };
const SPANS = { "the last minute": 60, "the last 10 minutes": 600, "the last hour": 3600, "the last day": 86400, everything: Infinity };
const POINTS = 300;

let points = [];
let domain = [0, 1]; // first and last time of the overview
let slider, note;
let span = 600;
let asking = false;

/** Build the choice of the span, and the slider below the chart. */
export function buildHistory(figure) {
  const options = Object.entries(SPANS).map(([name, seconds]) => el("option", { value: seconds, selected: seconds === span }, name));
  const choice = el("select", { id: "span" }, ...options);
  choice.addEventListener("change", () => {
    span = Number(choice.value);
    refresh();
  });
  slider = new RangeSlider(MARGIN, ([start, end]) => showRange(start, end, points));
  note = el("p", { class: "note", id: "range" });
  const live = el("button", { type: "button", id: "back-to-live", onclick: goLive }, "Back to live");
  figure.frame.after(slider.track, el("div", { class: "bar" }, note, el("span", { class: "exports" }, el("label", {}, "Show ", choice), live)));
}

/** Ask for the overview again. */
export async function refresh() {
  const device = app.device;
  if (!device || asking || slider.dragging || document.hidden) return;
  asking = true;
  try {
    const { history } = deviceNamed(device) ?? {};
    const newest = app.recent?.last?.arrived ?? history?.last;
    if (!newest) return;
    const start = Math.max(span === Infinity ? 0 : newest - span, history?.first ?? 0);
    const answer = await api.history(device, { start, end: newest, points: POINTS });
    if (device !== app.device) return;
    ({ points } = answer);
    domain = points.length ? [Math.min(points[0].at, app.range?.start ?? Infinity), newest] : [newest - 1, newest];
    if (app.range) app.range.points = points;
    touch("overview");
  } catch (error) {
    if (error.status) say(`The history cannot be read: ${error.message}`);
  } finally {
    asking = false;
  }
}

export function forget() {
  points = [];
  domain = [0, 1];
}

export function drawOverview(figure) {
  const hidden = hiddenContexts();
  const names = new Map();
  for (const { contexts } of points) for (const { context, name } of contexts) names.set(context, name);
  const times = points.map(({ at }) => local(at));
  const visible = [...names].filter(([context]) => !hidden.has(context)).sort(([one], [other]) => one - other);
  const of = (context) => points.map((point) => point.contexts.find((each) => each.context === context) ?? null);
  const traces = visible.map(([context, name]) => {
    const { color, dash } = lineStyle(context);
    const values = of(context).map((each) => each?.working_set_bytes ?? null);
    return { type: "scatter", mode: "lines", name: plain(name), x: times, y: values, line: { color, dash, width: 1.5 }, text: values.map((value) => (value === null ? "" : size(value))), hovertemplate: "%{fullData.name}: %{text}<extra></extra>" };
  });
  const dropped = points.filter((point) => point.dropped);
  const most = Math.max(4096, ...traces.flatMap(({ y }) => y));
  if (dropped.length) {
    traces.push({ type: "scatter", mode: "markers", name: "dropped accesses", x: dropped.map(({ at }) => local(at)), y: dropped.map(() => most * 1.08), text: dropped.map((point) => count(point.dropped)), marker: { symbol: "line-ns-open", color: chartColors().warn, size: 7 }, hovertemplate: "%{text} accesses dropped<extra></extra>" });
  }
  const [start, end] = domain;
  figure.draw({
    traces,
    layout: {
      margin: MARGIN,
      xaxis: { type: "date", range: domain.map(local), nticks: Math.max(2, Math.floor(figure.chart.clientWidth / 110)), tickangle: 0, title: { text: "time", standoff: 4 } },
      yaxis: { title: { text: "working set", standoff: 6 }, range: [0, most * 1.15], ...sizeTicks(0, most, false, 3) },
    },
    summary: points.length ? `working sets from ${clock(start, true)} to ${clock(end, true)}, ${count(dropped.length)} of ${count(points.length)} points with dropped accesses` : "no history yet",
    table: () => overviewTable(visible, of),
  });
  const seen = timesShown();
  slider.show(domain, app.mode === "history" ? [app.range.start, app.range.end] : [seen?.start ?? end, seen?.end ?? end]);
  setText(note, points.length ? `Working sets from ${clock(start, true)} to ${clock(end, true)}. ${HELP}` : "No history yet.");
}

const HELP = "Drag the handles or the range between them, or move a handle with the arrow keys.";

function overviewTable(visible, of) {
  const columns = visible.map(([context]) => of(context));
  return {
    head: ["time", "epochs", "dropped", ...visible.flatMap(([, name]) => [`${name}: working set`, `${name}: miss ratio`])],
    rows: points.map((point, place) => [
      clock(point.at, true), count(point.epochs), count(point.dropped),
      ...columns.flatMap((column) => [column[place] ? size(column[place].working_set_bytes) : "–", column[place] ? ratio(column[place].miss_ratio_full) : "–"]),
    ]),
  };
}
