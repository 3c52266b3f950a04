// What somebody has dropped, pasted or chosen: its files, also those in folders, and which of them are pictures.

// By name where the system tells no type; what of them can be read is for the server to say (vizapp/picture.py).
const PICTURE = /\.(jpe?g|jfif|png|gif|webp|bmp|tiff?|p[pgbn]m|avif|jp2|heic|heif|ico|tga)$/i;
const WEIGHTS = /\.safetensors$/i;
const MOST_SEEN = 5000; // files of a folder that are looked at
const DEEPEST = 8; // folders within folders

/** @typedef {{file: File, path: string}} Found `path`: the folders it lies in, and its name */

/** @param {File} file */
export const isPicture = ({ type, name }) => (type.startsWith("image/") && !type.includes("svg")) || PICTURE.test(name);

/** Can it be told, without the server, that it is no picture? @param {File} file */
export const isOther = (file) => !isPicture(file) && Boolean(file.type || /\.\w+$/.test(file.name));

/** @param {File} file */
export const isWeights = ({ name }) => WEIGHTS.test(name);

/**
 * All files of a drop. What a browser hands out it hands out within the event, so this must not be called later.
 * @param {DataTransfer} transfer
 * @returns {Promise<{found: Found[], isFolder: boolean}>}
 */
export async function dropped(transfer) {
  const entries = [...transfer.items].filter(({ kind }) => kind === "file").map((item) => item.webkitGetAsEntry?.());
  const isFolder = entries.some((entry) => entry?.isDirectory);
  if (!isFolder) return { found: listed(transfer.files), isFolder };
  const found = /** @type {Found[]} */ ([]);
  for (const entry of entries) await walk(entry, found, 0);
  return { found: inOrder(found), isFolder };
}

/** Those of a field or a clipboard. @param {Iterable<File>} files @returns {Found[]} */
export const listed = (files) =>
  inOrder([...files].map((file) => ({ file, path: file.webkitRelativePath || file.name })).filter(({ path }) => !path.includes("/.")));

// As people count: 2 before 10. What is hidden in a folder ("/.") is no picture of anybody's.
const inOrder = (found) => found.sort((a, b) => a.path.localeCompare(b.path, undefined, { numeric: true }));

/** @param {any} entry */
async function walk(entry, found, depth) {
  if (!entry || found.length >= MOST_SEEN || entry.name.startsWith(".")) return;
  if (entry.isFile) {
    const file = await new Promise((done) => entry.file(done, () => done(null)));
    if (file) found.push({ file, path: entry.fullPath.replace(/^\//, "") });
  } else if (depth < DEEPEST) {
    const reader = entry.createReader();
    for (;;) {
      const some = await new Promise((done) => reader.readEntries(done, () => done([]))); // a hundred at a time
      if (!some.length) return;
      for (const one of some) await walk(one, found, depth + 1);
    }
  }
}
