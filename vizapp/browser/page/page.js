// Builds the page in the visitor's language, and connects its parts.

import { explain } from "../../ui/glossary/page.js";
import { COPIES, copy } from "../../ui/link/clipboard.js";
import { Cargo } from "./cargo.js";
import { chip } from "./chip.js";
import { dark } from "./dark.js";
import { Desk } from "./desk.js";
import { film } from "./film.js";
import { Intake } from "./intake.js";
import { addressIn, chosen } from "./languages.js";
import { Methods } from "./methods/methods.js";
import { Moving } from "./moving.js";
import { offer } from "./offer.js";
import { shelf } from "./shelf.js";
import { tabs } from "./tabs.js";
import { webcam } from "./webcam.js";

/** @param {(cargo: Cargo, language: string) => import("./sources/source.js").Source} makeSource where the answers come from */
export function open(makeSource) {
  const cargo = new Cargo();
  const { about } = cargo;
  const language = chosen(about.languages);
  const words = about.languages[language];
  document.documentElement.lang = words.tag;
  document.title = words.page.window;
  dark();
  document.documentElement.classList.toggle("embed", new URLSearchParams(location.search).get("embed") === "1");

  const frame = document.createElement("div");
  frame.className = "page";
  frame.innerHTML = `
    <header id="heading">
      <h1></h1>
      <div id="tabs" role="tablist"></div>
      <div id="tools"><span id="network"></span><span id="languages"></span>${words.help}</div>
    </header>
    <main>
      <div id="choose"></div>
      <div id="look">
        <p id="said" role="status"></p>
        <div class="viz" data-state="empty"></div>
        <section id="methods" hidden></section>
        <a class="link-full" target="_blank" rel="noopener"></a>
      </div>
      <div id="offer" hidden></div>
      <div id="strip"></div>
    </main>`;
  const find = (css) => /** @type {HTMLElement} */ (frame.querySelector(css));
  find("h1").textContent = words.page.title;
  find("#tools > details > div").append(
    Object.assign(document.createElement("p"), { textContent: words.export.footer.replace("{version}", about.version) }),
  );
  document.body.append(frame);
  explain(find("#heading"));

  const source = makeSource(cargo, language);
  const desk = new Desk(cargo, language, source);
  const viewer = /** @type {any} */ (globalThis).vizapp.mount(find(".viz"), {
    words: words.viewer,
    colours: about.colours,
    metrics: words.metrics,
    chapters: words.chapters,
    road: { open: (link) => void desk.open(link), here: () => desk.here() },
    ask: (asked) => source.ask(asked),
    makes: source.makes,
    named: () => desk.title,
    turn: (page) => void desk.turn(page),
  });
  Object.assign(find(".viz"), { viewer, desk }); // for tests
  desk.attend(viewer);
  desk.said = (said, act) => {
    const button =
      act && Object.assign(document.createElement("button"), { type: "button", textContent: act.said, onclick: act.go });
    find("#said").replaceChildren(said, ...(button ? [" ", button] : []));
  };
  const name = chip(find("#network"), desk);
  const show = shelf(find("#choose"), desk);
  desk.offered = offer(find("#offer"), desk);
  const moving = new Moving(find("#look"), desk);
  webcam(desk, find("#choose"), moving);
  const intake = new Intake(desk, find("#choose"), find("#strip"), film(desk, moving));
  const methods = new Methods(find("#methods"), desk);
  desk.changed = (choice) => {
    name(choice);
    show(choice);
    intake.follow(choice);
    moving.follow(choice);
    methods.follow();
  };
  if (desk.isLive) {
    tabs(find("#tabs"), [
      { title: words.page.tab_attention, box: find(".viz") },
      { title: words.page.tab_methods, box: find("#methods"), shown: () => methods.follow() },
    ]);
  }
  desk.begin();

  languages(find("#languages"), desk);
  share(frame, desk);
  full(find(".link-full"), desk);
}

function languages(root, { about, language }) {
  const others = Object.entries(about.languages).filter(([name]) => name !== language);
  root.append(
    ...others.map(([name, { tag, page }]) => {
      const link = Object.assign(document.createElement("a"), {
        textContent: page.language,
        lang: tag,
        hreflang: tag,
        href: addressIn(name),
      });
      link.addEventListener("click", () => (link.href = addressIn(name))); // read at the click: the view may have changed
      return link;
    }),
  );
}

// In a frame: the whole page, with this view, in a tab of its own.
function full(link, desk) {
  const query = new URLSearchParams(location.search);
  query.delete("embed");
  const read = () => (link.href = `${location.pathname}?${query}${desk.here()}`);
  link.textContent = desk.words.link.full;
  for (const kind of ["pointerdown", "click"]) link.addEventListener(kind, read); // not before: the view may have changed
  read();
}

function share(frame, desk) {
  frame.addEventListener("click", ({ target }) => {
    const button = /** @type {HTMLElement} */ (target);
    if (!button.matches(COPIES)) return;
    desk.write();
    copy(button, location.href, desk.isOwn(desk.shown?.picture), desk.words.link);
  });
}
