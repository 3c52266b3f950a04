// Reads the pixels or bytes of a Blob. In a page from a disk (`file:`), WebKit's Workers cannot read any Blob, not even their
// own, but the page's thread can. So a read that fails in the Worker is passed to the page.

/** How this thread reads a Blob. */
export const reading = {
  /** @param {Blob} blob @param {ImageBitmapOptions} [options] @returns {Promise<ImageBitmap>} */
  bitmap: (blob, options) => createImageBitmap(blob, options),
  /** @param {Blob} blob @returns {Promise<Uint8Array>} */
  bytes: async (blob) => new Uint8Array(await blob.arrayBuffer()),
};

/** @typedef {keyof typeof reading} Read */

/** @type {((read: Read, blob: Blob, options?: ImageBitmapOptions) => Promise<any>) | null} */
let page = null;

/** In a Worker, set the function that lets the page read. @param {NonNullable<typeof page>} ask */
export function askPage(ask) {
  page = ask;
}

/** Its pixels. @param {Blob} blob @param {ImageBitmapOptions} [options] @returns {Promise<ImageBitmap>} */
export const bitmapOf = (blob, options) => read("bitmap", blob, options);

/** @param {Blob} blob @returns {Promise<Uint8Array>} */
export const bytesOf = (blob) => read("bytes", blob);

async function read(what, blob, options) {
  try {
    return await reading[what](blob, options);
  } catch (error) {
    if (page) return page(what, blob, options);
    throw error;
  }
}
