// The tray below the stage: a picture of one's own, photos, lessons. The network is chosen in the heading: chip.js.

import { Shelf } from "../../ui/link/shelf.js";

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
    <input type="file" accept="image/*,video/*" multiple hidden><button type="button" class="bring">+</button>
    <div class="ways"><button type="button" class="folder"></button></div>
    <div class="own" role="group"></div>
    <button type="button" class="forget" hidden></button>
    <div class="photos"><div></div></div>
    <p class="credit" hidden></p>
    <div class="lessons"><p class="label"></p><div></div></div>
    <p class="kept"></p>
    <p class="why" hidden></p>`;
  const find = (css) => /** @type {any} */ (root.querySelector(css));
  const { isLive } = desk;
  Object.assign(find(".kept"), { textContent: words.export.mapsOnly, hidden: isLive });
  const { bring, kept } = words.export;
  Object.assign(find(".bring"), { hidden: !isLive, ariaLabel: bring, title: `${bring}\n${kept}` });
  find(".lessons .label").innerHTML = words.page.lessons;

  Object.assign(find(".folder"), { textContent: words.incoming.folder, title: words.incoming.folder_help, hidden: !isLive });
  Object.assign(find(".forget"), { textContent: words.export.forget, title: desk.source.keeper.help(words) });
  find(".forget").addEventListener("click", () => desk.forget());
  const own = new Shelf((picture) => desk.look({ picture, model: modelFor(picture) }));
  find(".own").ariaLabel = words.link.own;
  own.mount(find(".own"));

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

  const modelFor = (picture) => desk.source.modelFor(picture, (desk.wanted ?? desk.shown)?.model);

  async function urlOf(name) {
    const { file, type, url } = desk.pictures.get(name);
    if (url) return url;
    if (!urls.has(name)) {
      urls.set(name, URL.createObjectURL(new Blob([/** @type {any} */ (await desk.cargo.get(file))], { type })));
    }
    return urls.get(name);
  }

  return (choice) => {
    own.show(desk.brought.map((id) => ({ id, name: desk.pictures.get(id).title, blob: desk.pictures.get(id).blob })));
    own.mark(choice.picture);
    find(".forget").hidden = !desk.brought.length;
    const credit = desk.pictures.get(choice.picture)?.credit ?? "";
    Object.assign(find(".credit"), { textContent: words.page.photo.replace("{name}", credit), hidden: !credit });
    const why = desk.modelOf(choice.model)?.why[desk.language] ?? "";
    Object.assign(find(".why"), { textContent: why, hidden: !why });
  };
}
