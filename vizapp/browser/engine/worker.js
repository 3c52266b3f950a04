// The Worker that runs the networks. It answers each message of the page under the message's number. It is bundled with the
// kernels into one script, which the page contains as text.

import { answers } from "./answers.js";
import { askPage } from "./blobs.js";
import { decode } from "./decode.js";
import { encode } from "./encode.js";
import { explaining } from "./explaining.js";
import { glance } from "./glance.js";
// @ts-expect-error: esbuild makes bytes of it
import plain from "./kernels.wasm";
// @ts-expect-error: and of this
import fused from "./kernels.relaxed.wasm";
import { fastHeadMap } from "./maps.js";
import { Network, kernelsFile } from "./network.js";
import { pack } from "./pack.js";
import { preprocess } from "./preprocess.js";
import { Refused } from "./refused.js";
import { overWhite } from "./white.js";

const OPEN = 2; // networks in memory at once; each takes about three times its file
const KEPT = 4; // pictures whose questions can still be answered

/** @type {Map<string, {bytes: Uint8Array, labels: string[] | null}>} the files of networks, by model */
const files = new Map();
/** @type {Map<string, {net: Network, headMap: import("./maps.js").HeadMap}>} */
const nets = new Map();
/** @type {Map<string, import("./answers.js").Look>} by run */
const looks = new Map();

const told = {
  open({ model, bytes, labels }) {
    files.set(model, { bytes, labels });
  },

  async look({ run, model, file, page, fit, said, masks }, number) {
    const { net, headMap } = await network(model);
    const picture = await decode(file, page);
    const { pixels, frame } = preprocess(picture, net.header.preprocess, fit ?? undefined);
    const shown = encode(picture); // the browser does most of it beside the pass
    const pass = await watched(net, pixels, number);
    if (!pass) return null;
    const [height, width] = frame.picture;
    const truth = said.truth.map((one, i) => ({ ...one, mask: bits(masks[i], height * width) }));
    const notes = picture.note ? [...said.notes, worded(said.words, picture.note)] : said.notes;
    const packed = pack(pass, net.header, { ...said, notes, pages: picture.pages, picture: await shown, frame, truth }, headMap);
    const used = fit ?? net.header.preprocess.fit;
    keep(
      looks,
      run,
      { net: async () => (await network(model)).net, open: () => network(model), model, pixels, file, page, fit: used },
      KEPT,
    );
    return packed;
  },

  stop() {}, // receiving the message is enough

  async glance({ model, frame: { width, height, data }, fit }) {
    const { net, headMap } = await network(model);
    const picture = { width, height, data: new Uint8Array(width * height * 3) };
    overWhite(data, picture.data);
    return glance(net, picture, fit ?? undefined, headMap);
  },

  async ask({ kind, run, what, words }) {
    const look = looks.get(run);
    if (!look || !Object.hasOwn(answers, kind)) return { why: words.needsServer };
    return answers[kind](look, what, words);
  },
};

// Run a pass that reports its progress; null if another picture is requested meanwhile.
async function watched(net, pixels, number) {
  const steps = net.steps(pixels);
  for (;;) {
    const { value, done } = steps.next();
    if (done) return value;
    postMessage({ number, done: value / net.header.depth });
    await heard();
    if (newest !== number) return null;
  }
}

// Wait until the page's messages have been received. A channel is used because timers take at least four milliseconds.
const { port1, port2 } = new MessageChannel();
const waiting = [];
port1.onmessage = () => waiting.shift()();
function heard() {
  return new Promise((go) => {
    waiting.push(go);
    port2.postMessage(null);
  });
}

// Run work of many passes, letting other requests run between two of them. Null if another picture, other such work, or a stop is
// requested before its end.
async function atLength(number, begin) {
  const steps = await inLine(begin);
  for (;;) {
    const { value, done } = await inLine(() => steps.next());
    if (done) return value;
    postMessage({ number, done: value });
    await heard();
    if (longest !== number || newest > number) return null;
  }
}

async function network(model) {
  if (!nets.has(model)) {
    const wasm = kernelsFile() === "kernels.wasm" ? plain : fused;
    const { bytes, labels } = files.get(model);
    const net = await Network.open(bytes, wasm);
    if (labels) net.header.labels = labels;
    keep(nets, model, { net, headMap: await fastHeadMap(wasm, net.tokens, net.header.headDim) }, OPEN);
  }
  return nets.get(model);
}

function keep(map, key, value, most) {
  map.delete(key);
  map.set(key, value);
  if (map.size > most) map.delete(map.keys().next().value);
}

const worded = (words, { key, values }) => words[key].replace(/\{(\w+)\}/g, (_, name) => values[name]);

// Unpack bits, eight to a byte, into a byte each.
function bits(packed, length) {
  const mask = new Uint8Array(length);
  for (let i = 0; i < length; i++) mask[i] = (packed[i >> 3] >> (7 - (i & 7))) & 1;
  return mask;
}

// Run work one after the other, because all of it shares the networks' memory.
/** @type {Promise<any>} */
let before = Promise.resolve();
/** @template T @param {() => T | Promise<T>} work @returns {Promise<T>} */
function inLine(work) {
  const result = before.then(work);
  before = result.catch(() => {});
  return result;
}

// Blobs that the page was asked to read. Its answers bypass the queue, because the work that waits for them holds the queue.
/** @type {Map<number, {done: (found: any) => void, failed: (error: Error) => void}>} */
const open = new Map();
let questions = 0;
askPage((read, blob, options) => {
  questions += 1;
  return new Promise((done, failed) => {
    open.set(questions, { done, failed });
    postMessage({ question: questions, read, blob, options });
  });
});
addEventListener("message", ({ data: { question, found, failed } }) => {
  const waits = open.get(question);
  open.delete(question);
  if (failed) waits?.failed(Object.assign(new Error(failed.message), { name: failed.name }));
  else waits?.done(found);
});

let newest = 0; // the number of the latest request for a picture
let longest = 0; // the number of the latest request for work of many passes
addEventListener("message", ({ data: { number, call, ...what } }) => {
  if (!call) return;
  if (call === "look") newest = number;
  const isLong = Object.hasOwn(explaining, call);
  if (isLong || call === "stop") longest = number;
  const begin = () => explaining[call](looks.get(what.run), what);
  (isLong ? atLength(number, begin) : inLine(() => told[call](what, number))).then(
    (answer) => postMessage({ number, answer }),
    (error) => {
      if (error instanceof Refused) postMessage({ number, refused: { key: error.key, values: error.values } });
      else postMessage({ number, error: String(error?.message ?? error) });
    },
  );
});
