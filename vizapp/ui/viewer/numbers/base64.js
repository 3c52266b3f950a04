// The base64 in which bytes stand in JSON and in the browser's storage.

const AT_ONCE = 4096; // bytes: a call has no room for all of them as arguments

/** @param {string} text base64 @returns {Uint8Array<ArrayBuffer>} */
export const bytesOf = (text) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));

/** @param {{buffer: ArrayBufferLike, byteOffset: number, byteLength: number}} values their bytes as base64 @returns {string} */
export function textOf({ buffer, byteOffset, byteLength }) {
  const bytes = new Uint8Array(buffer, byteOffset, byteLength);
  let text = "";
  for (let i = 0; i < bytes.length; i += AT_ONCE) text += String.fromCharCode(...bytes.subarray(i, i + AT_ONCE));
  return btoa(text);
}

/** @param {string} text base64 of float32 */
export const floatsOf = (text) => new Float32Array(bytesOf(text).buffer);
