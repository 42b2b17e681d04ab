// SPDX-License-Identifier: Apache-2.0
// The connection to the page's server, and everything that its messages fill.
"use strict";

const $ = (id) => document.getElementById(id);
const page = { socket: null, mayCommand: false, hasPad: false, refusal: "", state: null, modeColours: {}, listeners: [] };

function say(message) {
  if (page.socket && page.socket.readyState === WebSocket.OPEN) page.socket.send(JSON.stringify(message));
}

function put(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function onPress(button, act) {
  button.addEventListener("click", act);
  // While one finger holds the dead-man switch, a second one makes no click.
  button.addEventListener("pointerup", (event) => {
    if (!event.isPrimary && !button.disabled && button.contains(document.elementFromPoint(event.clientX, event.clientY))) act();
  });
}

function list(element, items) {
  // Items are [text, class]; the text of others is never taken as HTML.
  const key = JSON.stringify(items);
  if (element.dataset.key === key) return;
  element.dataset.key = key;
  element.replaceChildren(...items.map(([text, kind]) => {
    const item = document.createElement("li");
    item.textContent = text;
    if (kind) item.className = kind;
    return item;
  }));
}

function table(element, head, rows) {
  const key = JSON.stringify(rows);
  if (element.dataset.key === key) return;
  element.dataset.key = key;
  const row = (cells, tag, kind) => {
    const line = document.createElement("tr");
    if (kind) line.className = kind;
    cells.forEach((cell, i) => {
      const box = document.createElement(tag);
      box.textContent = cell;
      if (head[i][1]) box.className = "number";
      line.append(box);
    });
    return line;
  };
  element.replaceChildren(row(head.map(([name]) => name), "th"), ...rows.map(([cells, kind]) => row(cells, "td", kind)));
}

function percent(value) {
  return value === null ? "" : `${Math.round(100 * value)} %`;
}

function showRights(message) {
  Object.assign(page, { mayCommand: message.may_command, hasPad: message.has_pad && message.may_command, refusal: message.refusal });
  put($("rights"), page.mayCommand ? "may command" : page.hello && page.hello.recording ? "recording, read-only" : "looking only");
  document.querySelectorAll(".locked").forEach((box) => put(box, page.refusal));
  if (page.mayCommand && !page.hasPad) put(document.querySelector("#drive .locked"), "Something else drives this robot: there is no on-screen gamepad here.");
  page.listeners.forEach((listener) => listener("rights"));
}

function askForScene(address) {
  page.sceneAsked = performance.now();
  $("scene").src = address;
}

// A scene that does not come up, as where somebody was too busy to hand it over, is asked for again, each time after a longer wait.
page.scenePatience = 45e3;
setInterval(() => {
  const inside = $("scene").src && $("scene").contentDocument;
  if (!inside || document.hidden || inside.querySelectorAll("canvas").length > 1) page.sceneAsked = performance.now();
  else if (performance.now() - page.sceneAsked > page.scenePatience) {
    page.scenePatience *= 2;
    askForScene($("scene").src);
  }
}, 1000);

function showHello(message) {
  put($("robot"), `Surefoot · ${message.robot}`);
  document.title = `${message.robot} · Surefoot`;
  const address = new URL("/scene", location.href), socket = new URL("/scene-live", location.href);
  socket.protocol = location.protocol === "https:" ? "wss:" : "ws:";
  address.search = new URLSearchParams({ websocket: socket.href, fixedDpr: "1", hideViserLogo: "" }).toString();
  if ($("scene").src !== address.href) askForScene(address.href);
  $("legend").replaceChildren(...message.legend.map(([text, colour, kind]) => {
    const line = document.createElement("div"), sample = document.createElement("i");
    sample.className = line.className = kind;
    if (["dot", "scale"].includes(kind)) sample.style.background = colour; else sample.style.borderColor = colour;
    line.append(sample, text);
    return line;
  }));
  page.hello = message;
  page.modeColours = Object.fromEntries(message.legend.map(([text, colour]) => [text, colour]));
  page.listeners.forEach((listener) => listener("hello"));
  showRights(message);
  if (location.hash.length > 1) say({ kind: "token", token: decodeURIComponent(location.hash.slice(1)) });
}

function showDecision(state) {
  const rehearsal = state.rehearsal, request = state.request;
  const clock = gaitClock(rehearsal, state.phase);
  if ($("gait-clock").innerHTML !== clock) $("gait-clock").innerHTML = clock;
  let headline = "Nothing was asked yet", kind = "", reason = request.reason;
  if (rehearsal) {
    const change = `${rehearsal.from} → ${rehearsal.to}`;
    if (!rehearsal.verdict) headline = `Rehearsing ${change}: ${rehearsal.particles} traces so far`;
    else {
      headline = `${change}: ${rehearsal.verdict.accepted ? "accepted" : "vetoed"}`;
      kind = rehearsal.verdict.accepted ? "good" : "no";
      reason = rehearsal.verdict.reason;
    }
  } else if (request.state !== "IDLE") headline = `${request.gait}: ${request.state.toLowerCase()}`;
  if (request.state === "SCHEDULED" && request.switch_in !== null && request.switch_in > 0) headline += `, change in ${request.switch_in.toFixed(1)} s`;
  put($("headline"), headline);
  $("headline").className = kind;
  put($("reason"), reason);
  const offer = (rehearsal && rehearsal.verdict && rehearsal.verdict.offer) || request.offer;
  put($("offer"), offer ? `Offered instead: ${offer}` : "");
  const answer = rehearsal && rehearsal.verdict;
  put($("answered"), answer && answer.wall > 0 ? `Answered after ${answer.wall.toFixed(2)} s, by ${rehearsal.particles} traces.` : "");
  list($("explanation"), rehearsal && rehearsal.verdict ? rehearsal.verdict.explanation.map((text) => [text]) : []);
  table($("candidates"), [["moment"], ["survive", 1], ["at least", 1], ["ended by"]], rehearsal ? rehearsal.candidates.map((c) => [[
    percent(c.point) + c.manner, `${c.survived} of ${c.particles}`, percent(c.bound),
    c.violated.map(([name, count]) => `${name} ${count}×`).join(", "),
  ], c.chosen ? "chosen" : ""]) : []);
  list($("past"), state.past.map((p) => [`${p.time.toFixed(1)} s: ${p.from} → ${p.to} ${p.accepted ? "accepted" : "vetoed"}: ${p.reason}${p.offer ? `; offered: ${p.offer}` : ""}`, p.accepted ? "good" : "no"]));
  const caption = $("caption");
  const show = rehearsal && (!rehearsal.verdict || state.time - rehearsal.time < 12);
  const text = show ? headline + (rehearsal.verdict && offer ? ` · offered: ${offer}` : "") : "";
  if (caption.textContent !== text || caption.dataset.kind !== kind) {
    const words = document.createElement("span");
    words.textContent = text;
    words.className = kind;
    caption.dataset.kind = kind;
    caption.replaceChildren(...(text ? [words] : []));
  }
}

function showHealth(state) {
  const names = page.hello ? page.hello.joints : [];
  const key = JSON.stringify(state.torques);
  if ($("torques").dataset.key !== key) {
    $("torques").dataset.key = key;
    $("torques").replaceChildren(...state.torques.map((torque, i) => {
      const line = document.createElement("div"), part = torque.limit ? torque.peak / torque.limit : 0;
      line.className = "bar";
      const name = document.createElement("span"), rail = document.createElement("div"), bar = document.createElement("i"), words = document.createElement("b");
      name.textContent = names[i] || "";
      bar.style.width = `${Math.min(100, 100 * part)}%`;
      bar.className = part >= 0.98 ? "full" : part > 0.8 ? "high" : "";
      words.textContent = `${torque.peak.toFixed(0)} of ${torque.limit.toFixed(0)} N m`;
      rail.append(bar);
      line.append(name, rail, words);
      return line;
    }));
  }
  list($("faults"), state.faults.length ? state.faults.map((fault) => [`${fault.time.toFixed(1)} s: ${fault.words}`, "no"]) : [["none so far"]]);
  table($("nodes"), [["node"], ["Hz", 1], ["p50 µs", 1], ["p99 µs", 1]], state.health.map((node) => [[node.node + (node.silent ? " (silent)" : node.complaint ? " (!)" : ""), node.rate, node.p50, node.p99], node.silent ? "no" : ""]));
  put($("latency"), state.latency);
  showDrawing(state);
  table($("rates"), [["topic"], ["a second", 1]], Object.entries(state.rates).map(([topic, rate]) => [[topic, rate.toFixed(0)], ""]));
}

const frames = { began: 0, count: 0, rate: null };
function countFrames(now) {
  // How often this browser draws. Counted only while somebody looks at it: who waits for a frame asks for one.
  if ($("health").hidden) { Object.assign(frames, { began: 0, count: 0, rate: null }); return; }
  if (!frames.began) frames.began = now;
  else frames.count += 1;
  if (now - frames.began >= 2000) {
    frames.rate = (1000 * frames.count) / (now - frames.began);
    Object.assign(frames, { began: now, count: 0 });
  }
  requestAnimationFrame(countFrames);
}

function showDrawing(state) {
  const drawn = `${state.drawing.states.toFixed(0)} states a second drawn with ${state.drawing.traces} traces`;
  put($("drawing"), drawn + (frames.rate === null ? "" : `; this browser: ${frames.rate.toFixed(0)} frames a second, ${(1000 / frames.rate).toFixed(0)} ms each`));
}

function showState(state) {
  page.state = state;
  put($("mode"), state.mode);
  $("mode").classList.toggle("bad", state.bad);
  put($("why"), state.why + (state.operator ? " · nobody drives" : ""));
  put($("gait"), `${state.gait} on ${state.ground || "unknown"} ground · ${state.command[0].toFixed(2)} m/s`);
  put($("clock"), `${state.time.toFixed(1)} s`);
  drawContacts($("contacts"), state.contacts, state.time, state.feet, page.modeColours);
  showDecision(state);
  if (!$("health").hidden) showHealth(state);
  page.listeners.forEach((listener) => listener("state"));
}

let forget = 0;
function showReply(message) {
  if (message.pad === false) page.listeners.forEach((listener) => listener("pad lost"));
  put($("reply"), message.words);
  $("reply").className = message.good ? "good" : "no";
  clearTimeout(forget);
  forget = setTimeout(() => put($("reply"), ""), 8000);
}

function connectPage() {
  const address = new URL("/live", location.href);
  address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
  address.hash = "";
  page.socket = new WebSocket(address);
  page.socket.onmessage = (event) => {
    const message = JSON.parse(event.data);
    ({ hello: showHello, rights: showRights, state: showState, reply: showReply, draft: showDraft })[message.kind]?.(message);
  };
  page.socket.onclose = () => {
    put($("mode"), "connection lost");
    $("mode").classList.add("bad");
    page.hasPad = false;
    page.listeners.forEach((listener) => listener("lost"));
    setTimeout(connectPage, 1000);
  };
}

document.querySelectorAll("nav button").forEach((button) => button.addEventListener("click", () => {
  document.querySelectorAll("nav button").forEach((other) => other.setAttribute("aria-selected", other === button));
  document.querySelectorAll(".tab").forEach((tab) => { tab.hidden = tab.id !== button.dataset.tab; });
  if (button.dataset.tab === "health" && !frames.began) requestAnimationFrame(countFrames);
  page.listeners.forEach((listener) => listener("tab"));
}));
connectPage();
