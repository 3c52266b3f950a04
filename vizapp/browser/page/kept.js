// The visitor's pictures that outlive a reload. Nothing of them is sent anywhere.

import { bytesOf, textOf } from "../../ui/viewer/numbers/base64.js";

/**
 * @typedef {{id: string, name: string, blob: Blob}} Own a picture of the visitor, and the name of its file
 *
 * @typedef {object} Keeper
 * @property {() => Promise<Own[]>} all what it keeps, the newest first
 * @property {(one: Own) => Promise<void>} keep keeps one more; too old ones, and too large ones, are not kept
 * @property {() => Promise<void>} clear
 * @property {(words: import("./cargo.js").Language) => string} help says what is kept, and for how long
 */

const KEY = "vizapp-picture";
const MOST_BYTES = 3_000_000; // of a file: browsers give a page about five million letters, and four letters hold three bytes
export const MOST = 5; // pictures

/** Keeps the last picture in the storage of this tab, which ends with it. @type {Keeper} */
export const inTab = {
  async all() {
    try {
      const { id, name, type, text } = JSON.parse(sessionStorage.getItem(KEY) ?? "null");
      return id ? [{ id, name, blob: new Blob([bytesOf(text)], { type }) }] : [];
    } catch {
      return []; // there is none, storage is blocked, or another page wrote it
    }
  },

  // One that is too large replaces the one before, too: what comes back is what was shown last, or nothing.
  async keep({ id, name, blob }) {
    await inTab.clear();
    if (blob.size > MOST_BYTES) return;
    const text = textOf(new Uint8Array(await blob.arrayBuffer()));
    try {
      sessionStorage.setItem(KEY, JSON.stringify({ id, name, type: blob.type, text }));
    } catch {
      // storage is blocked or full: a reload shows another picture, and says so
    }
  },

  async clear() {
    try {
      sessionStorage.removeItem(KEY);
    } catch {
      // storage is blocked
    }
  },

  help: (words) => words.export.forgetHelp,
};

const STORE = "uploads"; // in a database that earlier versions filled, too

/** Keeps the last five pictures in this browser. @type {Keeper} */
export const inBrowser = {
  async all() {
    const found = (await asked("readonly", (store) => store.getAll())) ?? [];
    return found.sort((a, b) => b.when - a.when);
  },

  async keep(one) {
    await asked("readwrite", (store) => store.put({ ...one, when: Date.now() }));
    for (const { id } of (await inBrowser.all()).slice(MOST)) await asked("readwrite", (store) => store.delete(id));
  },

  async clear() {
    await asked("readwrite", (store) => store.clear());
  },

  help: (words) => words.link.keeps,
};

/** @type {Promise<IDBDatabase> | null} */
let database = null;

// Run a request on the database; null if storage is blocked or full: then nothing is kept, and all else works.
async function asked(mode, what) {
  try {
    database ??= opened();
    return await done(what((await database).transaction(STORE, mode).objectStore(STORE)));
  } catch {
    return null;
  }
}

function opened() {
  const opening = indexedDB.open("vizapp", 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(STORE, { keyPath: "id" });
  return done(opening);
}

const done = (request) =>
  new Promise((found, failed) => {
    request.onsuccess = () => found(request.result);
    request.onerror = () => failed(request.error);
  });
