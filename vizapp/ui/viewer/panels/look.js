// How maps are painted: the scale, the colours, how they cover the picture.

import { SCALES } from "../../../vocabulary.js";
import { bind, finder, put } from "../dom.js";

const FLAGS = { "by-value": "byValue", smooth: "smooth", grid: "grid" };

const scales = SCALES.map((name) => `<option value="${name}">$scale_${name}</option>`);

/** @type {import("../panel.js").Panel} */
export const panel = {
  name: "look",
  place: "look",
  order: 10,
  html: `
    <div class="viz-row viz-look">
      <label><span data-term="scale">$scale</span> <select class="viz-scale">${scales.join("")}</select></label>
      <label class="viz-fixed-box" title="$fixed_help"><input class="viz-fixed" type="number" min="0.1" max="100" step="0.5" value="5" />&#8201;%</label>
      <label title="$colours_help">$colours <select class="viz-colours"></select></label>
      <label title="$opacity_help">$opacity <input class="viz-opacity" type="range" min="0" max="1" step="0.05" /></label>
      <label title="$by_value_help"><input class="viz-by-value" type="checkbox" checked /> $by_value</label>
      <label title="$smooth_help"><input class="viz-smooth" type="checkbox" /> $smooth</label>
      <label title="$grid_help"><input class="viz-grid" type="checkbox" checked /> $grid</label>
    </div>`,
  mount(root, { state, colours }) {
    const find = finder(root);
    find("colours").append(...Object.keys(colours).map((name) => new Option(name)));
    state.offer("colours", Object.keys(colours));
    bind(find("scale"), "change", state, ({ value }) => ({ scale: value }));
    bind(find("fixed"), "input", state, ({ value }) => ({ fixed: Math.min(1, Math.max(0.001, value / 100)) }));
    bind(find("colours"), "change", state, ({ value }) => ({ colours: value }));
    bind(find("opacity"), "input", state, ({ value }) => ({ opacity: Number(value) }));
    for (const [name, key] of Object.entries(FLAGS)) bind(find(name), "change", state, ({ checked }) => ({ [key]: checked }));

    /** @param {import("../panel.js").View} view */

    function show(view) {
      put(find("fixed-box"), { hidden: view.scale !== "fixed" });
      for (const name of ["scale", "colours"]) if (find(name).value !== view[name]) find(name).value = view[name];
      if (Number(find("opacity").value) !== view.opacity) find("opacity").value = view.opacity;
      for (const [name, key] of Object.entries(FLAGS)) find(name).checked = view[key];
      // What is being typed, "0." or nothing yet, is left as it is.
      if (view.scale === "fixed" && document.activeElement !== find("fixed"))
        find("fixed").value = Number((100 * view.fixed).toFixed(3));
    }

    return { show };
  },
};
