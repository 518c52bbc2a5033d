// SPDX-License-Identifier: BSD-2-Clause
// The stream of epochs: one EventSource, opened again for as long as it takes.

const RETRY_MS = [500, 1000, 2000, 5000];

export class Live {
  /** `heard(event, data)` gets "devices", "current", "epochs" and "behind"; `lost(seconds)` and `found()` the connection. */
  constructor(heard, lost, found) {
    Object.assign(this, { heard, lost, found, source: null, timer: 0, tries: 0, url: "" });
  }

  /** Read this stream instead of the one so far. */
  open(url) {
    this.url = url;
    clearTimeout(this.timer);
    this.source?.close();
    const source = new EventSource(url);
    this.source = source;
    source.onopen = () => {
      this.tries = 0;
      this.found();
    };
    // EventSource tries again by itself after some errors only, and never after an answer that is no stream.
    source.onerror = () => {
      source.close();
      if (source !== this.source) return;
      const wait = RETRY_MS[Math.min(this.tries, RETRY_MS.length - 1)];
      this.tries += 1;
      this.lost(wait / 1000);
      this.timer = setTimeout(() => this.open(this.url), wait);
    };
    for (const name of ["devices", "current", "epochs", "behind"]) {
      source.addEventListener(name, (event) => source === this.source && this.heard(name, JSON.parse(event.data)));
    }
  }

  close() {
    clearTimeout(this.timer);
    this.source?.close();
    this.source = null;
  }
}
