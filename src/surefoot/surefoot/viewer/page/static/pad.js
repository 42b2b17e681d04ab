// SPDX-License-Identifier: Apache-2.0
// The on-screen gamepad: by mouse, touch and keyboard. What is not held is let go of, whatever happens to the page.
"use strict";

const pad = { held: false, pressed: new Map(), axes: new Map(), timer: 0, shown: false };
const KEYS = { w: ["forward", 1], s: ["forward", -1], a: ["turn", 1], d: ["turn", -1], q: ["strafe", 1], e: ["strafe", -1] };
const KEY_BUTTONS = { " ": "stop", Escape: "stop", Shift: "dead_man", m: "arm", t: "stand", v: "walk", g: "sit", y: "accept" };
const KEYBOARD_PART = 0.6;
const BUTTONS = [["arm", "Arm"], ["stand", "Stand up"], ["walk", "Walk on / off"], ["sit", "Sit down"], ["gait_1", "Gait 1"], ["gait_2", "Gait 2"], ["gait_3", "Gait 3"], ["accept", "Take the offer"], ["ground_previous", "Ground ‹"], ["ground_next", "Ground ›"]];

function press(name, source, down) {
  const sources = pad.pressed.get(name) || new Set();
  if (down) sources.add(source); else sources.delete(source);
  pad.pressed.set(name, sources);
  document.querySelectorAll(`#pad [data-button=${name}]`).forEach((button) => button.classList.toggle("down", sources.size > 0));
  sendPad();
}

function deflect(source, axes) {
  if (axes) pad.axes.set(source, axes); else pad.axes.delete(source);
  sendPad();
}

function letGo() {
  pad.pressed.clear();
  pad.axes.clear();
  document.querySelectorAll("#pad .down, #pad .held").forEach((element) => element.classList.remove("down", "held"));
  document.querySelectorAll("#pad .ring i").forEach((knob) => { knob.style.transform = ""; });
  sendPad();
}

function sendPad() {
  if (!pad.held) return;
  const axes = {};
  for (const some of pad.axes.values()) for (const [name, value] of Object.entries(some)) axes[name] = Math.max(-1, Math.min(1, (axes[name] || 0) + value));
  const pressed = [...pad.pressed].filter(([, sources]) => sources.size > 0).map(([name]) => name);
  // Whoever moves a stick is there: the stick holds the dead-man switch for as long as it is touched.
  if (pad.axes.size > 0 && !pressed.includes("dead_man")) pressed.push("dead_man");
  say({ kind: "pad", sent: performance.now() / 1000 + 1, axes, pressed });
}

function hold(on) {
  if (on === pad.held) return;
  say({ kind: "hold", hold: on });
  pad.held = on;
  clearInterval(pad.timer);
  if (on) pad.timer = setInterval(sendPad, 50);
  else letGo();
  document.getElementById("pad-hold").textContent = on ? "Let go of the gamepad" : "Take the gamepad";
  document.querySelectorAll("#pad .needs").forEach((element) => { element.style.visibility = on ? "visible" : "hidden"; });
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
  const release = () => { knob.style.transform = ""; ring.classList.remove("held"); deflect(name, null); };
  ring.addEventListener("pointerdown", (event) => { ring.setPointerCapture(event.pointerId); ring.classList.add("held"); move(event); });
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
  take.addEventListener("click", () => hold(!pad.held));
  sticks.className = "sticks";
  sticks.append(stick("left", "forward, sideways", (up, left) => ({ forward: up, strafe: left })), stick("right", "turn", (up, left) => ({ turn: left })));
  buttons.className = "buttons needs";
  buttons.append(...BUTTONS.map(([name, label]) => holdButton(name, label)));
  keys.className = "keys needs";
  keys.textContent = "Keys: W S forward and back, A D turn, Q E sideways; SHIFT holds the dead-man switch; SPACE or ESC stops; M arm, T stand up, V walk on and off, G sit down, Y take the offer.";
  box.replaceChildren(take, holdButton("stop", "STOP: motors only damp", "stop needs"), sticks, holdButton("dead_man", "Hold: I am here (dead-man switch)", "dead needs"), buttons, keys);
  document.querySelectorAll("#pad .needs").forEach((element) => { element.style.visibility = "hidden"; });
}

function key(event, down) {
  if (!pad.held || event.repeat || event.target.matches?.("input")) return;
  const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (KEYS[name]) deflect(`key ${name}`, down ? { [KEYS[name][0]]: KEYBOARD_PART * KEYS[name][1] } : null);
  else if (KEY_BUTTONS[name]) press(KEY_BUTTONS[name], `key ${name}`, down);
  else return;
  event.preventDefault();
}

buildPad();
addEventListener("keydown", (event) => key(event, true));
addEventListener("keyup", (event) => key(event, false));
addEventListener("blur", letGo);
addEventListener("pagehide", () => hold(false));
document.addEventListener("visibilitychange", () => { if (document.hidden) hold(false); });
page.listeners.push((what) => {
  if ((what === "lost" || what === "pad lost") && pad.held) {
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
