// The textbook: a chapter beside the picture that it drives. It says what to look at, asks for one action after the other, and
// answers each with the numbers of the reader's own picture.

import { finder, put, speaker, tagged, write } from "../dom.js";
import { filled } from "../numbers/readings.js";

/** @type {import("../panel.js").Panel} */
export const panel = {
  name: "book",
  place: "explore",
  order: 5,
  html: `
    <section class="viz-book" aria-label="$book" tabindex="-1" hidden>
      <div class="viz-book-head">
        <button class="viz-book-back" aria-label="$book_back">\u2039</button><select class="viz-book-list" aria-label="$book_chapters"></select><button class="viz-book-on" aria-label="$book_on">\u203a</button><button class="viz-book-close" aria-label="$book_close" title="$book_close">\u00d7</button>
      </div>
      <div class="viz-book-text"></div>
      <div class="viz-book-tasks"></div>
      <div class="viz-book-foot"><button class="viz-book-next"></button></div>
    </section>`,
  mount(root, { state, words, ask, colours, book, exercises }) {
    const find = finder(root);
    const box = find("book");
    const speak = speaker(find("book-tasks"));
    /** @type {import("../panel.js").View | null} */
    let view = null;
    let opened = ""; // the chapter that is shown
    let number = 0;
    let wanted = 0; // the one that was asked for last: pages are turned faster than pictures come
    /** @type {any} */
    let running = null; // the exercise
    /** @type {[string, number][]} */
    let then = [];
    let waiting = []; // sentences whose numbers have not arrived: {at, html}

    const options = book.chapters.map((_, i) => new Option("", String(i)));
    find("book-list").append(...options);
    function tick() {
      book.chapters.forEach(({ name, title }, i) =>
        write(options[i], `${i + 1}. ${plain(title)}${book.memory.done.includes(name) ? " \u2713" : ""}`),
      );
    }
    function turn(by) {
      wanted = Math.min(book.chapters.length - 1, Math.max(0, wanted + by));
      book.open(book.chapters[wanted].name);
    }
    find("book-back").addEventListener("click", () => turn(-1));
    find("book-on").addEventListener("click", () => turn(1));
    find("book-list").addEventListener("change", ({ target }) => book.open(book.chapters[Number(target.value)].name));
    find("book-close").addEventListener("click", () => book.close());
    find("book-next").addEventListener("click", () => (number + 1 < book.chapters.length ? turn(1) : book.close()));
    box.addEventListener("keydown", (event) => {
      const by = { PageDown: 1, PageUp: -1 }[event.key];
      if (by) turn(by);
      else if (event.key === "Escape") book.close();
      else return;
      event.preventDefault();
      event.stopPropagation();
    });

    // Before a class a clicker turns the pages, wherever the focus is.
    root.ownerDocument.addEventListener("keydown", (event) => {
      const by = { PageDown: 1, PageUp: -1 }[event.key];
      if (!by || !opened || event.defaultPrevented || !root.closest(".viz")?.classList.contains("viz-presented")) return;
      turn(by);
      event.preventDefault();
    });

    // ---- a chapter

    function begin(at) {
      leave();
      number = wanted = at;
      const chapter = book.chapters[at];
      opened = chapter.name;
      book.memory.chapter = opened;
      then = view?.payload.top ?? [];
      tick();
      find("book-list").value = String(at);
      put(find("book-back"), { disabled: at === 0 });
      put(find("book-on"), { disabled: at === book.chapters.length - 1 });
      const next = book.chapters[at + 1];
      write(find("book-next"), next ? words.say("book_next", { title: plain(next.title) }) : words.say("book_end"));
      delete find("book-next").dataset.ready;
      const heading = document.createElement("h2");
      heading.innerHTML = chapter.title;
      find("book-text").replaceChildren(heading, ...chapter.text.map(paragraph));
      light(chapter.lights);
      task(0);
      const { top } = box.getBoundingClientRect();
      if (isNarrow() || top < 0 || top > innerHeight / 2) box.scrollIntoView({ block: "start", behavior: "smooth" });
    }

    function leave() {
      running?.stop?.();
      running = null;
      waiting = [];
      opened = "";
      light([]);
      find("book-tasks").replaceChildren();
    }

    // The panels that a chapter is about have a frame.
    function light(names) {
      for (const one of root.closest(".viz")?.querySelectorAll(".viz-panel") ?? [])
        one.classList.toggle("viz-lit-panel", names.includes(/** @type {HTMLElement} */ (one).dataset.panel ?? ""));
    }

    // A sentence with its numbers, as soon as they are there; then it stays as it is, whatever is shown later.
    function paragraph(html, found = {}) {
      const line = document.createElement("p");
      waiting.push({ line, html, found });
      return line;
    }

    // On a phone the picture stays above what is read.
    const isNarrow = () => root.clientWidth <= 600;

    function fill() {
      if (!view) return;
      const seen = { view, words, then };
      waiting = waiting.filter(({ line, html, found }) => {
        const text = /\{\w+\}/.test(html) && !view?.map.values ? null : filled(html, { ...seen, found });
        if (text === null) return true;
        line.innerHTML = text;
        if (line.className === "viz-answer") speak(() => line.textContent ?? "");
        for (const term of line.querySelectorAll("[data-term]")) put(term, { role: "button", tabIndex: 0 });
        return false;
      });
    }

    // ---- what it asks for

    /** Ask for the next; the element that has it, or the way to the next chapter. @returns {HTMLElement} */
    function task(at) {
      const spec = book.chapters[number].exercises[at];
      const before = find("book-tasks").lastElementChild;
      if (!spec) {
        find("book-next").dataset.ready = "true";
        book.memory.finished(opened);
        tick();
        if (before && isNarrow()) reveal(before);
        return find("book-next");
      }
      const item = document.createElement("div");
      item.className = "viz-task";
      item.tabIndex = -1;
      const place = document.createElement("div");
      place.className = "viz-task-body";
      if (spec.question) {
        const question = paragraph(spec.question);
        question.className = "viz-question";
        item.append(question);
      }
      item.append(place);
      find("book-tasks").append(item);
      const own = opened;
      const known = exercises.find(({ kind }) => kind === spec.kind);
      if (!known) {
        place.append(tagged("p", words.say("book_strange", { kind: spec.kind })));
        return item;
      }
      let isDone = false;
      running = known.mount(place, {
        spec,
        name: `${opened}/${at}`,
        chapter: number + 1,
        state,
        words,
        colours,
        ask: (kind, what) => ask(kind, view?.payload.run ?? "", what),
        open: (link) => book.road.open(link),
        here: () => book.road.here(),
        memory: book.memory,
        done: (found) => {
          if (own !== opened) return;
          if (spec.answer) {
            item.querySelector(".viz-answer")?.remove(); // done once more, of another picture
            const answer = paragraph(spec.answer, found);
            answer.className = "viz-answer";
            item.append(answer);
            fill();
          }
          if (isDone) return;
          isDone = true;
          const hasFocus = item.contains(root.ownerDocument.activeElement); // on a button that can be pressed no more
          item.dataset.done = "true";
          // After the paint of which this may be a part.
          setTimeout(() => {
            if (own !== opened) return;
            const before = running;
            others.push(before);
            const next = task(at + 1);
            if (hasFocus) next.focus({ preventScroll: true });
            if (running === before) running = null;
            if (view) show(view);
          }, 0);
        },
      });
      if (view) running?.show?.(view);
      if (before && isNarrow()) reveal(before);
      else if (before) item.scrollIntoView({ block: "nearest", behavior: "smooth" });
      return item;
    }

    // Where the picture stays above, what was just answered is read first, from its beginning.
    function reveal(item) {
      const found = item.querySelector(".viz-pairs, table, .viz-guesses, .viz-verdict:not(:empty), .viz-answer");
      (found ?? item).scrollIntoView({ block: "start", behavior: "smooth" });
    }
    let others = []; // exercises that are done and still show what is on the stage

    /** @param {import("../panel.js").View} shown */
    function show(shown) {
      view = shown;
      const at = book.at(view.chapter);
      put(box, { hidden: at < 0 });
      if (at < 0) return opened && leaveAll();
      if (book.chapters[at].name !== opened) {
        leaveAll();
        begin(at);
      }
      fill();
      for (const one of [...others, running]) one?.show?.(view);
    }

    function leaveAll() {
      for (const one of others) one?.stop?.();
      others = [];
      leave();
    }

    return { show };
  },
};

function plain(html) {
  return new DOMParser().parseFromString(html, "text/html").body.textContent ?? "";
}
