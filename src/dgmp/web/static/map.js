// All pages as points: the points are drawn once per view, what moves lies on top of them.
"use strict";

const frame = document.getElementById("map");
const canvas = frame.querySelector("canvas");
const context = canvas.getContext("2d");
const tip = document.getElementById("tip");
const pan = document.getElementById("pan");
const form = document.getElementById("selection");
const SHOWN = 40; // thumbnails of a selection
const NEAR = 14; // pixels around the mouse
const dark = matchMedia("(prefers-color-scheme: dark)");
const MANY = 2000; // points that are drawn pixel by pixel

let map = null; // as /map.json has it
let selected = new Set();
let hovered = -1;
let view = { zoom: 1, x: 0.5, y: 0.5 }; // the middle of the picture
let moved = false; // by the person who looks
let lasso = null;
let dragged = null;
let points = null; // the picture of all points
let grid = new Map();

const ratio = () => window.devicePixelRatio || 1;
const side = () => Math.min(canvas.clientWidth, canvas.clientHeight) * 0.94 * view.zoom;
// Asking for the size of an element takes a while: once for all points.
function projection() {
  const [width, height, scale] = [canvas.clientWidth, canvas.clientHeight, side()];
  return (x, y) => [width / 2 + (x - view.x) * scale, height / 2 + (y - view.y) * scale];
}
const toScreen = (x, y) => projection()(x, y);
const toMap = (x, y) => [
  view.x + (x - canvas.clientWidth / 2) / side(),
  view.y + (y - canvas.clientHeight / 2) / side(),
];

// As far from each other as nine colours are that can be seen on light and on dark ground.
const COLOURS = [
  [31, 119, 180], [214, 39, 40], [44, 160, 44], [148, 103, 189], [255, 127, 14],
  [23, 190, 207], [140, 86, 75], [227, 119, 194], [188, 189, 34],
]; // prettier-ignore
const GREY = [138, 131, 120];
const CAREFUL = 1500; // hands, the largest, whose colours are chosen by their neighbours
let colours = new Map(); // of the hands

// The middles of hands, then for each the colour whose next hand on the map is farthest away.
function chooseColours() {
  const sums = new Map();
  map.hands.forEach((hand, i) => {
    const sum = sums.get(hand) ?? [0, 0, 0];
    sums.set(hand, [sum[0] + map.x[i], sum[1] + map.y[i], sum[2] + 1]);
  });
  colours = new Map([[0, GREY]]);
  const placed = COLOURS.map(() => []);
  for (const hand of [...sums.keys()].filter(Boolean).sort((a, b) => a - b)) {
    const [x, y, number] = sums.get(hand);
    const middle = [x / number, y / number];
    let best = hand % COLOURS.length;
    if (hand <= CAREFUL) {
      const room = placed.map((others) => Math.min(...others.map(([u, v]) => Math.hypot(u - middle[0], v - middle[1]))));
      best = room.indexOf(Math.max(...room));
      placed[best].push(middle);
    }
    colours.set(hand, COLOURS[best]);
  }
}

function radius() {
  const plain = map.page_ids.length > 5000 ? 2 : map.page_ids.length > 500 ? 3 : 5;
  return Math.min(plain * Math.sqrt(view.zoom), 9);
}

function drawPoints() {
  points = new OffscreenCanvas(Math.max(canvas.width, 1), Math.max(canvas.height, 1));
  const onto = points.getContext("2d");
  if (map.page_ids.length > MANY) drawManyPoints(onto);
  else {
    const project = projection();
    onto.scale(ratio(), ratio());
    map.page_ids.forEach((_, i) => {
      onto.fillStyle = `rgb(${colours.get(map.hands[i]).join(" ")})`;
      onto.beginPath();
      onto.arc(...project(map.x[i], map.y[i]), radius(), 0, 7);
      onto.fill();
    });
  }
}

// Pixel by pixel: paths take ten times as long.
function drawManyPoints(onto) {
  const { width, height } = onto.canvas;
  const picture = onto.createImageData(width, height);
  const pixels = new Uint32Array(picture.data.buffer);
  const reach = Math.round(radius() * ratio());
  const disc = [];
  for (let y = -reach; y <= reach; y += 1) {
    for (let x = -reach; x <= reach; x += 1) if (x * x + y * y <= reach * reach + 1) disc.push(y * width + x);
  }
  const inks = new Map();
  const project = projection();
  const factor = ratio();
  for (let i = 0; i < map.page_ids.length; i += 1) {
    const hand = map.hands[i];
    if (!inks.has(hand)) {
      const [red, green, blue] = colours.get(hand);
      inks.set(hand, ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0);
    }
    const place = project(map.x[i], map.y[i]);
    const left = Math.round(place[0] * factor);
    const top = Math.round(place[1] * factor);
    if (left < reach || left >= width - reach || top < reach || top >= height - reach) continue;
    const ink = inks.get(hand);
    const middle = top * width + left;
    for (const offset of disc) pixels[middle + offset] = ink;
  }
  onto.putImageData(picture, 0, 0);
}

let asked = false;
function draw() {
  if (asked) return;
  asked = true;
  requestAnimationFrame(() => {
    asked = false;
    if (!map) return;
    if (!points) drawPoints();
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.drawImage(points, 0, 0);
    context.scale(ratio(), ratio());
    const ink = getComputedStyle(canvas).color;
    context.strokeStyle = ink;
    context.lineWidth = 1.5;
    context.beginPath();
    const project = projection();
    for (const i of selected) {
      const [x, y] = project(map.x[i], map.y[i]);
      context.moveTo(x + radius() + 1.5, y);
      context.arc(x, y, radius() + 1.5, 0, 7);
    }
    context.stroke();
    if (hovered >= 0) {
      const [x, y] = toScreen(map.x[hovered], map.y[hovered]);
      context.lineWidth = 3;
      context.beginPath();
      context.arc(x, y, radius() + 4, 0, 7);
      context.stroke();
    }
    if (lasso) {
      context.lineWidth = 1.5;
      context.fillStyle = "rgb(160 100 40 / 18%)";
      context.beginPath();
      for (const [x, y] of lasso) context.lineTo(x, y);
      context.closePath();
      context.fill();
      context.stroke();
    }
  });
}

// All pages, with a margin.
function showAll() {
  if (!map || !map.x.length) return;
  const ends = [map.x, map.y].map((values) => [Math.min(...values), Math.max(...values)]);
  view = { zoom: 1, x: (ends[0][0] + ends[0][1]) / 2, y: (ends[1][0] + ends[1][1]) / 2 };
  const across = Math.max(ends[0][1] - ends[0][0], 1e-6);
  const down = Math.max(ends[1][1] - ends[1][0], 1e-6);
  view.zoom = 0.94 * Math.min(canvas.clientWidth / across, (canvas.clientHeight - 60) / down) / side();
  moved = false;
  redraw();
}

function redraw() {
  points = null;
  draw();
}

const CELLS = 100; // across the map
const cell = (x, y) => Math.floor(x * CELLS) * 1000 + Math.floor(y * CELLS);

function index() {
  grid = new Map();
  map.page_ids.forEach((_, i) => {
    const key = cell(map.x[i], map.y[i]);
    if (!grid.has(key)) grid.set(key, []);
    grid.get(key).push(i);
  });
}

function nearest(x, y) {
  const [mx, my] = toMap(x, y);
  const reach = NEAR / side();
  let best = -1;
  let least = reach ** 2;
  for (let cx = Math.floor((mx - reach) * CELLS); cx <= (mx + reach) * CELLS; cx += 1) {
    for (let cy = Math.floor((my - reach) * CELLS); cy <= (my + reach) * CELLS; cy += 1) {
      for (const i of grid.get(cx * 1000 + cy) || []) {
        const far = (map.x[i] - mx) ** 2 + (map.y[i] - my) ** 2;
        if (far < least) [best, least] = [i, far];
      }
    }
  }
  return best;
}

function hover(i) {
  if (i === hovered) return;
  hovered = i;
  tip.hidden = i < 0;
  if (i >= 0) {
    const id = map.page_ids[i];
    const hand = map.hands[i];
    tip.querySelector("img").src = map.thumbnails.replace("KEY", key(id));
    const named = map.names[hand] || (hand ? `Hand ${hand}` : "no hand");
    tip.querySelector("p").textContent = `${id} · ${named}`;
    const [x, y] = toScreen(map.x[i], map.y[i]);
    tip.style.left = `${x + 230 > canvas.clientWidth ? Math.max(x - 232, 0) : x + 18}px`;
    tip.style.top = `${Math.min(Math.max(y - 90, 4), canvas.clientHeight - 214)}px`;
    frame.dataset.hovered = id;
  }
  draw();
}

// As keys.py makes it: base64 of the id, fit for an address.
function key(id) {
  const bytes = new TextEncoder().encode(id);
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function choose(indices, add) {
  selected = new Set(add ? [...selected, ...indices] : indices);
  const ids = [...selected].map((i) => map.page_ids[i]);
  form.elements.page.value = ids.join("\n");
  const hands = new Set([...selected].map((i) => map.hands[i]));
  document.getElementById("selected").textContent = ids.length
    ? `${ids.length} ${ids.length === 1 ? "page" : "pages"} of ${hands.size} ${hands.size === 1 ? "hand" : "hands"}`
    : "No page is chosen.";
  const row = document.getElementById("selected-pages");
  row.replaceChildren(
    ...ids.slice(0, SHOWN).map((id) => {
      const link = document.createElement("a");
      link.className = "thumb";
      link.href = map.pages.replace("KEY", key(id));
      link.title = id;
      const picture = document.createElement("img");
      picture.src = map.thumbnails.replace("KEY", key(id));
      picture.alt = `Writing on ${id}`;
      link.append(picture);
      return link;
    }),
  );
  draw();
}

function inside(x, y, polygon) {
  let within = false;
  for (let i = 0, j = polygon.length - 1; i < polygon.length; j = i, i += 1) {
    const [ax, ay] = polygon[i];
    const [bx, by] = polygon[j];
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) within = !within;
  }
  return within;
}

function place(event) {
  const box = canvas.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
}

function zoomAt(x, y, factor) {
  const before = toMap(x, y);
  moved = true;
  view.zoom = Math.min(Math.max(view.zoom * factor, 0.3), 300);
  const after = toMap(x, y);
  view.x += before[0] - after[0];
  view.y += before[1] - after[1];
  redraw();
}

canvas.addEventListener("pointerdown", (event) => {
  if (!map) return;
  canvas.setPointerCapture(event.pointerId);
  const at = place(event);
  if (pan.checked || event.button === 1) dragged = { at, from: { ...view } };
  else if (event.button === 0) lasso = [at];
});
canvas.addEventListener("pointermove", (event) => {
  if (!map) return;
  const at = place(event);
  if (dragged) {
    moved = true;
    view.x = dragged.from.x - (at[0] - dragged.at[0]) / side();
    view.y = dragged.from.y - (at[1] - dragged.at[1]) / side();
    redraw();
  } else if (lasso) {
    lasso.push(at);
    draw();
  } else {
    hover(nearest(...at));
  }
});
canvas.addEventListener("pointerup", (event) => {
  dragged = null;
  if (!lasso) return;
  const drawn = lasso;
  lasso = null;
  const across = Math.max(...drawn.map((p) => p[0])) - Math.min(...drawn.map((p) => p[0]));
  if (across < 4) {
    const i = nearest(...drawn[0]);
    choose(i < 0 ? [] : [i], event.shiftKey);
    return;
  }
  const found = [];
  const project = projection();
  map.page_ids.forEach((_, i) => {
    if (inside(...project(map.x[i], map.y[i]), drawn)) found.push(i);
  });
  choose(found, event.shiftKey);
});
canvas.addEventListener("pointerleave", () => hover(-1));
canvas.addEventListener("wheel", (event) => {
  event.preventDefault();
  zoomAt(...place(event), 1.0015 ** -event.deltaY);
}, { passive: false });

// From page to page by arrow keys: the nearest one that lies more in that direction than aside.
function go(dx, dy) {
  if (hovered < 0) {
    hover(0);
    return;
  }
  let best = -1;
  let least = Infinity;
  map.page_ids.forEach((_, i) => {
    const ahead = (map.x[i] - map.x[hovered]) * dx + (map.y[i] - map.y[hovered]) * dy;
    const aside = Math.abs((map.x[i] - map.x[hovered]) * dy) + Math.abs((map.y[i] - map.y[hovered]) * dx);
    if (ahead > 1e-6 && aside <= ahead && ahead + aside < least) [best, least] = [i, ahead + aside];
  });
  if (best >= 0) hover(best);
}
canvas.addEventListener("keydown", (event) => {
  const move = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
  if (move) go(...move);
  else if (event.key === " " && hovered >= 0) {
    const rest = [...selected].filter((i) => i !== hovered);
    choose(selected.has(hovered) ? rest : [...rest, hovered], false);
  } else if (event.key === "Enter" && hovered >= 0) {
    location.href = map.pages.replace("KEY", key(map.page_ids[hovered]));
  } else return;
  event.preventDefault();
});

const middle = () => [canvas.clientWidth / 2, canvas.clientHeight / 2];
document.getElementById("zoom-in").addEventListener("click", () => zoomAt(...middle(), 1.5));
document.getElementById("zoom-out").addEventListener("click", () => zoomAt(...middle(), 1 / 1.5));
document.getElementById("zoom-all").addEventListener("click", showAll);
document.getElementById("clear")?.addEventListener("click", () => choose([], false));

new ResizeObserver(() => {
  canvas.width = canvas.clientWidth * ratio();
  canvas.height = canvas.clientHeight * ratio();
  if (moved) redraw();
  else showAll();
}).observe(canvas);

fetch(frame.dataset.source).then((answer) => answer.json()).then((found) => {
  map = found;
  chooseColours();
  index();
  frame.dataset.ready = "yes";
  showAll();
});
dark.addEventListener("change", redraw);
