// SPDX-License-Identifier: BSD-2-Clause
// Answers what the page asks its server from a recording, whose epochs arrive again: one each STEP_MS.
"use strict";
{
  const STEP_MS = 500;
  const FIRST = 20; // epochs that are there at first
  const { device, version, digits, epochs } = JSON.parse(document.getElementById("recording").textContent);
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  let arrived = calm ? epochs.length : Math.min(FIRST, epochs.length);
  let stream = null; // that the page reads

  const round = (ratio) => Number(ratio.toFixed(digits)); // as the server
  const REFUSED = { error: "this is a recording without a server", remedy: "run litemrc serve --demo to save counters" };

  const program = ({ context, name }) => `${String(context).padStart(3)} ${name}`;

  /** Curves of all these epochs together, one for each program of a context: misses at each size are summed. */
  function curvesOf(found, keyOf = program) {
    const sums = new Map();
    for (const { contexts, dropped } of found) {
      for (const each of contexts) {
        const { context, name, accesses, misses, curve } = each, key = keyOf(each);
        if (!sums.has(key)) sums.set(key, { context, name, bytes: curve.bytes, missed: curve.bytes.map(() => 0), accesses: 0, misses: 0, dropped: 0 });
        const sum = sums.get(key);
        curve.miss_ratio.forEach((ratio, place) => (sum.missed[place] += Math.round((ratio ?? 0) * accesses)));
        sum.accesses += accesses;
        sum.misses += misses;
        sum.dropped += dropped;
      }
    }
    return [...sums.keys()].sort().map((key) => {
      const { missed, ...curve } = sums.get(key);
      return { ...curve, miss_ratio: missed.map((each) => (curve.accesses ? round(each / curve.accesses) : null)) };
    });
  }

  /** An epoch as the stream has it: with the curves of the `window` epochs up to it. */
  function windowed(place, window) {
    const found = epochs.slice(Math.max(0, place + 1 - window), place + 1);
    const idle = { accesses: 0, misses: 0, working_set_bytes: 0, bandwidth: 0 };
    const contexts = curvesOf(found).map((curve) => {
      const { context, name } = curve;
      return { ...(epochs[place].contexts.find((each) => each.context === context) ?? idle), context, name, curve };
    });
    return { ...epochs[place], curve_epochs: found.length, curve_first: found[0].arrived, contexts };
  }

  function point({ arrived: at, dropped, contexts }) {
    const of = ({ accesses, misses, ...each }) => ({ ...each, accesses, miss_ratio_full: accesses ? round(misses / accesses) : null });
    return { at, epochs: 1, dropped, contexts: contexts.map(of) };
  }

  const merged = (curve, context) => ({ value: curve.name, devices: [device.name], how: "counters summed", curve: { ...curve, context } });
  const ANSWERS = {
    devices: () => ({ devices: [device], control: false, version }),
    epochs: (found) => ({ epochs: found }),
    curves: (found) => ({ epochs: found.length, first: found[0]?.arrived ?? null, last: found.at(-1)?.arrived ?? null, curves: curvesOf(found) }),
    history: (found) => ({ points: found.map(point) }),
    merged: (found) => curvesOf(found, ({ name }) => name).map(merged),
  };

  globalThis.fetch = async (path) => {
    const { pathname, searchParams: asked } = new URL(path, "http://recording");
    const answer = ANSWERS[pathname.split("/").at(-1)];
    if (!answer || asked.has("format")) return Response.json(REFUSED, { status: 501 });
    const start = Number(asked.get("start") ?? 0), end = Number(asked.get("end") ?? Infinity);
    const inside = epochs.slice(0, arrived).filter((epoch) => epoch.arrived >= start && epoch.arrived <= end);
    return Response.json(answer(inside.slice(asked.has("last") ? -asked.get("last") : 0)));
  };

  globalThis.EventSource = class extends EventTarget {
    constructor(url) {
      super();
      this.window = Number(new URL(url, "http://recording").searchParams.get("window"));
      stream = this;
      setTimeout(() => this.send("current"));
    }

    send(name) {
      if (stream === this) this.dispatchEvent(new MessageEvent(name, { data: JSON.stringify({ epochs: [windowed(arrived - 1, this.window)] }) }));
    }

    close() {
      if (stream === this) stream = null;
    }
  };

  const timer = setInterval(() => {
    if (document.hidden || !stream) return;
    if (arrived === epochs.length) return clearInterval(timer);
    arrived += 1;
    stream.send("epochs");
  }, STEP_MS);
}
