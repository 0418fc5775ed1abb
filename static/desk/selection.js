/* Keeps what is ticked in the sources table while its pages come and go: ticked sources of other pages, or what is left out
   of "all that match". Another filter is another list, and begins anew. Without this file the ticks of one page count. */
(() => {
  "use strict";

  const kept = document.getElementById("kept");
  if (!kept) return;
  const chosen = new Set();
  const left = new Set();
  let list = "";
  let selectsAll = false;

  const found = () => document.getElementById("found");
  const boxes = () => [...found().querySelectorAll('input[type="checkbox"][name="ids"]')];

  const hidden = (name, values) => {
    const input = document.createElement("input");
    input.type = "hidden";
    input.name = name;
    input.value = [...values].join(",");
    input.setAttribute("form", "selection");
    return input;
  };

  const show = () => {
    kept.replaceChildren(hidden("also", chosen), hidden("except", left));
    const place = document.getElementById("selection-count");
    if (!place) return;
    const number = selectsAll ? Number(found().dataset.selectsAll) - left.size : chosen.size;
    if (selectsAll) place.textContent = left.size ? `${number.toLocaleString("en")} chosen, ${left.size.toLocaleString("en")} left out.` : `All ${number.toLocaleString("en")} that match; untick what to leave out.`;
    else place.textContent = number ? `${number.toLocaleString("en")} chosen.` : "Tick sources to edit them together.";
  };

  const remember = () => {
    for (const box of boxes()) {
      if (selectsAll) left[box.checked ? "delete" : "add"](box.value);
      else chosen[box.checked ? "add" : "delete"](box.value);
    }
    show();
  };

  const restore = () => {
    if (!found()) return;
    const now = "selectsAll" in found().dataset;
    if (found().dataset.selection !== list || now !== selectsAll) {
      chosen.clear();
      left.clear();
    }
    list = found().dataset.selection;
    selectsAll = now;
    for (const box of boxes()) box.checked = selectsAll ? !left.has(box.value) : chosen.has(box.value);
    const heads = found().querySelectorAll("[data-select-all]");
    const ticked = boxes().filter((box) => box.checked).length;
    for (const head of heads) {
      head.checked = ticked > 0 && ticked === boxes().length;
      head.indeterminate = ticked > 0 && ticked < boxes().length;
    }
    show();
  };

  document.addEventListener("change", (event) => {
    if (event.target.name === "ids" || event.target.dataset.selectAll) remember();
  });
  document.addEventListener("click", (event) => {
    if (!event.target.closest("[data-select-page]")) return;
    const head = found().querySelector("[data-select-all]");
    if (!head) return;
    head.checked = true;
    head.dispatchEvent(new Event("change", { bubbles: true }));
  });
  // Space on a row's link ticks the row; on the box itself the browser does.
  document.addEventListener("keydown", (event) => {
    if (event.key !== " " || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
    const box = event.target.closest?.("#found tbody tr")?.querySelector('input[name="ids"]');
    if (!box || !event.target.matches(".cell-title")) return;
    event.preventDefault();
    box.checked = !box.checked;
    box.dispatchEvent(new Event("change", { bubbles: true }));
  });
  document.addEventListener("htmx:afterSettle", restore);
  addEventListener("pageshow", restore);
  restore();
})();
