"use strict";
// Plays power over a run: bands under the bonds, as thick as power is strong. `#t=1.5` opens at 1.5 s, paused.
const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const svg = document.querySelector("#figure svg"), tip = byId("tip"), scale = { ...data.scale };
const times = data.t, start = times[0], end = times[times.length - 1];
const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
let now = start, playing = false, before = null, pointed = null;

// ---- the drawing ----------------------------------------------------------------------------------------------------
const make = (parent, kind, d) => {
  const path = document.createElementNS(svg.namespaceURI, "path");
  path.setAttribute("class", kind);
  path.setAttribute("d", d);
  parent.append(path);
  return path;
};
const numbers = (d) => d.match(/-?[\d.]+/g).map(Number);
const lines = new Map();
for (const g of svg.querySelectorAll("g.bond")) {
  if (!lines.has(g.dataset.name)) lines.set(g.dataset.name, []);
  lines.get(g.dataset.name).push(g);
}
const bands = [...svg.querySelectorAll("g.power")], courses = [...svg.querySelectorAll("g.course")];
const reach = document.createElementNS(svg.namespaceURI, "g");
const ways = data.bonds.map((bond, k) => {
  const band = bands[k].querySelector("path"), d = band.getAttribute("d");
  bands[k].querySelector("title").remove();
  const way = { bond, band, line: lines.get(bond.name), dots: make(bands[k], "dots", d), heads: [], phase: 7, power: 0 };
  for (const path of bond.places.map((place) => headPath(courses[k], place))) way.heads.push(path);
  const target = make(reach, "reach", d);
  target.addEventListener("pointermove", (event) => { pointed = way; tell(event.clientX, event.clientY); });
  target.addEventListener("pointerleave", () => { pointed = null; tip.style.display = "none"; });
  return way;
});
svg.append(reach);
const samples = [...svg.querySelectorAll("g.sample")];

function headPath(parent, [x, y, dx, dy]) {
  for (const old of parent.querySelectorAll("path:not([data-place])")) old.remove();
  const path = make(parent, "head", "M-0.5,-1 L0.5,0 L-0.5,1");
  path.dataset.place = "";
  path.setAttribute("stroke", "#1a1a1a");
  path.setAttribute("vector-effect", "non-scaling-stroke");
  return { path, x, y, angle: (Math.atan2(dy, dx) * 180) / Math.PI };
}

// ---- power, effort and flow -----------------------------------------------------------------------------------------
function between(list, n, time) {
  const last = times.length - 1;
  const at = Math.min(Math.max((time - start) / (end - start || 1), 0), 1) * last;
  const k = Math.min(Math.floor(at), Math.max(last - 1, 0)), s = at - k, j = Math.min(k + 1, last), out = [];
  for (let i = 0; i < n; i++) out.push(list[k * n + i] * (1 - s) + list[j * n + i] * s);
  return out;
}
const faint = (power) => scale.full <= 0 || power === 0 || Math.abs(power) < scale.least;
function width(power) {
  const part = scale.full > 0 ? Math.min(Math.abs(power) / scale.full, 1) : 0;
  return Math.max(scale.widest * (scale.root ? Math.sqrt(part) : part), scale.thin);
}
function watts(power) {
  if (power === 0) return "0 W";
  const names = { "-9": "n", "-6": "µ", "-3": "m", 0: "", 3: "k", 6: "M", 9: "G" };
  const e = Math.min(Math.max(3 * Math.floor(Math.log10(Number(Math.abs(power).toPrecision(4))) / 3), -9), 9);
  return (power / 10 ** e).toPrecision(4) + " " + names[e] + "W";
}

function show(time) {
  now = Math.min(Math.max(time, start), end);
  for (const way of ways) draw(way, between(way.bond.p, 1, now)[0]);
  byId("time").value = now;
  byId("clock").textContent = now.toFixed(digits) + " s of " + end.toFixed(digits) + " s";
}
function draw(way, power) {
  const weak = faint(power), wide = weak ? 1 : width(power), back = power < 0;
  way.power = power;
  const colour = weak ? "idle" : back && way.bond.arrow ? "against" : "along";
  way.band.setAttribute("opacity", weak ? 0 : 1);
  way.band.setAttribute("stroke", data.colours[colour]);
  way.band.setAttribute("stroke-width", wide.toFixed(2));
  for (const g of way.line || []) g.classList.toggle("faint", weak);
  const moving = !weak && wide > 2.2;
  way.dots.style.display = moving ? "" : "none";
  if (moving) {
    way.dots.setAttribute("stroke-width", (0.34 * wide).toFixed(2));
    way.dots.setAttribute("stroke-dasharray", "0.01 13.99");
    way.dots.setAttribute("stroke-dashoffset", (-way.phase).toFixed(2));
  }
  const size = 2.4 + 0.16 * wide;
  for (const head of way.heads) {
    head.path.style.display = weak ? "none" : "";
    head.path.setAttribute("transform", `translate(${head.x} ${head.y}) rotate(${head.angle + (back ? 180 : 0)}) scale(${size.toFixed(2)})`);
    head.path.setAttribute("stroke-width", (1.5 * zoom()).toFixed(2));
  }
  if (way === pointed) write();
}

// ---- what one reads when pointing at a bond -------------------------------------------------------------------------
function tell(x, y) {
  write();
  tip.style.display = "block";
  const box = tip.getBoundingClientRect();
  tip.style.left = Math.min(x + 14, innerWidth - box.width - 6) + "px";
  tip.style.top = (y + 18 + box.height > innerHeight ? y - box.height - 10 : y + 18) + "px";
}
function write() {
  const { bond, power } = pointed, e = between(bond.e, bond.size, now), f = between(bond.f, bond.size, now);
  const course = bond.arrow ? (power < 0 ? "(against the half-arrow)" : "") : bond.courses[power < 0 ? 1 : 0];
  const told = Math.abs(power) <= 1e-9 * scale.full ? "0 W" : watts(bond.arrow ? power : Math.abs(power)) + "  " + course;
  const text = [bond.says, "power  " + told];
  let from = 0;
  for (const [count, effort, effortUnit, flow, flowUnit] of bond.pieces) {
    text.push(effort + "  " + list(e.slice(from, from + count)) + " " + effortUnit);
    text.push(flow + "  " + list(f.slice(from, from + count)) + " " + flowUnit);
    from += count;
  }
  tip.textContent = text.join("\n");
}
const list = (values) => values.length === 1 ? short(values[0]) : "(" + values.map(short).join(", ") + ")";
const short = (value) => String(Number(value.toPrecision(4)));

// ---- playing --------------------------------------------------------------------------------------------------------
const digits = Math.max(0, Math.min(9, 3 - Math.floor(Math.log10(end - start || 1))));
function tick(stamp) {
  if (!playing) return;
  const passed = before === null ? 0 : Math.min((stamp - before) / 1000, 0.1);
  before = stamp;
  for (const way of calm ? [] : ways) {
    const part = scale.full > 0 ? Math.sqrt(Math.min(Math.abs(way.power) / scale.full, 1)) : 0;
    way.phase = (way.phase + Math.sign(way.power) * (14 + 46 * part) * passed) % 1400;
  }
  const next = now + passed * Number(byId("speed").value);
  show(next);
  if (next >= end) return pause();
  requestAnimationFrame(tick);
}
function play() {
  if (now >= end) show(start);
  playing = true;
  before = null;
  byId("play").textContent = "Pause";
  requestAnimationFrame(tick);
}
function pause() {
  playing = false;
  byId("play").textContent = "Play";
}

// ---- controls -------------------------------------------------------------------------------------------------------
for (const factor of [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10]) {
  const value = Number((data.speed * factor).toPrecision(1)), choice = new Option(value + "×", value);
  choice.defaultSelected = choice.selected = factor === 1;
  byId("speed").add(choice);
}
byId("time").min = start;
byId("time").max = end;
byId("time").addEventListener("input", () => { pause(); show(Number(byId("time").value)); });
byId("play").addEventListener("click", () => (playing ? pause() : play()));
byId("scale").value = scale.root ? "root" : "linear";
byId("scale").addEventListener("change", () => {
  scale.root = byId("scale").value === "root";
  for (const g of samples) g.querySelector("path").setAttribute("stroke-width", width(Number(g.dataset.name)).toFixed(2));
  show(now);
});
document.addEventListener("keydown", (event) => {
  if (["SELECT", "BUTTON"].includes(event.target.tagName)) return;
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (event.key === " ") { event.preventDefault(); playing ? pause() : play(); }
  if (step && event.target.tagName !== "INPUT") { pause(); show(now + (step * (end - start)) / 100); }
});

// ---- wheel to zoom, drag to move ------------------------------------------------------------------------------------
const home = svg.getAttribute("viewBox").split(" ").map(Number);
let view = [...home], held = null;
const zoom = () => { const m = svg.getScreenCTM(); return m ? m.a : 1; };
const look = (box) => { view = box; svg.setAttribute("viewBox", box.join(" ")); show(now); };
byId("figure").addEventListener("wheel", (event) => {
  event.preventDefault();
  const factor = Math.min(Math.max(view[2] * Math.exp(0.0015 * event.deltaY), home[2] / 40), home[2] * 2) / view[2];
  const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
  look([at.x - (at.x - view[0]) * factor, at.y - (at.y - view[1]) * factor, view[2] * factor, view[3] * factor]);
}, { passive: false });
byId("figure").addEventListener("pointerdown", (event) => { held = [event.clientX, event.clientY, ...view]; });
addEventListener("pointermove", (event) => {
  if (held) look([held[2] - (event.clientX - held[0]) / zoom(), held[3] - (event.clientY - held[1]) / zoom(), view[2], view[3]]);
});
addEventListener("pointerup", () => { held = null; });
byId("fit").addEventListener("click", () => look([...home]));
addEventListener("resize", () => show(now));
const asked = /#t=([\d.eE+-]+)/.exec(location.hash);
show(asked ? Number(asked[1]) : start);
if (!asked && !calm) play();
