// Copy buttons, tabs and the filter. The pages are complete without them: all three appear only where scripts run.
"use strict";

// Announces a change of the page to screen readers.
function announce(words) {
  let said = document.getElementById("said");
  if (!said) {
    said = document.createElement("p");
    said.id = "said";
    said.className = "unseen";
    said.setAttribute("role", "status");
    document.body.append(said);
  }
  said.textContent = words;
  setTimeout(() => { said.textContent = ""; }, 1600);
}

function copyText(source, button) {
  const text = source.textContent;
  const done = () => {
    button.textContent = "Copied";
    button.classList.add("done");
    announce("Copied");
    setTimeout(() => { button.textContent = "Copy"; button.classList.remove("done"); }, 1600);
  };
  const bySelection = () => {
    const selection = getSelection();
    const range = document.createRange();
    range.selectNodeContents(source);
    selection.removeAllRanges();
    selection.addRange(range);
    if (document.execCommand("copy")) { selection.removeAllRanges(); done(); }
  };
  if (navigator.clipboard) navigator.clipboard.writeText(text).then(done, bySelection);
  else bySelection();
}

for (const button of document.querySelectorAll("button[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", () => copyText(document.getElementById(button.dataset.copy), button));
}

for (const box of document.querySelectorAll("[data-tabs]")) {
  const panels = [...box.querySelectorAll(":scope > section")];
  if (panels.length < 2) continue;
  const bar = document.createElement("div");
  bar.className = "tabs";
  bar.setAttribute("role", "tablist");
  const tabs = panels.map((panel) => {
    const tab = document.createElement("button");
    tab.type = "button";
    tab.id = `tab-${panel.id}`;
    tab.textContent = panel.querySelector("h3").textContent;
    tab.setAttribute("role", "tab");
    tab.setAttribute("aria-controls", panel.id);
    panel.setAttribute("role", "tabpanel");
    panel.setAttribute("aria-labelledby", tab.id);
    bar.append(tab);
    return tab;
  });
  const choose = (number, focus) => {
    tabs.forEach((tab, each) => {
      tab.setAttribute("aria-selected", String(each === number));
      tab.tabIndex = each === number ? 0 : -1;
      panels[each].hidden = each !== number;
    });
    if (focus) tabs[number].focus();
  };
  tabs.forEach((tab, number) => {
    tab.addEventListener("click", () => choose(number, false));
    tab.addEventListener("keydown", (event) => {
      const last = tabs.length - 1;
      const next = { ArrowRight: number === last ? 0 : number + 1, ArrowLeft: number === 0 ? last : number - 1, Home: 0, End: last }[event.key];
      if (next === undefined) return;
      event.preventDefault();
      choose(next, true);
    });
  });
  box.classList.add("tabbed");
  box.prepend(bar);
  choose(0, false);
}

const filter = document.getElementById("filter");
if (filter) {
  filter.closest("p").hidden = false;
  filter.addEventListener("input", () => {
    const wanted = filter.value.trim().toLowerCase();
    for (const box of document.querySelectorAll("details.package")) {
      const whole = box.dataset.name.toLowerCase().includes(wanted);
      let any = whole;
      for (const row of box.querySelectorAll("tbody tr")) {
        const fits = whole || row.cells[0].textContent.toLowerCase().includes(wanted);
        row.hidden = !fits;
        any = any || fits;
      }
      box.hidden = !any;
      if (wanted && any && !whole) box.open = true;
    }
  });
}
