// SPDX-License-Identifier: BSD-2-Clause
// Draws what changed in the next frame, each view at most as often as it can bear.

const views = new Map();
let asked = false;

/** Register a view: `draw` runs at most every `least` ms, and takes at most half of the time. */
export function view(name, least, draw) {
  views.set(name, { draw, least, wait: least, last: 0, dirty: false });
}

export function touch(...names) {
  for (const name of names) views.get(name).dirty = true;
  ask();
}

export function touchAll() {
  touch(...views.keys());
}

function ask() {
  if (asked) return;
  asked = true;
  requestAnimationFrame(frame);
}

function frame(now) {
  asked = false;
  for (const each of views.values()) {
    if (!each.dirty) continue;
    if (now - each.last < each.wait) {
      ask();
      continue;
    }
    each.dirty = false;
    each.last = now;
    const began = performance.now();
    each.draw();
    each.wait = Math.max(each.least, 2 * (performance.now() - began));
  }
}
