// SPDX-License-Identifier: BSD-2-Clause
// All devices side by side, and their curves merged: the counters of equal names or labels are summed.

import * as api from "./api.js";
import { app, deviceNamed, say } from "./app.js";
import { curveTable, curveTrace, memoryAxis, missAxis } from "./curve_chart.js";
import { byId, el, fill, fillTable, setAttribute, setText } from "./dom.js";
import { Figure, savePicture } from "./figure.js";
import { accesses, count, measured, plain, ratio, size, smallest, speed } from "./format.js";
import { deviceRate, linkLosses, linkText } from "./header_view.js";
import { lineStyle } from "./palette.js";
import { touch } from "./schedule.js";
import { showSwatch } from "./small_pictures.js";

const tiles = new Map(); // name -> tile
let box, mergedFigure, watcher, mergedAnswer = [], fleetLog = true, asking = false, again = false;

export function buildFleet() {
  const section = byId("fleet");
  const save = (format) => el("button", { type: "button", onclick: () => saveAll(format) }, format.toUpperCase());
  const bar = el("div", { class: "bar" });
  const heading = byId("fleet-title");
  heading.replaceWith(bar);
  bar.append(heading, el("span", { class: "exports", role: "group", "aria-label": "Devices side by side" }, save("png"), save("svg")));
  box = el("div", { class: "tiles" });
  section.append(box);
  mergedFigure = new Figure(byId("merged"), { name: "merged", title: "Merged miss-ratio curves", height: 340 }, say);
  byId("merged").append(el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Table of the merged curves" }, el("table", { id: "merged-table" })));
  // Only tiles in sight are asked for, so that a fleet of hundreds costs the server no more than a screen of them.
  watcher = new IntersectionObserver((entries) => entries.forEach(({ target, isIntersecting }) => (target.inSight = isIntersecting)), { rootMargin: "200px" });
  byId("fleet-scale").addEventListener("change", (event) => {
    fleetLog = event.target.value === "log";
    touch("fleet");
  });
}

/** One tile for each device; new ones come, old ones go. */
function placeTiles() {
  const names = app.devices.map(({ name }) => name);
  for (const [name, tile] of tiles) {
    if (names.includes(name)) continue;
    tile.figure.remove();
    watcher.unobserve(tile.section);
    tile.section.remove();
    tiles.delete(name);
  }
  for (const name of names) if (!tiles.has(name)) tiles.set(name, newTile(name));
}

function newTile(name) {
  const heading = el("h3", {}, el("a", { href: `#device/${encodeURIComponent(name)}` }, name));
  const section = el("section", { class: "tile", "aria-label": `Device ${name}` }, heading);
  const figure = new Figure(section, { name: `${name}-curves`, title: `Miss-ratio curves of ${name}`, height: 220, buttons: false }, say);
  const state = el("p", { class: "state" }, el("span"), el("span", { class: "warn" }));
  figure.frame.before(state);
  const legend = el("ul", { class: "note names", "aria-label": "Contexts" });
  section.append(legend);
  box.append(section);
  watcher.observe(section);
  section.inSight = true;
  return { section, figure, state, legend, curves: [], epoch: null };
}

/** Ask for the curves of the tiles in sight, and for the merged ones. */
export async function refreshFleet(wanted = false) {
  if (asking) again ||= Boolean(wanted); // what a control asks for is not forgotten
  if (asking || document.hidden) return;
  asking = true;
  try {
    placeTiles();
    placeMergeChoices();
    const seen = [...tiles].filter(([, { section }]) => section.inSight);
    const merging = api.merged(byId("merge-by").value || "name", app.fleetWindow);
    const answers = seen.map(async ([name, tile]) => {
      const [{ curves }, { epochs }] = await Promise.all([api.curves(name, { last: app.fleetWindow }), api.epochs(name, { last: 1 })]);
      Object.assign(tile, { curves, epoch: epochs.at(-1) ?? null });
    });
    await Promise.allSettled(answers); // a device without a session has none; its tile says so
    mergedAnswer = await merging;
    touch("fleet");
  } catch (error) {
    if (error.status) say(`The fleet cannot be read: ${error.message}`);
  } finally {
    asking = false;
  }
  if (again) {
    again = false;
    refreshFleet();
  }
}

function placeMergeChoices() {
  const labels = [...new Set(app.devices.flatMap(({ labels }) => Object.keys(labels)))].sort();
  const choice = byId("merge-by");
  fill(choice, ["name", ...labels], () => el("option"), (option, label, place) => {
    setText(option, place ? `label ${label}` : "name of the context");
    setAttribute(option, "value", label);
  });
}

const colours = new Map(); // a name has the same colour in every tile

const colour = (name) => {
  if (!colours.has(name)) colours.set(name, colours.size);
  return colours.get(name);
};

const drawn = (curves) => curves.filter(measured);

export function drawFleet() {
  const all = [...tiles.values()].flatMap(({ curves }) => drawn(curves));
  for (const [name, tile] of tiles) drawTile(name, tile, all);
  drawMerged();
}

function drawTile(name, { figure, state, legend, curves, epoch }, all) {
  const device = deviceNamed(name);
  const entries = drawn(curves).map((curve) => ({ name: curve.name, curve }));
  const [now, dropped] = state.children;
  const link = epoch ? `; link ${linkText(epoch.link)}` : "";
  const { read_bandwidth = null, write_bandwidth = null } = epoch?.traffic ?? {};
  const traffic = read_bandwidth === null ? "" : `; DRAM ${speed(read_bandwidth)} read, ${speed(write_bandwidth)} written`;
  setText(now, device?.connected ? `● connected, ${deviceRate(name)}${traffic}${link}` : `✕ lost: ${device?.failure ?? "the link is not open yet"}`);
  setAttribute(now, "class", device?.connected && !linkLosses(epoch?.link) ? "" : "warn");
  setText(dropped, epoch?.dropped ? ` ⚠ ${accesses(epoch.dropped)} dropped in the last epoch` : "");
  fill(legend, entries, () => el("li", {}, showSwatch(), el("span")), (item, entry) => {
    showSwatch(item.firstChild, lineStyle(colour(entry.name)));
    setText(item.lastChild, entry.name);
  });
  figure.draw({
    traces: entries.map((each) => curveTrace(each.curve, colour(each.name), each.name, fleetLog)),
    layout: { margin: { l: 60, r: 26, t: 6, b: 44 }, xaxis: memoryAxis(all, fleetLog, figure.chart.clientWidth - 60), yaxis: missAxis(all, 4) },
    empty: epoch ? "No accesses were counted in these epochs." : "No epochs yet.",
    summary: entries.map((each) => `${each.name} at best ${ratio(each.curve.miss_ratio.at(-1))}`).join(", ") || "no epochs yet",
    table: () => curveTable(entries),
  });
}

function drawMerged() {
  const entries = mergedAnswer.filter(({ curve }) => measured(curve)).map(({ value, curve, devices }) => ({ name: value, curve, devices }));
  const curves = entries.map(({ curve }) => curve);
  mergedFigure.draw({
    traces: entries.map(({ name, curve }) => curveTrace(curve, colour(name), name, fleetLog)),
    layout: { margin: { l: 64, r: 28, t: 10, b: 48 }, xaxis: memoryAxis(curves, fleetLog, mergedFigure.chart.clientWidth - 70), yaxis: missAxis(curves), showlegend: true, legend: { orientation: "v" } },
    summary: entries.map(({ name, devices }) => `${name} of ${devices.length} devices`).join(", ") || "no epochs yet",
    table: () => curveTable(entries),
  });
  mergedRows(entries);
}

function mergedRows(entries) {
  const rows = entries.map(({ name, devices, curve }) => [name, devices.join(", "), count(curve.accesses), count(curve.misses), ratio(curve.miss_ratio.at(-1)), size(smallest(curve))]);
  fillTable(byId("merged-table"), ["merged", "devices", "accesses", "misses", "minimum miss ratio", "within 0.01 of it"], rows);
}

/** One picture of all tiles, in a grid of charts with the same axes. */
async function saveAll(format) {
  const entries = [...tiles].filter(([, { figure }]) => figure.spec);
  if (!entries.length) return say("There is nothing to save yet.");
  const columns = Math.ceil(Math.sqrt(entries.length)), rows = Math.ceil(entries.length / columns);
  const layout = { grid: { rows, columns, pattern: "independent", ygap: 0.35 }, margin: { l: 50, r: 20, b: 40 }, annotations: [] };
  const traces = [], named = new Set();
  entries.forEach(([name, { figure }], place) => {
    const axis = place ? String(place + 1) : "";
    layout[`xaxis${axis}`] = figure.spec.layout.xaxis;
    layout[`yaxis${axis}`] = figure.spec.layout.yaxis;
    layout.annotations.push({ text: plain(name), showarrow: false, xref: `x${axis} domain`, yref: `y${axis} domain`, x: 0.5, y: 1.02, yanchor: "bottom" });
    for (const trace of figure.spec.traces) {
      traces.push({ ...trace, xaxis: `x${axis}`, yaxis: `y${axis}`, legendgroup: trace.name, showlegend: !named.has(trace.name) });
      named.add(trace.name);
    }
  });
  await savePicture("fleet", "Miss-ratio curves of the devices", { traces, layout }, format);
  say(`Saved fleet.${format}.`);
}
