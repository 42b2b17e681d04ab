// SPDX-License-Identifier: Apache-2.0
// The on-screen gamepad: by mouse, touch and keyboard. What is not held is let go of, whatever happens to the page.
"use strict";

const pad = { held: false, pressed: new Map(), axes: new Map(), timer: 0, shown: false };
// By place on the keyboard: what a key is called may change between its press and its release.
const KEYS = { KeyW: ["forward", 1], KeyS: ["forward", -1], KeyA: ["turn", 1], KeyD: ["turn", -1], KeyQ: ["strafe", 1], KeyE: ["strafe", -1] };
const KEY_BUTTONS = { Space: "stop", Escape: "stop", ShiftLeft: "dead_man", ShiftRight: "dead_man", KeyM: "arm", KeyT: "stand", KeyV: "walk", KeyG: "sit", KeyY: "accept" };
const HOLD = "Hold: I am here (dead-man switch)";
const TEXT_FIELDS = "input:not([type=range], [type=button], [type=checkbox], [type=radio]), textarea, select, [contenteditable]";
const KEYBOARD_PART = 0.6;
const BUTTONS = [["arm", "Arm"], ["stand", "Stand up"], ["walk", "Walk on / off"], ["sit", "Sit down"], ["gait_1", "Gait 1"], ["gait_2", "Gait 2"], ["gait_3", "Gait 3"], ["accept", "Take the offer"], ["ground_previous", "Ground ‹"], ["ground_next", "Ground ›"]];

function press(name, source, down) {
  // Who does not hold the gamepad may stop the robot all the same.
  if (name === "stop" && down && !pad.held) say({ kind: "stop" });
  const sources = pad.pressed.get(name) || new Set();
  if (down) sources.add(source); else sources.delete(source);
  pad.pressed.set(name, sources);
  document.querySelectorAll(`[data-button=${name}]`).forEach((button) => button.classList.toggle("down", sources.size > 0));
  sendPad();
}

function deflect(source, axes) {
  if (axes) pad.axes.set(source, axes); else pad.axes.delete(source);
  sendPad();
}

function letGo() {
  pad.pressed.clear();
  pad.axes.clear();
  document.querySelectorAll("button.down, .ring.held").forEach((element) => element.classList.remove("down", "held"));
  document.querySelectorAll("#pad .ring i").forEach((knob) => { knob.style.transform = ""; });
  sendPad();
}

function sendPad() {
  if (!pad.held) return;
  const axes = {};
  for (const some of pad.axes.values()) for (const [name, value] of Object.entries(some)) axes[name] = Math.max(-1, Math.min(1, (axes[name] || 0) + value));
  const pressed = [...pad.pressed].filter(([, sources]) => sources.size > 0).map(([name]) => name);
  say({ kind: "pad", sent: performance.now() / 1000 + 1, axes, pressed });
}

function hold(on) {
  if (on === pad.held) return;
  say({ kind: "hold", hold: on });
  pad.held = on;
  clearInterval(pad.timer);
  if (on) pad.timer = setInterval(sendPad, 50);
  letGo();
  document.getElementById("pad-hold").textContent = on ? "Let go of the gamepad" : "Take the gamepad";
  showNeeds();
}

function showNeeds() {
  document.querySelectorAll(".needs").forEach((element) => { element.style.visibility = pad.held ? "visible" : "hidden"; });
}

function showAbsence(why) {
  const asks = page.hasPad ? ": take the gamepad under Drive, and hold SHIFT or the button here until it is taken" : "";
  const words = { request: `A gait that moves is taken only while somebody is there${asks}.`, drive: "" };
  document.querySelectorAll(".nobody").forEach((line) => {
    // It keeps its place while somebody drives: what is below it is pressed just then.
    line.style.visibility = why ? "visible" : "hidden";
    if (why) put(line, `Nobody drives: ${why}. ${words[line.closest(".tab").id]}`);
  });
}

function stick(name, label, toAxes) {
  const box = document.createElement("div"), ring = document.createElement("div"), knob = document.createElement("i");
  box.className = "stick needs";
  ring.className = "ring";
  ring.dataset.stick = name;
  ring.append(knob);
  box.append(ring, label);
  const move = (event) => {
    const frame = ring.getBoundingClientRect(), reach = frame.width / 2;
    let x = (event.clientX - frame.left - reach) / reach, y = (event.clientY - frame.top - reach) / reach;
    const length = Math.hypot(x, y);
    if (length > 1) { x /= length; y /= length; }
    knob.style.transform = `translate(${x * reach * 0.6}px, ${y * reach * 0.6}px)`;
    deflect(name, toAxes(-y, -x));
  };
  // Whoever touches a stick is there: it holds the dead-man switch for as long as it is touched. A key does not, for it may be stuck.
  const release = () => { knob.style.transform = ""; ring.classList.remove("held"); press("dead_man", name, false); deflect(name, null); };
  ring.addEventListener("pointerdown", (event) => { ring.setPointerCapture(event.pointerId); ring.classList.add("held"); press("dead_man", name, true); move(event); });
  ring.addEventListener("pointermove", (event) => { if (ring.hasPointerCapture(event.pointerId)) move(event); });
  for (const end of ["pointerup", "pointercancel", "lostpointercapture"]) ring.addEventListener(end, release);
  return box;
}

function holdButton(name, label, kind) {
  const button = document.createElement("button");
  button.textContent = label;
  button.dataset.button = name;
  if (kind) button.className = kind;
  button.addEventListener("pointerdown", (event) => { button.setPointerCapture(event.pointerId); press(name, "pointer", true); });
  for (const end of ["pointerup", "pointercancel", "lostpointercapture"]) button.addEventListener(end, () => press(name, "pointer", false));
  button.addEventListener("contextmenu", (event) => event.preventDefault());
  return button;
}

function buildPad() {
  const box = document.getElementById("pad"), take = document.createElement("button"), sticks = document.createElement("div"), buttons = document.createElement("div"), keys = document.createElement("p");
  take.id = "pad-hold";
  take.className = "strong";
  take.textContent = "Take the gamepad";
  take.disabled = !page.hasPad;
  take.addEventListener("click", () => hold(!pad.held));
  sticks.className = "sticks";
  sticks.append(stick("left", "forward, sideways", (up, left) => ({ forward: up, strafe: left })), stick("right", "turn", (up, left) => ({ turn: left })));
  buttons.className = "buttons needs";
  buttons.append(...BUTTONS.map(([name, label]) => holdButton(name, label)));
  keys.className = "keys needs";
  keys.textContent = "Keys, by their place on a US keyboard: W S forward and back, A D turn, Q E sideways, all only while SHIFT holds the dead-man switch; SPACE or ESC stops; M arm, T stand up, V walk on and off, G sit down, Y take the offer.";
  box.replaceChildren(take, holdButton("stop", "STOP: motors only damp", "stop"), sticks, holdButton("dead_man", HOLD, "dead needs"), buttons, keys);
  // A gait that moves is taken only from somebody who is there.
  document.getElementById("hold-here").replaceChildren(holdButton("dead_man", HOLD, "dead"));
  showNeeds();
}

function key(code, down) {
  const source = `key ${code}`;
  if (KEYS[code]) deflect(source, down ? { [KEYS[code][0]]: KEYBOARD_PART * KEYS[code][1] } : null);
  else press(KEY_BUTTONS[code], source, down);
}

function keyDown(event) {
  const stops = KEY_BUTTONS[event.code] === "stop", typed = event.target.matches?.(TEXT_FIELDS);
  // While one of these is down, the release of others may never be told, and what is pressed is meant for the browser.
  const forBrowser = event.metaKey || event.ctrlKey || event.altKey;
  if (forBrowser && pad.held) letGo();
  if (!(KEYS[event.code] || KEY_BUTTONS[event.code]) || !page.hasPad || (typed && event.code !== "Escape")) return;
  if (!stops && (!pad.held || forBrowser)) return;
  event.preventDefault();
  if (!event.repeat) key(event.code, true);
}

function keyUp(event) {
  // A release is heard wherever the focus has gone meanwhile. Of two SHIFT keys some systems tell the release of the last one only.
  const codes = event.key === "Shift" && !event.shiftKey ? ["ShiftLeft", "ShiftRight"] : [event.code];
  const ours = codes.filter((code) => KEYS[code] || KEY_BUTTONS[code]);
  ours.forEach((code) => key(code, false));
  // A button that has the focus would take the release of SPACE for a click.
  if (ours.length && page.hasPad && !event.target.matches?.(TEXT_FIELDS)) event.preventDefault();
}

// The scene is a page of its own: while it has the focus its keys move the camera, but a stop is a stop.
function hearScene() {
  const scene = document.getElementById("scene").contentWindow;
  scene.addEventListener("keydown", (event) => { if (KEY_BUTTONS[event.code] === "stop") keyDown(event); }, true);
  scene.addEventListener("keyup", keyUp, true);
}

buildPad();
// Before anybody else hears it: nothing on the page may keep a stop to itself.
addEventListener("keydown", keyDown, true);
addEventListener("keyup", keyUp, true);
addEventListener("blur", letGo);
addEventListener("focusin", (event) => { if (event.target.matches?.("input, textarea, select")) letGo(); });
document.getElementById("scene").addEventListener("load", hearScene);
addEventListener("pagehide", () => hold(false));
document.addEventListener("visibilitychange", () => { if (document.hidden) hold(false); });
page.listeners.push((what) => {
  if (what === "state") showAbsence(page.mayCommand ? page.state.operator : "");
  if (what === "tab") letGo();
  if (what === "lost" || (what === "pad lost" && pad.held)) {
    pad.held = false;
    clearInterval(pad.timer);
    letGo();
    buildPad();
  }
  if (what === "hello" || what === "rights") {
    const take = document.getElementById("pad-hold");
    take.disabled = !page.hasPad;
    document.getElementById("pad").hidden = !page.hasPad;
    if (!page.hasPad) hold(false);
  }
});
