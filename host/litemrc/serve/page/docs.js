// SPDX-License-Identifier: BSD-2-Clause
// The routes and records of openapi.json, as this server describes them.

import { byId, el, fillTable, setText } from "./dom.js";

/** A type as text; a record's name is a link to it. */
function typeOf(schema) {
  if (!schema) return ["anything"];
  if (schema.$ref) {
    const name = schema.$ref.split("/").at(-1);
    return [el("a", { href: `#record-${name}` }, name)];
  }
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return choices.flatMap((each, place) => (place ? [" or ", ...typeOf(each)] : typeOf(each)));
  if (schema.enum) return [schema.enum.map((each) => JSON.stringify(each)).join(", ")];
  if (schema.const !== undefined) return [JSON.stringify(schema.const)];
  if (schema.type === "array") return ["list of ", ...(schema.prefixItems ?? [schema.items]).flatMap((each, place) => (place ? [", ", ...typeOf(each)] : typeOf(each)))];
  if (schema.type === "object" && schema.additionalProperties) return ["text to ", ...typeOf(schema.additionalProperties)];
  return [`${schema.type ?? "anything"}${limits(schema)}`];
}

function limits({ minimum, maximum, maxLength }) {
  if (minimum !== undefined || maximum !== undefined) return `, ${minimum ?? ""} to ${maximum ?? ""}`;
  return maxLength === undefined ? "" : `, at most ${maxLength} characters`;
}

function rowsOf(head, rows) {
  const table = el("table", { class: "routes" });
  fillTable(table, head, []);
  for (const cells of rows) {
    const [first, ...others] = cells.map((cell) => [cell].flat());
    table.tBodies[0].append(el("tr", {}, el("th", { scope: "row" }, ...first), ...others.map((cell) => el("td", {}, ...cell))));
  }
  return el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": head[0] }, table);
}

function routeOf(path, method, { description, parameters = [], requestBody, responses }) {
  const section = el("section", {}, el("h2", {}, `${method.toUpperCase()} ${path}`), el("p", {}, description ?? ""));
  const given = parameters.map(({ name, in: place, required, description: about, schema }) => [
    name, place, typeOf(schema), required ? "required" : schema?.default === undefined ? "" : JSON.stringify(schema.default), about ?? schema?.description ?? "",
  ]);
  const body = requestBody?.content?.["application/json"]?.schema;
  if (body) given.push(["body", "JSON", typeOf(body), "required", ""]);
  if (given.length) section.append(rowsOf(["parameter", "in", "type", "default", "meaning"], given));
  const answers = Object.entries(responses).map(([status, { content = {}, description: about }]) => {
    const types = Object.entries(content).flatMap(([media, { schema }], place) => [place ? ", " : "", `${media} `, ...(schema ? typeOf(schema) : [])]);
    return [status, types, about ?? ""];
  });
  section.append(rowsOf(["status", "answer", "meaning"], answers));
  return section;
}

function recordOf(name, { description, properties = {} }) {
  const fields = Object.entries(properties).map(([field, schema]) => [field, typeOf(schema)]);
  return el("div", { id: `record-${name}` }, el("h3", {}, name), el("p", {}, description ?? ""), rowsOf([`field of ${name}`, "type"], fields));
}

try {
  const answer = await fetch("/openapi.json");
  const { info, paths, components } = await answer.json();
  setText(byId("about"), `${info.description} Version ${info.version}.`);
  for (const [path, methods] of Object.entries(paths)) for (const [method, route] of Object.entries(methods)) byId("routes").append(routeOf(path, method, route));
  for (const [name, schema] of Object.entries(components?.schemas ?? {})) byId("records").append(recordOf(name, schema));
  if (location.hash) byId(location.hash.slice(1))?.scrollIntoView();
} catch (error) {
  setText(byId("about"), `openapi.json cannot be read: ${error.message}`);
}
