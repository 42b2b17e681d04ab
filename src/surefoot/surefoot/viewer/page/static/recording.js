// SPDX-License-Identifier: Apache-2.0
// The time line of a recording: play, speed, scrubbing, and marks that open what happened there.
"use strict";

const SIGNS = { request: "?", verdict: "✓", fault: "!", start: "↻" };
const timeline = { recording: null, held: false, wanted: null, timer: null };

function signOf(mark) {
  return mark.kind === "verdict" && !mark.good ? "✕" : SIGNS[mark.kind];
}

function openMark(number) {
  const mark = timeline.recording.marks[number];
  timeline.wanted = null;
  say({ kind: "mark", number });
  document.querySelector(`[data-tab=${mark.kind === "fault" ? "health" : "decision"}]`).click();
}

function markButton(mark, number, text) {
  const button = document.createElement("button");
  button.textContent = text;
  button.dataset.mark = number;
  button.className = `${mark.kind} ${mark.kind === "verdict" ? (mark.good ? "good" : "no") : ""}`;
  button.title = `${mark.time.toFixed(2)} s: ${mark.words}`;
  button.setAttribute("aria-label", button.title);
  button.addEventListener("click", () => openMark(number));
  return button;
}

function buildTimeline(recording) {
  timeline.recording = recording;
  document.body.classList.add("recorded");
  $("timeline").hidden = $("happened").hidden = false;
  $("started-again").hidden = !recording.marks.some((mark) => mark.kind === "start");
  document.querySelectorAll("[data-tab=request], [data-tab=drive]").forEach((tab) => { tab.hidden = true; });
  Object.assign($("scrub"), { min: recording.start, max: recording.end, step: 0.01 });
  const length = Math.max(1e-6, recording.end - recording.start);
  $("marks").replaceChildren(...recording.marks.map((mark, number) => {
    const button = markButton(mark, number, signOf(mark));
    button.style.left = `${100 * (mark.time - recording.start) / length}%`;
    return button;
  }));
  $("mark-list").replaceChildren(...recording.marks.map((mark, number) => {
    const item = document.createElement("li");
    item.append(markButton(mark, number, `${signOf(mark)} ${mark.time.toFixed(1)} s: ${mark.words}`));
    return item;
  }));
}

function seek() {
  // A finger moves faster than a moment is read: only the last place counts.
  if (timeline.wanted !== null) say({ kind: "seek", time: timeline.wanted });
  timeline.wanted = null;
  timeline.timer = null;
}

function showPlayback(playback) {
  if (!timeline.recording || !playback) return;
  put($("play"), playback.playing ? "❚❚ hold" : "▶ play");
  put($("moment"), `${playback.time.toFixed(2)} of ${timeline.recording.end.toFixed(2)} s`);
  if (!timeline.held) $("scrub").value = playback.time;
  if (document.activeElement !== $("speed")) $("speed").value = String(playback.speed);
}

$("scrub").addEventListener("pointerdown", () => { timeline.held = true; });
["pointerup", "pointercancel", "change"].forEach((end) => $("scrub").addEventListener(end, () => { timeline.held = false; }));
$("scrub").addEventListener("input", () => {
  timeline.wanted = Number($("scrub").value);
  if (timeline.timer === null) timeline.timer = setTimeout(seek, 100);
});
$("play").addEventListener("click", () => say({ kind: "play", playing: !(page.state && page.state.playback && page.state.playback.playing) }));
$("speed").addEventListener("change", () => { say({ kind: "speed", speed: Number($("speed").value) }); $("speed").blur(); });
page.listeners.push((what) => {
  if (what === "hello" && page.hello.recording) buildTimeline(page.hello.recording);
  if (what === "state") showPlayback(page.state.playback);
});
