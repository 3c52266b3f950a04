/* global vizapp, TOLD */
// Shows the stage before Gradio has started. Later the element moves into Gradio's component, and keeps what was done in it.

const nameOf = (value) => value.file?.url.split("/").at(-1); // files are named by a hash of their content
const FIRST = "first"; // the name of the page's own maps, until the server sends the name by which it knows them

// What Gradio's scripts fetch, one after the other: see gradio_files.py. A file that a link in the head names is not fetched by them.
class GradioFiles {
  constructor({ scripts, sheets }) {
    this.scripts = scripts;
    this.sheets = sheets;
  }

  // The page contains the theme and these style sheets already: the links are disabled, so that the browser does not fetch them
  // either. Called when Gradio's table is here.
  haveSheets({ root, theme_hash: hash }) {
    const theme = `${root}/theme.css?v=${hash}`;
    for (const href of [theme, ...this.sheets.map(inAssets)]) this.link({ rel: "stylesheet", disabled: true, href });
  }

  fetchScripts() {
    for (const href of this.scripts.map(inAssets)) this.link({ rel: "modulepreload", href });
  }

  link(as) {
    document.head.append(Object.assign(document.createElement("link"), as));
  }
}

const inAssets = (name) => `./assets/${name}`;

class Stage {
  /** @param {{language: string, given: any, value: any}} told `value`: the address of the first maps; null if they are not made yet */
  constructor({ language, given, value, files }) {
    document.documentElement.lang = language;
    const road = { open: (link) => window.vizappLink?.show(link), here: () => window.vizappLink?.here() ?? "" };
    this.given = { ...given, road, turn: (page) => window.vizappLink?.toPage(page) };
    this.viewer = null;
    this.files = new GradioFiles(files);
    this.opened = new Promise((open) => (this.open = open));
    // With a link, something else is shown first. In an embedded page there is no room for this stage.
    if (!value || location.hash.includes("=") || new URLSearchParams(location.search).get("embed") === "1") return;
    // Requested before the page has a body, to save time.
    const answer = fetch(value.file.url, { headers: { Range: `bytes=0-${value.first - 1}` } });
    answer.catch(() => {}); // the viewer reports the error
    this.value = { ...value, run: FIRST, answer };
  }

  // Called when the body begins.
  begin() {
    this.files.haveSheets(window.gradio_config);
    this.cover = document.getElementById("early");
    const first = this.value?.answer.then((one) => one.clone().arrayBuffer()).catch(() => {});
    Promise.resolve(first).then(() => this.files.fetchScripts()); // until then the line is the map's
    if (!this.value) return this.cover.remove();
    const theme = new URLSearchParams(location.search).get("__theme");
    const isDark = theme === "dark" || (theme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
    document.body.classList.toggle("dark", isDark); // as Gradio will do later
    this.cover.hidden = false;
    const root = this.cover.querySelector(".viz");
    this.viewer = this.mount(root, async ([kind, run, ...what]) => {
      const { ask, name } = await this.opened;
      return run === FIRST && !name ? {} : ask([kind, run === FIRST ? name : run, ...what]);
    });
    this.viewer.isSparing = true; // leave the bandwidth to Gradio's scripts, except for what the stage waits for
    this.viewer.show(this.value);
  }

  mount(root, ask) {
    root.viewer = vizapp.mount(root, { ...this.given, ask });
    document.dispatchEvent(new CustomEvent("vizapp-viewer", { detail: root.viewer }));
    return root.viewer;
  }

  /**
   * Move the stage into Gradio's component. Returns the function that the component calls with each value from the server.
   * @param {HTMLElement} place
   * @param {(asked: any) => Promise<any>} ask
   */
  take(place, ask) {
    const { viewer, cover } = this;
    if (!viewer || !cover?.isConnected) {
      const own = this.mount(place, ask);
      return (value) => own.show(value);
    }
    const focused = viewer.root.contains(document.activeElement) ? document.activeElement : null;
    place.replaceWith(viewer.root);
    cover.remove();
    focused?.focus({ preventScroll: true });
    viewer.choose = () => {}; // Gradio's first request for these maps must not look like another choice
    viewer.isSparing = false; // Gradio's scripts are all here, and its own questions leave the line nearly idle
    viewer.fetchMore?.();
    let isTold = false;
    return (value) => {
      if (isTold) return viewer.show(value);
      if (!value?.file && !value?.refused?.length) return;
      isTold = true;
      delete viewer.choose;
      const isSame = viewer.payload && nameOf(value) === nameOf(this.value);
      this.open({ ask, name: isSame ? value.run : "" });
      if (!isSame) return viewer.show(value);
    };
  }
}

window.vizappStage = new Stage(TOLD);
