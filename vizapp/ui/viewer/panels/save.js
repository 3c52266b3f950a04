// Shares the view: its link, a frame for a page of one's own, a figure with its colour bar and caption, numbers, and the code that
// makes the same map. What copies a link listens for its buttons: ui/link, or the page without a server.

import { closing, finder, put, write } from "../dom.js";
import { Atlas } from "../drawing/atlas.js";
import { colourOf } from "../drawing/colour.js";
import { hatchPatches } from "../drawing/hatch.js";
import { onStage } from "../drawing/on_stage.js";
import { Stage } from "../drawing/stage.js";
import { fusedAs, mapSentence } from "../names.js";
import { barOf, legendOf } from "../drawing/bar.js";
import { bytesOf } from "../numbers/base64.js";
import { metricOf, short } from "../numbers/score.js";
import { figureOf, painted } from "../saving/figure.js";
import { npz } from "../saving/npz.js";
import { pdf } from "../saving/pdf.js";
import { blobOf, png } from "../saving/png.js";
import { svg } from "../saving/svg.js";
import { fileName } from "../saving/titles.js";

const WIDTHS = [600, 6000]; // pixels: a bar of colours and what its top stands for need so many
const ON_PAGE = 400; // css pixels: lines are as thick as on a stage of this width
const ATLAS = { width: 900, height: 700 }; // css pixels
const MADE_BY_SERVER = { gif: "film", html: "page" }; // format -> the question to the server, which has the encoder and the networks
const HATCHED = 16; // pixels of a patch of a map that is saved without its picture, if some of it is hatched
const VERSION = 1; // of what the files say of themselves

/** @type {import("../panel.js").Panel} */
export const panel = {
  name: "save",
  place: "stage",
  order: 5,
  html: `
    <details class="viz-save">
      <summary class="viz-icon" title="$save_help" aria-label="$save"><svg viewBox="0 0 16 16" aria-hidden="true"><path d="M8 10V2.5M4.7 5.6 8 2.3l3.3 3.3M5 8H2.5v5.5h11V8H11" /></svg></summary>
      <div class="viz-save-panel" role="region" aria-label="$save_help">
        <div class="viz-row viz-links"><button class="copy-link" title="$copy_link_help">$copy_link</button><button class="copy-frame" title="$copy_frame_help">$copy_frame</button></div>
        <div class="viz-row">
          <label title="$save_what_help">$save_what <select class="viz-save-what"><option value="overlay">$save_overlay</option><option value="map">$save_map</option><option value="atlas">$save_atlas</option></select></label>
          <label title="$save_width_help">$save_width <input class="viz-save-width" type="number" min="600" max="6000" step="100" value="1200" /> px</label>
        </div>
        <div class="viz-row">
          <button data-format="png" title="$save_png_help">PNG</button><button data-format="svg" title="$save_svg_help">SVG</button><button data-format="pdf" title="$save_pdf_help">PDF</button><button data-format="npz" title="$save_npz_help">NPZ</button><button data-format="gif" title="$save_gif_help">$save_gif</button><button data-format="html" title="$save_page_help">$save_page</button>
          <button class="viz-save-copy" title="$save_copy_help">$save_copy</button>
        </div>
        <p class="viz-save-said" aria-live="polite"></p>
        <div class="viz-code">
          <p>$code_python <button data-copy="python" disabled>$code_copy</button></p><pre class="viz-code-python"></pre>
          <p>$code_command <button data-copy="command" disabled>$code_copy</button></p><pre class="viz-code-command"></pre>
        </div>
      </div>
    </details>`,
  mount(root, { state, ask, words, colours, metrics, makes, named }) {
    const find = finder(root);
    const box = find("save");
    /** @type {import("../panel.js").View | null} */
    let view = null;
    let asked = ""; // the view whose code is shown

    const buttons = (kind) => [.../** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll(`button[data-${kind}]`))];
    const what = () => find("save-what").value;
    const width = () => Math.min(WIDTHS[1], Math.max(WIDTHS[0], Math.round(Number(find("save-width").value)) || 1200));
    const say = (key, values = {}) => write(find("save-said"), key ? words.say(key, values) : "");

    for (const [format, made] of Object.entries(MADE_BY_SERVER)) {
      put(root.querySelector(`[data-format="${format}"]`), { hidden: !makes.includes(made) });
    }
    put(find("links"), { hidden: !makes.includes("link") });
    put(find("code"), { hidden: !makes.includes("code") });
    box.addEventListener("toggle", () => box.open && code());
    closing(box);
    for (const button of buttons("format")) {
      button.addEventListener("click", () => file(button.dataset.format));
    }
    for (const button of buttons("copy")) {
      button.addEventListener("click", () => copyText(find(`code-${button.dataset.copy}`).textContent));
    }
    find("save-copy").addEventListener("click", copyPicture);

    async function file(format) {
      const shown = view;
      if (!isThere(shown)) return say("save_nothing");
      say("save_wait");
      try {
        const asked = askedFor[format];
        const blob = asked ? await asked(shown) : await made(format, shown, aboutOf(shown, await answerOf(shown)));
        const name = `${fileName(shown, named())}${what() === "atlas" && !asked ? "-atlas" : ""}.${format}`;
        download(blob, name);
        say("save_done", { name });
      } catch (error) {
        say("save_failed", { reason: error.message });
      }
    }

    const isThere = (shown) => Boolean(what() === "atlas" ? shown?.cells : shown?.map.values);

    function made(format, shown, about) {
      if (format === "npz") return npz(arraysOf(shown, about));
      const pixels = width();
      const figure = drawn(shown, pixels);
      return { png, svg, pdf }[format](figure, { pixels, about });
    }

    // What the server makes: a film, as the encoder is there, and a page, as the networks are.
    const askedFor = {
      gif: (shown) => answered("film", shown, shown.crossed ? null : viewOf(shown)),
      html: (shown) => answered("page", shown, null),
    };

    async function answered(kind, shown, asked) {
      const { gif, html, why } = await ask(kind, shown.payload.run, asked);
      if (!gif && !html) throw new Error(why || words.say("asked_lost"));
      return new Blob([bytesOf(gif ?? html)], { type: gif ? "image/gif" : "text/html" });
    }

    async function copyPicture() {
      if (!isThere(view)) return say("save_nothing");
      try {
        const blob = blobOf(painted(drawn(view, width()), width()));
        await navigator.clipboard.write([new ClipboardItem({ "image/png": blob })]);
        say("save_copied");
      } catch {
        say("save_no_clipboard"); // a page over plain http from another computer has no clipboard
      }
    }

    async function copyText(text) {
      try {
        await navigator.clipboard.writeText(text);
        say("save_copied");
      } catch {
        say("save_no_clipboard");
      }
    }

    // The figure of what is chosen, in pictures and lines.
    function drawn(shown, pixels) {
      const kind = what();
      const colour = colourOf(colours, shown);
      const legend = legendOf(words, shown);
      const isOneScale = kind !== "atlas" || ["all", "fixed"].includes(shown.scale);
      const bar = isOneScale ? { canvas: barOf(colour), ...legend } : null;
      const canvas =
        kind === "overlay" ? overlay(shown, pixels) : kind === "map" ? mapAlone(shown, colour) : atlasOf(shown, pixels, colour);
      return figureOf(canvas, { pixels, smooth: kind !== "map" || shown.smooth, bar, caption: caption(shown, kind) });
    }

    function overlay(shown, pixels) {
      const { bitmap } = shown.payload;
      const canvas = document.createElement("canvas");
      canvas.width = pixels;
      canvas.height = Math.round((pixels * bitmap.height) / bitmap.width);
      const ratio = pixels / ON_PAGE;
      const stage = new Stage(canvas, { width: pixels / ratio, height: canvas.height / ratio, ratio });
      stage.setPicture(shown.payload);
      stage.draw(onStage({ ...shown, hovered: null }, colours));
      return canvas;
    }

    function mapAlone({ map, reach, smooth }, colour) {
      const { grid, first } = map.layout;
      const [rows, cols] = grid;
      const canvas = Object.assign(document.createElement("canvas"), { width: cols, height: rows });
      const image = new ImageData(cols, rows);
      colour.fill(new Uint32Array(image.data.buffer), cols, 0, 0, map.values, first, grid, map.high, 255, reach);
      canvas.getContext("2d").putImageData(image, 0, 0);
      if (!reach) return canvas;
      const [w, h] = [HATCHED * cols, HATCHED * rows]; // a patch of one pixel cannot be hatched
      const large = Object.assign(document.createElement("canvas"), { width: w, height: h });
      const context = large.getContext("2d");
      context.imageSmoothingEnabled = smooth;
      context.drawImage(canvas, 0, 0, w, h);
      hatchPatches(context, { x: 0, y: 0, w, h }, map.layout, reach, 1);
      return large;
    }

    function atlasOf(shown, pixels, colour) {
      const canvas = document.createElement("canvas");
      const atlas = new Atlas(canvas, words, { ...ATLAS, ratio: pixels / ATLAS.width });
      const metric = metricOf(metrics, shown);
      atlas.layout(shown.payload, shown.heads, shown.columns);
      atlas.draw({
        cells: shown.cells,
        map: colour,
        selected: null,
        hovered: null,
        ink: "black",
        accent: "black",
        scores: shown.scores && { ...shown.scores, text: (value) => short(value, metric) },
        order: null,
        fusion: fusedAs(shown),
      });
      return canvas;
    }

    function caption(shown, kind) {
      const { payload, scale } = shown;
      const ofAtlas = () => {
        const how = scale === "map" ? [words.say("save_atlas_own")] : scale === "layer" ? [words.say("save_atlas_layer")] : [];
        const scored = shown.scores ? [words.say("save_atlas_scored", { title: metricOf(metrics, shown).title })] : [];
        return [words.say("save_atlas_caption", { fusion: words.say(`atlas_${fusedAs(shown)}`) }), ...how, ...scored];
      };
      const said = kind === "atlas" ? ofAtlas() : [mapSentence(words, { ...shown, hovered: null })];
      const isHatched = kind === "atlas" ? shown.cells.flat().some((cell) => cell?.reach) : shown.reach;
      if (isHatched) said.push(words.say("save_hatched"));
      return [`${payload.model}.`, words.told([...said, payload.caution, ...payload.notes])].join(" ");
    }

    // NumPy arrays: the map with its prefix tokens, the same as a grid, and for the atlas all maps of layers that are alike.
    function arraysOf(shown, about) {
      const told = { about: JSON.stringify(about) };
      if (what() !== "atlas") {
        const { values, layout } = shown.map;
        const patches = values.subarray(layout.first);
        return { values: { shape: [layout.tokens], values }, scores: { shape: layout.grid, values: patches }, ...told };
      }
      const arrays = {};
      shown.cells.forEach((row, layer) => {
        const maps = row.slice(0, shown.payload.layers[layer].heads);
        if (!maps.every(Boolean)) return;
        const { layout } = maps[0];
        const values = Float32Array.from(maps.flatMap((cell) => [...cell.values]));
        arrays[`layer_${layer}`] = { shape: [maps.length, layout.tokens], values };
      });
      return { ...arrays, ...told };
    }

    function aboutOf(shown, answer) {
      const { prefix, grid } = shown.map.layout;
      const seen = { sentence: mapSentence(words, { ...shown, hovered: null }), high: shown.map.high, prefix, grid };
      return {
        format: `vizapp-view ${VERSION}`,
        ...(answer.about ?? { model: shown.payload.model }),
        numbers: "as they are sent to the page: in half precision; vizapp.save writes them in full",
        view: { ...state.save(), ...viewOf(shown), ...seen },
      };
    }

    // What is on the stage, as ui/as_code.py reads it.
    function viewOf(shown) {
      const { method, layer, isOne, direction, skipWeight, cell, query, here, opacity, byValue, smooth } = shown;
      return {
        method,
        layer,
        head: isOne ? shown.head : null,
        fusion: fusedAs(shown),
        direction,
        skipWeight,
        query: cell ?? (typeof query === "string" ? query : here.queries.prefix[query]),
        colours: shown.colours,
        opacity,
        byValue,
        smooth,
        high: shown.map.high,
      };
    }

    const answerOf = (shown) => ask("saving", shown.payload.run, shown.crossed ? null : viewOf(shown));

    async function code() {
      const shown = view;
      if (!makes.includes("code") || !shown?.map.values) return;
      const key = JSON.stringify([shown.payload.run, viewOf(shown)]);
      if (key === asked) return;
      asked = key;
      const { python, command } = await answerOf(shown);
      if (key !== asked) return;
      write(find("code-python"), python || words.say("code_none"));
      write(find("code-command"), command || words.say("code_none_command"));
      // A sentence that says why there is none is nothing to copy.
      for (const button of buttons("copy")) put(button, { disabled: !{ python, command }[button.dataset.copy] });
    }

    /** @param {import("../panel.js").View} next */
    function show(next) {
      view = next;
      if (box.open && !next.hovered) code();
    }

    const reset = () => say("");
    return { show, reset, swap: reset };
  },
};

function download(blob, name) {
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}
