// What can be chosen on the left: the picture that is shown, lessons, photos, the network, and how a picture is fitted.

const FITS = ["as_trained", "crop", "pad", "squash"];

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
    if (one.name.endsWith("/bare")) continue; // an exercise leads there
    if (!lessons.has(name)) lessons.set(name, { title, pictures: [] });
    lessons.get(name).pictures.push(one.name);
  }
  const photos = named.filter((name) => name.startsWith("photo/"));
  root.innerHTML = `
    <div class="card">
      <img id="thumb" alt="" hidden>
      <label class="bring" tabindex="0" role="button"><input type="file" accept="image/*,video/*" hidden><span></span></label>
      <p class="kept"></p>
    </div>
    <div class="lessons"><p class="label"></p><div></div></div>
    <div class="photos"><p class="label"></p><div></div></div>
    <label class="field model"><span class="label"></span><select></select></label>
    <label class="field fit"><span class="label"></span><select></select></label>`;
  const find = (css) => /** @type {any} */ (root.querySelector(css));
  const isLive = about.models.some(({ blob }) => blob);
  find(".bring span").textContent = words.export.bring;
  find(".bring").hidden = !isLive;
  find(".kept").textContent = isLive ? words.export.kept : words.export.mapsOnly;
  find(".lessons .label").innerHTML = words.page.lessons;
  find(".photos .label").textContent = words.page.photos;
  find(".model .label").textContent = words.page.model;
  find(".fit .label").textContent = words.page.fit;

  /** @type {Map<string, string>} */
  const urls = new Map(); // name of a picture -> where the page has it
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
    const title = words.page.photo.replace("{name}", name.slice("photo/".length));
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
  fit.append(...FITS.map((one) => new Option(words.page[`fit_${one}`], one)));
  fit.addEventListener("change", () => desk.look({ fit: fit.value }));
  find(".fit").hidden = !isLive;

  /** The network that is shown, if it can look at a picture; else the first that can. */
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
    model.value = choice.model;
    fit.value = choice.fit;
    for (const option of model.options) {
      option.disabled = !desk.can(option.value, choice.picture);
      option.textContent = option.disabled ? words.export.modelElsewhere.replace("{name}", option.value) : option.value;
    }
    const thumb = find("#thumb");
    urlOf(choice.picture).then((url) => {
      if (desk.wanted ?? desk.shown) Object.assign(thumb, { src: url, hidden: false });
    });
  };
}
