// SPDX-License-Identifier: Apache-2.0
// The gait diagram and the gait clock.
"use strict";

const LEGS = ["LF", "RF", "LH", "RH"];
const WINDOW = 6.0;
const COLOURS = { sensed: "#0072b2", planned: "#9fb0bc", good: "#009e73", bad: "#d55e00", goodWords: "#00704f", badWords: "#b34700", ink: "#22303c", faint: "#5d6b76", line: "#d7dee3" };
const MODES = 84;  // px for the words beside the diagram

function runs(times, bits, leg) {
  // Spans of time in which a leg's bit is set.
  const spans = [];
  let start = null;
  for (let i = 0; i < times.length; i++) {
    const set = (bits[i] >> leg) & 1;
    if (set && start === null) start = times[i];
    if (!set && start !== null) { spans.push([start, times[i]]); start = null; }
  }
  if (start !== null) spans.push([start, times[times.length - 1]]);
  return spans;
}

function drawContacts(canvas, contacts, now, feet, colours) {
  // feet: the mode of each in words, which are beside its colour: it must not be told by that alone.
  const ratio = window.devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
  if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
  if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
  const pen = canvas.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  const left = 34, top = 22, bottom = 18, row = (height - top - bottom) / 4, end = Math.max(now, WINDOW);
  const right = width - MODES, x = (t) => left + (right - left) * (1 - (end - t) / WINDOW);
  pen.font = "13px system-ui, DejaVu Sans, sans-serif";
  pen.fillStyle = COLOURS.ink;
  pen.textBaseline = "middle";
  pen.textAlign = "left";
  // How wide words are is the font's affair.
  let at = 8;
  const write = (words) => { pen.fillStyle = COLOURS.ink; pen.fillText(words, at, 11); at += pen.measureText(words).width + 8; };
  const show = (colour, top, thick) => { pen.fillStyle = colour; pen.fillRect(at, top, 18, thick); at += 24; };
  write("on the ground:");
  show(COLOURS.planned, 8, 5); write("planned"); at += 6;
  show(COLOURS.sensed, 6, 9); write("sensed");
  pen.strokeStyle = COLOURS.line;
  pen.fillStyle = COLOURS.faint;
  for (let t = Math.ceil(end - WINDOW); t <= end; t++) {
    pen.beginPath(); pen.moveTo(x(t), top); pen.lineTo(x(t), height - bottom); pen.stroke();
    if (x(t) < right - 24) pen.fillText(`${t} s`, x(t) + 2, height - 8);
  }
  LEGS.forEach((name, leg) => {
    const y = top + leg * row;
    pen.fillStyle = COLOURS.ink;
    pen.fillText(name, 8, y + row / 2);
    pen.save();
    pen.beginPath(); pen.rect(left, top, right - left, height - top - bottom); pen.clip();
    pen.fillStyle = COLOURS.planned;
    for (const [a, b] of runs(contacts.time, contacts.planned, leg)) pen.fillRect(x(a), y + row * 0.12, Math.max(1, x(b) - x(a)), row * 0.2);
    pen.fillStyle = COLOURS.sensed;
    for (const [a, b] of runs(contacts.time, contacts.sensed, leg)) pen.fillRect(x(a), y + row * 0.38, Math.max(1, x(b) - x(a)), row * 0.46);
    pen.restore();
    if (!feet[leg] || !feet[leg].mode) return;
    pen.fillStyle = colours[feet[leg].mode] || COLOURS.faint;
    pen.beginPath(); pen.arc(right + 12, y + row / 2, 5, 0, 2 * Math.PI); pen.fill();
    pen.fillStyle = COLOURS.ink; pen.fillText(feet[leg].mode, right + 22, y + row / 2);
  });
}

function polar(turn, radius) {
  const angle = 2 * Math.PI * turn - Math.PI / 2;
  return [100 + radius * Math.cos(angle), 95 + radius * Math.sin(angle)];
}

function gaitClock(rehearsal, phase) {
  // One cycle of the running gait as a dial: at each moment that was tried, a bar of how many survived, full at the rim.
  const parts = ['<svg viewBox="0 0 376 190" role="img" aria-label="gait clock">'];
  parts.push(`<circle cx="100" cy="95" r="78" fill="none" stroke="${COLOURS.line}" stroke-width="2"/>`);
  const shown = new Map();
  for (const candidate of rehearsal ? rehearsal.candidates : []) {
    const before = shown.get(candidate.point);
    if (!before || candidate.chosen || (!before.chosen && rate(candidate) > rate(before))) shown.set(candidate.point, candidate);
  }
  for (const candidate of shown.values()) {
    const [x0, y0] = polar(candidate.point, 34), [x1, y1] = polar(candidate.point, 78), [x, y] = polar(candidate.point, 34 + 44 * rate(candidate));
    parts.push(`<line x1="${x0}" y1="${y0}" x2="${x1}" y2="${y1}" stroke="${COLOURS.bad}" stroke-width="3" stroke-dasharray="3 3"/>`);
    if (candidate.particles) parts.push(`<line x1="${x0}" y1="${y0}" x2="${x}" y2="${y}" stroke="${COLOURS.good}" stroke-width="7"/>`);
    if (candidate.chosen) {
      const [cx, cy] = polar(candidate.point, 86);
      parts.push(`<circle cx="${cx}" cy="${cy}" r="7" fill="${COLOURS.good}" stroke="${COLOURS.ink}" stroke-width="2"/>`);
    }
  }
  if (phase !== null && phase !== undefined) {
    const [x, y] = polar(phase, 74);
    parts.push(`<line x1="100" y1="95" x2="${x}" y2="${y}" stroke="${COLOURS.ink}" stroke-width="3" stroke-linecap="round"/>`);
  }
  parts.push('<circle cx="100" cy="95" r="4" fill="#22303c"/>');
  const words = [["gait clock", COLOURS.ink, 1], ["hand: now in the cycle", COLOURS.faint], ["bar: part that survived", COLOURS.goodWords], ["dots: part that failed", COLOURS.badWords], ["disc: the chosen moment", COLOURS.ink]];
  words.forEach(([text, colour, bold], i) => parts.push(`<text x="196" y="${40 + 24 * i}" font-size="13" fill="${colour}" ${bold ? 'font-weight="700"' : ""}>${text}</text>`));
  return parts.join("") + "</svg>";
}

function rate(candidate) {
  return candidate.particles ? candidate.survived / candidate.particles : 0;
}
