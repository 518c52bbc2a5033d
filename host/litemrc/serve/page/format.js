// SPDX-License-Identifier: BSD-2-Clause
// Numbers, sizes and times as texts, and the ticks of axes.

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"];
const SPEEDS = ["B/s", "kB/s", "MB/s", "GB/s", "TB/s"];
const COUNT = new Intl.NumberFormat("en");

export const count = (value) => COUNT.format(value);
export const accesses = (value) => `${count(value)} ${value === 1 ? "access" : "accesses"}`;
export const ratio = (value) => (value === null || value === undefined ? "–" : value.toFixed(4));
export const percent = (share) => `${(100 * share).toFixed(1)} %`;
export const hex = (address) => `0x${address.toString(16)}`;

export function size(bytes) {
  let unit = 0;
  while (bytes >= 1024 && unit < UNITS.length - 1) {
    bytes /= 1024;
    unit += 1;
  }
  return `${Number(bytes.toPrecision(Math.max(4, Math.trunc(bytes).toString().length)))} ${UNITS[unit]}`;
}

/** Bytes per second, in units of 1000. */
export function speed(value) {
  let unit = 0;
  while (value >= 999.5 && unit < SPEEDS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${Number(value.toPrecision(3))} ${SPEEDS[unit]}`;
}

/** Bytes of "16 MiB", "16M", "4096"; null if it is no size. */
export function parseSize(text) {
  const found = /^\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?\s*$/i.exec(text);
  if (!found) return null;
  return Math.round(Number(found[1]) * 1024 ** " kmgt".indexOf(found[2].toLowerCase() || " "));
}

export function clock(seconds, date = false) {
  const time = new Date(seconds * 1000);
  const two = (value) => String(value).padStart(2, "0");
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())} `;
  return `${date ? day : ""}${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
}

/** A time that has passed, in its largest unit. */
export function duration(seconds) {
  for (const [unit, length] of [["d", 86400], ["h", 3600], ["min", 60]]) if (seconds >= length) return `${Math.floor(seconds / length)} ${unit}`;
  return `${Math.floor(seconds)} s`;
}

/** Plotly reads some markup in its texts: names of processes must not be taken for it. */
export const plain = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Ticks of a memory axis: powers of two, or multiples of one, at most `most` of them. */
export function sizeTicks(least, largest, log, most) {
  const values = [];
  if (log) {
    const first = Math.floor(Math.log2(least)), last = Math.ceil(Math.log2(largest));
    const step = Math.max(1, Math.ceil((last - first + 1) / most));
    for (let power = first; power <= last; power += step) values.push(2 ** power);
  } else {
    const step = 2 ** Math.ceil(Math.log2(largest / most));
    for (let value = 0; value <= largest; value += step) values.push(value);
  }
  return { tickvals: values, ticktext: values.map(size) };
}

/** A time as Plotly wants it to draw this browser's time zone: it takes milliseconds as UTC. */
export const local = (seconds) => seconds * 1000 - new Date(seconds * 1000).getTimezoneOffset() * 60_000;

/** Was an access counted, so that there is something to draw? */
export const measured = (curve) => Boolean(curve?.bytes.length) && curve.miss_ratio[0] !== null;

/** The smallest size whose miss ratio is within epsilon of the minimum: Curve.smallest of the package. */
export function smallest(curve, epsilon = 0.01) {
  const ratios = curve.miss_ratio;
  const enough = ratios.at(-1) + epsilon;
  return enough >= 1 ? 0 : curve.bytes[ratios.findIndex((value) => value <= enough)];
}
