// SPDX-License-Identifier: BSD-2-Clause
// What the page shows: the device, the window, live or paused or a range of the history.

import * as api from "./api.js";
import { byId, setText } from "./dom.js";
import { clock, count } from "./format.js";
import { Recent } from "./recent.js";
import { touch, touchAll } from "./schedule.js";

export const WINDOWS = [1, 5, 20, 100];
const LAST = 100; // epochs of a range, about, whose ranks and pages are shown

export const app = {
  devices: [],
  control: false,
  version: "",
  view: "device",
  device: null, // name
  window: 20, // as programs take turns, one epoch may have the curve of one of them only
  fleetWindow: 20,
  log: true,
  mode: "live", // "paused", "history"
  recent: null, // what arrives
  paused: null, // what was there when the page was paused
  range: null, // {start, end, curves, points, recent: its last epochs} of the history
  hidden: new Map(), // device -> numbers of the contexts whose curves are hidden
};

export const say = (message) => setText(byId("status"), message);

export const deviceNamed = (name) => app.devices.find((each) => each.name === name) ?? null;
export const shown = () => ({ live: app.recent, paused: app.paused, history: app.range?.recent })[app.mode] ?? null;

export function hiddenContexts() {
  if (!app.hidden.has(app.device)) app.hidden.set(app.device, new Set());
  return app.hidden.get(app.device);
}

/** The contexts that are shown: {context, name, accesses, misses, working_set_bytes, bandwidth, trend, curve}. */
export function contextsShown() {
  if (app.mode === "history") return ofHistory(app.range);
  const recent = shown();
  if (!recent?.last) return [];
  const now = new Map(recent.last.contexts.map((each) => [each.context, each]));
  return [...recent.names].map(([context, name]) => {
    const idle = recent.last.traffic?.seconds ? 0 : null;
    const { accesses = 0, misses = 0, working_set_bytes = 0, bandwidth = idle, curve = null } = now.get(context) ?? {};
    const trend = recent.short.map((each) => each.contexts.get(context)?.working_set_bytes ?? 0);
    return { context, name, accesses, misses, working_set_bytes, bandwidth, trend, curve };
  });
}

function ofHistory({ curves, points, start, end }) {
  if (!curves) return [];
  const inside = points.filter(({ at }) => at >= start && at <= end);
  return curves.curves.map((curve) => {
    const trend = inside.map(({ contexts }) => contexts.find(({ context }) => context === curve.context)?.working_set_bytes ?? 0);
    const { context, name, accesses, misses } = curve;
    return { context, name, accesses, misses, working_set_bytes: trend.at(-1) ?? 0, bandwidth: null, trend, curve };
  });
}

/** First and last arrival of the epochs that the curves are of; null before any. */
export function timesShown() {
  if (app.mode === "history") {
    return app.range.curves?.epochs ? { start: app.range.start, end: app.range.end, epochs: app.range.curves.epochs } : null;
  }
  const last = shown()?.last; // it says what its curves are of, which may be another window than was asked for
  return last ? { start: last.curve_first, end: last.arrived, epochs: last.curve_epochs } : null;
}

export function timesText() {
  const times = timesShown();
  if (!times) return app.mode === "history" ? "No epochs in this range." : "No epochs yet.";
  const what = { live: "Live", paused: "Paused", history: "History" }[app.mode];
  const span = times.end - times.start < 1 ? clock(times.end) : `${clock(times.start)} to ${clock(times.end)}`;
  return `${what}: ${span}, ${count(times.epochs)} ${times.epochs === 1 ? "epoch" : "epochs"}`;
}

export function pause() {
  if (!app.recent) return;
  Object.assign(app, { mode: "paused", paused: app.recent.snapshot(), range: null });
  say("Paused. New epochs are kept by the server.");
  touchAll();
}

export function goLive() {
  if (app.mode !== "live") say("Live.");
  Object.assign(app, { mode: "live", paused: null, range: null });
  touchAll();
}

let wanted = null; // the range that is to be fetched next
let fetching = false;

/** Show a range of the history; while one is fetched, only the newest wish is kept. */
export async function showRange(start, end, points) {
  const { curves = null, recent = null } = app.mode === "history" ? app.range : {};
  Object.assign(app, { mode: "history", paused: null, range: { start, end, points, curves, recent } });
  touchAll();
  wanted = { device: app.device, start, end };
  if (fetching) return;
  fetching = true;
  try {
    while (wanted) {
      const { device, ...range } = wanted;
      wanted = null;
      const curves = await api.curves(device, range);
      if (app.mode !== "history" || app.device !== device) continue;
      app.range.curves = { ...curves, asked: range };
      touchAll();
      if (wanted) continue;
      say(timesText());
      const recent = await lastEpochs(device, range, curves.epochs);
      if (wanted || app.mode !== "history" || app.device !== device) continue;
      app.range.recent = recent;
      touchAll();
    }
  } catch (error) {
    say(`The history cannot be shown: ${error.message}`);
  } finally {
    fetching = false;
  }
}

/** The last epochs of a range, as they are kept of the live ones: ranks and pages as they were at its end. */
async function lastEpochs(device, { start, end }, count) {
  const recent = new Recent(device);
  if (!count) return recent;
  const from = end - (end - start) * Math.min(1, LAST / count);
  const { epochs } = await api.epochs(device, { start: from, end });
  for (const epoch of epochs) recent.add(epoch);
  return recent;
}

/** Take another device; what was kept of the one so far is forgotten. */
export async function select(name) {
  Object.assign(app, { device: name, recent: new Recent(name), mode: "live", paused: null, range: null });
  touchAll();
  await Promise.resolve();
}

/** Put the epochs before the first live one into what is kept, so that the page does not begin empty. */
export async function prefill(recent) {
  let epochs;
  try {
    ({ epochs } = await api.epochs(recent.device, { last: 60 }));
  } catch {
    return; // it fills by itself
  }
  if (app.recent !== recent) return;
  const fresh = new Recent(recent.device);
  for (const each of epochs) fresh.add(each);
  const { last, short, heat, traffic, session } = recent;
  if (last) {
    if (fresh.session !== session) return;
    const older = fresh.short.filter(({ number }) => number < short[0].number);
    recent.short = [...older, ...short].slice(-100);
    const before = (kept, columns) => [...kept.filter(({ at }) => !columns.length || at < columns[0].at - 1), ...columns].slice(-240);
    recent.heat = before(fresh.heat, heat);
    recent.traffic = before(fresh.traffic, traffic);
    recent.name();
  } else {
    Object.assign(recent, { last: fresh.last, short: fresh.short, heat: fresh.heat, traffic: fresh.traffic, session: fresh.session });
    recent.name();
  }
  touchAll();
}
