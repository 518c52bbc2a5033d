// SPDX-License-Identifier: BSD-2-Clause
// DRAM traffic: bandwidth and row hits over time, and the commands of each bank in the last epoch.

import { app, deviceNamed, shown } from "./app.js";
import { el, setText } from "./dom.js";
import { clock, count, local, percent, speed } from "./format.js";
import { lineStyle } from "./palette.js";

const READ = 0, WRITTEN = 1, OTHER = 2; // styles
const known = (text, value) => (value === null || Number.isNaN(value) ? "–" : text(value));

/** The numbers of the last epoch, above their chart. */
export function buildTraffic(figure) {
  const note = el("p", { class: "note" });
  figure.frame.before(note);
  return note;
}

export function drawTraffic(figure, note) {
  const columns = shown()?.traffic ?? [], last = shown()?.last?.traffic ?? null;
  const times = columns.map(({ at }) => local(at));
  const traces = [
    line("read", READ, times, columns.map((each) => each.read / each.seconds)),
    line("written", WRITTEN, times, columns.map((each) => each.written / each.seconds)),
  ];
  const rates = columns.map(rowHitRate);
  if (!rates.every(Number.isNaN)) traces.push({ ...line("row-hit rate", OTHER, times, rates), yaxis: "y2", hovertemplate: "%{fullData.name}: %{y:.1%}<extra></extra>" });
  const words = trafficText(last, deviceNamed(app.device)?.parameters?.peak_bandwidth ?? null);
  setText(note, words ? `${words}.` : "");
  figure.draw({
    traces,
    layout: {
      margin: { l: 82, r: 62, t: 30, b: 58 }, showlegend: true,
      legend: { orientation: "h", x: 0, y: 1.02, yanchor: "bottom" },
      xaxis: { type: "date", nticks: Math.max(2, Math.floor((figure.chart.clientWidth - 150) / 80)), tickangle: 0, title: { text: "time", standoff: 4 } },
      yaxis: { title: { text: "bandwidth", standoff: 6 }, tickformat: "~s", ticksuffix: "B/s", rangemode: "tozero", nticks: 6 },
      yaxis2: { title: { text: "row-hit rate", standoff: 6 }, overlaying: "y", side: "right", range: [0, 1.02], tickformat: ".0%", dtick: 0.25, showgrid: false, visible: traces.length > 2 },
    },
    summary: words || "no epochs yet",
    table: () => trafficTable(columns),
  });
  figure.chart.dataset.epoch = shown()?.last?.number ?? "";
}

function line(name, number, x, y) {
  const { color, dash, marker } = lineStyle(number);
  return {
    type: "scatter", mode: "lines+markers", name, x, y: y.map((value) => (Number.isNaN(value) ? null : value)), text: y.map((value) => known(speed, value)),
    line: { color, dash, width: 1.5 }, marker: { symbol: marker, color, size: 6, maxdisplayed: 10 },
    hovertemplate: "%{fullData.name}: %{text}<extra></extra>",
  };
}

const rowHitRate = ({ hits, accesses }) => (accesses ? hits / accesses : NaN);

/** What an epoch moved, in words; what the device does not know is left out. */
export function trafficText(traffic, peak) {
  if (!traffic) return "";
  const { read_bandwidth, write_bandwidth, peak_share, row_hit_rate, refresh_share, queue_peak } = traffic;
  const parts = [];
  if (read_bandwidth !== null) parts.push(`${speed(read_bandwidth)} read`, `${speed(write_bandwidth)} written`);
  if (peak_share !== null) parts.push(`${percent(peak_share)} of the peak${peak === null ? "" : ` of ${speed(peak)}`}`);
  if (row_hit_rate !== null) parts.push(`${percent(row_hit_rate)} row hits`);
  if (refresh_share !== null) parts.push(`${percent(refresh_share)} of the cycles in refresh`);
  if (queue_peak !== null) parts.push(`at most ${count(queue_peak)} ${queue_peak === 1 ? "request" : "requests"} waiting`);
  return parts.join(", ");
}

function trafficTable(columns) {
  return {
    head: ["time", "epochs", "read", "written", "share of the peak", "row-hit rate"],
    rows: columns.map((each) => [
      clock(each.at), count(each.epochs), known(speed, each.read / each.seconds), known(speed, each.written / each.seconds),
      known(percent, each.accesses / each.cycles), known(percent, rowHitRate(each)),
    ]),
  };
}

/** A bar of reads and writes and one of ACTIVATEs for each bank. */
export function drawBanks(figure) {
  const banks = shown()?.last?.traffic?.banks ?? [];
  const bar = (name, number, shape, group, of) => {
    const { color } = lineStyle(number);
    return {
      type: "bar", name, x: banks.map((_, bank) => String(bank)), y: banks.map(of), offsetgroup: group,
      marker: { color, pattern: { shape, bgcolor: color, fgcolor: lineStyle(4).color, size: 6, solidity: 0.2 } },
      hovertemplate: "bank %{x}, %{fullData.name}: %{y:,}<extra></extra>",
    };
  };
  figure.draw({
    traces: [
      bar("reads", READ, "", "accesses", ({ reads }) => reads),
      bar("writes", WRITTEN, "/", "accesses", ({ writes }) => writes),
      bar("ACTIVATEs", OTHER, ".", "activates", ({ activates }) => activates),
    ],
    layout: {
      barmode: "stack", bargap: 0.25, margin: { l: 62, r: 8, t: 30, b: 42 }, showlegend: true,
      legend: { orientation: "h", x: 0, y: 1.02, yanchor: "bottom", traceorder: "normal" },
      xaxis: { type: "category", nticks: Math.floor((figure.chart.clientWidth - 70) / 22), title: { text: "bank", standoff: 4 }, tickangle: 0 },
      yaxis: { title: { text: "commands in the epoch", standoff: 6 }, tickformat: "~s", rangemode: "tozero", nticks: 6 },
    },
    summary: banks.map(({ reads, writes }, bank) => `bank ${bank} ${count(reads + writes)} reads and writes`).join(", ") || "no epochs yet",
    table: () => bankTable(banks),
  });
  figure.chart.dataset.epoch = shown()?.last?.number ?? "";
}

function bankTable(banks) {
  return {
    head: ["bank", "reads", "writes", "row hits", "row-hit rate", "ACTIVATEs", "row conflicts"],
    rows: banks.map(({ reads, writes, row_hits, activates, row_conflicts }, bank) => [
      String(bank), count(reads), count(writes), known(count, row_hits), reads + writes && row_hits !== null ? percent(row_hits / (reads + writes)) : "–",
      known(count, activates), known(count, row_conflicts),
    ]),
  };
}
