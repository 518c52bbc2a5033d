// SPDX-License-Identifier: BSD-2-Clause
// What the page keeps of a device: the last epochs in short, the last one in full. All of it is bounded.

const SHORT = 100; // epochs whose working sets and losses are kept: the largest window
const COLUMNS = 240; // of the heat map, and of the bandwidth
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
    this.traffic = [];
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
    if (epoch.traffic) this.addTraffic(epoch);
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
    const column = columnAt(this.heat, arrived);
    if (!column) return append(this.heat, { at: arrived, epochs: 1, sums: Float64Array.from(heat.bins), first: heat.first, bin_bytes: heat.bin_bytes });
    heat.bins.forEach((share, bin) => (column.sums[bin] += share));
    column.epochs += 1;
  }

  addTraffic({ arrived, traffic }) {
    const sums = trafficSums(traffic), column = columnAt(this.traffic, arrived);
    if (!column) return append(this.traffic, { at: arrived, ...sums });
    for (const name in sums) column[name] += sums[name];
  }

  /** What is kept now, for as long as it is looked at. */
  snapshot() {
    const copy = Object.assign(Object.create(Recent.prototype), this);
    copy.short = [...this.short];
    copy.heat = structuredClone(this.heat);
    copy.traffic = structuredClone(this.traffic);
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

/** The last column, if what arrived then belongs to it. */
function columnAt(columns, arrived) {
  const column = columns.at(-1);
  return column && Math.floor(column.at / COLUMN_S) === Math.floor(arrived / COLUMN_S) ? column : null;
}

function append(columns, column) {
  columns.push(column);
  if (columns.length > COLUMNS) columns.shift();
}

/** What can be summed over epochs; NaN: the device does not know it, and then no sum has it. */
function trafficSums({ bytes_read, bytes_written, seconds, cycles, banks }) {
  const sum = (of) => banks.reduce((total, bank) => total + of(bank), 0);
  return {
    epochs: 1, read: bytes_read, written: bytes_written, seconds: seconds ?? NaN, cycles: cycles ?? NaN,
    hits: sum(({ row_hits }) => row_hits ?? NaN), accesses: sum(({ reads, writes }) => reads + writes),
  };
}

function inShort(epoch) {
  const { number, arrived, dropped, outside, unsampled } = epoch;
  const contexts = new Map(epoch.contexts.map((each) => [each.context, { name: each.name, working_set_bytes: each.working_set_bytes }]));
  return { number, arrived, dropped, outside, unsampled, contexts };
}
