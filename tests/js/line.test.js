// The line to a server: whatever breaks it, a question is answered in the end, or refused in a sentence.

import assert from "node:assert/strict";
import { test } from "node:test";

globalThis.addEventListener = () => {};
globalThis.document ??= /** @type {any} */ ({ addEventListener: () => {}, hidden: false });
const { Line } = await import("../../vizapp/browser/page/sources/line.js");

console.error = () => {}; // Gradio's client tells of each break

const json = (what, status = 200) =>
  new Response(JSON.stringify(what), { status, headers: { "content-type": "application/json" } });
const soon = () => new Promise((over) => setTimeout(over, 5));

// A server that answers the question "look" by its number, as Gradio's does: on a stream of its own.
class Server {
  constructor(app = 1) {
    this.app = app;
    this.isAway = false;
    this.asked = []; // what came with each question
    this.answers = () => true; // whether to answer a question, by its number
    this.streams = []; // of answers, that are open
    this.beats = []; // other streams
    globalThis.fetch = (what, how = {}) => this.fetch(String(what), how);
  }

  async fetch(what, { body, signal }) {
    if (this.isAway) throw new TypeError("Failed to fetch");
    const path = new URL(what).pathname.split("/").slice(-2).join("/");
    if (path.endsWith("/config")) return json(this.config());
    if (path.endsWith("/info")) return json({ named_endpoints: { "/page_look": {} }, unnamed_endpoints: {} });
    if (path === "queue/join") return this.join(JSON.parse(body).data);
    return this.stream(path === "queue/data" ? this.streams : this.beats, signal);
  }

  config() {
    const work = { id: 1, api_name: "page_look", queue: true, inputs: [1], outputs: [1], types: {} };
    const own = {
      root: "http://wrong/",
      api_prefix: "/gradio_api",
      protocol: "sse_v3",
      app_id: this.app,
      connect_heartbeat: true,
    };
    return { ...own, dependencies: [work], components: [] };
  }

  join(data) {
    this.asked.push(data[0]);
    const number = this.asked.length;
    if (this.answers(number)) this.whenListening(() => this.answer(number));
    return json({ event_id: `e${number}` });
  }

  async whenListening(go) {
    while (!this.streams.length) await soon();
    await soon();
    go();
  }

  answer(number, ends = true) {
    const output = { data: [{ answer: number }], is_generating: false };
    this.send({ msg: "process_completed", event_id: `e${number}`, output, success: true });
    if (ends) this.end();
  }

  // As Gradio ends a stream when it knows of no more questions.
  end() {
    this.send({ msg: "close_stream", event_id: null });
    for (const one of this.streams.splice(0)) one.close();
  }

  send(message) {
    for (const one of this.streams) one.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(message)}\n\n`));
  }

  stream(open, signal) {
    const body = new ReadableStream({
      start(to) {
        open.push(to);
        signal?.addEventListener("abort", () => {
          if (open.includes(to)) open.splice(open.indexOf(to), 1);
        });
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  }

  // All connections end, as when a cable is pulled.
  cut() {
    for (const one of [...this.streams.splice(0), ...this.beats.splice(0)]) one.error(new TypeError("network error"));
  }
}

function lineTo(server) {
  const line = new Line("http://here/deep/", "it broke", soon);
  const said = [];
  line.changed = (isLost) => said.push(isLost);
  const ask = (what = "a") => line.called("look", () => [what]);
  return { line, said, ask, server };
}

const asked = async (server, count) => {
  while (server.asked.length < count) await soon();
};

async function done({ line }) {
  line.again = () => {};
  (await line.connected()).leave();
}

test("a question whose stream breaks is asked again, with what it holds then", async () => {
  const one = lineTo(new Server());
  const { server } = one;
  server.answers = (number) => number > 1;
  let file = "old";
  const answer = one.line.called("look", () => [file]);
  await asked(server, 1);
  file = "new";
  server.cut();
  assert.deepEqual(await answer, { answer: 2 });
  assert.deepEqual(server.asked, ["old", "new"]);
  assert.deepEqual(one.said, [], "it was there again at once");
  await done(one);
});

test("a server that goes away is waited for, and one that was started anew is another", async () => {
  const one = lineTo(new Server());
  const { server, line } = one;
  await one.ask();
  assert.equal(line.server, 1);
  server.isAway = true;
  server.cut();
  const answer = one.ask("b");
  while (!one.said.length) await soon();
  Object.assign(server, { isAway: false, app: 2 });
  assert.deepEqual(await answer, { answer: 2 });
  assert.equal(line.server, 2);
  assert.deepEqual(one.said, [true, false]);
  await done(one);
});

test("a proxy that answers in the server's place says that it is away", async () => {
  const one = lineTo(new Server());
  const { server } = one;
  const { join } = server;
  server.join = () => {
    server.join = join;
    return new Response("<h1>Bad gateway</h1>", { status: 502, headers: { "content-type": "text/html" } });
  };
  assert.deepEqual(await one.ask(), { answer: 1 });
  await done(one);
});

test("a question that the server receives while it ends the stream is answered", async () => {
  const one = lineTo(new Server());
  const { server } = one;
  server.answers = () => false;
  const first = one.ask();
  await asked(server, 1);
  while (!server.streams.length) await soon();
  const second = one.ask();
  await asked(server, 2);
  await soon(); // the page knows that it was received
  server.answer(1); // and ends the stream, on which the page waits for the second
  assert.deepEqual(await first, { answer: 1 });
  await server.whenListening(() => server.answer(2));
  assert.deepEqual(await second, { answer: 2 });
  await done(one);
});

test("a server that breaks the line again and again is told of in a sentence", async () => {
  const one = lineTo(new Server());
  const { server, line } = one;
  server.answers = () => false;
  line.awhile = soon;
  const answer = one.ask();
  const cutting = setInterval(() => server.streams.length && server.cut(), 20);
  await assert.rejects(answer, /it broke/);
  clearInterval(cutting);
  assert.equal(server.asked.length, 6);
  await done(one);
});

test("all is asked at the page's own address, whatever the server believes", async () => {
  const one = lineTo(new Server());
  const places = [];
  const { fetch } = globalThis;
  globalThis.fetch = (what, how) => {
    places.push(String(what));
    return fetch(what, how);
  };
  await one.ask();
  assert.ok(places.length >= 4);
  assert.deepEqual(
    places.filter((place) => !place.startsWith("http://here/deep/")),
    [],
  );
  await done(one);
});
