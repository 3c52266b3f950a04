/* global vizapp, TOLD */
// The stage before Gradio is there, and how Gradio's component takes it over: the element moves, with all that was done in it.

const nameOf = (value) => value.file?.url.split("/").at(-1); // files are named by what is in them
const FIRST = "first"; // the name of the maps that the page brings, until the server says by which name it knows them

class Stage {
  /** @param {{language: string, given: any, value: any}} told `value`: where the first maps lie; null if they are not made yet */
  constructor({ language, given, value }) {
    document.documentElement.lang = language;
    const road = { open: (link) => window.vizappLink?.show(link), here: () => window.vizappLink?.here() ?? "" };
    this.given = { ...given, road };
    this.viewer = null;
    this.opened = new Promise((open) => (this.open = open));
    // A link says by itself what is shown first, and a page in a frame has no room for ours.
    if (!value || location.hash.includes("=") || new URLSearchParams(location.search).get("embed") === "1") return;
    // Asked for before the page has a body.
    const answer = fetch(value.file.url, { headers: { Range: `bytes=0-${value.first - 1}` } });
    answer.catch(() => {}); // the viewer says so
    this.value = { ...value, run: FIRST, answer };
  }

  // The body begins.
  begin() {
    this.cover = document.getElementById("early");
    if (!this.value) return this.cover.remove();
    const theme = new URLSearchParams(location.search).get("__theme");
    const isDark = theme === "dark" || (theme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
    document.body.classList.toggle("dark", isDark); // as Gradio will
    this.cover.hidden = false;
    const root = this.cover.querySelector(".viz");
    this.viewer = this.mount(root, async ([kind, run, ...what]) => {
      const { ask, name } = await this.opened;
      return run === FIRST && !name ? {} : ask([kind, run === FIRST ? name : run, ...what]);
    });
    this.viewer.isSparing = true; // the line is Gradio's, but for what the stage waits for
    this.viewer.show(this.value);
  }

  mount(root, ask) {
    root.viewer = vizapp.mount(root, { ...this.given, ask });
    document.dispatchEvent(new CustomEvent("vizapp-viewer", { detail: root.viewer }));
    return root.viewer;
  }

  /**
   * Gradio's component is there: what it is to call with each value that the server sends.
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
    viewer.choose = () => {}; // that the server is asked for these maps is no other choice
    let isTold = false;
    return (value) => {
      if (isTold) return viewer.show(value);
      if (!value?.file && !value?.refused?.length) return;
      isTold = true;
      delete viewer.choose;
      const isSame = viewer.payload && nameOf(value) === nameOf(this.value);
      this.open({ ask, name: isSame ? value.run : "" });
      viewer.isSparing = false;
      return isSame ? viewer.fetchMore?.() : viewer.show(value);
    };
  }
}

window.vizappStage = new Stage(TOLD);
