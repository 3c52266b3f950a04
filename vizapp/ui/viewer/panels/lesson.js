// The lesson that a picture is of: its question, the next picture, and the answer in numbers of the map that is shown.

import { finder, put, speaker, write } from "../dom.js";
import { mapName } from "../names.js";
import { percent } from "../numbers/format.js";
import { METRICS } from "../numbers/score.js";

/** @type {import("../panel.js").Panel} */
export const panel = {
  name: "lesson",
  place: "maps",
  order: 18, // above what is measured
  // Whoever has chosen a picture is asked about it. The page that nobody has touched yet has the door "Does it find the object?".
  shows: ({ depth, isReading, question }) => depth === "score" || (depth === "picture" && !isReading && question),
  html: `
    <div class="viz-lesson" hidden>
      <p class="viz-lesson-asks"></p>
      <button class="viz-lesson-answer" aria-expanded="false">$lesson_answer</button>
      <span class="viz-lesson-walk"><button class="viz-lesson-back" aria-label="$lesson_back">\u2039</button><output class="viz-lesson-at"></output><button class="viz-lesson-on" aria-label="$lesson_on">\u203a</button></span>
      <p class="viz-lesson-says" hidden></p>
    </div>`,
  mount(root, { words, book }) {
    const find = finder(root);
    const speak = speaker(find("lesson-says"));
    /** @type {import("../panel.js").View | null} */
    let view = null;
    let isOpen = false;

    const go = (by) => {
      const lesson = view?.payload.lesson;
      if (!lesson) return;
      const number = (lesson.number + by + lesson.of) % lesson.of;
      book.road.open(book.road.here().replace(/picture=[^&]*/, `picture=lesson/${lesson.name}/${number}`));
    };
    find("lesson-back").addEventListener("click", () => go(-1));
    find("lesson-on").addEventListener("click", () => go(1));
    find("lesson-answer").addEventListener("click", () => {
      isOpen = !isOpen;
      if (view) show(view);
      speak(() => find("lesson-says").textContent);
    });
    const begin = () => (isOpen = false);

    /** @param {import("../panel.js").View} shown */
    function show(shown) {
      view = shown;
      const { lesson } = view.payload;
      put(find("lesson"), { hidden: !lesson || view.shapes.length > 0 });
      if (!lesson) return;
      write(find("lesson-asks"), lesson.question);
      write(find("lesson-at"), words.say("lesson_at", { title: lesson.title, n: lesson.number + 1, of: lesson.of }));
      put(find("lesson-answer"), { "aria-expanded": isOpen });
      put(find("lesson-says"), { hidden: !isOpen });
      if (isOpen) write(find("lesson-says"), answer(view));
    }

    function answer({ payload, truth, map, selected }) {
      const [[label, share] = ["", 0]] = payload.top;
      const isRight = payload.lesson?.answers.includes(label);
      const said = words.say(isRight ? "lesson_right" : "lesson_wrong", {
        label,
        share: percent(share),
        truth: words.list([...new Set(payload.lesson?.answers)]),
      });
      if (!map.values || !selected) return label ? said : words.say("arriving");
      const values = map.values.subarray(map.layout.first);
      const each = truth.parts.map(({ name, on }) => {
        const target = on(map.layout.grid);
        return words.say("lesson_part", {
          name,
          share: percent(METRICS.energy(values, target) ?? 0),
          area: percent(target.area),
        });
      });
      const where = mapName(words, view, selected);
      const patches = percent(view?.onPatches ?? 1);
      return words.told([label ? said : "", words.say("lesson_map", { where, patches, parts: words.list(each) })]);
    }

    return { reset: begin, swap: begin, show };
  },
};
