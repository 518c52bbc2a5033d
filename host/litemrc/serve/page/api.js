// SPDX-License-Identifier: BSD-2-Clause
// The server's API; what it refuses is an Error that has the reason and the remedy.

export class Refused extends Error {
  constructor(status, reason, remedy) {
    super(remedy ? `${reason}; ${remedy}` : reason);
    this.status = status;
  }
}

async function checked(response) {
  if (response.ok) return response;
  let told = {};
  try {
    told = await response.json();
  } catch {
    // not JSON: the status has to do
  }
  const reason = typeof told.error === "string" ? told.error : `the server answered ${response.status}`;
  throw new Refused(response.status, reason, typeof told.remedy === "string" ? told.remedy : "");
}

async function answered(path, options) {
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Refused(0, "the server does not answer", "check that litemrc serve runs");
  }
  return checked(response);
}

const ofDevice = (device, what) => `/api/v1/devices/${encodeURIComponent(device)}/${what}`;

function query(values) {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    for (const each of Array.isArray(value) ? value : [value]) given.append(name, each);
  }
  return given.toString();
}

const json = async (path) => (await answered(path)).json();

export const devices = () => json("/api/v1/devices");
export const epochs = (device, values) => json(`${ofDevice(device, "epochs")}?${query(values)}`);
export const curves = (device, values) => json(`${ofDevice(device, "curves")}?${query(values)}`);
export const history = (device, values) => json(`${ofDevice(device, "history")}?${query(values)}`);
export const merged = (by, last) => json(`/api/v1/merged?${query({ by, last })}`);

/** The file of a device's epochs, as a blob. */
export async function epochFile(device, values) {
  return (await answered(`${ofDevice(device, "epochs")}?${query(values)}`)).blob();
}

export async function control(device, action, body, token) {
  const headers = { "Content-Type": "application/json", Authorization: `Bearer ${token}` };
  const path = ofDevice(device, `control/${action}`);
  return (await answered(path, { method: "POST", headers, body: JSON.stringify(body) })).json();
}

export const liveUrl = (device, window) => `/api/v1/live?${query({ devices: device, window })}`;
