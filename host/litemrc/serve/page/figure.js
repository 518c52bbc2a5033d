// SPDX-License-Identifier: BSD-2-Clause
// A chart of Plotly with its table, its pictures to save, and words for those who do not see it.

import { download, el, fillTable, setAttribute, setText } from "./dom.js";
import { chartColors } from "./palette.js";

const TABLE_MS = 1000; // an open table changes at most this often
const PICTURE = { width: 1200, height: 700 };
let figures = 0;

export class Figure {
  /**
   * @param {Element} section gets the chart, and the buttons beside its heading
   * @param {{name: string, title: string, height: number, buttons?: boolean}} options
   * @param {(message: string) => void} say
   */
  constructor(section, options, say) {
    Object.assign(this, { section, options, say, spec: null, tableDrawn: 0, waiting: null });
    this.chart = el("div", { class: "chart", role: "img", "aria-label": `${options.title}: no data yet` });
    this.chart.style.height = `${options.height}px`;
    this.empty = el("p", { class: "empty" }); // says why there is nothing to see
    this.empty.hidden = true;
    this.frame = el("div", { class: "frame" }, this.chart, this.empty);
    this.table = el("table");
    const id = `table-${(figures += 1)}`;
    this.box = el("div", { class: "scroll values", id, tabindex: "0", role: "group", "aria-label": `Values: ${options.title}`, hidden: true }, this.table);
    this.toggle = el("button", { type: "button", "aria-expanded": "false", "aria-controls": id, onclick: () => this.flip() }, "Table");
    const buttons = el("span", { class: "exports", role: "group", "aria-label": options.title }, this.toggle);
    for (const format of options.buttons === false ? [] : ["png", "svg"]) {
      buttons.append(el("button", { type: "button", onclick: () => this.save(format) }, format.toUpperCase()));
    }
    const heading = section.querySelector("h2, h3");
    const bar = el("div", { class: "bar" });
    heading.replaceWith(bar);
    bar.append(heading, buttons);
    section.append(this.frame, this.box);
    this.watcher = new ResizeObserver(() => this.spec && this.paint());
    this.watcher.observe(this.chart);
  }

  /**
   * Draw traces; what is drawn now is what the pictures and the table show.
   * @param {{traces: object[], layout: object, summary: string, empty?: string, table: () => {head: string[], rows: string[][]}}} spec
   */
  draw(spec) {
    this.spec = spec;
    this.paint();
    const empty = !spec.traces.some(({ x }) => x.length);
    this.empty.hidden = !empty;
    if (empty) setText(this.empty, spec.empty ?? `${spec.summary[0].toUpperCase()}${spec.summary.slice(1)}.`);
    setAttribute(this.chart, "aria-label", `${this.options.title}: ${spec.summary}`);
    this.refill();
  }

  paint() {
    const width = this.chart.clientWidth, height = this.chart.clientHeight;
    if (!width || !height) return; // hidden
    const layout = { ...themed(this.spec.layout), width, height };
    Plotly.react(this.chart, this.spec.traces, layout, { displayModeBar: false, scrollZoom: false });
  }

  /** Fill an open table, now or as soon as it may change again: there may be no other drawing. */
  refill() {
    if (this.box.hidden || this.waiting) return;
    const left = this.tableDrawn + TABLE_MS - performance.now();
    if (left <= 0) return this.fill();
    this.waiting = setTimeout(() => {
      this.waiting = null;
      if (!this.box.hidden) this.fill();
    }, left);
  }

  fill() {
    if (!this.spec) return;
    const { head, rows } = this.spec.table();
    fillTable(this.table, head, rows);
    this.tableDrawn = performance.now();
  }

  flip() {
    this.box.hidden = !this.box.hidden;
    setAttribute(this.toggle, "aria-expanded", String(!this.box.hidden));
    if (!this.box.hidden) this.fill();
  }

  async save(format) {
    if (!this.spec) return this.say("There is nothing to save yet.");
    await savePicture(this.options.name, this.options.title, this.spec, format);
    this.say(`Saved ${this.options.name}.${format}.`);
  }

  remove() {
    this.watcher.disconnect();
    clearTimeout(this.waiting);
    Plotly.purge(this.chart);
  }
}

export async function savePicture(name, title, { traces, layout }, format) {
  const drawn = themed({ ...layout, title: { text: title }, showlegend: true });
  const margin = { ...layout.margin, t: 60 };
  const data = traces.map((trace) => ({ ...trace }));
  const url = await Plotly.toImage({ data, layout: { ...drawn, ...PICTURE, margin } }, { format, ...PICTURE, scale: format === "png" ? 2 : 1 });
  const content = url.slice(url.indexOf(",") + 1);
  const bytes = format === "svg" ? decodeURIComponent(content) : Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0));
  download(`${name}.${format}`, new Blob([bytes], { type: format === "svg" ? "image/svg+xml" : "image/png" }));
}

/** A layout in the colours of the page. */
function themed(layout) {
  const { text, grid, paper } = chartColors();
  const result = {
    paper_bgcolor: paper,
    plot_bgcolor: paper,
    font: { color: text, size: 13, family: "system-ui, sans-serif" },
    showlegend: false,
    dragmode: false,
    hovermode: "closest",
    hoverlabel: { bgcolor: paper, font: { color: text } },
    ...layout,
  };
  for (const [name, axis] of Object.entries(result)) {
    if (/^[xy]axis\d*$/.test(name)) result[name] = { gridcolor: grid, linecolor: grid, zerolinecolor: grid, fixedrange: true, ...axis };
  }
  return result;
}
