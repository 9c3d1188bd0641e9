"use strict";
// Steps of a drawing: a layer is seen from its first step until its last one. `#step=7` opens at step 7.
const texts = JSON.parse(document.getElementById("data").textContent).texts;
const at = (id) => document.getElementById(id);
const layers = [...document.querySelectorAll("g.layer")].map((g) => {
  const [from, until] = g.dataset.name.split(" ").map(Number);
  return { g, from, until };
});
const last = texts.length - 1;
let now = 0, timer = null;

const items = texts.slice(1).map((text, k) => {
  const item = document.createElement("li");
  item.textContent = text;
  item.addEventListener("click", () => { stop(); show(k + 1); });
  at("list").append(item);
  return item;
});

function show(step) {
  now = Math.max(0, Math.min(last, step));
  for (const { g, from, until } of layers) g.style.display = from <= now && now < until ? "" : "none";
  items.forEach((item, k) => { item.className = k + 1 === now ? "put newest" : k < now ? "put" : ""; });
  if (now > 0) items[now - 1].scrollIntoView({ block: "nearest" });
  at("reason").textContent = texts[now];
  at("count").textContent = now + " of " + last;
  at("step").value = now;
  at("back").disabled = now === 0;
  at("next").disabled = now === last;
}

function stop() {
  clearInterval(timer);
  timer = null;
  at("play").textContent = "Play";
}

function play() {
  if (timer !== null) return stop();
  if (now === last) show(0);
  at("play").textContent = "Pause";
  timer = setInterval(() => { show(now + 1); if (now === last) stop(); }, 1200);
}

at("step").max = last;
at("step").addEventListener("input", () => { stop(); show(Number(at("step").value)); });
at("back").addEventListener("click", () => { stop(); show(now - 1); });
at("next").addEventListener("click", () => { stop(); show(now + 1); });
at("play").addEventListener("click", play);
document.addEventListener("keydown", (event) => {
  if (event.key === "ArrowRight") { stop(); show(now + 1); }
  if (event.key === "ArrowLeft") { stop(); show(now - 1); }
});
const asked = /#step=(\d+)/.exec(location.hash);
show(asked ? Number(asked[1]) : 0);
