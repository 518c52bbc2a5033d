// SPDX-License-Identifier: BSD-2-Clause
// Ranks, the heat map of the pages accessed, and the hot pages of the last epoch.

import { app, deviceNamed, shown } from "./app.js";
import { byId, el, fill, fillTable, setAttribute, setText } from "./dom.js";
import { clock, count, hex, local, percent } from "./format.js";
import { chartColors, stateColor, STATES } from "./palette.js";

/** Show only what the device has, and what was kept of it. */
export function placeSections() {
  const parameters = deviceNamed(app.device)?.parameters;
  const recent = shown();
  const metered = recent?.last?.ranks.length; // a memory may have ranks that nothing meters
  const traffic = recent?.last?.traffic;
  byId("traffic").hidden = !traffic;
  byId("banks").hidden = (traffic?.banks[0]?.activates ?? null) === null; // without it, all accesses are of one bank
  byId("ranks").hidden = !(parameters?.ranks && metered);
  byId("heat").hidden = !(app.mode === "history" ? recent?.heat.length : parameters?.accessed);
  byId("hot").hidden = !(app.mode === "history" ? recent?.last?.hot : parameters?.hot);
}

const stateText = (state) => STATES[state]?.text ?? state.replaceAll("_", " ");

/** The list of the ranks above their chart, and the key of its patterns below it. */
export function buildRanks(figure) {
  const list = el("ul", { class: "ranks" });
  const entries = Object.entries(STATES).map(([state, { text }]) => el("li", {}, el("span", { class: `pattern state-${state}`, "aria-hidden": "true" }), text));
  figure.frame.before(list);
  figure.frame.after(el("ul", { class: "key note", "aria-label": "Patterns of the power states" }, ...entries));
  return list;
}

export function drawRanks(figure, list) {
  const ranks = shown()?.last?.ranks ?? [];
  fill(list, ranks, newRank, (item, { rank, state, working, live_pages }) => {
    const [name, pattern, text, more] = item.children;
    setText(name, `Rank ${rank}`);
    setAttribute(pattern, "class", `pattern state-${STATES[state] ? state : "awake"}`);
    setText(text, stateText(state));
    setText(more, `${working ? "in the working set" : "outside the working set"}, ${count(live_pages)} pages`);
  });
  const names = ranks.map(({ rank }) => `rank ${rank}`);
  const { paper } = chartColors();
  const traces = Object.keys(STATES).map((state) => ({
    type: "bar", orientation: "h", name: STATES[state].text, y: names, x: ranks.map(({ shares }) => shares[state]),
    marker: { color: stateColor(state), pattern: { shape: STATES[state].pattern, fgcolor: paper, bgcolor: stateColor(state), size: 8, solidity: 0.25 } },
    hovertemplate: "%{y}, %{fullData.name}: %{x:.1%}<extra></extra>",
  }));
  figure.draw({
    traces,
    layout: {
      barmode: "stack", margin: { l: 56, r: 22, t: 4, b: 42 }, bargap: 0.3,
      xaxis: { range: [0, 1], tickformat: ".0%", title: { text: "share of the epoch's cycles", standoff: 4 }, dtick: 0.25 },
      yaxis: { autorange: "reversed" },
    },
    summary: ranks.map((each) => `rank ${each.rank} ${stateText(each.state)}`).join(", ") || "no ranks yet",
    table: () => rankTable(ranks),
  });
  list.dataset.epoch = shown()?.last?.number ?? "";
}

function newRank() {
  return el("li", {}, el("strong"), el("span", { "aria-hidden": "true" }), el("span"), el("small"));
}

function rankTable(ranks) {
  const states = Object.keys(STATES);
  return {
    head: ["rank", "state", "in the working set", "pages in use", "reads", "writes", "wake-ups", ...states.map(stateText)],
    rows: ranks.map((each) => [
      String(each.rank), stateText(each.state), each.working ? "yes" : "no",
      ...[each.live_pages, each.reads, each.writes, each.wake_ups].map(count),
      ...states.map((state) => percent(each.shares[state])),
    ]),
  };
}

export function drawHeat(figure) {
  const columns = shown()?.heat ?? [];
  const newest = columns.at(-1);
  const z = newest ? Array.from(newest.sums, (_, bin) => columns.map(({ sums, epochs }) => sums[bin] / epochs)) : [];
  const edges = newest ? [newest.first, newest.first + newest.sums.length * newest.bin_bytes] : [0, 1];
  const addresses = z.map((_, bin) => edges[0] + (bin + 0.5) * newest.bin_bytes);
  const times = columns.map(({ at }) => local(at));
  const quarter = (edges[1] - edges[0]) / 4;
  const ticks = [0, 1, 2, 3, 4].map((part) => edges[0] + part * quarter);
  figure.draw({
    traces: [{
      type: "heatmap", name: "share accessed", x: times, y: addresses, z, zmin: 0, zmax: 1, colorscale: "Cividis",
      hovertemplate: "%{x|%H:%M:%S}, %{y:#x}<br>%{z:.1%} of the pages<extra></extra>",
      colorbar: { title: { text: "share of pages", side: "right" }, tickformat: ".0%", thickness: 10 },
    }],
    layout: {
      margin: { l: 122, r: 10, t: 8, b: 62 },
      xaxis: { type: "date", nticks: Math.max(2, Math.floor((figure.chart.clientWidth - 200) / 70)), tickangle: 0, title: { text: "time", standoff: 6 } },
      yaxis: { title: { text: "physical address", standoff: 6 }, tickvals: ticks, ticktext: ticks.map(hex), range: edges },
    },
    summary: newest ? `${percent(mean(newest))} of the pages at ${clock(newest.at)}` : "no epochs yet",
    table: () => heatTable(columns, addresses),
  });
  figure.chart.dataset.epoch = shown()?.last?.number ?? "";
}

const mean = ({ sums, epochs }) => sums.reduce((total, share) => total + share, 0) / sums.length / epochs;

/** The last ten columns are enough to read. */
function heatTable(columns, addresses) {
  const last = columns.slice(-10);
  return {
    head: ["from address", ...last.map(({ at }) => clock(at))],
    rows: addresses.map((middle, bin) => [hex(middle - last[0].bin_bytes / 2), ...last.map(({ sums, epochs }) => percent(sums[bin] / epochs))]),
  };
}

export function drawHot() {
  const hot = shown()?.last?.hot;
  const pages = hot?.pages ?? [];
  const inList = pages.reduce((total, [, accesses]) => total + accesses, 0);
  const share = hot?.accesses ? inList / hot.accesses : 0;
  setText(byId("hot-summary"), hot ? `${percent(share)} of ${count(hot.accesses)} accesses${hot.more ? "; more pages were hot than are listed" : ""}` : "None in this epoch.");
  fillTable(byId("hot-pages"), ["address", "accesses", "share"], pages.map(([address, accesses]) => [hex(address), count(accesses), percent(hot.accesses ? accesses / hot.accesses : 0)]));
  byId("hot-pages").dataset.epoch = shown()?.last?.number ?? "";
}
