// Collects the files that somebody has dropped, pasted or chosen, also those in folders, and tells which are pictures.

// A file without a type is judged by its name. The server decides whether it can be read (vizapp/picture).
const PICTURE = /\.(jpe?g|jfif|png|gif|webp|bmp|tiff?|p[pgbn]m|avif|jp2|heic|heif|ico|tga)$/i;
const WEIGHTS = /\.safetensors$/i;
const MOST_SEEN = 5000; // files of a folder that are looked at
const DEEPEST = 8; // folders within folders

/** @typedef {{file: File, path: string, film?: File}} Found `path`: the folders it lies in, and its name; `film`: which it is a frame of */

/** @param {File} file */
export const isPicture = ({ type, name }) => (type.startsWith("image/") && !type.includes("svg")) || PICTURE.test(name);

/** Whether the file is certainly not a picture, without asking the server. @param {File} file */
export const isOther = (file) => !isPicture(file) && Boolean(file.type || /\.\w+$/.test(file.name));

/** @param {File} file */
export const isWeights = ({ name }) => WEIGHTS.test(name);

/**
 * All files of a drop. Call it within the event, because the browser hands the files out only then.
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

/** The files of a field or a clipboard. @param {Iterable<File>} files @returns {Found[]} */
export const listed = (files) =>
  inOrder([...files].map((file) => ({ file, path: file.webkitRelativePath || file.name })).filter(({ path }) => !path.includes("/.")));

// Numbers sort as people count: 2 before 10. Hidden files in a folder ("/.") are left out.
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
