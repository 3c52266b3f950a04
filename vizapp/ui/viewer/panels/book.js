// The textbook: a chapter beside the picture that it controls. It tells what to look at, asks for one action after the other, and
// answers each with the numbers of the reader's own picture.

import { finder, intoView, plain, put, speaker, tagged, write } from "../dom.js";
import { Network } from "../drawing/network.js";
import { notUnderstood } from "../exercise.js";
import { nameKey } from "../names.js";
import { filled } from "../numbers/readings.js";
import { later } from "../numbers/timers.js";

/** @type {import("../panel.js").Panel} */
export const panel = {
  name: "book",
  place: "maps",
  order: 2,
  shows: ({ isReading }) => isReading,
  html: `
    <section class="viz-book" aria-label="$book" tabindex="-1" hidden>
      <div class="viz-book-head">
        <button class="viz-book-back" aria-label="$book_back">\u2039</button><button class="viz-book-whole" title="$book_whole"><span class="viz-unseen">$book_whole</span></button><button class="viz-book-on" aria-label="$book_on">\u203a</button><button class="viz-book-close" aria-label="$book_close" title="$book_close">\u00d7</button>
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
    let wanted = 0; // the latest request: a reader turns pages faster than pictures arrive
    /** @type {any} */
    let running = null; // the exercise
    /** @type {[string, number][]} */
    let then = [];
    let waiting = []; // sentences whose numbers have not arrived: {at, html}

    const names = book.chapters.map(({ name }) => name);
    if (names.length) state.offer("chapter", names);
    const network = new Network(words);
    find("book-whole").append(network.element);
    function turn(by) {
      wanted = Math.min(book.chapters.length - 1, Math.max(0, wanted + by));
      book.open(book.chapters[wanted].name);
    }
    find("book-back").addEventListener("click", () => turn(-1));
    find("book-on").addEventListener("click", () => turn(1));
    find("book-whole").addEventListener("click", () => book.open(book.whole?.name));
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

    // A presenter's clicker turns the pages, wherever the focus is.
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
      network.light(chapter.part);
      put(find("book-whole"), { hidden: !book.whole || chapter === book.whole });
      put(find("book-back"), { disabled: at === 0 });
      put(find("book-on"), { disabled: at === book.chapters.length - 1 });
      const next = book.chapters[at + 1];
      write(find("book-next"), next ? words.say("book_next", { title: plain(next.title) }) : words.say("book_end"));
      delete find("book-next").dataset.ready;
      const heading = document.createElement("h2");
      heading.innerHTML = chapter.title;
      if (chapter !== book.whole) heading.prepend(tagged("span", String(at)), " ");
      find("book-text").replaceChildren(heading, ...chapter.text.map(paragraph));
      task(0);
      intoView(box);
    }

    function leave() {
      running?.stop?.();
      running = null;
      waiting = [];
      opened = "";
      find("book-tasks").replaceChildren();
    }

    // Add a sentence once its numbers have arrived. After that it does not change, whatever is shown later.
    function paragraph(html, found = {}) {
      const line = document.createElement("p");
      waiting.push({ line, html, found });
      return line;
    }

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
        if (before) reveal(before);
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
      const strange = notUnderstood(state, spec);
      if (!known || strange) {
        const why = known ? words.say("book_unread", { part: strange }) : words.say("book_strange", { kind: spec.kind });
        place.append(tagged("p", why));
        return item;
      }
      let isDone = false;
      running = known.mount(place, {
        spec,
        name: `${opened}/${at}`,
        chapter: number,
        state,
        words,
        colours,
        ask: (kind, what) => ask(kind, view?.payload.run ?? "", what),
        open: (link) => book.road.open(link),
        here: () => book.road.here(),
        book,
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
          // After the current paint, since this may run inside of it.
          later(() => {
            if (own !== opened) return;
            const before = running;
            others.push(before);
            const next = task(at + 1);
            if (hasFocus) next.focus({ preventScroll: true });
            if (running === before) running = null;
            if (view) show(view);
          });
        },
      });
      if (view) running?.show?.(view);
      if (before) reveal(before);
      return item;
    }

    // Scroll to the beginning of the new answer, if there is one.
    function reveal(item) {
      const found = item.querySelector(".viz-pairs, table, .viz-guesses, .viz-verdict:not(:empty), .viz-answer");
      if (found) intoView(found);
    }
    let depth = ""; // how deep the reader was when it was last painted
    let others = []; // exercises that are done and still show what is on the stage

    /** @param {import("../panel.js").View} shown */
    function show(shown) {
      view = shown;
      const at = book.at(view.chapter);
      put(box, { hidden: at < 0 });
      if (at < 0) return opened && leaveAll();
      if (book.chapters[at].name !== opened) {
        const focused = /** @type {HTMLElement | null} */ (
          box.contains(root.ownerDocument.activeElement) ? root.ownerDocument.activeElement : null
        );
        leaveAll();
        begin(at);
        // What was pressed may be gone with the chapter that had it, and keys with it.
        if (focused && (!focused.isConnected || focused.hidden)) box.focus({ preventScroll: true });
      } else if (view.depth !== depth) {
        // What opens below the book leaves in view what is asked: at the top, with the beginning of what has opened under it,
        // which is there after this paint.
        const asked = find("book-tasks").lastElementChild;
        later(() => asked && intoView(asked));
      }
      depth = view.depth;
      fill();
      network.show(view, words.say(...nameKey("chip", view.payload.readout)));
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
