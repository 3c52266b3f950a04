// What this browser remembers for a visitor: the chosen colours, and the models that were used.

const COLOURS = "vizapp-colours";
const MODELS = "vizapp-models";
const MOST = 20; // models

// Storage may be blocked, for example in a frame, and even reading it then throws.
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
    // storage is blocked: only the next visit misses it
  }
}

/** @returns {unknown} */
export const colours = () => read(COLOURS);
export const keepColours = (name) => keep(COLOURS, name);

/** Names of models that this visitor has chosen here. A link may open these without asking. @returns {string[]} */
export function models() {
  const found = read(MODELS);
  return Array.isArray(found) ? found : [];
}

export function keepModel(name) {
  keep(MODELS, [name, ...models().filter((one) => one !== name)].slice(0, MOST));
}
