// The choices around the stage. In the tray below it: a picture of one's own, photos, lessons, and how a picture is fitted; in the
// heading: the network.

import { AS_TRAINED, FITS } from "../../vocabulary.js";
import { forget, isKept } from "./kept.js";

/**
 * @param {HTMLElement} root
 * @param {import("./desk.js").Desk} desk
 * @returns {(choice: import("./desk.js").Choice) => void} shows what is chosen
 */
export function shelf(root, desk) {
  const { about, words } = desk;
  const named = about.pictures.map(({ name }) => name);
  const lessons = new Map(); // name -> its pictures
  for (const one of about.pictures.filter(({ asked }) => asked)) {
    const { name, title } = one.asked[desk.language];
    if (one.name.endsWith("/bare")) continue; // only an exercise leads to these
    if (!lessons.has(name)) lessons.set(name, { title, pictures: [] });
    lessons.get(name).pictures.push(one.name);
  }
  const photos = named.filter((name) => name.startsWith("photo/"));
  root.innerHTML = `
    <label class="bring" tabindex="0" role="button"><input type="file" accept="image/*,video/*" hidden><span></span></label>
    <button type="button" class="forget" hidden></button>
    <div class="photos"><div></div></div>
    <p class="credit" hidden></p>
    <div class="lessons"><p class="label"></p><div></div></div>
    <p class="kept"></p>
    <label class="field model"><span class="label"></span><select></select></label>
    <p class="why" hidden></p>
    <label class="field fit"><span class="label"></span><select></select></label>`;
  const find = (css) => /** @type {any} */ (root.querySelector(css));
  const isLive = about.models.some(({ blob }) => blob);
  find(".bring span").textContent = words.export.bring;
  find(".bring").hidden = !isLive;
  find(".kept").textContent = isLive ? words.export.kept : words.export.mapsOnly;
  find(".bring").title = find(".kept").textContent;
  find(".lessons .label").innerHTML = words.page.lessons;
  find(".model .label").textContent = words.page.model;
  find(".fit .label").textContent = words.page.fit;
  find(".fit").title = words.page.fit_help;

  Object.assign(find(".forget"), { textContent: words.export.forget, title: words.export.forgetHelp });
  find(".forget").addEventListener("click", () => {
    forget();
    find(".forget").hidden = true;
  });

  /** @type {Map<string, string>} */
  const urls = new Map(); // name of a picture -> its object URL
  /** @type {Map<string, number>} */
  const opened = new Map();
  for (const [name, { title, pictures }] of lessons) {
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: title, id: `lesson-${name}` });
    button.addEventListener("click", () => {
      const at = (opened.get(name) ?? -1) + 1;
      opened.set(name, at);
      const picture = pictures[at % pictures.length];
      desk.look({ picture, model: modelFor(picture) });
    });
    find(".lessons > div").append(button);
  }
  for (const name of photos) {
    const button = document.createElement("button");
    const { credit } = desk.pictures.get(name);
    const plain = words.page.photo.replace("{name}", name.slice("photo/".length));
    const title = credit ? `${plain} (${credit})` : plain;
    button.type = "button";
    Object.assign(button, { title, ariaLabel: title });
    const image = new Image();
    image.alt = "";
    button.append(image);
    urlOf(name).then((url) => (image.src = url));
    button.addEventListener("click", () => desk.look({ picture: name, model: modelFor(name) }));
    find(".photos > div").append(button);
  }
  find(".lessons").hidden = !lessons.size;
  find(".photos").hidden = !photos.length;

  const model = find(".model select");
  model.append(...about.models.map(({ name }) => new Option(name, name)));
  model.addEventListener("change", () => desk.look({ model: model.value }));
  find(".model").hidden = about.models.length < 2;
  const fit = find(".fit select");
  fit.append(...[AS_TRAINED, ...FITS].map((one) => new Option(words.page[`fit_${one}`], one)));
  fit.addEventListener("change", () => desk.look({ fit: fit.value }));
  find(".fit").hidden = !isLive;

  /** The network for a picture: the chosen one if it can look at it, otherwise the first that can. */
  function modelFor(picture) {
    const now = (desk.wanted ?? desk.shown)?.model;
    const able = about.models.map(({ name }) => name).filter((name) => desk.can(name, picture));
    const own = able.find((name) => !desk.modelOf(name).blob && picture.startsWith(`lesson/${name}/`)); // made for this lesson
    return own ?? (able.includes(now) ? now : able[0]) ?? now;
  }

  async function urlOf(name) {
    if (!urls.has(name)) {
      const { bytes, file, type } = desk.pictures.get(name);
      urls.set(name, URL.createObjectURL(new Blob([/** @type {any} */ (bytes ?? (await desk.cargo.get(file)))], { type })));
    }
    return urls.get(name);
  }

  return (choice) => {
    find(".forget").hidden = !isKept();
    const credit = desk.pictures.get(choice.picture)?.credit ?? "";
    Object.assign(find(".credit"), { textContent: words.page.photo.replace("{name}", credit), hidden: !credit });
    model.value = choice.model;
    fit.value = choice.fit;
    const why = desk.modelOf(choice.model)?.why[desk.language] ?? "";
    Object.assign(find(".why"), { textContent: why, hidden: !why });
    for (const option of model.options) {
      option.disabled = !desk.can(option.value, choice.picture);
      option.textContent = option.disabled ? words.export.modelElsewhere.replace("{name}", option.value) : option.value;
    }
  };
}
