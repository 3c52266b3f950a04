// A stored picture, upright: EXIF says in eight ways where its first row and column belong.

/**
 * @param {{width: number, height: number, data: Uint8Array}} stored RGB
 * @param {number} orientation 1 to 8: from 5 on rows are stored as columns
 * @returns {{width: number, height: number, data: Uint8Array}}
 */
export function upright(stored, orientation) {
  if (orientation === 1) return stored;
  const bottomFirst = [3, 4, 6, 7].includes(orientation); // walk over the stored rows from the last,
  const rightFirst = [2, 3, 7, 8].includes(orientation); // and over the stored columns
  const line = stored.width * 3;
  const toRow = bottomFirst ? -line : line;
  const toColumn = rightFirst ? -3 : 3;
  const first = (bottomFirst ? (stored.height - 1) * line : 0) + (rightFirst ? line - 3 : 0);
  const turned = orientation >= 5;
  const [width, height] = turned ? [stored.height, stored.width] : [stored.width, stored.height];
  const [stepX, stepY] = turned ? [toRow, toColumn] : [toColumn, toRow];
  const data = new Uint8Array(stored.data.length);
  let out = 0;
  for (let y = 0; y < height; y++) {
    for (let x = 0, at = first + y * stepY; x < width; x++, at += stepX) {
      data[out++] = stored.data[at];
      data[out++] = stored.data[at + 1];
      data[out++] = stored.data[at + 2];
    }
  }
  return { width, height, data };
}
