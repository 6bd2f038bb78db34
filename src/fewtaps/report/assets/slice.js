// Why it happened: a step lights its lines, a line lights its steps, and the graph can be zoomed and moved.
// Without it the numbers of the steps are links, and the graph is a picture in a frame that can be scrolled.
"use strict";
{
  const steps = [...document.querySelectorAll(".slice-steps [data-step]")];
  const lines = [...document.querySelectorAll(".slice [data-steps], #chain [data-steps]")];
  const stepsOf = (line) => line.dataset.steps.split(" ");

  function light(wanted, source) {
    for (const step of steps) step.classList.toggle("lit", wanted.includes(step.dataset.step));
    for (const line of lines) {
      line.classList.toggle("lit", source === line || (source.dataset.step !== undefined && stepsOf(line).some((each) => wanted.includes(each))));
    }
  }
  function dark() {
    for (const each of [...steps, ...lines]) each.classList.remove("lit");
  }
  for (const each of [...steps, ...lines]) {
    const wanted = each.dataset.step === undefined ? stepsOf(each) : [each.dataset.step];
    if (each.dataset.step !== undefined) each.tabIndex = 0;
    for (const name of ["mouseenter", "focusin"]) each.addEventListener(name, () => light(wanted, each));
    for (const name of ["mouseleave", "focusout"]) each.addEventListener(name, dark);
  }

  const svg = document.getElementById("chain");
  if (svg) {
    const frame = svg.parentElement;
    const width = Number(svg.getAttribute("width"));
    const height = Number(svg.getAttribute("height"));
    let scale = 1;
    const zoom = (next) => {
      const [x, y] = [(frame.scrollLeft + frame.clientWidth / 2) / scale, (frame.scrollTop + frame.clientHeight / 2) / scale];
      scale = Math.min(Math.max(next, 0.1), 4);
      svg.setAttribute("width", width * scale);
      svg.setAttribute("height", height * scale);
      frame.scrollTo(x * scale - frame.clientWidth / 2, y * scale - frame.clientHeight / 2);
    };
    const tools = document.querySelector(".chain .tools");
    tools.hidden = false;
    for (const button of tools.querySelectorAll("button")) {
      button.addEventListener("click", () => {
        const factor = Number(button.dataset.zoom);
        zoom(factor ? scale / factor : Math.min(1, frame.clientWidth / width, frame.clientHeight / height));
      });
    }
    frame.addEventListener("wheel", (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      zoom(scale * (event.deltaY < 0 ? 1.15 : 1 / 1.15));
    }, { passive: false });
    frame.addEventListener("keydown", (event) => {
      const next = { "+": scale * 1.25, "-": scale / 1.25, 0: 1 }[event.key];
      if (next === undefined) return;
      event.preventDefault();
      zoom(next);
    });
    if (width > frame.clientWidth) frame.scrollLeft = (width - frame.clientWidth) / 2;
  }
}
