// Keeps the last uploaded pictures in the browser. Where this server has one no more, as after a restart, it is sent again, to
// this server only.

const NAME = "vizapp";
const STORE = "uploads";
const MOST = 5;

/** @typedef {{id: string, path: string, name: string, when: number, blob: Blob}} Upload `path`: where the server has it */

const done = (asked) =>
  new Promise((found, failed) => {
    asked.onsuccess = () => found(asked.result);
    asked.onerror = () => failed(asked.error);
  });

function open() {
  const opening = indexedDB.open(NAME, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(STORE, { keyPath: "id" });
  return done(opening);
}

export class Uploads {
  /**
   * @param {(kept: Upload[]) => void} told called with the kept pictures, the newest first, whenever others are kept
   * @param {(path: string) => Promise<boolean>} isThere whether the server still has an upload
   */
  constructor(told, isThere) {
    this.told = told;
    this.isThere = isThere;
    this.ids = new Map(); // path -> id
    // Storage may be blocked. Then nothing is kept, and everything else works.
    this.store = open().catch(() => null);
    this.ready = this.all().then((all) => {
      for (const { id, path } of all) this.ids.set(path, id);
      this.told(all);
    });
  }

  /** The newest first. @returns {Promise<Upload[]>} */
  async all() {
    const found = (await this.ask("readonly", (store) => store.getAll())) ?? [];
    return found.sort((a, b) => b.when - a.when);
  }

  /** The name by which links refer to an uploaded picture. */
  name({ path }) {
    if (!this.ids.has(path)) this.ids.set(path, nameless());
    return this.ids.get(path);
  }

  /** Where the server has a picture of this visit; undefined if nobody knows. @param {string} id @returns {string | undefined} */
  pathOf(id) {
    return [...this.ids].findLast(([, one]) => one === id)?.[0];
  }

  /** Keep an uploaded picture as the latest one, and return its name. */
  keep({ path, url, orig_name: name }) {
    const id = this.name({ path });
    this.renew(id, path, url, name ?? "picture");
    return id;
  }

  /** See that the server has a picture, which Gradio's `upload` sends again. Returns its path there, or null if it is not kept. */
  async send(id, upload) {
    const kept = await this.ask("readonly", (store) => store.get(id));
    if (!kept) {
      const here = [...this.ids].find(([, one]) => one === id); // uploaded in this visit and no longer kept: the server may still have it
      return here ? { path: here[0] } : null;
    }
    const sent = () => upload(new File([kept.blob], kept.name, { type: kept.blob.type }));
    const { path } = (await this.isThere(kept.path)) ? kept : await sent();
    this.ids.set(path, id);
    await this.ask("readwrite", (store) => store.put({ ...kept, path, when: Date.now() }));
    return { path };
  }

  async clear() {
    await this.ask("readwrite", (store) => store.clear());
    this.ids.clear();
    this.told([]);
  }

  async renew(id, path, url, name) {
    const kept = await this.ask("readonly", (store) => store.get(id));
    if (!kept) return this.fetch(id, path, url, name);
    await this.ask("readwrite", (store) => store.put({ ...kept, path, when: Date.now() }));
  }

  async fetch(id, path, url, name) {
    try {
      const answer = await fetch(url, { cache: "force-cache" }); // the page shows the picture, so the cache has it
      if (!answer.ok) return;
      const blob = await answer.blob();
      await this.ask("readwrite", (store) => store.put({ id, path, name, when: Date.now(), blob }));
      const all = await this.all();
      for (const old of all.slice(MOST)) await this.ask("readwrite", (store) => store.delete(old.id));
      this.told(all.slice(0, MOST));
    } catch {
      // storage is full, or the connection is lost: then it is not kept
    }
  }

  // Run a request on the store; null if there is no store.
  async ask(mode, what) {
    const store = await this.store;
    try {
      return store && (await done(what(store.transaction(STORE, mode).objectStore(STORE))));
    } catch {
      return null;
    }
  }
}

function nameless() {
  return Array.from(crypto.getRandomValues(new Uint8Array(5)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
