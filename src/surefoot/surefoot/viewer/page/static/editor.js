// SPDX-License-Identifier: Apache-2.0
// The box of gaits to ask for, and the live editor of the gait that runs.
"use strict";

const rows = new Map();

function buildGaits() {
  document.getElementById("gaits").replaceChildren(...page.hello.gaits.map((name) => {
    const button = document.createElement("button");
    button.textContent = name.replaceAll("_", " ");
    button.dataset.gait = name;
    onPress(button, () => say({ kind: "request", gait: name }));
    return button;
  }));
}

function buildRow(parameter) {
  const row = document.createElement("div"), name = document.createElement("span"), value = document.createElement("output");
  const slider = document.createElement("input"), words = document.createElement("small");
  row.className = "parameter";
  name.className = "name";
  name.textContent = parameter.key.replaceAll("_", " ");
  Object.assign(slider, { type: "range", min: parameter.least, max: parameter.most, step: parameter.step });
  slider.setAttribute("aria-label", parameter.key);
  slider.addEventListener("input", () => { value.textContent = `${Number(slider.value).toPrecision(3)} ${parameter.unit}`; });
  // The change comes once the finger lets go: each one is checked against the robot.
  slider.addEventListener("change", () => say({ kind: "edit", key: parameter.key, value: Number(slider.value) }));
  const picture = document.createElement("details"), summary = document.createElement("summary"), image = document.createElement("img");
  summary.textContent = "?";
  summary.title = "what it means";
  image.alt = parameter.meaning;
  picture.addEventListener("toggle", () => { if (picture.open && !image.src) image.src = `/gaits/${parameter.key.split(".")[0]}.png`; });
  picture.append(summary, image);
  words.textContent = `${parameter.meaning}; ${parameter.range}`;
  row.append(name, value, picture, slider, words);
  return { row, slider, value };
}

function showDraft(message) {
  for (const parameter of message.parameters) {
    if (!rows.has(parameter.key)) {
      rows.set(parameter.key, buildRow(parameter));
      document.getElementById("editor").append(rows.get(parameter.key).row);
    }
    const { slider, value } = rows.get(parameter.key);
    if (document.activeElement === slider && slider.matches(":active")) continue;
    slider.value = parameter.draft;
    value.textContent = `${Number(parameter.draft).toPrecision(3)} ${parameter.unit}`;
    const changed = Math.abs(parameter.draft - parameter.running) > 1e-9;
    value.classList.toggle("changed", changed);
    if (changed) value.textContent += ` (runs: ${Number(parameter.running).toPrecision(3)})`;
  }
  list(document.getElementById("log"), message.log.map((line) => [line]));
  lockEditor();
}

function lockEditor() {
  document.querySelectorAll("#request button, #request input").forEach((element) => { element.disabled = !page.mayCommand; });
}

page.listeners.push((what) => {
  if (what === "hello") buildGaits();
  if (what === "hello" || what === "rights") lockEditor();
  if (what === "state") {
    const request = page.state.request, absent = page.mayCommand && page.state.operator;
    document.getElementById("hold-here").hidden = !pad.held;
    put(document.getElementById("asked"), request.gait ? `${request.gait}: ${request.state.toLowerCase()}${request.reason ? `: ${request.reason}` : ""}` : "");
  }
});
for (const what of ["request", "undo", "restart"]) onPress(document.getElementById(`draft-${what}`), () => say({ kind: "draft", do: what }));
