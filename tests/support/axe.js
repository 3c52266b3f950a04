/* What axe-core finds on the page as it stands: [rule, where, what], each place by tags, ids and classes that last. */
async () => {
  const LASTS = /^(?!html-|component-|svelte-|block-\d)/;
  const path = (css) => {
    const names = [];
    for (let one = document.querySelector(css.flat(9).at(-1)); one && one !== document.body; one = one.parentElement) {
      const id = one.id && LASTS.test(one.id) && !/\d{3}/.test(one.id) ? `#${one.id}` : "";
      names.unshift(one.tagName.toLowerCase() + (id || [...one.classList].filter((name) => LASTS.test(name)).slice(0, 1).map((name) => `.${name}`)));
      if (id || names.length > 3) break;
    }
    return names.join(" > ");
  };
  const { violations } = await window.axe.run(document, { resultTypes: ["violations"] });
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => [id, path(target), failureSummary.replace(/\s+/g, " ").slice(0, 240)]),
  );
}
