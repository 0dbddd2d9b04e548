// Deep zoom into one scan or two; places of evidence; both moved together on wish.
"use strict";

// OpenSeadragon puts a rule of its own into the page unless an element of that name is there. The
// policy of this page allows no inline style, so there is one that no browser takes for CSS, and
// page.css has the rule.
const rule = document.createElementNS("urn:dgmp", "style");
rule.setAttribute("data-openseadragon-mobile-css", "true");
document.head.append(rule);

OpenSeadragon.setString(
  "Errors.OpenFailed",
  "The scan cannot be shown: its file is gone, was moved, or cannot be read.",
);

const shown = [...document.querySelectorAll("[data-viewer]")].map((element) => ({
  element,
  name: element.dataset.viewer,
  place: null,
  viewer: OpenSeadragon({
    element,
    prefixUrl: element.dataset.images,
    tileSources: element.dataset.image ?? { type: "image", url: element.dataset.picture },
    drawer: "canvas",
    crossOriginPolicy: false,
    showNavigator: false,
    showRotationControl: false,
    gestureSettingsMouse: { clickToZoom: false, dblClickToZoom: true },
    maxZoomPixelRatio: 3,
    visibilityRatio: 0.4,
    animationTime: 0.6,
  }),
}));

function numbers(text) {
  return text.split(",").map(Number);
}

function whenOpen(side, then) {
  if (side.viewer.world.getItemCount()) then();
  else side.viewer.addOnceHandler("open", then);
}

// A rectangle (left, top, width, height) in pixels of the scan, as the open viewer has it.
function placeOf(side, box) {
  const item = side.viewer.world.getItemAt(0);
  const { size } = side.element.dataset; // of the scan, where its picture is smaller
  const scale = size ? item.getContentSize().x / numbers(size)[0] : 1;
  return item.imageToViewportRectangle(...box.map((number) => number * scale));
}

// Marks a rectangle of the scan that is open, and gives its place.
function mark(side, box) {
  const place = placeOf(side, box);
  if (side.place) side.viewer.removeOverlay(side.place);
  side.place = document.createElement("div");
  side.place.className = "place";
  side.viewer.addOverlay({ element: side.place, location: place });
  side.element.dataset.shown = box.join(",");
  return place;
}

// Marks a rectangle of the scan and goes there.
function show(side, box) {
  whenOpen(side, () => {
    const { viewer } = side;
    const place = mark(side, box);
    const around = Math.max(place.width, place.height) * 3;
    const centre = place.getCenter();
    viewer.viewport.fitBounds(
      new OpenSeadragon.Rect(centre.x - around, centre.y - around, 2 * around, 2 * around),
    );
  });
}

// A page that is a part of its scan, as one of an opening, is outlined.
for (const side of shown) {
  const { area } = side.element.dataset;
  if (!area) continue;
  whenOpen(side, () => {
    const outline = document.createElement("div");
    outline.className = "area";
    const location = placeOf(side, numbers(area));
    side.viewer.addOverlay({ element: outline, location });
    side.viewer.viewport.fitBounds(location, true);
  });
}

for (const side of shown) if (side.element.dataset.box) show(side, numbers(side.element.dataset.box));

if (shown.length === 2) {
  const [first, second] = shown;
  const together = document.getElementById("together");
  let difference = null; // of zoom and centre, as they were when the switch was set
  const measure = () => {
    const a = first.viewer.viewport;
    const b = second.viewer.viewport;
    difference = { zoom: b.getZoom(true) / a.getZoom(true), centre: b.getCenter(true).minus(a.getCenter(true)) };
  };
  const where = (viewport) => {
    const { x, y } = viewport.getCenter(true);
    return [viewport.getZoom(true), x, y].map((value) => value.toFixed(5)).join(" ");
  };
  const follow = (leader, follower, sign) => () => {
    if (!together.checked || !difference) return;
    const from = leader.viewer.viewport;
    const at = where(from);
    if (leader.led === at) return; // it was moved by the other one
    const to = follower.viewer.viewport;
    to.zoomTo(from.getZoom(true) * difference.zoom ** sign, null, true);
    to.panTo(from.getCenter(true).plus(difference.centre.times(sign)), true);
    follower.led = where(to);
  };
  first.viewer.addHandler("viewport-change", follow(first, second, 1));
  second.viewer.addHandler("viewport-change", follow(second, first, -1));
  together.addEventListener("change", measure);

  const buttons = [...document.querySelectorAll(".pair-button")];
  const press = (button) => {
    for (const other of buttons) other.setAttribute("aria-pressed", other === button);
    const wasTogether = together.checked;
    together.checked = false; // each page goes to its own place
    show(first, numbers(button.dataset.first));
    show(second, numbers(button.dataset.second));
    if (wasTogether) {
      setTimeout(() => {
        together.checked = true;
        measure();
      }, 900);
    }
  };
  for (const button of buttons) {
    button.setAttribute("aria-pressed", "false");
    button.addEventListener("click", () => press(button));
  }
  document.getElementById("next-piece").addEventListener("click", () => {
    const at = buttons.findIndex((button) => button.getAttribute("aria-pressed") === "true");
    const next = buttons[(at + 1) % buttons.length];
    if (next) {
      press(next);
      next.scrollIntoView({ block: "nearest" });
    }
  });
}
