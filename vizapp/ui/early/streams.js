// Gradio's page asks on one connection and gets all answers on another, a stream that the server ends when it knows of no more
// questions. If that end is on its way while the page asks the next question, Gradio puts the question on the stream that ends:
// it is never answered. Beside a proxy or on a busy machine that happened to one question in three. See docs/lab-notes.md.

const PATIENCE = 1000; // milliseconds in which Gradio lets go of a stream that has ended

// Goes on with a stream whose end came too early. It is installed before Gradio's scripts run, so that they use its fetch.
class Streams {
  constructor() {
    this.fetch = window.fetch.bind(window);
    this.asking = new Set(); // questions on their way to the server
    this.open = new Set(); // names of those that were received, and are not answered
    this.answered = new Set(); // names of those whose answer came before the page knew that they were received
    this.ending = Promise.resolve(); // until Gradio knows that its stream has ended
    window.fetch = (what, how) => {
      const way = /\/queue\/(join|data)(?:\?|$)/.exec(what instanceof Request ? what.url : String(what))?.[1];
      return way === "join" ? this.ask(what, how) : way === "data" ? this.listen(what, how) : this.fetch(what, how);
    };
  }

  async ask(what, how) {
    const received = this.fetch(what, how).then(async (answer) => {
      const { event_id: name } = answer.ok ? await answer.clone().json() : {};
      if (name && !this.answered.delete(name)) this.open.add(name);
      return answer;
    });
    this.asking.add(received);
    const answer = await received.finally(() => this.asking.delete(received));
    await this.ending;
    return answer;
  }

  async listen(what, how) {
    const first = await this.fetch(what, how);
    if (!first.ok || !first.body) return first;
    const again = async () => {
      const answer = await this.fetch(what, how);
      if (!answer.ok) throw new Error(`The stream does not go on: ${answer.status}.`);
      return answer.body;
    };
    const signal = how?.signal ?? what.signal;
    const start = (to) => this.pass(first.body, again, signal, to).catch((error) => to.error(error));
    return new Response(new ReadableStream({ start }), { status: first.status, headers: first.headers });
  }

  async pass(body, again, signal, to) {
    const encoder = new TextEncoder();
    for (let goesOn = true; goesOn; ) {
      goesOn = false;
      for await (const message of messagesOf(body)) {
        const { msg, event_id: name } = read(message);
        if (msg === "process_completed" && !this.open.delete(name)) this.answered.add(name);
        goesOn = msg === "close_stream" && (await this.isAwaited());
        if (goesOn) break;
        if (msg === "close_stream") this.ending = Promise.race([isAborted(signal), later(PATIENCE)]);
        to.enqueue(encoder.encode(`${message}\n\n`));
      }
      if (goesOn) body = await again();
    }
    to.close();
  }

  // Whether there will be an answer to a question that the server did not know when it ended the stream.
  async isAwaited() {
    while (this.asking.size && !this.open.size) await Promise.allSettled([...this.asking]);
    return this.open.size > 0;
  }
}

async function* messagesOf(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ""; ; ) {
    const { value, done } = await reader.read();
    if (done) return;
    const parts = (text + value).split("\n\n");
    text = parts.pop() ?? "";
    yield* parts;
  }
}

function read(message) {
  try {
    return JSON.parse(message.slice(message.indexOf("{")));
  } catch {
    return {}; // not one of Gradio's own: Gradio decides what it means
  }
}

const later = (wait) => new Promise((done) => setTimeout(done, wait));

const isAborted = (signal) =>
  new Promise((done) => (signal?.aborted ? done(signal) : signal?.addEventListener("abort", done, { once: true })));

new Streams();
