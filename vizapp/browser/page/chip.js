// The chip in the heading: it bears the network's name, and opens the choice of networks and of how a picture is fitted.

import { closing } from "../../ui/viewer/dom.js";
import { shortModel } from "../../ui/viewer/saving/titles.js";
import { AS_TRAINED, FITS } from "../../vocabulary.js";

const TIMM = "timm:";
const RECENT = "vizapp-models"; // in this browser's storage: full names, the latest first
const MOST = 4;

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
      <p class="recent" hidden></p>
      <p class="own-weights" hidden><input type="file" accept=".safetensors" hidden><button type="button"></button></p>
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
  const draw = desk.source.networks ? recent(find(".recent"), words, (name) => chosen({ model: name })) : () => {};
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

  if (desk.source.weights) weights(find(".own-weights"), desk);
  desk.complete = (name, asks) => {
    box.open = true;
    desk.said(asks);
    model.focus();
    model.value = name;
    model.dispatchEvent(new Event("input"));
    model.setSelectionRange(name.length, name.length);
    model.scrollLeft = model.scrollWidth;
  };

  return (choice) => {
    draw(choice.model);
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

// A field that takes any name, and lists those that the source knows: asked for when it is first used. Behind "?arch=" it lists the
// networks of timm, one of which a file's weights are of.
function searched(field, desk) {
  const list = Object.assign(document.createElement("datalist"), { id: "networks" });
  field.after(list);
  let known = /** @type {[string, string][]} */ ([]);
  const offer = () => {
    const [start] = /^.*\?arch=/.exec(field.value) ?? [""];
    const some = start ? known.filter(([, name]) => name.startsWith(TIMM)) : known;
    const option = ([label, name]) =>
      Object.assign(document.createElement("option"), { value: start ? start + name.slice(TIMM.length) : name, label });
    if (list.dataset.start !== start || !list.options.length) list.replaceChildren(...some.map(option));
    list.dataset.start = start;
  };
  field.addEventListener("input", offer);
  field.addEventListener("focus", async () => {
    field.select();
    if (list.dataset.asked) return;
    list.dataset.asked = "yes";
    known = await desk.source.networks();
    offer();
  });
}

function weights(root, desk) {
  const [field, button] = root.children;
  root.hidden = false;
  button.textContent = desk.words.page.weights;
  button.addEventListener("click", () => field.click());
  field.addEventListener("change", () => {
    if (field.files[0]) desk.weights(field.files[0]);
    field.value = ""; // otherwise choosing the same file again would cause no event
  });
}

// The networks that this browser has used last and that are not built in, as buttons. Nothing of it is sent.
function recent(root, words, choose) {
  return (now) => {
    const before = recalled();
    if (now.includes(":") || now.startsWith("photos")) {
      try {
        localStorage.setItem(RECENT, JSON.stringify([now, ...before.filter((one) => one !== now)].slice(0, MOST)));
      } catch {
        // storage is blocked
      }
    }
    const others = before.filter((one) => one !== now);
    const button = (name) =>
      Object.assign(document.createElement("button"), {
        type: "button",
        textContent: shortModel(name),
        title: name,
        onclick: () => choose(name),
      });
    root.replaceChildren(`${words.page.recent} `, ...others.map(button));
    root.hidden = !others.length;
  };
}

/** @returns {string[]} */
function recalled() {
  try {
    return JSON.parse(localStorage.getItem(RECENT) ?? "[]").filter((one) => typeof one === "string");
  } catch {
    return []; // storage is blocked, or another page wrote it
  }
}
