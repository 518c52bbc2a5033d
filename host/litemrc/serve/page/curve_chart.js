// Curves as steps over the memory size: nothing is measured between two sizes.

import { count, plain, ratio, size, sizeTicks } from "./format.js";
import { lineStyle } from "./palette.js";

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

export const MISS_AXIS = { title: { text: "miss ratio", standoff: 6 }, range: [-0.02, 1.02], nticks: 6 };

/** A row for each size, a column for each curve: `entries` are {name, curve}. */
export function curveTable(entries) {
  const sizes = [...new Set(entries.flatMap(({ curve }) => curve.bytes))].sort((one, other) => one - other);
  const maps = entries.map(({ curve }) => new Map(curve.bytes.map((bytes, place) => [bytes, curve.miss_ratio[place]])));
  return {
    head: ["memory size", "bytes", ...entries.map(({ name }) => name)],
    rows: sizes.map((bytes) => [size(bytes), count(bytes), ...maps.map((map) => (map.has(bytes) ? ratio(map.get(bytes)) : "–"))]),
  };
}
