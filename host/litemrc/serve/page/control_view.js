// SPDX-License-Identifier: BSD-2-Clause
// Requests that change a device: only if the server was started with --control, and with its token.

import * as api from "./api.js";
import { app } from "./app.js";
import { byId, setAttribute, setText } from "./dom.js";
import { parseSize } from "./format.js";

const KEY = "litemrc-token";

const BODIES = {
  epoch: (form) => ({ length: Number(form.get("length")), unit: form.get("unit") }),
  freeze: (form) => ({ on: form.get("on") !== null }),
  follow: (form) => ({ context: Number(form.get("context")), pid: Number(form.get("pid")) }),
  budget: (form) => ({ context: Number(form.get("context")), bytes: budget(form.get("bytes")) }),
};

const DONE = { epoch: "The epoch length is set.", freeze: "Freeze is set.", follow: "The context follows the process.", budget: "The budget is set." };

function budget(text) {
  if (!text.trim()) return null;
  const bytes = parseSize(text);
  if (bytes === null) throw new Error(`${text} is no size; write it as 16 MiB`);
  return bytes;
}

export function buildControl() {
  const dialog = byId("control-dialog"), token = byId("token");
  token.value = sessionStorage.getItem(KEY) ?? "";
  token.addEventListener("input", () => sessionStorage.setItem(KEY, token.value));
  byId("control").addEventListener("click", () => {
    setText(byId("control-title"), `Control of ${app.device}`);
    answer("", false);
    dialog.showModal();
  });
  byId("control-close").addEventListener("click", () => dialog.close());
  byId("token-form").addEventListener("submit", (event) => event.preventDefault());
  for (const form of dialog.querySelectorAll("form[data-action]")) {
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      send(form.dataset.action, new FormData(form), token.value);
    });
  }
}

async function send(action, form, token) {
  answer("Waiting for the device.", false);
  try {
    await api.control(app.device, action, BODIES[action](form), token);
    answer(DONE[action], false);
  } catch (error) {
    answer(`⚠ Refused: ${error.message}`, true);
  }
}

function answer(text, bad) {
  const line = byId("control-answer");
  setText(line, text);
  setAttribute(line, "class", bad ? "warn" : "");
}
