// Bundle the viewer: `npm run build`. Every file of panels/ is a panel, and of exercises/ an exercise; none is named anywhere.
//
//   node build.mjs [folder of the viewer]

import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const folder = resolve(process.argv[2] ?? dirname(fileURLToPath(import.meta.url)));
const filesOf = (room) =>
  readdirSync(join(folder, room))
    .filter((file) => file.endsWith(".js"))
    .sort();
const files = filesOf("panels");
const exercises = filesOf("exercises");
// Named by their files, not by numbers: one panel more changes no line of the others in the bundle.
const nameOf = (file, kind = "panel") => `${kind}_${basename(file, ".js").replace(/\W/g, "_")}`;
const entry = [
  ...files.map((file) => `import { ${nameOf(file)} } from "./panels/${file}";`),
  ...exercises.map((file) => `import { exercise as ${nameOf(file, "exercise")} } from "./exercises/${file}";`),
  `import { mount as mountPanels, stateFor } from "./mount.js";`,
  `const panels = [${files.map((file) => nameOf(file)).join(", ")}];`,
  `const exercises = [${exercises.map((file) => nameOf(file, "exercise")).join(", ")}];`,
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

await build({
  stdin: { contents: entry.join("\n"), resolveDir: folder, sourcefile: "panels" },
  absWorkingDir: folder,
  outfile: join(folder, "bundle.js"),
  bundle: true,
  plugins: [named],
  format: "iife",
  globalName: "vizapp", // the body of Gradio's js_on_load calls vizapp.mount
  target: "es2022",
  charset: "utf8",
  minifyWhitespace: true,
  minifySyntax: true,
  lineLimit: 130, // a difference between two builds is shown by the line
  banner: { js: "// Made by `npm run build` from the modules of this folder: change those." },
});
