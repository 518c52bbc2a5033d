// SPDX-License-Identifier: BSD-2-Clause
// What the page keeps of a device: the last epochs in short, the last one in full. All of it is bounded.

const SHORT = 100; // epochs whose working sets and losses are kept: the largest window
const COLUMNS = 240; // of the heat map
const COLUMN_S = 1; // epochs that arrive within it share a column

export class Recent {
  constructor(device) {
    this.device = device;
    this.clear(null);
    this.missed = 0; // epochs that the server left out for this page
  }

  /** Forget everything: the device was reset, and its numbers begin again. */
  clear(session) {
    this.session = session;
    this.last = null;
    this.short = [];
    this.names = new Map(); // of the contexts in `short`
    this.heat = [];
  }

  /** Take an epoch in the order of arrival; false: an older one or one that is known. */
  add(epoch) {
    const { last } = this;
    const other = epoch.session !== this.session;
    if (last && epoch.arrived <= last.arrived && (other || epoch.number <= last.number)) return false;
    // Within a session, numbers that begin again are a device that was reset.
    if (other || (last && epoch.number <= last.number)) this.clear(epoch.session);
    this.last = epoch;
    this.short.push(inShort(epoch));
    if (this.short.length > SHORT) this.short.shift();
    this.name();
    if (epoch.heat) this.addHeat(epoch);
    return true;
  }

  /** Take the last epoch once more, with other curves; false: it is not the last one. */
  replace(epoch) {
    if (!this.last || epoch.session !== this.session || epoch.number !== this.last.number) return false;
    this.last = epoch;
    return true;
  }

  /** Names of all contexts that had accesses lately; the last name counts. */
  name() {
    this.names = new Map();
    for (const each of this.short) for (const [context, { name }] of each.contexts) this.names.set(context, name);
    this.names = new Map([...this.names].sort(([one], [other]) => one - other));
  }

  addHeat({ arrived, heat }) {
    const column = this.heat.at(-1);
    if (column && Math.floor(column.at / COLUMN_S) === Math.floor(arrived / COLUMN_S)) {
      heat.bins.forEach((share, bin) => (column.sums[bin] += share));
      column.epochs += 1;
      return;
    }
    this.heat.push({ at: arrived, epochs: 1, sums: Float64Array.from(heat.bins), first: heat.first, bin_bytes: heat.bin_bytes });
    if (this.heat.length > COLUMNS) this.heat.shift();
  }

  /** What is kept now, for as long as it is looked at. */
  snapshot() {
    const copy = Object.assign(Object.create(Recent.prototype), this);
    copy.short = [...this.short];
    copy.heat = structuredClone(this.heat);
    return copy;
  }

  /** Epochs in a second, over those kept; null before two. */
  get rate() {
    if (this.short.length < 2) return null;
    const seconds = this.short.at(-1).arrived - this.short[0].arrived;
    return seconds > 0 ? (this.short.length - 1) / seconds : null;
  }

  sum(name) {
    return this.short.reduce((total, each) => total + each[name], 0);
  }
}

function inShort(epoch) {
  const { number, arrived, dropped, outside, unsampled } = epoch;
  const contexts = new Map(epoch.contexts.map((each) => [each.context, { name: each.name, working_set_bytes: each.working_set_bytes }]));
  return { number, arrived, dropped, outside, unsampled, contexts };
}
