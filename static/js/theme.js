// Loaded in <head> without defer, so that the page never flashes in the wrong theme.
document.documentElement.dataset.js = "";
try {
  const saved = localStorage.getItem("theme");
  if (saved === "light" || saved === "dark") document.documentElement.dataset.theme = saved;
} catch { /* storage is blocked: the system's theme holds */ }
