// Mixes two pictures patch by patch.

export class Patches {
  /** @param {Record<string, any>} header of a network */
  constructor({ size: [height, width], patch, channels }) {
    this.height = height;
    this.width = width;
    this.side = patch;
    this.channels = channels;
    this.columns = width / patch;
    this.count = (height / patch) * this.columns;
  }

  /** The mean colour everywhere. @param {Float32Array} pixels (channel, height, width) */
  mean(pixels) {
    const area = this.height * this.width;
    const made = new Float32Array(pixels.length);
    for (let channel = 0; channel < this.channels; channel++) {
      const [from, to] = [channel * area, (channel + 1) * area];
      made.fill(pixels.subarray(from, to).reduce((a, b) => a + b, 0) / area, from, to);
    }
    return made;
  }

  /** `other` in the patches that `isOther` names, by their number row by row; `pixels` elsewhere.
   * @param {Float32Array} pixels @param {Float32Array} other @param {(patch: number) => boolean} isOther */
  mixed(pixels, other, isOther) {
    const { side, columns, width } = this;
    const made = pixels.slice();
    for (let patch = 0; patch < this.count; patch++) {
      if (!isOther(patch)) continue;
      const first = Math.floor(patch / columns) * side * width + (patch % columns) * side;
      for (let channel = 0; channel < this.channels; channel++)
        for (let y = 0; y < side; y++) {
          const from = channel * this.height * width + first + y * width;
          made.set(other.subarray(from, from + side), from);
        }
    }
    return made;
  }
}
