// The last pictures that were uploaded here, kept by the browser: after a reload, or a new start of the server, they are sent
// again, to this server and nowhere else.

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
  /** @param {(count: number) => void} told how many are kept, whenever that changes */
  constructor(told = () => {}) {
    this.told = told;
    this.ids = new Map(); // path -> id
    // A browser may keep nothing, or refuse to be asked: then all goes on without.
    this.store = open().catch(() => null);
    this.ready = this.all().then((all) => {
      for (const { id, path } of all) this.ids.set(path, id);
      this.told(all.length);
    });
  }

  /** The newest first. @returns {Promise<Upload[]>} */
  async all() {
    const found = (await this.ask("readonly", (store) => store.getAll())) ?? [];
    return found.sort((a, b) => b.when - a.when);
  }

  /** The name of a picture that has been uploaded, by which links call it; the browser keeps it, as the latest one. */
  keep({ path, url, orig_name: name }) {
    if (!this.ids.has(path)) this.ids.set(path, nameless());
    const id = this.ids.get(path);
    this.renew(id, path, url, name ?? "picture");
    return id;
  }

  /** Send one again, by Gradio's `upload`; its file on the server, or null if it is not here. */
  async send(id, upload) {
    const kept = await this.ask("readonly", (store) => store.get(id));
    if (!kept) {
      const here = [...this.ids].find(([, one]) => one === id); // of this visit, and no longer among the last: the server may have it
      return here ? { path: here[0] } : null;
    }
    const { path, url } = await upload(new File([kept.blob], kept.name, { type: kept.blob.type }));
    this.ids.set(path, id);
    await this.ask("readwrite", (store) => store.put({ ...kept, path, when: Date.now() }));
    return { path, url };
  }

  async clear() {
    await this.ask("readwrite", (store) => store.clear());
    this.ids.clear();
    this.told(0);
  }

  async renew(id, path, url, name) {
    const kept = await this.ask("readonly", (store) => store.get(id));
    if (!kept) return this.fetch(id, path, url, name);
    await this.ask("readwrite", (store) => store.put({ ...kept, path, when: Date.now() }));
  }

  async fetch(id, path, url, name) {
    try {
      const answer = await fetch(url, { cache: "force-cache" }); // the page shows it: it is here already
      if (!answer.ok) return;
      const blob = await answer.blob();
      await this.ask("readwrite", (store) => store.put({ id, path, name, when: Date.now(), blob }));
      const all = await this.all();
      for (const old of all.slice(MOST)) await this.ask("readwrite", (store) => store.delete(old.id));
      this.told(Math.min(all.length, MOST));
    } catch {
      // no room for it, or no line: then it is not kept
    }
  }

  // What the store answers; null where there is none.
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
