// On the picture, until it was followed once: point at a patch.

import { finder, put } from "../dom.js";

const KEY = "vizapp-pointed";

/** @type {import("../panel.js").Panel} */
export const panel = {
  name: "invite",
  place: "stage",
  order: 25,
  html: `<p class="viz-invite">$invite</p>`,
  mount(root) {
    const line = finder(root)("invite");
    let isFollowed = wasFollowed();

    /** @param {import("../panel.js").View} view */
    function show({ hovered, pinned, guess, isReading, depth }) {
      if (!isFollowed && (hovered || pinned)) isFollowed = remember();
      put(line, { hidden: isFollowed || guess !== null || isReading || depth !== "picture" });
    }

    return { show };
  },
};

function wasFollowed() {
  try {
    return localStorage.getItem(KEY) !== null;
  } catch {
    return false; // a browser that keeps nothing
  }
}

function remember() {
  try {
    localStorage.setItem(KEY, "1");
  } catch {
    // it is asked again at the next visit
  }
  return true;
}
