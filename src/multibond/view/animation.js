"use strict";
// Plays the data in the page: a mechanism in a small 3-D projection of its own, or curves over time.
const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const canvas = byId("canvas"), pen = canvas.getContext("2d");
const start = data.t[0], end = data.t[data.t.length - 1];
const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#555555"];
const INK = "#1a1a1a", FAINT = "#c3cad5";
let now = start, playing = true, before = null, width = 1, height = 1;

// ---- vectors --------------------------------------------------------------------------------------------------------
const add = (a, b, k = 1) => [a[0] + k * b[0], a[1] + k * b[1], a[2] + k * b[2]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const size = (a) => Math.hypot(...a);
const unit = (a) => { const n = size(a) || 1; return a.map((x) => x / n); };
const turned = (R, v) => [dot(R.slice(0, 3), v), dot(R.slice(3, 6), v), dot(R.slice(6, 9), v)];

// ---- values between pictures ----------------------------------------------------------------------------------------
function mixed(list, n, time) {
  const last = data.t.length - 1;
  const at = Math.min(Math.max((time - start) / (end - start || 1), 0), 1) * last;
  const k = Math.min(Math.floor(at), Math.max(last - 1, 0)), s = at - k, j = Math.min(k + 1, last), out = [];
  for (let i = 0; i < n; i++) out.push(list[k * n + i] * (1 - s) + list[j * n + i] * s);
  return out;
}
const pose = (frame, time) => ({ p: mixed(frame.p, 3, time), R: mixed(frame.R, 9, time) });

// ---- camera: the same as that of the films ---------------------------------------------------------------------------
const view = data.view, FAR = 6, ROWS = (data.legend || []).length;
const home = view ? { yaw: view.yaw, pitch: view.pitch, zoom: 1, x: 0, y: 0 } : null;
let camera = { ...home }, paper = { scale: 1, x: 0, y: 0 };

function flat(point, eye) {
  const v = turned(view.axes, add(point, view.centre, -1)), cy = Math.cos(eye.yaw), sy = Math.sin(eye.yaw);
  const cp = Math.cos(eye.pitch), sp = Math.sin(eye.pitch), x = cy * v[0] + sy * v[2], z = cy * v[2] - sy * v[0];
  const depth = sp * v[1] + cp * z, far = FAR * view.radius, grown = far / Math.max(far - depth, 0.1 * view.radius);
  return [x * grown, (cp * v[1] - sp * z) * grown, depth, grown];
}

function fit() {
  const all = [], left = 60, top = 30, room = [width - 120, height - 78 - 18 * ROWS].map((x) => Math.max(x, 10));
  for (let k = 0; k < view.points.length; k += 3) all.push(flat(view.points.slice(k, k + 3), home));
  const low = [0, 1].map((i) => Math.min(...all.map((p) => p[i]))), high = [0, 1].map((i) => Math.max(...all.map((p) => p[i])));
  const scale = Math.min(...[0, 1].map((i) => room[i] / Math.max(high[i] - low[i], 0.2 * view.radius)));
  paper = { scale, x: left + room[0] / 2 - (scale * (low[0] + high[0])) / 2, y: top + room[1] / 2 + (scale * (low[1] + high[1])) / 2 };
}

function project(point) {
  const p = flat(point, camera), scale = paper.scale * camera.zoom;
  const x = paper.x + camera.x - width / 2, y = paper.y + camera.y - height / 2;
  return { x: width / 2 + x * camera.zoom + scale * p[0], y: height / 2 + y * camera.zoom - scale * p[1], z: p[2], scale: scale * p[3] };
}

// ---- strokes ----------------------------------------------------------------------------------------------------------
function stroke(points, colour, thick) {
  pen.strokeStyle = colour; pen.lineWidth = thick; pen.lineCap = pen.lineJoin = "round"; pen.beginPath();
  points.forEach((p, i) => (i ? pen.lineTo(p.x, p.y) : pen.moveTo(p.x, p.y))); pen.stroke();
}

function arrow(p, q, colour, thick, heads = 1) {
  const n = Math.hypot(q.x - p.x, q.y - p.y);
  if (n < 1) return;
  const ux = (q.x - p.x) / n, uy = (q.y - p.y) / n, h = Math.min(4 + 2.4 * thick, (0.9 * n) / heads);
  stroke([p, { x: q.x - 0.8 * h * ux, y: q.y - 0.8 * h * uy }], colour, thick);
  for (let k = 0; k < heads; k++) {
    const x = q.x - 0.85 * h * k * ux, y = q.y - 0.85 * h * k * uy;
    pen.fillStyle = colour; pen.beginPath(); pen.moveTo(x, y);
    pen.lineTo(x - h * ux - 0.42 * h * uy, y - h * uy + 0.42 * h * ux);
    pen.lineTo(x - h * ux + 0.42 * h * uy, y - h * uy - 0.42 * h * ux); pen.fill();
  }
}

// How squarely a panel looks at the eye: 1 from the front, 0 from its edge, negative from behind.
function facing(q) {
  const n = [0, 0, 0], v = q.map((p) => [p.x - q[0].x, q[0].y - p.y, (p.z - q[0].z) * q[0].scale]);
  v.forEach((a, i) => { const b = v[(i + 1) % v.length]; for (let k = 0; k < 3; k++) n[k] += a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3]; });
  return n[2] / (Math.hypot(...n) || 1);
}

function panel(q, colour, thick, light) {
  const share = 1 - 0.55 * light, mixed = [1, 3, 5].map((k) => Math.round(255 + share * (parseInt(colour.slice(k, k + 2), 16) - 255)));
  const tone = `rgb(${mixed.join(",")})`;
  stroke([...q, q[0]], thick ? INK : tone, thick || 1); pen.fillStyle = tone; pen.fill();
  if (thick) stroke([...q, q[0]], INK, thick);
}

function ball(p, radius, colour) {
  const r = Math.max(radius, 3), shade = pen.createRadialGradient(p.x - 0.35 * r, p.y - 0.4 * r, 0.1 * r, p.x, p.y, r);
  shade.addColorStop(0, "#ffffff"); shade.addColorStop(0.35, colour); shade.addColorStop(1, colour);
  pen.fillStyle = shade; pen.strokeStyle = INK; pen.lineWidth = 1;
  pen.beginPath(); pen.arc(p.x, p.y, r, 0, 2 * Math.PI); pen.fill(); pen.stroke();
}

function word(x, y, text, colour, right = false) {
  pen.font = "12px Helvetica, Arial, sans-serif"; pen.lineWidth = 3; pen.strokeStyle = "#ffffff"; pen.fillStyle = colour;
  const n = pen.measureText(text).width, left = Math.min(Math.max(right ? x - n : x, 3), Math.max(width - n - 3, 3));
  pen.textAlign = "left"; pen.strokeText(text, left, y); pen.fillText(text, left, y);
}

// Points beside the way from p to q: [share of the way, pixels to its side].
function beside(p, q, list) {
  const dx = q.x - p.x, dy = q.y - p.y, n = Math.hypot(dx, dy) || 1;
  return list.map(([s, side]) => ({ x: p.x + s * dx - (side * dy) / n, y: p.y + s * dy + (side * dx) / n }));
}

function coil(p, q, r) {
  const turns = Array.from({ length: 19 }, (_, i) => [0.15 + (0.7 * (i + 1)) / 20, i % 2 ? -r : r]);
  return beside(p, q, [[0, 0], [0.15, 0], ...turns, [0.85, 0], [1, 0]]);
}

function damper(p, q, r) {
  const lines = [[[0, 0], [0.38, 0]], [[0.62, r], [0.38, r], [0.38, -r], [0.62, -r]], [[0.52, 0.8 * r], [0.52, -0.8 * r]], [[0.52, 0], [1, 0]]];
  return lines.map((line) => beside(p, q, line));
}

// ---- a mechanism: its shapes are collected, sorted by depth and painted ----------------------------------------------
const WORLD = { p: [0, 0, 0], R: [1, 0, 0, 0, 1, 0, 0, 0, 1] };
const cornersOf = (shape) => shape.frames.map((frame, i) => ({ frame, point: shape.points.slice(3 * i, 3 * i + 3) }));
const placeOf = (at, point) => add(at.p, turned(at.R, point));
const between = (p, q, s) => ({ x: p.x + s * (q.x - p.x), y: p.y + s * (q.y - p.y), z: p.z + s * (q.z - p.z) });
if (data.shapes) for (const shape of data.shapes) shape.corners = cornersOf(shape);

function shapeThings(shape, at) {
  if (shape.kind === "trail") return [trail(shape)];
  const q = shape.corners.map((c) => project(placeOf(c.frame < 0 ? WORLD : at[c.frame], c.point)));
  const z = q.reduce((sum, p) => sum + p.z, 0) / q.length, r = (shape.radius || 0) * q[0].scale, { colour, width: thick } = shape;
  switch (shape.kind) {
    case "line": return Array.from({ length: shape.pieces }, (_, k) => {
      const part = shape.pieces > 1 ? [between(q[0], q[1], k / shape.pieces), between(q[0], q[1], (k + 1) / shape.pieces)] : q;
      return { z: (part[0].z + part[1].z) / 2, paint: () => stroke(part, colour, thick) };
    });
    case "face": return [{ z: z + 0.03 * data.radius, paint() { stroke([...q, q[0]], colour, thick); pen.fillStyle = "#ffffff"; pen.fill(); stroke([...q, q[0]], colour, thick); } }];
    case "panel": { const light = facing(q); return light > 0 ? [{ z, paint: () => panel(q, colour, thick, light) }] : []; }
    case "ball": return [{ z: z + shape.radius, paint: () => ball(q[0], r, colour) }];
    case "coil": return [{ z, paint: () => stroke(coil(q[0], q[1], r), colour, thick) }];
    case "damper": return [{ z, paint: () => damper(q[0], q[1], r).forEach((part) => stroke(part, colour, thick)) }];
    case "arrow": return [{ z: shape.layer === "machine" ? z : 2e8, paint: () => arrow(q[0], q[1], colour, thick) }];
    default: { const [dx, dy] = shape.shift || [0, 0]; return [{ z: 1e9, paint: () => word(q[0].x + dx, q[0].y + dy, shape.text, colour, dx < 0) }]; }
  }
}

function trail(shape) {
  const { frame, point } = shape.corners[0], first = Math.max(start, now - 0.25 * (end - start)), points = [];
  const n = Math.max(2, Math.min(400, Math.ceil((now - first) / ((end - start || 1) / (data.t.length - 1 || 1)))));
  for (let k = 0; k <= n; k++) points.push(project(placeOf(pose(data.frames[frame], first + ((now - first) * k) / n), point)));
  return { z: -1e9, paint: () => stroke(points, shape.colour + "66", shape.width) };
}

function loadThing(load, at) {
  const tail = placeOf(at[load.on], load.at), tip = add(tail, mixed(load.v, 3, now), data.scales[load.kind]);
  const p = project(tail), q = project(tip), heads = load.kind === "torque" ? 2 : 1;
  return { z: 5e8, paint: () => arrow(p, q, data.load_colours[load.role], 2.6, heads) };
}

const shown = (role) => byId(role === "force" ? "forces" : "constraints").checked;
function paintLegend() {
  const rows = data.legend.filter((row) => shown(row.role));
  rows.forEach((row, k) => {
    const y = height - 12 - 18 * (rows.length - 1 - k), n = row.value * data.scales[row.kind] * paper.scale * camera.zoom;
    arrow({ x: 14, y: y - 4 }, { x: 14 + n, y: y - 4 }, data.load_colours[row.role], 2.6, row.kind === "torque" ? 2 : 1);
    word(24 + n, y, row.text, "#5b6472");
  });
  if (size(data.gravity) > 0) {
    const g = flat(add(view.centre, unit(data.gravity), 1e-6 * view.radius), camera), k = 17 / (1e-6 * view.radius), x = width - 30, y = 34;
    arrow({ x: x - k * g[0], y: y + k * g[1] }, { x: x + k * g[0], y: y - k * g[1] }, "#5b6472", 1.6); word(x - 14, y + 4, "g", "#5b6472", true);
  }
}

function paintMechanism() {
  fit();
  const at = data.frames.map((f) => pose(f, now)), things = [];
  for (const shape of data.shapes) if (shape.layer === "machine" || byId(shape.layer).checked) things.push(...shapeThings(shape, at));
  for (const load of data.loads) if (shown(load.role)) things.push(loadThing(load, at));
  things.sort((a, b) => a.z - b.z).forEach((thing) => thing.paint());
  paintLegend();
}

// ---- drawing curves -------------------------------------------------------------------------------------------------
function paintCurves() {
  pen.font = "12px Helvetica, Arial, sans-serif";
  if (!data.curves.length) { pen.fillStyle = INK; pen.fillText("This model has neither frames nor states: nothing moves.", 24, 40); return; }
  const panels = [...new Set(data.curves.map((c) => c.axis))], each = (height - 40) / panels.length;
  panels.forEach((axis, i) => paintPanel(axis, data.curves.filter((c) => c.axis === axis), 16 + i * each, each - 26));
}

function paintPanel(axis, curves, top, high) {
  let low = Infinity, most = -Infinity;
  for (const c of curves) for (const v of c.y) if (v !== null) { low = Math.min(low, v); most = Math.max(most, v); }
  const span = most - low || 1, left = 74, right = width - 24;
  const X = (t) => left + ((t - start) / (end - start || 1)) * (right - left), Y = (v) => top + high - ((v - low) / span) * high;
  pen.strokeStyle = FAINT; pen.lineWidth = 1; pen.fillStyle = "#444444"; pen.textAlign = "right";
  for (let k = 0; k <= 4; k++) {
    const v = low + (span * k) / 4;
    pen.beginPath(); pen.moveTo(left, Y(v)); pen.lineTo(right, Y(v)); pen.stroke(); pen.fillText(Number(v.toPrecision(3)), left - 6, Y(v) + 4);
  }
  pen.textAlign = "left"; pen.fillText(axis, left + 4, top - 4);
  curves.forEach((c, k) => {
    pen.strokeStyle = pen.fillStyle = COLOURS[k % COLOURS.length]; pen.lineWidth = 2; pen.beginPath();
    for (let i = 0; i < data.t.length && data.t[i] <= now; i++) if (c.y[i] !== null) pen.lineTo(X(data.t[i]), Y(c.y[i]));
    const v = mixed(c.y, 1, now)[0];
    pen.lineTo(X(now), Y(v)); pen.stroke(); pen.beginPath(); pen.arc(X(now), Y(v), 4, 0, 2 * Math.PI); pen.fill();
    pen.fillText(c.name, Math.min(X(now) + 8, right - 6 - pen.measureText(c.name).width), Y(v) - 8);
  });
}

const digits = Math.max(0, 2 - Math.floor(Math.log10(end - start || 1)));
function suitSpeed() {
  const fit = Number(((end - start) / 5).toPrecision(2)), choice = new Option(`${fit}× (5 s)`, fit);
  byId("speed").add(choice, 0);
  if (end - start < 1 || end - start > 60) choice.selected = true;
  const asked = data.show.speed, known = [...byId("speed").options].find((o) => Number(o.value) === asked);
  if (asked) { const own = known || new Option(`${asked}×`, asked); if (!known) byId("speed").add(own, 0); own.selected = true; }
}

// ---- clock and controls ---------------------------------------------------------------------------------------------
function paint() {
  const box = canvas.getBoundingClientRect(), fine = window.devicePixelRatio || 1;
  width = box.width; height = box.height;
  if (canvas.width !== Math.round(width * fine) || canvas.height !== Math.round(height * fine)) {
    canvas.width = Math.round(width * fine); canvas.height = Math.round(height * fine);
  }
  pen.setTransform(fine, 0, 0, fine, 0, 0); pen.clearRect(0, 0, width, height);
  if (data.kind === "mechanism") paintMechanism(); else paintCurves();
  byId("time").value = now; byId("clock").value = `${now.toFixed(digits)} s of ${end.toFixed(digits)} s`;
}

function tick(stamp) {
  if (playing && before !== null) {
    now += ((stamp - before) / 1000) * Number(byId("speed").value);
    if (now >= end) now = start;
  }
  before = stamp; paint();
  if (playing) requestAnimationFrame(tick);
}

function setPlaying(on) {
  byId("play").textContent = on ? "Pause" : "Play"; playing = on; before = null;
  if (on) requestAnimationFrame(tick); else paint();
}

function fromAddress() {
  const hit = /[#&]t=([-+.\deE]+)/.exec(location.hash);
  if (hit) { now = Math.min(Math.max(Number(hit[1]) || start, start), end); setPlaying(false); }
  return Boolean(hit);
}

function moveBy(seconds) { now = Math.min(Math.max(now + seconds, start), end); setPlaying(false); }

byId("time").min = start; byId("time").max = end;
byId("time").addEventListener("input", (e) => { now = Number(e.target.value); setPlaying(false); });
byId("play").addEventListener("click", () => setPlaying(!playing));
byId("reset").addEventListener("click", () => { camera = { ...home }; paint(); });
for (const id of ["trails", "frames", "names", "forces", "constraints"]) {
  byId(id).checked = data.show[id]; byId(id).addEventListener("change", paint);
  if (data.kind !== "mechanism" || (["forces", "constraints"].includes(id) && !data.show[id])) byId(id).parentElement.hidden = true;
}
byId("reset").hidden = data.kind !== "mechanism";
canvas.addEventListener("pointerdown", (e) => canvas.setPointerCapture(e.pointerId));
canvas.addEventListener("pointermove", (e) => {
  if (!e.buttons) return;
  if (e.shiftKey || e.buttons > 1) { camera.x += e.movementX; camera.y += e.movementY; }
  else { camera.yaw += 0.008 * e.movementX; camera.pitch = Math.min(Math.max(camera.pitch + 0.008 * e.movementY, -1.55), 1.55); }
  paint();
});
canvas.addEventListener("contextmenu", (e) => e.preventDefault());
canvas.addEventListener("wheel", (e) => { e.preventDefault(); camera.zoom *= Math.exp(-0.0012 * e.deltaY); paint(); }, { passive: false });
window.addEventListener("resize", paint);
window.addEventListener("hashchange", fromAddress);
window.addEventListener("keydown", (e) => {
  if (["INPUT", "SELECT", "BUTTON"].includes(e.target.tagName)) return;
  if (e.key === " ") { e.preventDefault(); setPlaying(!playing); }
  if (e.key === "ArrowRight") moveBy((end - start) / 200);
  if (e.key === "ArrowLeft") moveBy(-(end - start) / 200);
});
suitSpeed();
if (!fromAddress()) setPlaying(true);
