// Explores the requests of a warp, one at a time, in the figures that wait for `id`. explorer.py makes the data: what
// is shown is said and counted there, and here it is only put in place. Texts become text nodes, never HTML.
(id, data) => {
  const SVG = "http://www.w3.org/2000/svg", [left, topmost, wide, tall] = data.lane;
  const [width, warp] = data.size;

  const add = (parent, name, attributes = {}, text = "") => {
    const space = name === "svg" || parent.namespaceURI === SVG ? SVG : "http://www.w3.org/1999/xhtml";
    const made = document.createElementNS(space, name);
    for (const key in attributes) made.setAttribute(key, attributes[key]);
    made.textContent = text;
    parent.append(made);
    return made;
  };
  const write = (parent, x, y, text, more = {}) => add(parent, "text", { x, y, ...more }, text);

  const explore = (figure) => {
    const root = add(figure, "div", { class: "course-explorer", role: "group", "aria-label": data.title });
    root.dataset.lmSuppressShortcuts = true;  // JupyterLab's keys, which take the arrows
    figure.prepend(root);
    const bar = add(root, "div", { style: "display:flex;gap:.6em;align-items:center;flex-wrap:wrap" });
    const style = "color:inherit;background:none;border:1px solid;border-radius:4px;padding:.15em .7em;font:inherit";
    const back = add(bar, "button", { type: "button", style }, "◀ Previous");
    const next = add(bar, "button", { type: "button", style }, "Next ▶");
    const which = add(bar, "span");
    const heading = add(root, "div", { style: "font-weight:bold;margin-top:.4em" });
    const code = add(root, "pre", { style: "margin:.2em 0;font-family:monospace;color:inherit;background:none;overflow-x:auto" });
    const sheet = add(root, "div");
    const status = add(root, "div", { role: "status", style: "min-height:3em" });
    let shown = data.first, chosen = 0;

    const draw = () => {
      const step = data.steps[shown];
      which.textContent = `Request ${shown + 1} of ${data.steps.length} kinds. ${step.times}`;
      heading.textContent = step.heading;
      code.textContent = `${step.line}: ${step.code}`;
      status.textContent = `${step.cost} Point at a lane, or press Tab and the arrow keys.`;
      sheet.replaceChildren();
      const svg = add(sheet, "svg", {
        viewBox: `0 0 ${width} ${step.height}`, style: data.style, "font-family": data.font, "font-size": 11,
        fill: "currentColor", "text-anchor": "middle", role: "group", "aria-label": "The lanes of the warp",
      });
      const box = (parent, x, y, width, height, more = {}) =>
        add(parent, "rect", { x, y, width, height, fill: "none", stroke: "currentColor", ...more });
      write(svg, left - 6, topmost + 12, "lane", { "text-anchor": "end" });
      for (const [x, y, text, at] of step.labels) write(svg, x, y, text, { "text-anchor": at, "font-size": 10 });
      const cells = step.cells.map(([x, y, width, height, text]) => {
        const cell = add(svg, "g");
        const filled = step.filled ? { fill: step.color } : {};
        box(cell, x, y, width, height, filled);
        if (text) write(cell, x + width / 2, y + height / 2 + 4, text, { fill: "black" });
        return cell;
      });
      const lanes = step.lanes.map(([lane, , , x, own]) => {
        const group = add(svg, "g", { tabindex: -1, role: "img", "aria-label": `lane ${lane}`, style: "outline:none" });
        box(group, left + lane * wide, topmost, wide, tall, { "fill-opacity": 0.35, "pointer-events": "all" });
        write(group, left + (lane + 0.5) * wide, topmost + 13, lane, { "font-size": 13 });
        const line = { x1: left + (lane + 0.5) * wide, y1: topmost + tall, x2: x, y2: step.top, stroke: "currentColor" };
        add(group, "line", { ...line, "stroke-opacity": 0.75 });
        if (step.bytes) box(group, x - step.bytes / 2, step.top, step.bytes, step.depth, { fill: step.color, stroke: "none" });
        return { group, own };
      });
      for (let lane = 0; lane < warp; lane++) {
        if (step.lanes.some((each) => each[0] === lane)) continue;
        box(svg, left + lane * wide, topmost, wide, tall, { "stroke-dasharray": "3 3", "stroke-opacity": 0.4 });
        write(svg, left + (lane + 0.5) * wide, topmost + 13, lane, { "font-size": 13, "fill-opacity": 0.65 });
      }
      if (!step.filled) svg.append(...cells);  // the edges, over the bytes

      const look = (at) => {
        const own = at < 0 ? [] : lanes[at].own;
        const shares = lanes.map((each) => each.own.some((unit) => own.includes(unit)));
        lanes.forEach(({ group }, n) => {
          const [frame, , line] = group.children;
          group.style.opacity = at < 0 || shares[n] ? 1 : 0.55;
          frame.setAttribute("fill", at >= 0 && shares[n] ? "currentColor" : "none");
          frame.setAttribute("stroke-width", n === at ? 3 : 1);
          line.setAttribute("stroke-width", n === at ? 2.5 : 1);
        });
        cells.forEach((cell, n) => {
          cell.firstChild.setAttribute("stroke-width", own.includes(n) ? 3 : 1);
          cell.style.opacity = at < 0 || own.includes(n) || !step.filled ? 1 : 0.55;
        });
        if (at < 0) return;
        const [lane, thread, element, , , text] = step.lanes[at];
        status.textContent = `Lane ${lane}, thread (${thread}), ${step.verb} ${element}: ${step.texts[text]}`;
      };
      const choose = (at) => {
        lanes[chosen].group.setAttribute("tabindex", -1);
        chosen = Math.max(0, Math.min(at, lanes.length - 1));
        lanes[chosen].group.setAttribute("tabindex", 0);
      };
      chosen = 0;
      choose(0);
      lanes.forEach(({ group }, n) => {
        group.addEventListener("mouseenter", () => look(n));
        group.addEventListener("mouseleave", () => look(-1));
        group.addEventListener("blur", () => look(-1));
        group.addEventListener("focus", () => { choose(n); look(n); });
        group.addEventListener("keydown", (event) => {
          const to = { ArrowRight: n + 1, ArrowLeft: n - 1, Home: 0, End: lanes.length - 1 }[event.key];
          if (to === undefined) return;
          event.preventDefault();
          choose(to);
          lanes[chosen].group.focus();
        });
      });
    };
    const move = (by) => () => {
      shown = (shown + by + data.steps.length) % data.steps.length;
      draw();
    };
    back.addEventListener("click", move(-1));
    next.addEventListener("click", move(1));
    const details = figure.querySelector("details"), image = details.querySelector("img");
    const text = decodeURIComponent(image.src.slice(image.src.indexOf(",") + 1));
    const picture = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
    picture.removeAttribute("color");  // the page's own
    picture.setAttribute("aria-label", image.alt);
    image.replaceWith(picture);
    details.open = false;
    draw();
  };

  for (const figure of document.querySelectorAll(`figure[data-explorer="${id}"]`)) {
    figure.removeAttribute("data-explorer");
    explore(figure);
  }
}
