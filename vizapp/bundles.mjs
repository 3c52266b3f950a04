// Make the bundles of the page's JavaScript, which are committed: `npm run build`.
//
//   node vizapp/bundles.mjs [name ...]      all, or those named: viewer, link, ...

import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

// What each bundle is built from, and how it differs from the others. A bundle lies in the folder of its entry.
const BUNDLES = {
  viewer: viewer(folderOf("ui/viewer")),
  link: { entryPoints: ["ui/link/start.js"] },
  incoming: { entryPoints: ["ui/incoming/start.js"] },
  engine: { entryPoints: ["browser/engine/worker.js"], loader: { ".wasm": "binary" } },
  page: { entryPoints: ["browser/page/start.js"] },
  served: { entryPoints: ["browser/served/start.js"] },
  language: { entryPoints: ["browser/language/start.js"] },
  unpack: { entryPoints: ["browser/unpack/start.js"] },
  needs: { entryPoints: ["browser/needs/start.js"], target: "es2017" }, // it tells an old browser what the browser lacks
  cell: { entryPoints: ["browser/cell/start.js"] },
};

const names = process.argv.slice(2);
const unknown = names.filter((name) => !(name in BUNDLES));
if (unknown.length) throw new Error(`There is no bundle ${unknown.join(", ")}. There are: ${Object.keys(BUNDLES).join(", ")}.`);
for (const name of names.length ? names : Object.keys(BUNDLES)) {
  const { entryPoints } = BUNDLES[name];
  await build({
    bundle: true,
    format: "iife",
    target: "es2022",
    charset: "utf8",
    minifyWhitespace: true, // names stay, and so does what an error says
    minifySyntax: true,
    lineLimit: 130, // a difference between two builds is shown by the line
    absWorkingDir: folderOf("."),
    preserveSymlinks: true, // the bundle names the modules of npm by their place: the same one in a copy of the tree
    outfile: entryPoints && join(dirname(entryPoints[0]), "bundle.js"),
    ...BUNDLES[name],
  });
}

function folderOf(room) {
  return join(dirname(fileURLToPath(import.meta.url)), room);
}

// Every file of panels/ is a panel, and of exercises/ an exercise; none is named anywhere.
function viewer(folder) {
  const filesOf = (room) =>
    readdirSync(join(folder, room))
      .filter((file) => file.endsWith(".js"))
      .sort();
  const panels = filesOf("panels");
  const exercises = filesOf("exercises");
  // Named by their files, not by numbers: one panel more changes no statement of the others in the bundle.
  const nameOf = (file, kind = "panel") => `${kind}_${basename(file, ".js").replace(/\W/g, "_")}`;
  const entry = [
    ...panels.map((file) => `import { ${nameOf(file)} } from "./panels/${file}";`),
    ...exercises.map((file) => `import { exercise as ${nameOf(file, "exercise")} } from "./exercises/${file}";`),
    `import { mount as mountPanels, stateFor } from "./mount.js";`,
    `const panels = [${panels.map((file) => nameOf(file)).join(", ")}];`,
    `const exercises = [${exercises.map((file) => nameOf(file, "exercise")).join(", ")}];`,
    `import rows from "./numbers/rows.wasm";`, // here, as Node cannot import it: tests read the modules as they are
    `import { load } from "./numbers/arena.js";`,
    `load(rows);`,
    `export const mount = (root, given) => mountPanels(root, panels, { ...given, exercises });`,
    `export const newState = () => stateFor(panels);`,
  ];
  const named = {
    name: "panels",
    setup: ({ onLoad }) =>
      onLoad({ filter: /[\\/]panels[\\/][^\\/]+\.js$/ }, ({ path }) => ({
        contents: readFileSync(path, "utf8").replace(/^export const panel\b/m, `export const ${nameOf(path)}`),
      })),
  };
  return {
    stdin: { contents: entry.join("\n"), resolveDir: folder, sourcefile: "panels" },
    outfile: "ui/viewer/bundle.js",
    plugins: [named],
    loader: { ".wasm": "binary" },
    globalName: "vizapp", // the body of Gradio's js_on_load calls vizapp.mount
    banner: { js: "// Made by `npm run build` from the modules of this folder: change those." },
  };
}
