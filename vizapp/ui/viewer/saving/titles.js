// Short names: of a model on a button, and of what is shown, for a file that every system takes.

const LONGEST = 60; // letters

/** A model's name without what is the same for many: of a file, the end of its path. @param {string} name */
export const shortModel = (name) => name.replace(/^timm:/, "").replace(/^file:(?:[^?]*[\\/])?([^?]*).*$/, "$1");

/** @param {string} text */
export function slug(text) {
  return text
    .replace(/[^\p{L}\p{N}_.-]+/gu, "-")
    .replace(/^[-.]+|[-.]+$/g, "")
    .slice(0, LONGEST);
}

/** A model's name in that of a file. @param {string} model */
export const modelName = (model) => slug(model.startsWith("file:") ? shortModel(model) : model);

/** What a picture is called: "photo/lion" and "lion.jpg" are a lion, "lesson/two/1" is two-1. @param {string} picture */
export const pictureName = (picture) => slug(picture.replace(/^[a-z]+\//, "").replace(/\.\w{1,5}$/, ""));

/** The parts that are there, as the beginning of a file's name. @param {string[]} parts */
export const joined = (parts) => parts.filter(Boolean).join("-");

/**
 * "lion-toy-layer5-mean": the picture, the model and the map that is shown.
 * @param {{payload: {model: string}, layer: number, head: number, fusion: string, method: string, crossed: any}} view
 * @param {string} picture its name, or "" if nobody knows
 */
export function fileName({ payload, layer, head, fusion, method, crossed }, picture) {
  const which = method === "rollout" ? "rollout" : fusion === "one" ? `head${head + 1}` : fusion;
  return joined([pictureName(picture), modelName(payload.model), crossed ? "cross" : `layer${layer + 1}`, which]);
}
