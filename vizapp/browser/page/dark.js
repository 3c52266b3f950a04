// Dark where the visitor's system is.

export function dark() {
  const wanted = matchMedia("(prefers-color-scheme: dark)");
  const apply = () => document.body.classList.toggle("dark", wanted.matches);
  wanted.addEventListener("change", apply);
  apply();
}
