// A picture dropped on the page, and a region drawn on the one that is searched with.
"use strict";

const form = document.getElementById("upload");
const input = document.getElementById("picture");
for (const kind of ["dragover", "dragleave", "drop"]) {
  document.addEventListener(kind, (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    form.classList.toggle("over", kind === "dragover");
    if (kind === "drop" && event.dataTransfer.files.length) {
      input.files = event.dataTransfer.files;
      form.requestSubmit();
    }
  });
}
input.addEventListener("change", () => input.files.length && form.requestSubmit());

const region = document.getElementById("region");
if (region) {
  const picture = region.querySelector("img");
  const canvas = region.querySelector("canvas");
  const field = document.getElementById("box");
  let box = region.dataset.box ? region.dataset.box.split(",").map(Number) : null; // pixels of the scan
  let corner = null;

  const size = () => (region.dataset.size || `${picture.naturalWidth},${picture.naturalHeight}`).split(",").map(Number);
  const draw = () => {
    const context = canvas.getContext("2d");
    canvas.width = region.clientWidth;
    canvas.height = region.clientHeight;
    context.clearRect(0, 0, canvas.width, canvas.height);
    if (!box) return;
    const [width, height] = size();
    const [x, y] = [canvas.width / width, canvas.height / height];
    context.fillStyle = "rgb(30 20 10 / 45%)";
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.clearRect(box[0] * x, box[1] * y, box[2] * x, box[3] * y);
    context.strokeStyle = "#c2410c";
    context.lineWidth = 2;
    context.strokeRect(box[0] * x, box[1] * y, box[2] * x, box[3] * y);
  };
  const set = (left, top, right, bottom) => {
    const [width, height] = size();
    const clamp = (value, most) => Math.min(Math.max(Math.round(value), 0), most);
    const [l, r] = [clamp(Math.min(left, right), width), clamp(Math.max(left, right), width)];
    const [t, b] = [clamp(Math.min(top, bottom), height), clamp(Math.max(top, bottom), height)];
    box = r - l > 4 && b - t > 4 ? [l, t, r - l, b - t] : null;
    field.value = box ? box.join(",") : "";
    draw();
  };
  const at = (event) => {
    const place = region.getBoundingClientRect();
    const [width, height] = size();
    return [((event.clientX - place.left) / place.width) * width, ((event.clientY - place.top) / place.height) * height];
  };
  region.addEventListener("pointerdown", (event) => {
    corner = at(event);
    region.setPointerCapture(event.pointerId);
  });
  region.addEventListener("pointermove", (event) => corner && set(...corner, ...at(event)));
  region.addEventListener("pointerup", () => (corner = null));
  region.addEventListener("keydown", (event) => {
    const [width, height] = size();
    const move = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!move) return;
    event.preventDefault();
    const [l, t, w, h] = box || [width * 0.25, height * 0.25, width * 0.5, height * 0.5];
    const [dx, dy] = [move[0] * width * 0.02, move[1] * height * 0.02];
    if (event.shiftKey) set(l, t, l + w + dx, t + h + dy);
    else set(l + dx, t + dy, l + w + dx, t + h + dy);
  });
  field.addEventListener("change", () => {
    const given = field.value.split(",").map(Number);
    if (given.length === 4 && given.every(Number.isFinite)) set(given[0], given[1], given[0] + given[2], given[1] + given[3]);
  });
  new ResizeObserver(draw).observe(region);
  picture.addEventListener("load", draw);
  draw();
}
