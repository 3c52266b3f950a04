// What the tests of vizapp/browser/engine are given by pytest: a folder with raw arrays and what Python makes of them.

import { readFileSync } from "node:fs";
import { join } from "node:path";

export const FOLDER = process.env.VIZAPP_ENGINE;
export const skip = FOLDER ? false : "no fixtures: `pytest tests/test_export_*.py` makes them";

export const json = (name) => JSON.parse(readFileSync(join(FOLDER, name), "utf-8"));
export const bytes = (name) => new Uint8Array(readFileSync(join(FOLDER, name))); // a copy: Node's own buffer begins anywhere
export const floats = (name) => new Float32Array(bytes(name).buffer);
