// Keys for every action, help that lists them, and small comforts; the page works without.
"use strict";

document.documentElement.classList.add("with-script");

const textual = "input:not([type=checkbox]):not([type=radio]):not([type=file]), textarea, select";

function usable(element) {
  return !element.disabled && element.checkVisibility();
}

function withKey(key) {
  return [...document.querySelectorAll("[data-key]")].find(
    (element) => element.dataset.key === key && usable(element),
  );
}

function step(forward) {
  const stops = [...document.querySelectorAll("[data-step]")].filter(usable);
  const at = stops.indexOf(document.activeElement);
  const next = stops[at < 0 ? (forward ? 0 : stops.length - 1) : at + (forward ? 1 : -1)];
  if (next) next.focus();
  return Boolean(next);
}

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  if (document.querySelector("dialog[open]")) return;
  if (event.target.matches(textual)) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  const element = withKey(event.key);
  if (element) {
    event.preventDefault();
    if (element.matches(textual)) {
      element.focus();
      element.select?.();
    } else {
      element.click();
    }
  } else if ((event.key === "j" || event.key === "k") && step(event.key === "j")) {
    event.preventDefault();
  }
});

function listKeys() {
  const dialog = document.getElementById("keys");
  const list = dialog.querySelector("dl");
  list.replaceChildren();
  const add = (key, hint) => {
    const term = document.createElement("dt");
    const shown = document.createElement("kbd");
    shown.textContent = key;
    term.append(shown);
    const meaning = document.createElement("dd");
    meaning.textContent = hint;
    list.append(term, meaning);
  };
  const seen = new Set();
  const elements = [...document.querySelectorAll("main [data-key], .top [data-key]")];
  elements.sort((a, b) => Boolean(a.closest(".top")) - Boolean(b.closest(".top")));
  for (const element of elements) {
    const key = element.dataset.key;
    if (seen.has(key) || !usable(element)) continue;
    seen.add(key);
    const words = [...element.childNodes].filter((node) => node.nodeName !== "KBD");
    add(key === "Escape" ? "Esc" : key, element.dataset.hint || words.map((n) => n.textContent).join("").trim());
  }
  if (!seen.has("j") && document.querySelector("[data-step]")) add("j k", "Next, previous in the list");
  dialog.showModal();
}

document.getElementById("show-keys").addEventListener("click", listKeys);

// A key that is pressed twice decides once.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "post") return;
  if (form.dataset.sent) event.preventDefault();
  form.dataset.sent = "yes";
});
window.addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form[data-sent]")) delete form.dataset.sent;
});

// A hand: how many pages are chosen.
const chosen = document.getElementById("chosen");
if (chosen) {
  const boxes = [...document.querySelectorAll("input[name=page]")];
  const tell = () => {
    const number = boxes.filter((box) => box.checked).length;
    chosen.textContent = number ? `${number} chosen:` : "Choose pages, then:";
    for (const button of document.querySelectorAll("#pages-form button[name=action]")) {
      button.disabled = !number;
    }
  };
  document.getElementById("pages-form").addEventListener("change", tell);
  document.getElementById("choose-doubtful")?.addEventListener("click", () => {
    for (const box of boxes) box.checked = "doubtful" in box.dataset;
    tell();
  });
  tell();
}
