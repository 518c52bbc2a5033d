// SPDX-License-Identifier: BSD-2-Clause
// Pictures of a few pixels: the line of a curve in the legend, and the course of a working set.

import { setAttribute, svg } from "./dom.js";
import { size } from "./format.js";

const SHAPES = {
  circle: "M0-4a4 4 0 1 0 .01 0z", square: "M-3.5-3.5h7v7h-7z", diamond: "M0-5 5 0 0 5-5 0z",
  "triangle-up": "M0-5 5 4H-5z", "triangle-down": "M0 5 5-4H-5z", x: "M-4-4 4 4M4-4-4 4", cross: "M0-5V5M-5 0H5",
  star: "M0-5 1.5-1.5 5-1.5 2 1 3 5 0 2.5-3 5-2 1-5-1.5-1.5-1.5z",
};
const WIDTH = 76, HEIGHT = 20;

/** The line of a style, as in the chart; without arguments a new one. */
export function showSwatch(picture, style) {
  if (!picture) {
    const line = svg("line", { x1: 1, x2: 37, y1: 7, y2: 7, "stroke-width": 2 });
    return svg("svg", { class: "swatch", width: 38, height: 14, "aria-hidden": "true" }, line, svg("path", { transform: "translate(19 7)", "stroke-width": 2 }));
  }
  const [line, shape] = picture.children;
  setAttribute(line, "stroke", style.color);
  setAttribute(line, "stroke-dasharray", style.dash === "solid" ? "none" : style.dash.replaceAll("px", ""));
  setAttribute(shape, "d", SHAPES[style.marker]);
  setAttribute(shape, "fill", style.color);
  setAttribute(shape, "stroke", ["x", "cross"].includes(style.marker) ? style.color : "none");
  return picture;
}

/** The course of a value in bytes, from 0 up; without arguments a new picture. */
export function sparkline(picture, values, color) {
  if (!picture) {
    return svg("svg", { class: "spark", width: WIDTH, height: HEIGHT, role: "img" }, svg("polyline", { fill: "none", "stroke-width": 1.5 }));
  }
  const largest = Math.max(1, ...values), step = WIDTH / Math.max(1, values.length - 1);
  const points = values.map((value, place) => `${(place * step).toFixed(1)},${(HEIGHT - 1 - (value / largest) * (HEIGHT - 3)).toFixed(1)}`);
  setAttribute(picture.firstChild, "points", points.join(" "));
  setAttribute(picture.firstChild, "stroke", color);
  setAttribute(picture, "aria-label", values.length ? `from ${size(Math.min(...values))} to ${size(Math.max(...values))}, now ${size(values.at(-1))}` : "no epochs");
  return picture;
}
