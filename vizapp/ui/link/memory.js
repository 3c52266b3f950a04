// What this browser remembers of a visitor: the colours that were chosen, and the models that were looked at.

const COLOURS = "vizapp-colours";
const MODELS = "vizapp-models";
const MOST = 20; // models

// A browser may keep nothing, or refuse to be asked: in a frame, say.
function read(key) {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "null");
  } catch {
    return null;
  }
}

function keep(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // it is only for the next visit
  }
}

/** @returns {unknown} */
export const colours = () => read(COLOURS);
export const keepColours = (name) => keep(COLOURS, name);

/** Names of models that this visitor has chosen here: a link may open them without a question. @returns {string[]} */
export function models() {
  const found = read(MODELS);
  return Array.isArray(found) ? found : [];
}

export function keepModel(name) {
  keep(MODELS, [name, ...models().filter((one) => one !== name)].slice(0, MOST));
}
