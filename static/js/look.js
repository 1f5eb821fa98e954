// The page works without this file. With it: theme switch, copy buttons, shortcuts, and what a failed update looks like.
const root = document.documentElement;
const live = document.getElementById("live");

function announce(text) {
  live.textContent = "";
  requestAnimationFrame(() => { live.textContent = text; });
}

// Theme ----------------------------------------------------------------------
document.querySelector("[data-theme-switch]")?.addEventListener("click", () => {
  const dark = root.dataset.theme
    ? root.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  try { localStorage.setItem("theme", root.dataset.theme); } catch { /* holds for this page only */ }
});

// Copy: the text of an element, or the address of this page -------------------
async function copy(button) {
  const source = button.dataset.copy ? document.querySelector(button.dataset.copy) : null;
  const text = source ? source.textContent : new URL(button.dataset.copyUrl || location.href, location.href).href;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    if (source) getSelection().selectAllChildren(source); // no permission: selected, ready for Ctrl-C
    return;
  }
  if ("copied" in button.dataset) return;
  const label = button.textContent;
  button.textContent = button.dataset.done;
  button.dataset.copied = "";
  announce(button.dataset.done);
  setTimeout(() => { button.textContent = label; delete button.dataset.copied; }, 1600);
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-copy], [data-copy-url]");
  if (button) {
    event.preventDefault();
    copy(button);
  }
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(event.target)) menu.open = false;
  }
  if (event.target.closest("[data-keys-open]")) {
    event.preventDefault();
    openKeys();
  }
});

// The language switch returns to where the page is now, not to where it was loaded.
document.addEventListener("submit", (event) => {
  const here = event.target.querySelector("[data-here]");
  if (here) here.value = location.pathname + location.search;
});

// A link to something folded opens it.
function openTarget() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target?.tagName === "DETAILS") target.open = true;
}
addEventListener("hashchange", openTarget);
document.addEventListener("click", (event) => {
  if (event.target.closest("a[href^='#']")) setTimeout(openTarget);
});
openTarget();

// Shortcuts --------------------------------------------------------------------
function openKeys() {
  for (const menu of document.querySelectorAll("details.menu[open]")) menu.open = false;
  document.getElementById("keys").showModal();
}

let afterG = 0;
function go(page) {
  if (Date.now() - afterG > 1000 || !document.body.dataset[page]) return false;
  location.href = document.body.dataset[page];
  return true;
}
const shortcuts = {
  "/": () => {
    const first = document.querySelector("[data-first-field]") || document.querySelector("main :is(input, select, textarea):not([type=hidden])");
    first?.focus();
    first?.select?.();
    return Boolean(first);
  },
  "?": () => { openKeys(); return true; },
  g: () => { afterG = Date.now(); return false; },
  p: () => go("goPlan"),
  r: () => go("goRecommend"),
  c: () => {
    if (go("goCheck")) return true;
    const button = document.querySelector("main [data-copy], main [data-copy-url]");
    if (button) copy(button);
    return Boolean(button);
  },
};

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest?.("input, select, textarea, [contenteditable]");
  if (event.key === "Escape") {
    for (const menu of document.querySelectorAll("details.menu[open]")) {
      menu.open = false;
      menu.querySelector("summary").focus();
    }
    if (typing) event.target.blur();
    return;
  }
  if (typing || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (shortcuts[event.key]?.()) event.preventDefault();
});

// Updates in place ---------------------------------------------------------------
// One history entry per field that is edited: the first change of a field is pushed, the rest replace it.
let lastField = null;
document.addEventListener("focusin", () => { lastField = null; });
document.addEventListener("htmx:configRequest", (event) => {
  const field = event.detail.triggeringEvent?.target?.name ?? null;
  event.detail.headers["Plan-History"] = field && field === lastField ? "replace" : "push";
  lastField = field;
});

function failed(event, kind) {
  const place = document.querySelector(event.detail.requestConfig?.elt?.dataset.failedAt || "main");
  if (!place) return;
  settled();
  const banner = document.getElementById("swap-failed").content.cloneNode(true).firstElementChild;
  for (const part of banner.querySelectorAll("[data-when]")) {
    if (!part.dataset.when.split(" ").includes(kind)) part.remove();
  }
  const number = banner.querySelector("[data-request-id]");
  if (number) number.textContent = event.detail.xhr?.getResponseHeader("X-Request-ID") || event.detail.xhr?.status || "–";
  const link = banner.querySelector("[data-sign-in-link]");
  if (link && document.body.dataset.signIn) {
    const here = event.detail.requestConfig ? wanted(event.detail.requestConfig) : location.pathname + location.search;
    link.href = document.body.dataset.signIn + "?next=" + encodeURIComponent(here);
  }
  banner.querySelector("[data-retry]")?.addEventListener("click", () => {
    banner.remove();
    htmx.trigger(event.detail.requestConfig.elt, "retry");
  });
  document.querySelector("[data-swap-failed]")?.remove();
  place.prepend(banner);
}

function wanted(config) {
  return config.path + "?" + new URLSearchParams(config.formData ?? config.parameters);
}

document.addEventListener("htmx:sendError", (event) => failed(event, "offline"));
document.addEventListener("htmx:timeout", (event) => failed(event, "offline"));
document.addEventListener("htmx:responseError", (event) =>
  failed(event, event.detail.xhr.status === 401 ? "signed-out" : "error"));
document.addEventListener("htmx:beforeSwap", (event) => {
  // A redirect to the sign-in page must not land inside the result.
  const { xhr, requestConfig } = event.detail;
  if (!xhr.responseURL || !requestConfig) return;
  if (new URL(xhr.responseURL).pathname !== new URL(requestConfig.path, location.href).pathname) {
    event.detail.shouldSwap = false;
    failed(event, "signed-out");
    return;
  }
  document.querySelector("[data-swap-failed]")?.remove();
});

// What is open stays open, and a field says whether its text was refused.
let opened = [];
document.addEventListener("htmx:beforeSwap", () => {
  opened = [...document.querySelectorAll("[data-result] details[open][id]")].map((part) => part.id);
});
document.addEventListener("htmx:afterSettle", () => {
  for (const id of opened) document.getElementById(id)?.setAttribute("open", "");
  for (const slot of document.querySelectorAll("[data-error-for]")) {
    const field = document.getElementById("in-" + slot.dataset.errorFor);
    if (slot.childElementCount) {
      field?.setAttribute("aria-invalid", "true");
      slot.closest("details")?.setAttribute("open", "");
    } else {
      field?.removeAttribute("aria-invalid");
    }
  }
});

// A busy look only when an answer is late, and then long enough to be seen as such.
let late = null;
function settled() {
  clearTimeout(late);
  for (const part of document.querySelectorAll("[aria-busy=true]")) part.removeAttribute("aria-busy");
}
document.addEventListener("htmx:beforeRequest", () => {
  clearTimeout(late);
  late = setTimeout(() => {
    for (const part of document.querySelectorAll("[data-result]")) part.setAttribute("aria-busy", "true");
  }, 250);
});
document.addEventListener("htmx:afterRequest", settled);

// Parts that load after the page. Nobody asked for them and a link beside each leads to the same: a failure is silent, and
// so is a page that one leaves meanwhile.
async function fill(slot) {
  await new Promise((resume) => setTimeout(resume, 300)); // while somebody types, each answer brings a new slot
  if (!slot.isConnected) return;
  try {
    const answer = await fetch(slot.dataset.load, { headers: { "HX-Request": "true" } });
    if (answer.ok && !answer.redirected) slot.innerHTML = await answer.text();
  } catch { /* offline, or on the way to another page */ }
}

function fillSlots() {
  for (const slot of document.querySelectorAll("[data-load]:not([data-filling])")) {
    slot.dataset.filling = "";
    fill(slot);
  }
}
document.addEventListener("htmx:afterSettle", fillSlots);
fillSlots();
