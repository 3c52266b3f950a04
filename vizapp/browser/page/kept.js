// The picture that a visitor brought last, for a reload: in the storage of this tab, which ends with it. Nothing is sent.

import { bytesOf, textOf } from "../../ui/viewer/numbers/base64.js";

const KEY = "vizapp-picture";
const MOST = 3_000_000; // bytes of its file: browsers give a page about five million letters, and four letters hold three bytes

/**
 * Keep a picture in the place of the one before. One that is too large is not kept, and neither is the one before: what comes back
 * is what was shown last, or nothing.
 * @param {string} name @param {Uint8Array} bytes @param {string} type @param {string} [title] the name of its file
 */
export function keep(name, bytes, type, title) {
  forget();
  if (bytes.length > MOST) return;
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ name, type, title, text: textOf(bytes) }));
  } catch {
    // storage is blocked or full: a reload shows another picture, and says so
  }
}

/** @returns {{name: string, bytes: Uint8Array, type: string, title?: string} | null} */
export function kept() {
  try {
    const { name, type, title, text } = JSON.parse(sessionStorage.getItem(KEY) ?? "null");
    return { name, type, title, bytes: bytesOf(text) };
  } catch {
    return null; // there is none, storage is blocked, or another page wrote it
  }
}

export function isKept() {
  try {
    return sessionStorage.getItem(KEY) !== null;
  } catch {
    return false; // storage is blocked
  }
}

export function forget() {
  try {
    sessionStorage.removeItem(KEY);
  } catch {
    // storage is blocked
  }
}
