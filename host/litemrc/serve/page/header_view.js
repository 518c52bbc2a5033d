// SPDX-License-Identifier: BSD-2-Clause
// The devices, and how the one that is shown does.

import { app, deviceNamed, shown } from "./app.js";
import { byId, el, fill, setAttribute, setText } from "./dom.js";
import { accesses, count, duration, percent, size } from "./format.js";

const rateText = (rate) => `${Number(rate.toPrecision(rate < 10 ? 2 : 3))} epochs/s`;

/** Epochs in a second, as the server counts them, or for how long there was none: the same text everywhere. */
export function deviceRate(name) {
  const { rate = null, idle_s = null } = deviceNamed(name) ?? {};
  if (rate !== null) return rateText(rate);
  return idle_s === null ? "no epoch yet" : `no epoch for ${duration(idle_s)}`;
}

export function drawDevices() {
  fill(byId("devices"), app.devices, newDevice, (item, device) => {
    const [link] = item.children;
    const [mark, name, state] = link.children;
    setAttribute(link, "href", `#device/${encodeURIComponent(device.name)}`);
    if (app.view === "device" && device.name === app.device) setAttribute(link, "aria-current", "page");
    else link.removeAttribute("aria-current");
    setAttribute(link, "class", device.connected ? "device" : "device lost");
    setText(mark, device.connected ? "●" : "✕");
    setText(name, device.name);
    setText(state, device.connected ? `connected, ${deviceRate(device.name)}` : "lost");
  });
}

function newDevice() {
  const mark = el("span", { class: "mark", "aria-hidden": "true" });
  return el("li", {}, el("a", { class: "device" }, mark, el("span", { class: "name" }), el("small")));
}

export function drawFacts() {
  const device = deviceNamed(app.device);
  setText(byId("device-name"), device?.name ?? "No device");
  const failure = byId("failure");
  failure.hidden = !device || device.connected;
  setText(failure, device && !device.connected ? `✕ Lost: ${device.failure ?? "the link is not open yet"}` : "");
  const facts = device ? [...ofDevice(device), ...ofEpochs(shown(), device)] : [];
  fill(byId("facts"), facts, () => el("div", {}, el("dt"), el("dd")), (item, [name, text, warn = false]) => {
    setText(item.children[0], name);
    setText(item.children[1], warn ? `⚠ ${text}` : text);
    setAttribute(item.children[1], "class", warn ? "warn" : "");
  });
}

function ofDevice({ connected, parameters, labels }) {
  const facts = [["State", connected ? "connected" : "lost", !connected]];
  if (parameters) {
    facts.push(["Engine", parameters.engine.replaceAll("_", " ")], ["Memory", size(parameters.memory_bytes)]);
    if (parameters.system) facts.push(["System", parameters.system]);
  }
  for (const [label, value] of Object.entries(labels)) facts.push([label, value]);
  return facts;
}

function ofEpochs(recent, { sessions }) {
  if (!recent?.last) return [["Epoch", "none yet"]];
  const { last } = recent;
  const facts = [
    ["Epoch", count(last.number)],
    ["Rate", app.mode === "live" ? deviceRate(recent.device) : recent.rate === null ? "–" : rateText(recent.rate)],
    ["Link", linkText(last.link), linkLosses(last.link) > 0],
    ["Dropped", lately(recent, "dropped"), recent.sum("dropped") > 0],
  ];
  if (last.epochs_lost) facts.push(["Epoch messages lost", count(last.epochs_lost), true]);
  if (last.link?.restarts) facts.push(["Device restarts", count(last.link.restarts), true]);
  if (recent.sum("outside")) facts.push(["Outside the memory", lately(recent, "outside")]);
  if (last.scale > 1) facts.push(["Sampled", `1 page of ${last.scale}`]);
  if (recent.missed) facts.push(["Left out for this page", `${count(recent.missed)} epochs`, true]);
  if (sessions > 1) facts.push(["Sessions", count(sessions)]);
  return facts;
}

const lately = (recent, name) => `${accesses(recent.sum(name))} in ${count(recent.short.length)} ${recent.short.length === 1 ? "epoch" : "epochs"}`;

/** Frames that did not arrive whole; a damaged one is missing, too. */
export const linkLosses = (link) => (link ? Math.max(link.lost, link.damaged + link.oversized) : 0);

/** Share of the device's frames that arrived whole; an epoch of the history has none. */
export function linkText(link) {
  if (!link) return "–";
  const { frames, damaged, lost } = link;
  const gone = linkLosses(link);
  const good = frames + gone ? frames / (frames + gone) : 1;
  return gone ? `${percent(good)} of frames; ${count(damaged)} damaged, ${count(lost)} lost` : `${percent(1)} of ${count(frames)} frames`;
}
