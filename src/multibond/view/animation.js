"use strict";
// Plays the data in the page: a mechanism in a small 3-D projection of its own, or curves over time.
const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const canvas = byId("canvas"), pen = canvas.getContext("2d");
const start = data.t[0], end = data.t[data.t.length - 1];
const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#555555"];
const INK = "#1a1a1a", ROD = "#4a5568", FAINT = "#c3cad5";
let now = start, playing = true, before = null, width = 1, height = 1;

// ---- vectors --------------------------------------------------------------------------------------------------------
const add = (a, b, k = 1) => [a[0] + k * b[0], a[1] + k * b[1], a[2] + k * b[2]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
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

// ---- camera ---------------------------------------------------------------------------------------------------------
const home = { yaw: -0.45, pitch: 0.3, zoom: 1, x: 0, y: 0 };
let camera = { ...home };
const world = { centre: [0, 0, 0], radius: 1, up: [0, 1, 0], right: [1, 0, 0], back: [0, 0, 1] };

function survey() {
  const low = [0, 0, 0], high = [0, 0, 0];
  for (const f of data.frames) for (let i = 0; i < f.p.length; i++) {
    low[i % 3] = Math.min(low[i % 3], f.p[i]); high[i % 3] = Math.max(high[i % 3], f.p[i]);
  }
  for (const b of data.bodies) for (let k = 0; k < data.t.length; k += 5) {
    centreOf(b, data.t[k]).forEach((x, i) => { low[i] = Math.min(low[i], x); high[i] = Math.max(high[i], x); });
  }
  world.centre = low.map((x, i) => (x + high[i]) / 2);
  world.radius = 0.5 * size(add(high, low, -1)) || 1;
  if (size(data.gravity) > 0) world.up = unit(data.gravity.map((x) => -x));
  const hint = Math.abs(world.up[2]) < 0.9 ? [0, 0, 1] : [0, -1, 0];
  world.back = unit(add(hint, world.up, -dot(hint, world.up)));
  world.right = cross(world.up, world.back);
}

function project(point) {
  const v = add(point, world.centre, -1);
  const x = dot(v, world.right), y = dot(v, world.up), z = dot(v, world.back);
  const cy = Math.cos(camera.yaw), sy = Math.sin(camera.yaw), cp = Math.cos(camera.pitch), sp = Math.sin(camera.pitch);
  const x1 = cy * x + sy * z, z1 = cy * z - sy * x, y2 = cp * y - sp * z1, z2 = sp * y + cp * z1;
  const far = 6 * world.radius, k = far / Math.max(far - z2, 0.1 * world.radius);
  const scale = (0.38 * Math.min(width, height * 1.25) / world.radius) * camera.zoom * k;
  return { x: width / 2 + camera.x + scale * x1, y: height / 2 + camera.y - scale * y2, z: z2, scale };
}

const centreOf = (body, time) => { const at = pose(data.frames[body.frame], time); return add(at.p, turned(at.R, body.centre)); };

// ---- drawing a mechanism: things are collected, sorted by depth and painted -----------------------------------------
function line(a, b, style, thick, dash = []) {
  const p = project(a), q = project(b);
  return { z: (p.z + q.z) / 2, paint() {
    pen.strokeStyle = style; pen.lineWidth = thick; pen.setLineDash(dash); pen.lineCap = "round";
    pen.beginPath(); pen.moveTo(p.x, p.y); pen.lineTo(q.x, q.y); pen.stroke(); pen.setLineDash([]);
  } };
}

function rod(a, b, thick) {
  const parts = [], along = add(b, a, -1);
  for (let k = 0; k < 8; k++) parts.push(line(add(a, along, k / 8), add(a, along, (k + 1) / 8), ROD, thick));
  return parts;
}

function path(points, style, thick, fill = null) {
  const at = points.map(project);
  return { z: at.reduce((s, p) => s + p.z, 0) / at.length + 1e-3 * world.radius, paint() {
    pen.strokeStyle = style; pen.lineWidth = thick; pen.lineJoin = "round"; pen.beginPath();
    at.forEach((p, i) => (i ? pen.lineTo(p.x, p.y) : pen.moveTo(p.x, p.y)));
    if (fill) { pen.closePath(); pen.fillStyle = fill; pen.fill(); }
    pen.stroke();
  } };
}

function ball(point, radius, colour) {
  const p = project(point), r = Math.max(radius * p.scale, 3);
  return { z: p.z + radius, paint() {
    const shade = pen.createRadialGradient(p.x - 0.35 * r, p.y - 0.4 * r, 0.1 * r, p.x, p.y, r);
    shade.addColorStop(0, "#ffffff"); shade.addColorStop(0.35, colour); shade.addColorStop(1, colour);
    pen.fillStyle = shade; pen.strokeStyle = INK; pen.lineWidth = 1;
    pen.beginPath(); pen.arc(p.x, p.y, r, 0, 2 * Math.PI); pen.fill(); pen.stroke();
  } };
}

function word(point, text, colour, dx = 8, dy = -8) {
  const p = project(point);
  return { z: 1e9, paint() {
    pen.font = "12px Helvetica, Arial, sans-serif"; pen.lineWidth = 3; pen.strokeStyle = "#ffffff"; pen.fillStyle = colour;
    pen.strokeText(text, p.x + dx, p.y + dy); pen.fillText(text, p.x + dx, p.y + dy);
  } };
}

function arrow(from, along, colour, thick, name) {
  const to = add(from, along), p = project(from), q = project(to);
  const n = Math.hypot(q.x - p.x, q.y - p.y) || 1, ux = (q.x - p.x) / n, uy = (q.y - p.y) / n, h = Math.min(9, n / 2);
  const shaft = line(from, to, colour, thick);
  const head = { z: q.z, paint() {
    pen.fillStyle = colour; pen.beginPath(); pen.moveTo(q.x + 2 * ux, q.y + 2 * uy);
    pen.lineTo(q.x - h * ux - 0.45 * h * uy, q.y - h * uy + 0.45 * h * ux);
    pen.lineTo(q.x - h * ux + 0.45 * h * uy, q.y - h * uy - 0.45 * h * ux); pen.fill();
  } };
  return name ? [shaft, head, word(to, name, colour, 5, -4)] : [shaft, head];
}

function across(axis) {
  const other = Math.abs(axis[0]) < 0.8 ? [1, 0, 0] : [0, 1, 0], u = unit(cross(axis, other));
  return [u, cross(axis, u)];
}

function ring(centre, axis, radius) {
  const [u, v] = across(axis), points = [];
  for (let k = 0; k <= 24; k++) {
    const a = (2 * Math.PI * k) / 24;
    points.push(add(add(centre, u, radius * Math.cos(a)), v, radius * Math.sin(a)));
  }
  return points;
}

function jointThings(joint, r) {
  const [a, b] = joint.ends.map((k) => pose(data.frames[k], now));
  const axis = turned(a.R, joint.axis);
  if (joint.kind === "free") return [];
  if (joint.kind === "prismatic") {
    const [u, v] = across(axis), w = 0.7 * r, travel = rails.get(joint.name);
    const box = [[1, 1], [1, -1], [-1, -1], [-1, 1]].map(([i, j]) => add(add(b.p, axis, 1.6 * w * i), v, w * j));
    return [
      line(add(a.p, axis, travel[0] - 2 * r), add(a.p, axis, travel[1] + 2 * r), "#94a3b8", 3),
      path([...box, box[0]], INK, 1.5, "#ffffff"), path([add(b.p, u, -0.2 * w), add(b.p, u, 0.2 * w)], INK, 1.5),
    ];
  }
  if (joint.kind === "revolute") {
    return [
      line(add(b.p, axis, -1.3 * r), add(b.p, axis, 1.3 * r), INK, 2.5), path(ring(b.p, axis, 0.62 * r), INK, 1.6, "#ffffff"),
    ];
  }
  return [ball(b.p, 0.6 * r, "#ffffff")];
}

const rails = new Map();
function measureRails() {
  for (const joint of data.joints) {
    if (joint.kind !== "prismatic") continue;
    let low = 0, high = 0;
    for (const t of data.t) {
      const [a, b] = joint.ends.map((k) => pose(data.frames[k], t)), s = dot(add(b.p, a.p, -1), turned(a.R, joint.axis));
      low = Math.min(low, s); high = Math.max(high, s);
    }
    rails.set(joint.name, [low, high]);
  }
}

function coil(a, b, r) {
  const along = add(b, a, -1), [u] = across(unit(along)), points = [a];
  for (let k = 1; k < 20; k++) points.push(add(add(a, along, 0.15 + (0.7 * k) / 20), u, k % 2 ? 0.5 * r : -0.5 * r));
  return path([...points, b], "#8a5a00", 1.6);
}

function worldThings(r) {
  const long = 0.28 * world.radius, things = [];
  [["x", "#c0392b"], ["y", "#1e8449"], ["z", "#2255bb"]].forEach(([name, colour], i) => {
    things.push(...arrow([0, 0, 0], [0, 1, 2].map((k) => (k === i ? long : 0)), colour, 1.6, name));
  });
  if (size(data.gravity) > 0) {
    const at = add(add(world.centre, world.right, -1.05 * world.radius), world.up, 0.55 * world.radius);
    things.push(...arrow(at, unit(data.gravity).map((x) => 0.25 * world.radius * x), "#6b7280", 2, "g"));
  }
  const floor = [0, 1, 2, 3].map((k) => add(add([0, 0, 0], world.right, (k - 1.5) * 0.8 * r), world.up, -0.9 * r));
  things.push(line(floor[0], floor[3], INK, 2));
  for (const p of floor) things.push(line(p, add(add(p, world.right, -0.5 * r), world.up, -0.5 * r), INK, 1));
  return things;
}

function trail(body, colour) {
  const first = Math.max(start, now - 0.25 * (end - start)), points = [];
  const n = Math.max(2, Math.min(160, Math.ceil((now - first) / ((end - start || 1) / (data.t.length - 1 || 1)))));
  for (let k = 0; k <= n; k++) points.push(centreOf(body, first + ((now - first) * k) / n));
  return { ...path(points, colour + "88", 2), z: -1e8 };
}

function paintMechanism() {
  const r = 0.05 * world.radius, things = worldThings(r), heaviest = Math.max(...data.bodies.map((b) => b.mass), 1e-30);
  const at = data.frames.map((f) => pose(f, now));
  for (const r of data.rods) things.push(...rod(at[r.ends[0]].p, at[r.ends[1]].p, 6));
  for (const spring of data.springs) things.push(coil(at[spring.ends[0]].p, at[spring.ends[1]].p, r));
  for (const joint of data.joints) things.push(...jointThings(joint, r));
  data.bodies.forEach((body, k) => {
    const colour = COLOURS[k % COLOURS.length], centre = centreOf(body, now);
    const radius = 1.5 * r * Math.max(Math.cbrt(body.mass / heaviest), 0.35);
    things.push(...rod(at[body.frame].p, centre, 4), ball(centre, radius, colour));
    if (byId("trails").checked) things.push(trail(body, colour));
    if (byId("names").checked) things.push(word(centre, body.name, INK, 10, -12));
  });
  if (byId("names").checked) for (const j of data.joints) if (j.kind !== "free") things.push(word(at[j.ends[1]].p, j.name, "#5b6472", 8, 18));
  if (byId("axes").checked) for (const f of at) ["#c0392b", "#1e8449", "#2255bb"].forEach((colour, i) => {
    things.push(...arrow(f.p, [0, 3, 6].map((row) => 2.4 * r * f.R[row + i]), colour, 1.2));
  });
  things.sort((a, b) => a.z - b.z).forEach((thing) => thing.paint());
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
  for (const c of curves) for (const v of c.y) { low = Math.min(low, v); most = Math.max(most, v); }
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
    for (let i = 0; i < data.t.length && data.t[i] <= now; i++) pen.lineTo(X(data.t[i]), Y(c.y[i]));
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
for (const id of ["trails", "axes", "names"]) byId(id).addEventListener("change", paint);
for (const label of document.querySelectorAll(".mechanism")) label.hidden = data.kind !== "mechanism";
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
if (data.kind === "mechanism") { survey(); measureRails(); }
if (!fromAddress()) setPlaying(true);
