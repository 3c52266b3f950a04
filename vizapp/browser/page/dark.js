// Follows the dark mode of the visitor's system.

export function dark() {
  const wanted = matchMedia("(prefers-color-scheme: dark)");
  const apply = () => document.body.classList.toggle("dark", wanted.matches);
  wanted.addEventListener("change", apply);
  apply();
}
