// Saving: 800 ms after a change, on the device at once; again and again until the service has it.
//
// The order has a version, every comment its own. An order that another tab or device has overtaken is not
// taken (409): the person chooses. Comments are put together by the service.

import { Device, Tabs } from "./device.js";
import { sameOrder } from "./order.js";

const LONGEST = 30_000; // milliseconds between tries
const BEACON = 60_000; // bytes that a browser sends after the page was left

export class Saving {
  // `page` has: tiers, fields (a map of name to textarea), and is told through its methods.
  constructor(data, page) {
    Object.assign(this, { data, page });
    this.device = new Device(data.key);
    this.version = data.version;
    this.kept = data.tiers; // the order as the service has it
    this.comments = new Map();
    for (const [name, field] of page.fields) {
      // not its value, which browsers may have filled in from before
      const kept = "unsaved" in field.dataset ? null : field.defaultValue;
      this.comments.set(name, { kept, version: Number(field.dataset.version) });
    }
    this.delay = data.delay ?? 800;
    this.failures = 0;
    this.conflict = null;
    this.isChanged = data.changed ?? false; // what the service has differs from what was submitted
    this.settled = ["unsaved"]; // what the line says while nothing waits to be saved
    this.tabs = new Tabs(data.key, (message) => this.hear(message));
    this.tabs.tell({ kind: "hello" });
    this.restore();
    addEventListener("online", () => this.send());
    addEventListener("focus", () => this.isDirty && this.failures && this.send());
    addEventListener("pagehide", () => this.isDirty && this.send(true));
    document.addEventListener("visibilitychange", () => document.hidden && this.isDirty && this.send(true));
  }

  // Not with the service as far as we know: also what was sent, taken back since, and not answered.
  get orderIsDirty() {
    return Boolean(this.unanswered?.tiers) || !sameOrder(this.page.tiers, this.kept);
  }

  get dirtyComments() {
    return [...this.comments].filter(([name, one]) => (
      this.unanswered?.comments[name] || this.page.fields.get(name).value !== one.kept
    ));
  }

  get isDirty() {
    return this.orderIsDirty || this.dirtyComments.length > 0;
  }

  changed() {
    this.keepOnDevice();
    if (!this.failures && !this.conflict) this.page.tellSaving("saving");
    if (this.isDirty) this.page.tellChanged(true);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.send(), this.delay);
  }

  keepOnDevice() {
    if (!this.isDirty) return this.device.forget();
    const comments = Object.fromEntries(this.dirtyComments.map(([name, one]) => [
      name, { text: this.page.fields.get(name).value, version: one.version },
    ]));
    const order = this.orderIsDirty ? { tiers: this.page.tiers, version: this.version } : null;
    const kept = this.device.keep({ order, comments, unanswered: this.unanswered });
    if (!kept) this.page.tellSaving("noDevice");
  }

  // What tabs that were closed, signed out or cut off have left behind: as if it were done just now.
  restore() {
    for (const copy of this.device.left()) {
      this.restoreComments(copy);
      this.restoreOrder(copy);
      // it may still be on its way to the service
      if (copy.unanswered?.version === this.data.version) this.unanswered = copy.unanswered;
    }
    this.keepOnDevice();
    this.device.forgetOthers();
    if (!this.isDirty) return;
    this.page.tell("restored");
    this.send();
  }

  restoreComments(copy) {
    for (const [name, one] of Object.entries(copy.comments ?? {})) {
      const field = this.page.fields.get(name);
      const known = this.comments.get(name);
      if (!field) continue;
      if (field.value !== known.kept) { // another copy was faster: both stay
        if (!field.value.includes(one.text)) field.value += `\n\n* * *\n\n${one.text}`;
        continue;
      }
      field.value = one.text;
      // if the service got what was sent last, and only its answer was lost, that is the ground of this text
      if (copy.unanswered?.comments[name]?.text !== known.kept) known.version = one.version;
    }
  }

  restoreOrder(copy) {
    if (!copy.order) return;
    const there = new Set(this.data.submissions);
    const tiers = copy.order.tiers.map((tier) => tier.filter((submission) => there.has(submission))).filter((tier) => tier.length);
    if (sameOrder(tiers, this.page.tiers)) return;
    const got = copy.unanswered?.tiers && sameOrder(copy.unanswered.tiers, this.kept);
    if (!got) this.version = copy.order.version;
    this.page.show(tiers);
  }

  // Resolves to whether everything is with the service.
  async send(leaving = false) {
    clearTimeout(this.timer);
    if (this.sending) {
      await this.sending;
      return this.isDirty && !this.failures && !this.conflict ? this.send(leaving) : !this.isDirty;
    }
    if (!this.isDirty) return this.settle();
    if (this.conflict && !this.dirtyComments.length) return false;
    this.sending = this.ask(leaving);
    try {
      await this.sending;
    } finally {
      this.sending = null;
    }
    this.keepOnDevice();
    const waits = this.conflict && !this.dirtyComments.length; // for the person's choice
    if (this.isDirty && !this.failures && !this.stopped && !waits) this.changed();
    return !this.isDirty;
  }

  // What was changed is as the service has it: moved and moved back, or both tabs had the same in the end.
  settle() {
    if (!this.conflict) this.page.tellSaving(...this.settled);
    this.page.tellChanged(this.isChanged);
    return true;
  }

  unsent() {
    const sent = { comments: {}, version: this.version };
    if (this.orderIsDirty && !this.conflict) sent.tiers = this.page.tiers;
    for (const [name, one] of this.dirtyComments) {
      sent.comments[name] = { text: this.page.fields.get(name).value, version: one.version };
    }
    return sent;
  }

  async ask(leaving) {
    // what was not answered is sent once more as it was: the service may have it already
    const sent = this.unanswered ?? this.unsent();
    this.unanswered = sent;
    this.stopped = false;
    this.keepOnDevice();
    const body = JSON.stringify(sent);
    if (!this.failures) this.page.tellSaving("saving");
    let answer, found;
    try {
      answer = await fetch(this.data.save, {
        method: "POST",
        headers: { Accept: "application/json", "Content-Type": "application/json", "X-CSRFToken": token() },
        body,
        redirect: "error",
        signal: AbortSignal.timeout(LONGEST),
        keepalive: leaving && body.length < BEACON,
      });
      found = await answer.json();
    } catch {
      // no connection, or an answer that is none of the service's own
      return this.failed(answer ? "away" : navigator.onLine ? "away" : "offline");
    }
    if (answer.status === 401) return this.failed("signedOut");
    this.unanswered = null;
    if (answer.ok || found.code === "conflict") return this.took(sent, found);
    this.failures = 0;
    this.stopped = true; // until the next change: sending the same again would not help
    this.page.tellSaving("refused", { detail: found.detail });
  }

  failed(why) {
    this.failures += 1;
    this.page.tellSaving(why);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.send(), Math.min(LONGEST, 1000 * 2 ** Math.min(this.failures, 5)));
  }

  took(sent, found) {
    this.failures = 0;
    this.stopped = false;
    this.takeComments(sent.comments, found.comments);
    this.isChanged = found.changed ?? false;
    this.settled = ["saved", { time: new Date().toLocaleTimeString() }];
    if (found.code === "conflict") {
      this.conflict = { tiers: found.tiers, version: found.version };
      this.page.chooseOrder(this.page.tiers, found.tiers);
      this.page.tellSaving("conflict");
    } else {
      this.takeOrder(sent, found);
      if (this.conflict) this.page.tellSaving("conflict");
      else if (this.isDirty) this.page.tellSaving("saving");
      else this.settle();
      this.tabs.tell({ kind: "saved", tiers: this.kept, version: this.version, comments: found.comments });
    }
    if (!sameOrder([...found.submissions].sort(), [...this.data.submissions].sort())) this.page.submissionsChanged();
    if (found.answers) this.page.answer(found.answers);
  }

  takeOrder(sent, found) {
    if (sent.tiers) {
      this.kept = sent.tiers;
      this.version = found.version;
    } else if (!this.conflict && !this.orderIsDirty && found.version > this.version) {
      this.kept = found.tiers; // another device has saved one, and nothing was moved here
      this.version = found.version;
      this.page.show(found.tiers);
    }
  }

  takeComments(sent, found) {
    for (const [name, one] of Object.entries(found)) {
      const field = this.page.fields.get(name);
      if (!field) continue;
      const text = sent[name].text;
      if (one.text !== text) {
        // the service has put two texts together, ours last; what was typed meanwhile goes on from there
        const start = one.text.endsWith(text) ? one.text.slice(0, one.text.length - text.length) : null;
        if (field.value === text) field.value = one.text;
        else if (start !== null) field.value = start + field.value;
        this.page.tell("merged");
      }
      Object.assign(this.comments.get(name), { kept: one.text, version: one.version });
    }
  }

  choose(mine) {
    this.version = this.conflict.version;
    this.kept = this.conflict.tiers;
    if (!mine) this.page.show(this.conflict.tiers);
    this.conflict = null;
    this.changed();
    this.send();
  }

  // Another tab has saved: take over what was not touched here.
  hear(message) {
    if (message.kind === "hello") this.tabs.tell({ kind: "here" });
    if (message.kind === "hello" || message.kind === "here") this.page.otherTab();
    if (message.kind !== "saved" || this.conflict) return;
    if (!this.orderIsDirty && message.version > this.version) {
      this.kept = message.tiers;
      this.version = message.version;
      this.page.show(message.tiers);
    }
    for (const [name, one] of Object.entries(message.comments)) {
      const known = this.comments.get(name);
      const field = this.page.fields.get(name);
      if (!field || field.value !== known.kept || one.version <= known.version) continue;
      field.value = one.text;
      Object.assign(known, { kept: one.text, version: one.version });
    }
  }

  // What the form says when it is sent as such: the same as what the service has.
  before() {
    const versions = Object.fromEntries([...this.comments].map(([name, one]) => [name, one.version]));
    return JSON.stringify({ tiers: this.kept, version: this.version, versions });
  }
}

// The cookie's: it changes when somebody signs in, while this page stays open.
function token() {
  const found = document.cookie.match(/(?:^|; )csrftoken=([^;]+)/);
  return found ? found[1] : document.querySelector("[name=csrfmiddlewaretoken]").value;
}
