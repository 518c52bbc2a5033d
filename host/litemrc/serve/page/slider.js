// SPDX-License-Identifier: BSD-2-Clause
// A range of time between two handles: dragged with a pointer, or moved with the keyboard.

import { el, setAttribute } from "./dom.js";
import { clock } from "./format.js";

const STEPS = 100; // an arrow key moves by such a part of the whole
const KEYS = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 };

export class RangeSlider {
  /** `margin` of the chart above, whose plot the track lies under; `changed([start, end])`. */
  constructor(margin, changed) {
    Object.assign(this, { changed, domain: [0, 1], range: [0, 1], dragging: false });
    this.handles = ["Start of the range", "End of the range"].map((label) =>
      el("div", { class: "handle", role: "slider", tabindex: "0", "aria-label": label, "aria-orientation": "horizontal" }),
    );
    this.band = el("div", { class: "band" });
    this.track = el("div", { class: "slider", role: "group", "aria-label": "Range of the history" }, this.band, ...this.handles);
    this.track.style.marginLeft = `${margin.l}px`;
    this.track.style.marginRight = `${margin.r}px`;
    this.handles.forEach((handle, which) => {
      handle.addEventListener("keydown", (event) => this.key(event, which));
      handle.addEventListener("pointerdown", (event) => {
        // A pointer may take a handle across the other one: where both are at the end, it meets only one of them.
        const other = this.range[1 - which];
        this.drag(event, handle, (at) => this.set(Math.min(at, other), Math.max(at, other)));
      });
    });
    this.band.addEventListener("pointerdown", (event) => {
      const [start, end] = this.range, from = this.time(event);
      this.drag(event, this.band, (at) => this.shift(start, end, at - from));
    });
    this.track.addEventListener("pointerdown", (event) => {
      if (event.target !== this.track) return;
      const from = this.time(event);
      this.drag(event, this.track, (at) => this.set(Math.min(from, at), Math.max(from, at)));
    });
  }

  /** Show a range in a domain, both in seconds; a drag is not disturbed. */
  show(domain, range) {
    if (this.dragging) return;
    this.domain = domain;
    this.range = range.map((at) => this.inside(at));
    this.place();
  }

  inside(at) {
    return Math.min(Math.max(at, this.domain[0]), this.domain[1]);
  }

  /** Set and report a range. */
  set(start, end) {
    this.range = [this.inside(start), this.inside(end)];
    this.place();
    this.changed(this.range);
  }

  /** Move one handle, at most as far as the other one. */
  move(which, at) {
    const [start, end] = this.range;
    if (which === 0) this.set(Math.min(at, end), end);
    else this.set(start, Math.max(at, start));
  }

  /** Move both, and keep their distance. */
  shift(start, end, by) {
    const [first, last] = this.domain;
    const kept = Math.min(Math.max(by, first - start), last - end);
    this.set(start + kept, end + kept);
  }

  key(event, which) {
    const [first, last] = this.domain;
    let at;
    if (event.key in KEYS) at = this.range[which] + (KEYS[event.key] * (event.shiftKey ? 10 : 1) * (last - first)) / STEPS;
    else if (event.key === "Home") at = first;
    else if (event.key === "End") at = last;
    else return;
    event.preventDefault();
    this.move(which, at);
  }

  time(event) {
    const { left, width } = this.track.getBoundingClientRect();
    return this.domain[0] + ((event.clientX - left) / width) * (this.domain[1] - this.domain[0]);
  }

  drag(event, element, moved) {
    event.preventDefault();
    event.stopPropagation();
    if (element.tabIndex === 0) element.focus();
    element.setPointerCapture(event.pointerId);
    this.dragging = true;
    const move = (next) => moved(this.time(next));
    const end = () => {
      this.dragging = false;
      element.removeEventListener("pointermove", move);
      for (const name of ["pointerup", "pointercancel"]) element.removeEventListener(name, end);
    };
    element.addEventListener("pointermove", move);
    for (const name of ["pointerup", "pointercancel"]) element.addEventListener(name, end);
  }

  place() {
    const [first, last] = this.domain, width = last - first || 1;
    const shares = this.range.map((at) => (100 * (at - first)) / width);
    this.handles.forEach((handle, which) => {
      handle.style.left = `${shares[which]}%`;
      handle.dataset.at = this.range[which];
      setAttribute(handle, "aria-valuemin", first.toFixed(1));
      setAttribute(handle, "aria-valuemax", last.toFixed(1));
      setAttribute(handle, "aria-valuenow", this.range[which].toFixed(1));
      setAttribute(handle, "aria-valuetext", clock(this.range[which], true));
    });
    this.band.style.left = `${shares[0]}%`;
    this.band.style.width = `${shares[1] - shares[0]}%`;
  }
}
