// The map of states: moving, zooming, and what can be done in a state. Without it the map is a still picture in a frame
// that can be scrolled.
"use strict";
{
  // With more paths than this, only the chosen one is drawn thick.
  const MANY_PATHS = 12;
  const svg = document.getElementById("graph");
  const data = svg && JSON.parse(document.getElementById("states-data").textContent);
  if (svg) start(svg, data);

  function start(svg, data) {
    const [nodeWidth, nodeHeight] = data.node;
    const whole = { width: Number(svg.dataset.width), height: Number(svg.dataset.height) };
    const nodes = [...svg.querySelectorAll(".state")];
    const places = nodes.map((node) => {
      const at = node.transform.baseVal.getItem(0).matrix;
      return [at.e, at.f];
    });
    const panel = document.getElementById("panel");
    const ways = document.getElementById("ways");
    let view = { x: 0, y: 0, width: whole.width, height: whole.height };
    let waiting = false;

    svg.classList.add("movable");
    const box = () => svg.getBoundingClientRect();

    function fetchPicture(node) {
      const image = node.querySelector("image[data-src]");
      if (!image) return;
      image.setAttribute("href", image.dataset.src);
      image.removeAttribute("data-src");
    }

    function isInSight(number) {
      const [x, y] = places[number];
      return x + nodeWidth >= view.x && x <= view.x + view.width && y + nodeHeight >= view.y && y <= view.y + view.height;
    }

    // Pictures are fetched once they are in sight and large enough to be seen.
    function fetchPictures() {
      if (box().width / view.width < 0.06) return;
      nodes.filter((_, number) => isInSight(number)).forEach(fetchPicture);
    }

    // For printing, the whole map is shown with all its pictures.
    const paper = matchMedia("print");
    function draw() {
      const { x, y, width, height } = paper.matches ? { x: 0, y: 0, ...whole } : view;
      svg.setAttribute("viewBox", `${x} ${y} ${width} ${height}`);
      svg.classList.toggle("far", box().width / width < 0.35);
    }
    paper.addEventListener("change", () => {
      if (paper.matches) nodes.forEach(fetchPicture);
      draw();
    });
    addEventListener("beforeprint", () => nodes.forEach(fetchPicture));

    function show() {
      if (waiting) return;
      waiting = true;
      requestAnimationFrame(() => {
        waiting = false;
        draw();
        fetchPictures();
      });
    }

    // The view always has the shape of the window it is seen through.
    function look(x, y, width) {
      const { width: across, height: down } = box();
      const least = 160;
      const most = Math.max(whole.width, whole.height * across / down) * 1.5;
      width = Math.min(Math.max(width, least), most);
      view = { x, y, width, height: width * down / across };
      show();
    }

    function fit() {
      const { width: across, height: down } = box();
      const width = Math.max(whole.width, whole.height * across / down);
      const height = width * down / across;
      look((whole.width - width) / 2, (whole.height - height) / 2, width);
    }

    function lookAt(number, width) {
      const [x, y] = places[number];
      const { width: across, height: down } = box();
      const height = width * down / across;
      look(x + nodeWidth / 2 - width / 2, y + nodeHeight / 2 - height / 2, width);
    }

    // The bounding box of these states, with a margin.
    function lookAtAll(numbers) {
      const [xs, ys] = [0, 1].map((axis) => numbers.map((number) => places[number][axis]));
      const [left, top] = [Math.min(...xs) - 40, Math.min(...ys) - 40];
      const [wide, high] = [Math.max(...xs) + nodeWidth + 40 - left, Math.max(...ys) + nodeHeight + 40 - top];
      const { width: across, height: down } = box();
      const width = Math.max(wide, high * across / down);
      look(left - (width - wide) / 2, top - (width * down / across - high) / 2, width);
    }

    function toStart() {
      const { width: across, height: down } = box();
      const width = Math.min(across < 600 ? 520 : 1250, Math.max(whole.width, whole.height * across / down));
      look(places[0][0] - 30, places[0][1] - 30, width);
    }

    function zoom(factor, clientX, clientY) {
      const frame = box();
      const px = clientX === undefined ? 0.5 : (clientX - frame.left) / frame.width;
      const py = clientY === undefined ? 0.5 : (clientY - frame.top) / frame.height;
      const x = view.x + px * view.width;
      const y = view.y + py * view.height;
      const before = view.width;
      const width = before * factor;
      look(x - px * width, y - py * width * frame.height / frame.width, width);
    }

    function move(dx, dy) {
      const scale = view.width / box().width;
      look(view.x - dx * scale, view.y - dy * scale, view.width);
    }

    function curve([x1, y1], [x2, y2]) {
      if (x2 > x1 + nodeWidth) {
        const [ax, ay, bx, by] = [x1 + nodeWidth, y1 + nodeHeight / 2, x2, y2 + nodeHeight / 2];
        const middle = (ax + bx) / 2;
        return `M${ax} ${ay}C${middle} ${ay} ${middle} ${by} ${bx} ${by}`;
      }
      const [ax, ay, bx, by] = [x1 + nodeWidth / 2, y1 + nodeHeight, x2 + nodeWidth / 2, y2 + nodeHeight];
      const low = Math.max(ay, by) + 40;
      return `M${ax} ${ay}C${ax} ${low} ${bx} ${low} ${bx} ${by}`;
    }

    function drawWays(number) {
      ways.replaceChildren(...data.states[number][3].map(([target]) => {
        const path = document.createElementNS(svg.namespaceURI, "path");
        path.setAttribute("d", curve(places[number], places[target]));
        return path;
      }));
    }

    function text(name, words, className) {
      const element = document.createElement(name);
      element.textContent = words;
      if (className) element.className = className;
      return element;
    }

    function choose(number) {
      nodes.forEach((node, each) => node.classList.toggle("chosen", each === number));
      if (number === null) {
        ways.replaceChildren();
        panel.hidden = true;
        return;
      }
      const [title, activity, visits, onward, crashes] = data.states[number];
      drawWays(number);
      const close = text("button", "×", "close");
      close.type = "button";
      close.setAttribute("aria-label", "Close");
      close.addEventListener("click", () => { choose(null); nodes[number].focus(); });
      const list = document.createElement("ul");
      for (const [target, words, count] of onward) {
        const item = document.createElement("li");
        const go = text("button", words, "go");
        go.type = "button";
        go.addEventListener("click", () => { choose(target); lookAt(target, view.width); });
        item.append(go, text("span", ` → ${target + 1}, ${count}×`, "muted"));
        list.append(item);
      }
      const links = crashes.map(([page, name]) => {
        const link = text("a", name, "bad");
        link.href = page;
        const line = text("p", "crashes here: ");
        line.append(link);
        return line;
      });
      const shown = nodes[number].querySelector("image");
      const picture = document.createElement("img");
      picture.alt = "";
      if (shown) picture.src = shown.dataset.src || shown.getAttribute("href");
      panel.replaceChildren(close, ...(shown ? [picture] : []), text("h2", title), text("p", `State ${number + 1} · ${activity} · seen ${visits}×`, "muted"), ...links, list);
      panel.hidden = false;
    }

    const actions = { in: () => zoom(0.7), out: () => zoom(1 / 0.7), fit, start: toStart };
    for (const button of document.querySelectorAll(".tools button")) {
      button.addEventListener("click", () => actions[button.dataset.do]());
    }
    for (const each of document.querySelectorAll(".tools, .keys")) each.hidden = false;

    svg.addEventListener("wheel", (event) => {
      event.preventDefault();
      zoom(Math.exp(Math.max(-0.5, Math.min(0.5, event.deltaY * 0.0022))), event.clientX, event.clientY);
    }, { passive: false });

    const fingers = new Map();
    let moved = 0;
    let apart = 0;
    const spread = () => {
      const [a, b] = [...fingers.values()];
      return Math.hypot(a.x - b.x, a.y - b.y);
    };
    svg.addEventListener("pointerdown", (event) => {
      fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
      if (fingers.size === 1) moved = 0;
      if (fingers.size === 2) apart = spread();
    });
    addEventListener("pointermove", (event) => {
      const finger = fingers.get(event.pointerId);
      if (!finger) return;
      const [dx, dy] = [event.clientX - finger.x, event.clientY - finger.y];
      fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
      moved += Math.abs(dx) + Math.abs(dy);
      if (fingers.size === 1 && moved > 4) {
        svg.classList.add("moving");
        move(dx, dy);
      } else if (fingers.size === 2) {
        const [a, b] = [...fingers.values()];
        const now = spread();
        if (apart > 0 && now > 0) zoom(apart / now, (a.x + b.x) / 2, (a.y + b.y) / 2);
        apart = now;
      }
    });
    for (const name of ["pointerup", "pointercancel"]) {
      addEventListener(name, (event) => {
        fingers.delete(event.pointerId);
        svg.classList.remove("moving");
      });
    }
    svg.addEventListener("dragstart", (event) => event.preventDefault());

    nodes.forEach((node, number) => {
      node.addEventListener("click", (event) => {
        event.preventDefault();
        if (moved <= 4) choose(number);
      });
      // A state that gets the focus by Tab is moved into view.
      node.addEventListener("focus", () => {
        const [x, y] = places[number];
        const inside = x >= view.x && y >= view.y && x + nodeWidth <= view.x + view.width && y + nodeHeight <= view.y + view.height;
        if (!inside && node.matches(":focus-visible")) lookAt(number, Math.min(view.width, 1200));
      });
    });

    svg.addEventListener("keydown", (event) => {
      const keys = { ArrowLeft: () => move(60, 0), ArrowRight: () => move(-60, 0), ArrowUp: () => move(0, 60), ArrowDown: () => move(0, -60), "+": actions.in, "=": actions.in, "-": actions.out, 0: fit, Escape: () => choose(null) };
      const action = keys[event.key];
      if (!action || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      action();
    });

    const picker = document.getElementById("path");
    picker?.addEventListener("change", () => {
      const groups = [...svg.querySelectorAll(".path")];
      for (const group of groups) group.classList.toggle("off", picker.value !== "" && picker.value !== group.dataset.crash);
      const chosen = groups.find((group) => group.dataset.crash === picker.value);
      svg.classList.toggle("many", !chosen && groups.length > MANY_PATHS);
      if (chosen) lookAtAll(chosen.dataset.states.split(" ").map(Number));
    });

    // A small map is shown whole; of a large one the beginning, where things can be read.
    function open() {
      const { width: across, height: down } = box();
      if (Math.min(across / whole.width, down / whole.height) > 0.45) fit();
      else toStart();
    }

    let isOpen = false;
    new ResizeObserver(() => {
      if (!box().width) return;
      if (isOpen) look(view.x, view.y, view.width);
      else open();
      isOpen = true;
    }).observe(svg);
  }
}
