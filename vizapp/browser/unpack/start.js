// A page in one file has its own script on board, compressed like everything else: unpack it, and run it.

import { Cargo } from "../page/cargo.js";

begin();

async function begin() {
  const cargo = new Cargo();
  const textContent = new TextDecoder().decode(await cargo.get(cargo.about.app));
  document.body.append(Object.assign(document.createElement("script"), { textContent }));
}
