// What the tab has done for it, one step after the other: maps, then their curves, then those of random orders.

import { owed } from "./chance.js";
import { filled } from "./made.js";
import { RANDOM } from "./told.js";

const SOON = 1500; // milliseconds after which the remaining time is estimated

/**
 * @typedef {import("./told.js").Method} Method
 * @typedef {{target: import("./targets.js").Target, wanted: Method[], hasTarget: boolean}} Part a target, and the methods that are to run
 *   for it; without a target there are maps only
 */

export class Work {
  /**
   * @param {import("../desk.js").Desk} desk
   * @param {import("./painted.js").Painter} painter
   * @param {object} tab
   * @param {() => Part[]} tab.parts
   * @param {(target: import("./targets.js").Target, names: string[]) => Record<string, any>} tab.asks what each question holds
   * @param {() => void} tab.draw is called after each step
   * @param {(said: string) => void} tab.say
   */
  constructor(desk, painter, { parts, asks, draw, say }) {
    this.parts = parts;
    this.asks = asks;
    this.draw = draw;
    this.say = say;
    this.source = desk.source;
    this.words = desk.words;
    this.painter = painter;
    /** @type {object | null} identifies the running work; another object means that it was replaced */
    this.job = null;
  }

  /** What is to be done next. @returns {(() => Promise<boolean>) | null} which tells whether it is done, and still wanted */
  get next() {
    const parts = this.parts();
    for (const { target, wanted } of parts) {
      const without = wanted.find(({ name }) => !target.found.has(name));
      if (without) return () => this.make(target, without);
    }
    const measured = parts.filter(({ hasTarget }) => hasTarget);
    for (const { target, wanted } of measured) {
      const unjudged = wanted.find(({ name }) => name !== RANDOM && !target.found.get(name).curves);
      if (unjudged) return () => this.judge(target, unjudged);
    }
    for (const { target, wanted } of measured) {
      const informed = wanted.filter(({ isBaseline }) => !isBaseline).map(({ name }) => target.found.get(name).curves);
      const count = owed(informed, target.drawn);
      const random = wanted.find(({ name }) => name === RANDOM);
      if (count && random) return () => this.draws(target, random, count);
    }
    return null;
  }

  /** Do what is to be done, unless it is being done. */
  go() {
    return this.job ? this.draw() : this.again();
  }

  /** Do what is to be done, in place of what is being done. */
  async again() {
    const job = (this.job = {});
    this.say("");
    this.draw();
    try {
      for (let { next } = this; next; { next } = this) {
        if (!(await next()) || this.job !== job) return;
        this.draw();
      }
      this.say("");
    } catch (error) {
      if (this.job === job) this.say(error.message);
    } finally {
      if (this.job === job) this.job = null;
      this.draw();
    }
  }

  /** Do something else at length, in place of what is being done. Null if it was stopped or replaced.
   * @param {"forget" | "files"} call @param {any} what @param {string} name */
  async alone(call, what, name) {
    const job = (this.job = {});
    this.say("");
    this.draw();
    try {
      const answer = await this.asking(call, what, name);
      if (answer) this.say("");
      return answer;
    } catch (error) {
      if (this.job === job) this.say(error.message);
      return null;
    } finally {
      if (this.job === job) this.job = null;
      this.draw();
    }
  }

  /** Forget what is being done: it belongs to something else. */
  end() {
    this.job = null;
  }

  stop() {
    this.job = null;
    this.source.stop();
    this.say(this.words.page.stopped);
    this.draw();
  }

  async make(target, method) {
    const made = await this.asking("explain", { method: method.name, ...this.asks(target, [method.name]) }, method.title);
    if (!made) return false;
    if (made.why) target.skipped.set(method.name, made.why);
    else {
      const map = { ...made, isSigned: made.isSigned ?? method.isSigned };
      target.found.set(method.name, { ...map, ...this.painter.paint(map), curves: null });
    }
    return true;
  }

  async judge(target, { name, title }) {
    const what = { method: name, scores: target.found.get(name).values, ...this.asks(target, [name]) };
    const curves = await this.asking("judge", what, filled(this.words.export.methodsJudged, { method: title }));
    if (curves) target.found.set(name, { ...target.found.get(name), curves });
    return Boolean(curves);
  }

  async draws(target, { title }, count) {
    const what = { from: target.drawn.length, count, ...this.asks(target, []) };
    const some = await this.asking("chance", what, filled(this.words.export.methodsJudged, { method: title }));
    if (some) target.drawn.push(...some);
    return Boolean(some);
  }

  /** Ask the source for something that takes many passes, and show its progress. Null if it is not wanted any more.
   * @param {import("../sources/source.js").Long} call @param {any} what @param {string} name */
  async asking(call, what, name) {
    const { job } = this;
    const begun = performance.now();
    const answer = await this.source.atLength(call, what, (share, said = name) => {
      if (this.job !== job) return;
      const spent = performance.now() - begun;
      const left = share > 0.02 && spent > SOON ? ((spent / share) * (1 - share)) / 1000 : 0;
      const runs = this.words.export[left >= 1 ? "methodsLeft" : "methodsRuns"];
      this.say(filled(runs, { what: said, percent: Math.round(100 * share), seconds: Math.ceil(left) }));
    });
    return this.job === job ? answer : null;
  }
}
