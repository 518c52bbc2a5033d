// SPDX-License-Identifier: BSD-2-Clause
// Builds the page and joins its parts: the stream of epochs to what is kept, and that to the views.

import * as api from "./api.js";
import { app, contextsShown, goLive, hiddenContexts, pause, prefill, say, select, timesShown, WINDOWS } from "./app.js";
import { buildControl } from "./control_view.js";
import { drawContexts, drawCurves, drawTrends } from "./curves_view.js";
import { byId, download, radios, setAttribute, setText } from "./dom.js";
import { Figure } from "./figure.js";
import { buildFleet, drawFleet, refreshFleet } from "./fleet_view.js";
import { drawDevices, drawFacts } from "./header_view.js";
import { buildHistory, drawOverview, forget, refresh } from "./history_view.js";
import { Live } from "./live.js";
import { buildRanks, drawHeat, drawHot, drawRanks, placeSections } from "./memory_view.js";
import { chooseTheme, onSystemTheme } from "./palette.js";
import { touch, touchAll, view } from "./schedule.js";
import { buildTraffic, drawBanks, drawTraffic } from "./traffic_view.js";

const POLL_MS = 2000; // devices, overview
const FLEET_MS = 1000;
// Who asked for less motion gets it: pictures change once a second, numbers twice.
const CALM = matchMedia("(prefers-reduced-motion: reduce)").matches;
const pace = (ms, calm = 1000) => (CALM ? Math.max(ms, calm) : ms);

const live = new Live(heard, lost, found);
let connected = null; // to the server

function heard(name, data) {
  if (name === "devices") return takeDevices(data);
  if (name === "behind") {
    if (app.recent?.device === data.device) app.recent.missed += data.missed;
    return say(`This page was too slow: ${data.missed} epochs of ${data.device} were left out.`);
  }
  const { recent } = app;
  let news = false;
  for (const epoch of data.epochs) {
    if (epoch.device !== recent?.device) continue;
    // An epoch that is known comes again with the curves of another window.
    if (recent.add(epoch) || (name === "current" && recent.replace(epoch))) news = true;
  }
  if (!news || app.mode !== "live") return;
  touch("contexts", "trends", "curves", "facts", "sections", "traffic", "banks", "ranks", "heat", "hot");
}

function lost(seconds) {
  connected = false;
  document.body.classList.add("stale");
  say(`The connection to the server is lost: what is shown is old. Trying again in ${seconds} s.`);
}

function found() {
  document.body.classList.remove("stale");
  if (connected === false) say("Connected to the server again.");
  else if (connected === null) say("Connected to the server.");
  connected = true;
}

function takeDevices({ devices, control, version }) {
  tellChanges(app.devices, devices);
  Object.assign(app, { devices, control, version });
  byId("control").hidden = !control;
  setText(byId("version"), version);
  if (!app.device && devices.length) route();
  touch("devices", "facts", "sections");
}

function tellChanges(before, after) {
  const states = new Map(before.map(({ name, connected }) => [name, connected]));
  const changed = after.filter(({ name, connected }) => states.has(name) && states.get(name) !== connected);
  if (changed.length) say(changed.map(({ name, connected, failure }) => (connected ? `${name} is connected.` : `${name} is lost: ${failure}`)).join(" "));
}

/** The address says what is shown: #device/NAME or #fleet. */
async function route() {
  const [name, device] = decodeURIComponent(location.hash.slice(1)).split("/");
  if (name === "main") return;
  app.view = name === "fleet" ? "fleet" : "device";
  byId("device-view").hidden = app.view !== "device";
  byId("fleet-view").hidden = app.view !== "fleet";
  for (const each of ["device", "fleet"]) {
    if (app.view === each) setAttribute(byId(`to-${each}`), "aria-current", "page");
    else byId(`to-${each}`).removeAttribute("aria-current");
  }
  const wanted = device ?? app.device ?? app.devices[0]?.name ?? null;
  if (wanted && wanted !== app.device) {
    forget();
    await select(wanted);
    listen();
    prefill(app.recent).then(refresh);
  }
  document.title = `${app.view === "fleet" ? "Fleet" : app.device ?? "LiteMRC"} – LiteMRC`;
  if (app.view === "fleet") refreshFleet();
  touchAll();
}

function listen() {
  live.open(api.liveUrl(app.device ?? "", app.window));
}

async function poll() {
  if (document.hidden) return;
  try {
    takeDevices(await api.devices());
  } catch {
    return; // the stream says so
  }
  if (app.view === "device") refresh();
}

async function saveCounters(format) {
  const times = timesShown();
  if (!times) return say("There is nothing to save yet.");
  const hidden = hiddenContexts();
  const context = hidden.size ? contextsShown().map((each) => each.context).filter((each) => !hidden.has(each)) : [];
  const { device } = app;
  try {
    // A history keeps microseconds: the first and the last epoch must not fall out by rounding.
    const span = { start: times.start - 1e-6, end: times.end + 1e-6 };
    const file = await api.epochFile(device, { ...span, format, context });
    download(`${device}-${new Date(times.start * 1000).toISOString().replaceAll(":", "")}.${format}`, file);
    say(`Saved the counters of ${times.epochs} epochs as ${format.toUpperCase()}.`);
  } catch (error) {
    say(`Not saved: ${error.message}`);
  }
}

function buildViews() {
  const curves = new Figure(byId("curves"), { name: "curves", title: "Miss-ratio curves", height: 380 }, say);
  const overview = new Figure(byId("history"), { name: "history", title: "History of the working sets", height: 180 }, say);
  const ranks = new Figure(byId("ranks"), { name: "ranks", title: "Residency of the ranks", height: 200 }, say);
  const heat = new Figure(byId("heat"), { name: "heat", title: "Pages accessed by time and address", height: 300 }, say);
  const traffic = new Figure(byId("traffic"), { name: "bandwidth", title: "DRAM bandwidth", height: 260 }, say);
  const banks = new Figure(byId("banks"), { name: "banks", title: "DRAM banks", height: 260 }, say);
  const list = buildRanks(ranks), note = buildTraffic(traffic);
  buildHistory(overview);
  buildFleet();
  buildControl();
  view("devices", 200, drawDevices);
  view("sections", 0, placeSections);
  view("facts", pace(250), drawFacts);
  view("contexts", pace(0, 500), drawContexts);
  view("curves", pace(50), () => drawCurves(curves));
  view("trends", pace(250), drawTrends);
  view("traffic", pace(1000), () => drawTraffic(traffic, note));
  view("banks", pace(1000), () => drawBanks(banks));
  view("ranks", pace(500), () => drawRanks(ranks, list));
  view("heat", pace(1000), () => drawHeat(heat));
  view("hot", pace(250), drawHot);
  view("overview", pace(100), () => drawOverview(overview));
  view("fleet", pace(250), drawFleet);
}

function buildTools() {
  radios(byId("windows"), "window", WINDOWS, app.window, (value) => {
    app.window = value;
    if (app.mode !== "live") goLive(); // what was held has the curves of the former window
    listen(); // the newest epoch comes at once, with the curves of this window
    say(`Curves of the last ${value === 1 ? "epoch" : `${value} epochs`}, as far as there are so many.`);
    touchAll();
  });
  radios(byId("fleet-windows"), "fleet-window", WINDOWS, app.fleetWindow, (value) => {
    app.fleetWindow = value;
    refreshFleet(true);
  });
  byId("scale").addEventListener("change", (event) => {
    app.log = event.target.value === "log";
    touch("curves");
  });
  byId("merge-by").addEventListener("change", refreshFleet);
  byId("pause").addEventListener("click", () => (app.mode === "paused" ? goLive() : pause()));
  byId("live").addEventListener("click", goLive);
  byId("save-csv").addEventListener("click", () => saveCounters("csv"));
  byId("save-parquet").addEventListener("click", () => saveCounters("parquet"));
  view("mode", 0, () => {
    setAttribute(byId("pause"), "aria-pressed", String(app.mode === "paused"));
    setAttribute(byId("live"), "aria-pressed", String(app.mode === "live"));
    document.body.dataset.mode = app.mode;
  });
  const theme = byId("theme");
  theme.value = localStorage.getItem("litemrc-theme") ?? "auto";
  const themed = () => {
    chooseTheme(theme.value);
    touchAll();
  };
  theme.addEventListener("change", () => {
    localStorage.setItem("litemrc-theme", theme.value);
    themed();
  });
  onSystemTheme(themed);
  themed();
}

buildViews();
buildTools();
addEventListener("hashchange", route);
addEventListener("visibilitychange", () => document.hidden || touchAll());
setInterval(poll, POLL_MS);
setInterval(() => app.view === "fleet" && refreshFleet(), FLEET_MS);
await poll();
route();
if (!app.device) listen();
