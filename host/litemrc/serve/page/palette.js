// SPDX-License-Identifier: BSD-2-Clause
// Colours that people with colour blindness tell apart; dash and marker differ, too.

const LIGHT = ["#0072b2", "#b84300", "#00785a", "#9b3d82", "#1a1a1a", "#7a6100", "#0a7482", "#666666"];
const DARK = ["#56b4e9", "#ff9d5c", "#2bc79a", "#e391c5", "#f2f2f2", "#f0e442", "#7fe3ea", "#a8a8a8"];
const DASHES = ["solid", "7px 3px", "2px 2px", "9px 3px 2px 3px", "14px 4px", "14px 3px 2px 3px", "5px 2px 5px 6px", "3px 6px"];
const MARKERS = ["circle", "square", "diamond", "triangle-up", "x", "cross", "star", "triangle-down"];

// Power states: a pattern and a colour each.
export const STATES = {
  active_standby: { text: "active standby", pattern: "", light: "#b84300", dark: "#ff9d5c" },
  precharge_standby: { text: "precharge standby", pattern: ".", light: "#7a6100", dark: "#f0e442" },
  power_down: { text: "power-down", pattern: "/", light: "#0072b2", dark: "#56b4e9" },
  self_refresh: { text: "self-refresh", pattern: "x", light: "#00785a", dark: "#2bc79a" },
  self_refresh_partial: { text: "self-refresh, partial", pattern: "-", light: "#9b3d82", dark: "#e391c5" },
};

const SYSTEM = matchMedia("(prefers-color-scheme: dark)");
let choice = "auto", systemIsDark = SYSTEM.matches;
// Chromium loses the event of a change if `matches` is read between the change and the event.
SYSTEM.addEventListener("change", (event) => (systemIsDark = event.matches));

export const isDark = () => (choice === "auto" ? systemIsDark : choice === "dark");

/** "auto", "light" or "dark". */
export function chooseTheme(name) {
  choice = name;
  document.documentElement.dataset.theme = name;
}

export const onSystemTheme = (changed) => SYSTEM.addEventListener("change", changed);

export function lineStyle(number) {
  return {
    color: (isDark() ? DARK : LIGHT)[number % 8],
    dash: DASHES[(number + Math.floor(number / 8)) % 8],
    marker: MARKERS[(number + 3 * Math.floor(number / 8)) % 8],
  };
}

export const stateColor = (state) => STATES[state][isDark() ? "dark" : "light"];

export function chartColors() {
  return isDark()
    ? { text: "#e6e9ed", grid: "#39414b", paper: "#171c22", warn: "#ffb74d" }
    : { text: "#1c2127", grid: "#d5dae0", paper: "#ffffff", warn: "#a33b00" };
}
