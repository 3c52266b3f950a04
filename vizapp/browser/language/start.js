// The first script of the page with a server: goes to the page in the language that the visitor chose last. A language of `?lang=` is
// kept for the next visit, unless the address is a link to a view, which has a hash.

import { keep, kept } from "../page/languages.js";

const [here, ...others] = document.currentScript.dataset.languages.split(" ");
const query = new URLSearchParams(location.search);
const told = query.get("lang");

if (told === here) {
  if (!location.hash) keep(here);
} else if (others.includes(kept())) {
  query.set("lang", kept());
  location.replace(`${location.pathname}?${query}${location.hash}`);
}
