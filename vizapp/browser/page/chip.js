// The chip in the heading: it bears the network's name, and opens the choice of networks and of how a picture is fitted.

import { closing } from "../../ui/viewer/dom.js";
import { shortModel } from "../../ui/viewer/saving/titles.js";
import { AS_TRAINED, FITS } from "../../vocabulary.js";

/**
 * @param {HTMLElement} root
 * @param {import("./desk.js").Desk} desk
 * @returns {(choice: import("./desk.js").Choice) => void} shows what is chosen
 */
export function chip(root, desk) {
  const { about, words } = desk;
  root.innerHTML = `
    <details id="model-chip"><summary><b><bdi></bdi></b></summary><div>
      <label class="model"><span></span>${desk.source.networks ? '<input list="networks" autocomplete="off" spellcheck="false">' : "<select></select>"}</label>
      <label class="fit"><span></span><select></select></label>
    </div></details>`;
  const find = (css) => /** @type {any} */ (root.querySelector(css));
  const box = /** @type {HTMLDetailsElement} */ (find("details"));
  closing(box);
  find("summary").title = words.page.model_chip;
  find(".model span").textContent = words.page.model;
  find(".fit span").textContent = words.page.fit;
  find(".fit").title = words.page.fit_help;

  const title = (name) => desk.modelOf(name)?.titles[desk.language] ?? name;
  const model = find(".model :is(select, input)");
  if (desk.source.networks) searched(model, desk);
  else model.append(...about.models.map(({ name }) => new Option(title(name), name)));
  const fit = /** @type {HTMLSelectElement} */ (find(".fit select"));
  fit.append(...[AS_TRAINED, ...FITS].map((one) => new Option(words.page[`fit_${one}`], one)));
  find(".fit").hidden = !desk.isLive;
  const chosen = (part) => {
    box.open = false; // the stage is what counts now
    desk.look(part);
  };
  model.addEventListener("change", () => model.value && chosen({ model: model.value }));
  fit.addEventListener("change", () => chosen({ fit: fit.value }));

  return (choice) => {
    find("bdi").textContent = shortModel(title(choice.model));
    model.value = choice.model;
    fit.value = choice.fit;
    for (const option of model.options ?? []) {
      option.disabled = !desk.source.can(option.value, choice.picture);
      option.textContent = option.disabled
        ? words.export.modelElsewhere.replace("{name}", title(option.value))
        : title(option.value);
    }
  };
}

// A field that takes any name, and lists those that the source knows: asked for when it is first used.
function searched(field, desk) {
  const list = Object.assign(document.createElement("datalist"), { id: "networks" });
  field.after(list);
  field.addEventListener("focus", async () => {
    field.select();
    if (list.dataset.asked) return;
    list.dataset.asked = "yes";
    const known = await desk.source.networks();
    list.replaceChildren(
      ...known.map(([label, name]) => Object.assign(document.createElement("option"), { value: name, label })),
    );
  });
}
