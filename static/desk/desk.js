/* What pages do beyond links and forms: keys, dialogs, copying, selecting, words for assistive technology.
   Every page works without this file. Behaviour hangs on data attributes (the list at the top of desk.css); nothing here
   makes HTML from text. */
(() => {
  "use strict";

  const find = (selector, root = document) => root.querySelector(selector);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const keep = (name, value) => {
    const secure = location.protocol === "https:" ? "; secure" : "";
    document.cookie = `${name}=${value}; path=/; max-age=31536000; samesite=lax${secure}`;
  };
  const kept = (name) => document.cookie.split("; ").find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);

  // -- telling and focusing ---------------------------------------------------------------------------------------------
  const say = (text) => {
    const live = find("#live");
    if (!live) return;
    live.textContent = "";
    // A live region speaks changes only: the same sentence twice needs a pause between.
    setTimeout(() => { live.textContent = text; }, 50);
  };

  const alarm = (text, passes = false) => {
    const place = find("#alert");
    if (!place) return;
    place.replaceChildren();
    place.toggleAttribute("data-passes", passes);
    if (!text) return;
    const note = document.createElement("div");
    note.className = "note note-error";
    const words = document.createElement("div");
    words.textContent = `${text} `;
    const again = document.createElement("a");
    again.href = location.href;
    again.textContent = "Reload the page";
    words.append(again);
    note.append(words);
    place.append(note);
    place.scrollIntoView({ block: "nearest" });
  };

  const focusOn = (element) => {
    if (!element) return;
    if (!element.matches("a[href], button, input, select, textarea, [tabindex]")) element.tabIndex = -1;
    element.focus();
  };

  // On a telephone the row of places is wider than the page: the one we are at stands in sight.
  find(".mainnav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  for (const tab of all(".tabs [aria-current]")) {
    const [row, here] = [tab.closest(".tabs"), tab.getBoundingClientRect()];
    row.scrollLeft += here.left - row.getBoundingClientRect().left - (row.clientWidth - here.width) / 2;
  }

  document.addEventListener("ui:say", (event) => say(String(event.detail.value ?? "")));
  document.addEventListener("ui:focus", (event) => focusOn(find(String(event.detail.value ?? "main"))));
  document.addEventListener("ui:refresh", (event) => {
    for (const name of [event.detail.value ?? []].flat()) {
      for (const region of all(`[data-region="${CSS.escape(name)}"]`)) region.dispatchEvent(new Event("ui:refetch"));
    }
  });

  // -- requests that fail -----------------------------------------------------------------------------------------------
  const answers = {
    403: "You may not do this; nothing was changed.",
    404: "This is not there any more; someone may have removed it.",
    413: "That is more than the server takes; send less at a time.",
    429: "Too many tries; wait a few minutes.",
  };
  document.addEventListener("htmx:responseError", (event) => {
    const status = event.detail.xhr.status;
    alarm(answers[status] ?? `The server answered ${status}. What you typed is still here; try again.`);
  });
  document.addEventListener("htmx:sendError", () => alarm("The server cannot be reached. What you typed is still here; try again.", true));
  document.addEventListener("htmx:timeout", () => alarm("The server took too long to answer. Try again.", true));
  document.addEventListener("htmx:swapError", () => alarm("The answer could not be shown."));
  document.addEventListener("htmx:beforeRequest", (event) => event.detail.target?.setAttribute("aria-busy", "true"));
  document.addEventListener("htmx:afterRequest", (event) => {
    event.detail.target?.removeAttribute("aria-busy");
    // A poll that succeeds takes back "cannot be reached", but not the answer to what a person did.
    const byPerson = event.detail.requestConfig?.triggeringEvent?.isTrusted;
    if (event.detail.successful && (byPerson || find("#alert[data-passes]"))) alarm("");
  });
  document.addEventListener("htmx:beforeSwap", (event) => {
    // The session ended: the server led the request on to the sign-in page, which is no fragment.
    const login = document.body.dataset.login;
    const answered = event.detail.xhr.responseURL ? new URL(event.detail.xhr.responseURL).pathname : "";
    if (!login || answered !== login || location.pathname === login) return;
    event.detail.shouldSwap = false;
    location.assign(`${login}?next=${encodeURIComponent(location.pathname + location.search)}`);
  });

  // -- keys -------------------------------------------------------------------------------------------------------------
  const CHORD_MS = 1200;
  let chord = "";
  let chordEnds = 0;

  const isTyping = (element) =>
    element?.isContentEditable ||
    element?.matches?.("textarea, select, input:not([type=checkbox], [type=radio], [type=button], [type=submit], [type=reset])");
  const isUsable = (element) =>
    !element.disabled && element.getAttribute("aria-disabled") !== "true" && element.getClientRects().length > 0 && !element.closest(".htmx-request");
  const nameOf = (event) => {
    const key = event.key.toLowerCase();
    const isLetter = key.length === 1 && key !== key.toUpperCase();
    return event.shiftKey && isLetter ? `shift+${key}` : key;
  };
  const press = (element) => (isTyping(element) ? (element.focus(), element.select?.()) : element.click());

  const walkRows = (step) => {
    const titles = all("[data-rows] .cell-title");
    if (!titles.length) return false;
    const row = document.activeElement?.closest("tr");
    const at = titles.findIndex((title) => row?.contains(title));
    titles[Math.min(Math.max(at + step, 0), titles.length - 1)].focus();
    return true;
  };

  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      const form = event.target.closest?.("form[data-ctrl-enter]");
      if (form && !event.repeat) {
        event.preventDefault();
        form.requestSubmit();
      }
      return;
    }
    if (event.key === "Escape" && !find("dialog[open]")) {
      const menu = find("details[data-menu][open]");
      if (menu) {
        menu.open = false;
        find("summary", menu).focus();
      } else if (isTyping(document.activeElement)) document.activeElement.blur();
      return;
    }
    if (event.repeat || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (isTyping(event.target) || kept("desk_keys") === "off") return;
    const name = nameOf(event);
    const dialog = find("dialog[open]");
    const root = dialog ?? document;
    if (!dialog) {
      const before = Date.now() < chordEnds ? `${chord} ` : "";
      const goal = before && all("[data-chord]").find((element) => element.dataset.chord === before + name && isUsable(element));
      chordEnds = 0;
      if (goal) {
        event.preventDefault();
        return press(goal);
      }
      if (all("[data-chord]").some((element) => element.dataset.chord.startsWith(`${name} `))) {
        chord = name;
        chordEnds = Date.now() + CHORD_MS;
        return say(`${name}, then …`);
      }
    }
    const target = all("[data-key]", root).find((element) => element.dataset.key === name && isUsable(element));
    if (target) {
      event.preventDefault();
      press(target);
    } else if (!dialog && (name === "j" || name === "k") && walkRows(name === "j" ? 1 : -1)) event.preventDefault();
  });

  // The sheet lists what this page answers to now, so it cannot differ from what the keys do.
  const listKeys = (sheet) => {
    const list = find("[data-keys-here]", sheet);
    all("[data-made]", list).forEach((line) => line.remove());
    const lines = all("[data-chord], [data-key]").filter((element) => !["?", "/"].includes(element.dataset.key) && isUsable(element))
      .map((element) => [element.dataset.chord ?? element.dataset.key, element.dataset.keyLabel ?? spoken(element)]);
    if (find("[data-rows] .cell-title")) lines.push(["j", "Next row"], ["k", "Row before"]);
    for (const [keys, words] of lines) {
      const line = document.createElement("div");
      line.dataset.made = "";
      const term = document.createElement("dt");
      for (const key of keys.split(/[ +]/)) {
        const cap = document.createElement("kbd");
        cap.textContent = key.length === 1 ? key.toUpperCase() : key;
        term.append(cap, " ");
      }
      const meaning = document.createElement("dd");
      meaning.textContent = words;
      line.append(term, meaning);
      list.append(line);
    }
    find("[data-keys-switch]", sheet).checked = kept("desk_keys") !== "off";
  };
  const spoken = (element) => {
    const copy = element.cloneNode(true);
    all("kbd", copy).forEach((cap) => cap.remove());
    return (element.getAttribute("aria-label") ?? copy.textContent).trim();
  };

  // -- clicks -----------------------------------------------------------------------------------------------------------
  const copyText = async (text, button) => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // No clipboard without HTTPS away from loopback: select the words, the person presses the keys.
      const source = button.dataset.copyFrom && find(button.dataset.copyFrom);
      if (source) getSelection().selectAllChildren(source);
      return say("Press Ctrl and C to copy.");
    }
    const words = find("[data-copy-label]", button) ?? button;
    const before = words.textContent;
    if (before.trim()) {
      words.textContent = "Copied";
      setTimeout(() => { words.textContent = before; }, 1500);
    }
    say("Copied.");
  };

  document.addEventListener("click", (event) => {
    for (const menu of all("details[data-menu][open]")) if (!menu.contains(event.target)) menu.open = false;
    const button = event.target.closest("[data-dialog-open], [data-dialog-close], [data-copy], [data-copy-from], [data-theme-choice]");
    if (!button) return;
    const { dialogOpen, copy, copyFrom, themeChoice } = button.dataset;
    if (dialogOpen) {
      const dialog = document.getElementById(dialogOpen);
      if (!dialog || dialog.open) return;
      if (find("[data-keys-here]", dialog)) listKeys(dialog);
      dialog.showModal();
      find("h2[tabindex]", dialog)?.focus();
    } else if ("dialogClose" in button.dataset) button.closest("dialog")?.close();
    else if (copy !== undefined || copyFrom) copyText(copy ?? find(copyFrom)?.textContent.trim() ?? "", button);
    else if (themeChoice) {
      keep("desk_theme", themeChoice);
      if (themeChoice === "auto") delete document.documentElement.dataset.bsTheme;
      else document.documentElement.dataset.bsTheme = themeChoice;
      showTheme();
    }
  });
  const showTheme = () => {
    const theme = document.documentElement.dataset.bsTheme ?? "auto";
    for (const button of all("[data-theme-choice]")) button.setAttribute("aria-pressed", String(button.dataset.themeChoice === theme));
  };

  // -- choosing rows ----------------------------------------------------------------------------------------------------
  const countChosen = (name, root) => {
    const boxes = all(`input[type="checkbox"][name="${CSS.escape(name)}"]`, root);
    const chosen = boxes.filter((box) => box.checked).length;
    for (const head of all(`[data-select-all="${CSS.escape(name)}"]`, root)) {
      head.checked = chosen > 0 && chosen === boxes.length;
      head.indeterminate = chosen > 0 && chosen < boxes.length;
    }
    for (const place of all("[data-select-count]", root)) place.textContent = chosen ? `${chosen} of ${boxes.length} on this page chosen` : "Nothing chosen";
  };
  document.addEventListener("change", (event) => {
    const input = event.target;
    const root = input.form ?? document;
    if (input.dataset.selectAll) {
      for (const box of all(`input[type="checkbox"][name="${CSS.escape(input.dataset.selectAll)}"]`, root)) box.checked = input.checked;
      countChosen(input.dataset.selectAll, root);
    } else if (input.type === "checkbox" && input.name && find("[data-select-count]", root)) countChosen(input.name, root);
    if ("keysSwitch" in input.dataset) keep("desk_keys", input.checked ? "on" : "off");
    if (input.form && "submitOnChange" in input.form.dataset) input.form.requestSubmit();
    if (input.form && "unsaved" in input.form.dataset) input.form.dataset.dirty = "";
  });

  // -- forms ------------------------------------------------------------------------------------------------------------
  document.addEventListener("input", (event) => {
    const form = event.target.form;
    if (form && "unsaved" in form.dataset) form.dataset.dirty = "";
  });
  document.addEventListener("submit", (event) => {
    const form = event.target;
    delete form.dataset.dirty;
    if (!("once" in form.dataset) || event.defaultPrevented) return;
    if ("sent" in form.dataset) return event.preventDefault();
    form.dataset.sent = "";
    // Only marked, not disabled: a disabled button would not send its own name and value.
    all("button[type=submit], button:not([type])", form).forEach((button) => button.setAttribute("aria-disabled", "true"));
  });
  addEventListener("pageshow", (event) => {
    if (!event.persisted) return;
    for (const form of all("form[data-sent]")) {
      delete form.dataset.sent;
      all("button[aria-disabled]", form).forEach((button) => button.removeAttribute("aria-disabled"));
    }
  });
  addEventListener("beforeunload", (event) => { if (find("form[data-dirty]")) event.preventDefault(); });

  const prepare = () => {
    showTheme();
    for (const head of all("[data-select-all]")) countChosen(head.dataset.selectAll, head.form ?? document);
  };
  document.addEventListener("htmx:afterSettle", prepare);
  prepare();
})();
