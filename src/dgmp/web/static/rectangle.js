// A rectangle that is drawn on the scan of a page, in pixels of the scan.
"use strict";

const [onScan] = shown;
const drawButton = document.getElementById("draw");
const drawnBox = document.getElementById("box");
let firstCorner = null; // of the rectangle that is being drawn

function drawing() {
  return drawButton.getAttribute("aria-pressed") === "true";
}

function setDrawing(on) {
  drawButton.setAttribute("aria-pressed", on);
  onScan.element.classList.toggle("drawing", on);
  firstCorner = null;
}

function onPixels(position) {
  return onScan.viewer.world.getItemAt(0).viewerElementToImageCoordinates(position);
}

function choose(first, second) {
  const { x: width, y: height } = onScan.viewer.world.getItemAt(0).getContentSize();
  const within = (value, most) => Math.min(Math.max(Math.round(value), 0), most);
  const [left, right] = [first.x, second.x].map((x) => within(x, width)).sort((a, b) => a - b);
  const [top, bottom] = [first.y, second.y].map((y) => within(y, height)).sort((a, b) => a - b);
  if (right - left < 4 || bottom - top < 4) return;
  drawnBox.value = [left, top, right - left, bottom - top].join(",");
  mark(onScan, numbers(drawnBox.value));
}

drawButton.addEventListener("click", () => setDrawing(!drawing()));
onScan.viewer.addHandler("canvas-press", (event) => {
  if (drawing()) firstCorner = onPixels(event.position);
});
onScan.viewer.addHandler("canvas-drag", (event) => {
  if (!firstCorner) return;
  event.preventDefaultAction = true; // which would move the scan
  choose(firstCorner, onPixels(event.position));
});
onScan.viewer.addHandler("canvas-drag-end", (event) => {
  if (!firstCorner) return;
  event.preventDefaultAction = true;
  setDrawing(false);
  setTimeout(() => document.getElementById("use-box").focus()); // after the viewer took the focus
});
drawnBox.addEventListener("change", () => {
  const given = numbers(drawnBox.value);
  if (drawnBox.checkValidity() && given.length === 4) show(onScan, given);
});
