// SPDX-License-Identifier: BSD-2-Clause
// Elements and tables. Text from a device goes through textContent only, never through markup.

export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== null && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children);
  return node;
}

const SVG = "http://www.w3.org/2000/svg";

export function svg(tag, attributes = {}, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

export const byId = (id) => document.getElementById(id);

/** Set a text; an unchanged one costs no layout. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

export function setAttribute(node, name, value) {
  if (node.getAttribute(name) !== value) node.setAttribute(name, value);
}

/** Give a parent as many children as there are items, and fill each; children stay where they are. */
export function fill(parent, items, make, update) {
  while (parent.children.length > items.length) parent.lastElementChild.remove();
  items.forEach((item, place) => {
    const child = parent.children[place] ?? parent.appendChild(make());
    update(child, item, place);
  });
}

/** Fill a table with texts: the first cell of a row is its header. */
export function fillTable(table, head, rows) {
  if (!table.tHead) table.append(el("thead", {}, el("tr")), el("tbody"));
  fill(table.tHead.rows[0], head, () => el("th", { scope: "col" }), setText);
  fill(table.tBodies[0], rows, () => el("tr"), (row, cells) => {
    if (row.children.length !== cells.length) row.replaceChildren();
    cells.forEach((text, place) => {
      const cell = row.children[place] ?? row.appendChild(place ? el("td") : el("th", { scope: "row" }));
      setText(cell, text);
    });
  });
}

/** A group of radio buttons with a text each. */
export function radios(parent, name, values, chosen, changed) {
  for (const value of values) {
    const input = el("input", { type: "radio", name, value: String(value), checked: value === chosen });
    input.addEventListener("change", () => changed(value));
    parent.append(el("label", {}, input, ` ${value}`));
  }
}

/** Give a file to the user. */
export function download(name, blob) {
  const url = URL.createObjectURL(blob);
  const link = el("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
