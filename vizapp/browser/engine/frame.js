// Where the model looked: the twin of model/frame.py, as far as a payload needs it.
//
//   model x = picture x * scale x - left        model y = picture y * scale y - top

/**
 * @typedef {object} Frame pairs are (height, width), (y, x), (top, left)
 * @property {[number, number]} picture of the user's picture
 * @property {[number, number]} input of the model's pixels
 * @property {[number, number]} scale model pixels per picture pixel
 * @property {[number, number]} origin of the model's window in the scaled picture; negative where it was padded
 */

/** @returns {Frame} */
export function frameOf(picture, input, scaled, origin) {
  return { picture, input, scale: [scaled[0] / picture[0], scaled[1] / picture[1]], origin };
}

// [left, top, right, bottom] of the model's whole input on the picture, in its pixels; outside of it where padded.
export function windowOf({ input, scale, origin }) {
  const x = (at) => (at + origin[1]) / scale[1];
  const y = (at) => (at + origin[0]) / scale[0];
  return [x(0), y(0), x(input[1]), y(input[0])];
}

// A mask of the picture, one byte per pixel, as the model sees it, one byte per pixel of its input: 0 where it was padded. A
// model pixel belongs to the object if the point of the picture under its centre does.
export function maskOf({ picture, input, scale, origin }, mask) {
  const at = (axis) => Int32Array.from({ length: input[axis] }, (_, i) => Math.floor((i + 0.5 + origin[axis]) / scale[axis]));
  const [rows, columns] = [at(0), at(1)];
  const made = new Uint8Array(input[0] * input[1]);
  for (let y = 0; y < input[0]; y++) {
    if (rows[y] < 0 || rows[y] >= picture[0]) continue;
    for (let x = 0; x < input[1]; x++) {
      if (columns[x] < 0 || columns[x] >= picture[1]) continue;
      made[y * input[1] + x] = mask[rows[y] * picture[1] + columns[x]];
    }
  }
  return made;
}
