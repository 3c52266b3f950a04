/* What a visitor can read on the page as it stands: text outside of the brackets of the pseudo-language, text that is cut
   off, texts that overlap. An expression: a function of the brackets, for playwright's `evaluate`. */
([OPEN, CLOSE]) => {
  const LETTERS = /\p{L}{2}/u;
  const SILENT = new Set(["SCRIPT", "STYLE", "NOSCRIPT", "TEMPLATE", "OPTION"]);
  const SAID = ["title", "aria-label", "placeholder", "alt", "aria-description", "aria-roledescription"];
  // Gradio keeps copies to measure by, one pixel large.
  const isTiny = (element) => {
    for (let one = element; one && one !== document.body; one = one.parentElement) {
      const area = one.getBoundingClientRect();
      if ((area.width < 2 || area.height < 2) && getComputedStyle(one).overflow !== "visible") return true;
    }
    return false;
  };
  const isSeen = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && !isTiny(element);
  const where = (element) => {
    const path = [];
    for (let one = element; one && one !== document.body && path.length < 3; one = one.parentElement) {
      const name = typeof one.className === "string" ? one.className.split(" ").filter((part) => !part.startsWith("svelte"))[0] : "";
      path.unshift(one.tagName.toLowerCase() + (one.id ? `#${one.id}` : name ? `.${name}` : ""));
    }
    return path.join(" > ");
  };

  // The letters of one string that stand in no bracket; null where brackets do not fit.
  const outside = (text, start = 0) => {
    let depth = start, free = "";
    for (const letter of text) {
      if (letter === OPEN) depth += 1;
      else if (letter === CLOSE) depth -= 1;
      else if (depth <= 0) free += letter;
    }
    return [free, depth];
  };

  const strays = [], cut = [], overlapping = [], texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let depth = 0;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || SILENT.has(element.tagName) || !isSeen(element)) continue;
    const [free, after] = outside(node.data, depth);
    depth = after;
    const isForeign = element.closest("body [lang]"); // the way to another language, which says which it is
    if (LETTERS.test(free) && !isForeign) strays.push([free.trim(), where(element)]);
    texts.push([node, element]);
  }
  if (depth !== 0) strays.push([`a sentence on the page has lost a bracket (${depth})`, "body"]);
  for (const element of document.body.querySelectorAll("*")) {
    if (SILENT.has(element.tagName) && element.tagName !== "OPTION") continue;
    const box = element.tagName === "OPTION" ? element.closest("select") : element;
    if (!box || !isSeen(box)) continue;
    const said = SAID.map((name) => element.getAttribute(name)).filter(Boolean);
    if (element.tagName === "OPTION") said.push(element.textContent);
    if (element.matches("input[type=text], input:not([type]), textarea")) said.push(element.value);
    for (const text of said) {
      const [free, open] = outside(text);
      if (open !== 0 || LETTERS.test(free)) strays.push([free.trim() || text, where(element)]);
    }
  }

  // Cut off: wider or higher than a box that hides the rest and cannot be scrolled; or beyond the window.
  const boxes = texts.map(([node, element]) => {
    const range = document.createRange();
    range.selectNodeContents(node);
    return [node, element, [...range.getClientRects()].filter((rect) => rect.width > 1 && rect.height > 1)];
  });
  for (const [node, element, rects] of boxes) {
    for (const rect of rects) {
      for (let box = element; box && box !== document.body; box = box.parentElement) {
        const style = getComputedStyle(box);
        if (style.position === "fixed") break;
        const hides = (value) => value === "hidden" || value === "clip";
        const scrolls = (value) => value === "auto" || value === "scroll";
        const area = box.getBoundingClientRect();
        if (area.width < 2 || area.height < 2) break; // for screen readers only
        const wide = hides(style.overflowX) && (rect.left < area.left - 2 || rect.right > area.right + 2);
        const high = hides(style.overflowY) && (rect.top < area.top - rect.height / 3 || rect.bottom > area.bottom + rect.height / 3);
        if (wide || high) { cut.push([node.data.trim().slice(0, 60), where(box)]); break; }
        if (scrolls(style.overflowX) || scrolls(style.overflowY)) break;
        if (box.parentElement === document.body && rect.left < -2) cut.push([node.data.trim().slice(0, 60), where(element)]);
      }
    }
  }
  if (document.documentElement.scrollWidth > window.innerWidth + 1) {
    cut.push([`the page is ${document.documentElement.scrollWidth} pixels wide in a window of ${window.innerWidth}`, "body"]);
  }

  // Overlapping: two texts on one layer whose letters share ground. What opens above the rest lies on a layer of its own.
  const layer = (element) => {
    for (let one = element; one && one !== document.body; one = one.parentElement) {
      const style = getComputedStyle(one);
      const isAbove = ["absolute", "sticky"].includes(style.position) && style.zIndex !== "auto";
      if (one.tagName === "DIALOG" || style.position === "fixed" || isAbove) return one;
    }
    return document.body;
  };
  // What a box that scrolls does not show just now lies on nothing.
  const shown = (rect, element) => {
    let { left, right, top, bottom } = rect;
    for (let box = element; box && box !== document.body; box = box.parentElement) {
      const style = getComputedStyle(box);
      if (style.overflowX === "visible" && style.overflowY === "visible") continue;
      const area = box.getBoundingClientRect();
      [left, right] = [Math.max(left, area.left), Math.min(right, area.right)];
      [top, bottom] = [Math.max(top, area.top), Math.min(bottom, area.bottom)];
    }
    return { left, right, top, bottom };
  };
  const pieces = boxes.flatMap(([node, element, rects]) =>
    rects.map((rect) => ({ node, element, rect: shown(rect, element), on: layer(element) })),
  );
  pieces.sort((a, b) => a.rect.top - b.rect.top);
  for (let i = 0; i < pieces.length; i += 1) {
    const a = pieces[i];
    for (let j = i + 1; j < pieces.length && pieces[j].rect.top < a.rect.bottom - 4; j += 1) {
      const b = pieces[j];
      if (a.node === b.node || a.on !== b.on) continue;
      const shared = Math.min(a.rect.right, b.rect.right) - Math.max(a.rect.left, b.rect.left);
      const high = Math.min(a.rect.bottom, b.rect.bottom) - Math.max(a.rect.top, b.rect.top);
      if (shared > 3 && high > 4) overlapping.push([`${a.node.data.trim().slice(0, 40)} | ${b.node.data.trim().slice(0, 40)}`, where(b.element)]);
    }
  }
  const wide = document.documentElement.scrollWidth > document.documentElement.clientWidth;
  return { strays, cut, overlapping, wide };
}
