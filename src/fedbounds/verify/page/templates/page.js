"use strict";
// Without this script the page is complete; with it, links open folded sections, and what scrolls
// sideways is reached by the keyboard in every browser.
const openTarget = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  for (let at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
  target.scrollIntoView();
};
addEventListener("hashchange", openTarget);
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href^='#']");
  if (link && link.getAttribute("href") === location.hash) openTarget();
});
if (location.hash) openTarget();
const reachable = () => {
  for (const box of document.querySelectorAll(".scroll, .formula, .condition, .uses li, pre")) {
    if (box.scrollWidth > box.clientWidth && box.clientWidth) box.tabIndex = 0;
  }
};
for (const name of ["load", "resize"]) addEventListener(name, reachable);
document.addEventListener("toggle", reachable, true);
