// A page in one file contains its own script and its description, compressed like everything else. This unpacks both and runs it.

import { Cargo } from "../page/cargo.js";

begin();

async function begin() {
  const cargo = new Cargo();
  const text = async (name) => new TextDecoder().decode(await cargo.get(name));
  const [about, textContent] = await Promise.all([cargo.about.about, cargo.about.app].map(text));
  document.getElementById("about").textContent = about;
  document.body.append(Object.assign(document.createElement("script"), { textContent }));
}
