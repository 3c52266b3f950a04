// Which page of the picture's file is shown, and the way to the others. It is there only for a file of several pages.

import { finder, put, write } from "../dom.js";

/** @type {import("../panel.js").Panel} */
export const panel = {
  name: "pages",
  place: "told",
  order: 7,
  html: `
    <p class="viz-pages" role="group">
      <button type="button" class="viz-page-before" aria-label="$page_before" title="$page_before">\u2039</button>
      <span class="viz-page" aria-live="polite"></span>
      <button type="button" class="viz-page-next" aria-label="$page_next" title="$page_next">\u203a</button>
    </p>`,
  shows: ({ payload }) => Boolean(payload.pages),
  mount(root, { words, turn }) {
    const find = finder(root);
    let [page, last] = [1, 1];
    const [before, next] = [find("page-before"), find("page-next")];
    before.addEventListener("click", () => page > 1 && turn?.(page - 1));
    next.addEventListener("click", () => page < last && turn?.(page + 1));

    /** @param {import("../numbers/payload.js").Payload} payload */
    function begin({ pages }) {
      if (!pages) return;
      [page, last] = [pages.page, pages.pages];
      write(find("page"), words.say(pages.isAll ? "page_of" : "page_of_least", { page, pages: last }));
      const isFixed = !turn || !pages.turns;
      // The one that leads nowhere is not disabled, or it would lose the keyboard's place.
      put(before, { hidden: isFixed, "aria-disabled": page === 1 });
      put(next, { hidden: isFixed, "aria-disabled": page === last });
    }

    return { reset: begin, swap: begin };
  },
};
