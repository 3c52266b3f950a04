// Runs in the head of the page, before Gradio's scripts, so that the address is read before the first map is requested.

import { Link } from "./page.js";

if (new URLSearchParams(location.search).get("embed") === "1") document.documentElement.classList.add("embed");
Object.assign(window, { vizappLink: new Link() });
