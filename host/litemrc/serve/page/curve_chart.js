// SPDX-License-Identifier: BSD-2-Clause
// Curves as steps over the memory size: nothing is measured between two sizes.

import { count, measured, plain, ratio, size, sizeTicks } from "./format.js";
import { lineStyle } from "./palette.js";

const ENDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1]; // of the axis of miss ratios

const texts = new WeakMap(); // of arrays of sizes

function sizeTexts(bytes) {
  if (!texts.has(bytes)) texts.set(bytes, bytes.map(size));
  return texts.get(bytes);
}

/** One trace of Plotly; `number` chooses colour, dash and marker. */
export function curveTrace(curve, number, name, log, axes = {}) {
  const { color, dash, marker } = lineStyle(number);
  // A memory of size 0 misses always; a logarithmic axis has no place for it.
  const x = log ? curve.bytes : [0, ...curve.bytes];
  const y = log ? curve.miss_ratio : [1, ...curve.miss_ratio];
  return {
    type: "scatter", mode: "lines+markers", name: plain(name), x, y, ...axes,
    text: log ? sizeTexts(curve.bytes) : ["0 B", ...sizeTexts(curve.bytes)],
    hovertemplate: "%{fullData.name}<br>%{text}: %{y:.4f}<extra></extra>",
    line: { shape: "hv", color, dash, width: 2 },
    marker: { symbol: marker, color, size: 7, maxdisplayed: 8 },
  };
}

export function memoryAxis(curves, log, width) {
  const sizes = curves.flatMap(({ bytes }) => (bytes.length ? [bytes[0], bytes.at(-1)] : []));
  const least = sizes.length ? Math.min(...sizes) : 4096, largest = sizes.length ? Math.max(...sizes) : 1 << 24;
  const range = log ? [Math.log10(least / 1.1), Math.log10(largest * 1.1)] : [0, largest * 1.02];
  return {
    title: { text: "memory size", standoff: 8 }, type: log ? "log" : "linear", range,
    ...sizeTicks(least, largest, log, Math.max(2, Math.floor(width / 75))),
  };
}

/** From 0 to the largest miss ratio at a measured size, which the axis says if it is not 1. */
export function missAxis(curves, nticks = 6) {
  const drawn = curves.filter(measured);
  const largest = drawn.length ? Math.max(...drawn.map(({ miss_ratio }) => miss_ratio[0])) : 1;
  const end = ENDS.find((each) => each >= largest) ?? 1;
  const text = end < 1 ? `miss ratio (axis ends at ${end})` : "miss ratio";
  return { title: { text, standoff: 6 }, range: [-0.02 * end, 1.02 * end], nticks };
}

/** A row for each size, a column for each curve: `entries` are {name, curve}. */
export function curveTable(entries) {
  const sizes = [...new Set(entries.flatMap(({ curve }) => curve.bytes))].sort((one, other) => one - other);
  const maps = entries.map(({ curve }) => new Map(curve.bytes.map((bytes, place) => [bytes, curve.miss_ratio[place]])));
  return {
    head: ["memory size", "bytes", ...entries.map(({ name }) => name)],
    rows: sizes.map((bytes) => [size(bytes), count(bytes), ...maps.map((map) => (map.has(bytes) ? ratio(map.get(bytes)) : "–"))]),
  };
}
