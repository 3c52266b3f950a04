// What stands in the head of the page, before all that Gradio makes: its address is read before the first map is asked for.

import { Link } from "./page.js";

if (new URLSearchParams(location.search).get("embed") === "1") document.documentElement.classList.add("embed");
Object.assign(window, { vizappLink: new Link() });
