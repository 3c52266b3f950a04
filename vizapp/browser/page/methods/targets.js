// The targets that can be explained: the classes of a network, the things that the visitor has taught it, and sentences.

import { filled } from "./made.js";

/**
 * @typedef {{names: string[], prototypes: Float32Array[]}} Lesson as engine/taught.js takes it
 *
 * @typedef {object} Target
 * @property {number | null} index of the class, or of the thing; null where there is nothing to explain
 * @property {string} label
 * @property {number | null} share its probability; for a thing, its share of the picture; null for the largest of outputs without names
 * @property {Lesson | null} lesson that taught a thing; null for a class
 * @property {string} sentence that is explained in place of a class; "" for none
 * @property {Map<string, import("./told.js").Found>} found by method
 * @property {Set<string>} asked the slow methods that were asked for
 * @property {import("./chance.js").Curves[]} drawn the random orders
 * @property {Map<string, string>} skipped why a method has no map here
 */

const SURE = 5; // classes that are listed with their probability

/** @param {number | null} index @param {string} label @param {number | null} share @param {Lesson | null} [lesson] @param {string} [sentence]
 * @returns {Target} */
export const target = (index, label, share, lesson = null, sentence = "") => ({
  ...{ index, label, share, lesson, sentence },
  ...{ found: new Map(), asked: new Set(), drawn: [], skipped: new Map() },
});

/** A target as the source is asked about it. @param {Target} target */
export const asked = ({ index, lesson, sentence }) => ({ target: index, lesson, ...(sentence ? { sentence } : {}) });

/**
 * Fill the list of targets.
 * @param {HTMLSelectElement} select whose values are their numbers, the things first
 * @param {Target[]} things
 * @param {Target[]} classes the most probable first
 * @param {import("../cargo.js").Language} words
 */
export function offer(select, things, classes, { page, export: own }) {
  const sure = (share) => `${(100 * share).toFixed(1)} %`;
  const said = ({ label, share }) => (share === null ? filled(page.largest_output, { label }) : `${label} \u00b7 ${sure(share)}`);
  const option = (one, at, isSure) => new Option(isSure ? said(one) : one.label, String(at));
  const ofThings = things.map((one, i) =>
    option({ ...one, label: own.methodsThing.replace("{thing}", () => one.label) }, i, true),
  );
  const ofClasses = classes.map((one, i) => option(one, things.length + i, i < SURE));
  const groups = [
    [own.methodsThings, ofThings],
    [own.methodsClasses, ofClasses],
  ].filter(([, options]) => options.length);
  const named = groups.map(([label, options]) => {
    const group = Object.assign(document.createElement("optgroup"), { label });
    group.append(...options);
    return group;
  });
  select.replaceChildren(...(things.length ? named : ofClasses));
}

/** Whether two lessons teach the same. @param {Lesson | null} lesson @param {Lesson | null} other */
export function alike(lesson, other) {
  if (!lesson || !other) return lesson === other;
  const isSame = (one, values) => one.length === values?.length && one.every((value, i) => value === values[i]);
  const { names, prototypes } = lesson;
  return isSame(names, other.names) && prototypes.every((one, i) => isSame(one, other.prototypes[i]));
}
