// Bytes as the server puts them into JSON.

/** @param {string} text base64 @returns {Uint8Array<ArrayBuffer>} */
export const bytesOf = (text) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));

/** @param {string} text base64 of float32 */
export const floatsOf = (text) => new Float32Array(bytesOf(text).buffer);
