// The order as a list with buttons and shortcuts: places in an <ol>, submissions that share one in a list of their
// own; below it what is not ranked. It is drawn anew after every change, and the focus goes with the submission.

import * as order from "./order.js";
import { element, nameOf, namesOf, say } from "./words.js";

export class List {
  // `moved(tiers)` is called for every move; `tell(text)` says something in the status line.
  constructor({ submissions, ties, moved, tell }) {
    Object.assign(this, { submissions, ties, moved, tell });
    this.tiers = [];
    this.undo = [];
    this.places = element("ol", { className: "tiers" });
    this.rest = element("ul", { className: "unranked" });
    this.undoButton = element("button", { type: "button", className: "undo", onclick: () => this.takeBack() }, say("undo"));
    this.dialog = element("dialog", { className: "chooser" });
    this.root = element(
      "div", { className: "list" },
      element("h3", { id: "ranked-title" }, say("ranking")), this.places,
      element("h3", { id: "unranked-title" }, say("unranked")), this.rest,
      this.undoButton, this.dialog,
    );
    this.places.setAttribute("aria-labelledby", "ranked-title");
    this.rest.setAttribute("aria-labelledby", "unranked-title");
    this.root.addEventListener("keydown", (event) => this.key(event));
    this.dialog.addEventListener("close", () => this.focus(this.chosen, "choose"));
  }

  // Another order, from elsewhere; it can be undone.
  show(tiers) {
    if (this.drawn && !order.sameOrder(tiers, this.tiers)) this.undo.push(this.tiers);
    this.tiers = tiers;
    this.draw();
  }

  // A move of a submission by the person.
  move(submission, tiers, control) {
    if (order.sameOrder(tiers, this.tiers)) return this.tell(this.whyNot(submission));
    this.undo.push(this.tiers);
    this.tiers = tiers;
    this.draw();
    this.focus(submission, control);
    this.tell(this.where(submission));
    this.moved(tiers);
  }

  takeBack() {
    if (!this.undo.length) return;
    this.tiers = this.undo.pop();
    this.draw();
    this.undoButton.focus();
    this.tell(say("undone"));
    this.moved(this.tiers);
  }

  where(submission) {
    const at = order.placeOf(this.tiers, submission);
    if (at < 0) return say("isUnranked", { submission: nameOf(submission) });
    const others = this.tiers[at].filter((one) => one !== submission);
    const values = { submission: nameOf(submission), place: at + 1, count: this.tiers.length, others: namesOf(others) };
    return say(others.length ? "atTied" : "at", values);
  }

  whyNot(submission) {
    const first = order.placeOf(this.tiers, submission) === 0;
    return say(first ? "first" : "last", { submission: nameOf(submission) });
  }

  // -- drawing ---------------------------------------------------------------------------------------

  draw() {
    this.drawn = true;
    const unranked = this.submissions.filter((submission) => order.placeOf(this.tiers, submission) < 0);
    this.places.replaceChildren(...this.tiers.map((tier, at) => this.place(tier, at)));
    if (!this.tiers.length) this.places.append(element("li", { className: "empty" }, say("nothing")));
    this.rest.replaceChildren(...unranked.map((submission) => this.row("li", submission)));
    if (!unranked.length) this.rest.append(element("li", { className: "empty" }, say("all")));
    this.undoButton.setAttribute("aria-disabled", String(!this.undo.length));
  }

  place(tier, at) {
    const number = element("span", { className: "number" }, say("place", { place: at + 1 }));
    const body = tier.length > 1
      ? element("ul", { className: "tied" }, ...tier.map((submission) => this.row("li", submission)))
      : this.row("div", tier[0]);
    const made = element("li", { className: "tier" }, number, body);
    made.dataset.place = at;
    return made;
  }

  row(tag, submission) {
    const at = order.placeOf(this.tiers, submission);
    const tied = at >= 0 && this.tiers[at].length > 1;
    const name = nameOf(submission);
    const handle = element("span", { className: "handle", title: say("drag", { submission: name }) }, "⠿");
    handle.setAttribute("aria-hidden", "true");
    const row = element("div", { className: "row" }, handle, element("span", { className: "name" }, name));
    const button = (control, text, label, act, off = false) => {
      const made = element("button", { type: "button", onclick: () => act() }, text);
      made.dataset.control = control;
      if (label !== text) made.setAttribute("aria-label", label);
      if (off) made.setAttribute("aria-disabled", "true");
      row.append(made);
    };
    const go = (how, control) => () => this.move(submission, how(this.tiers, submission), control);
    if (at < 0) {
      button("up", "↑", say("add", { submission: name }), go(order.up, "up"));
    } else {
      button("up", "↑", say("up", { submission: name }), go(order.up, "up"), at === 0 && !tied);
      button("down", "↓", say("down", { submission: name }), go(order.down, "down"), at === this.tiers.length - 1 && !tied);
      if (tied) button("tie", say("separate"), say("separateSubmission", { submission: name }), go(order.separate, "tie"));
      else if (this.ties && at > 0) button("tie", say("tie"), say("tieSubmission", { submission: name }), go(order.tie, "tie"));
    }
    button("choose", say("choose"), say("chooseSubmission", { submission: name }), () => this.choose(submission));
    const made = element(tag, { className: "entry" }, row);
    made.dataset.submission = submission;
    return made;
  }

  focus(submission, control) {
    const row = this.root.querySelector(`[data-submission="${CSS.escape(submission)}"]`);
    const found = row?.querySelector(`[data-control="${control}"]`) ?? row?.querySelector("button");
    found?.focus();
  }

  // -- choosing a place --------------------------------------------------------------------------------

  choose(submission) {
    this.chosen = submission;
    const rest = order.without(this.tiers, submission);
    const options = [];
    const option = (text, tiers) => options.push(element("li", {}, element("button", {
      type: "button",
      onclick: () => {
        this.dialog.close();
        this.move(submission, tiers, "choose");
      },
    }, text)));
    rest.forEach((tier, at) => {
      option(say("alone", { place: at + 1 }), order.alone(this.tiers, submission, at));
      if (this.ties) {
        option(say("with", { place: at + 1, others: namesOf(tier) }), order.beside(this.tiers, submission, tier[0]));
      }
    });
    option(say("alone", { place: rest.length + 1 }), order.alone(this.tiers, submission, rest.length));
    if (order.placeOf(this.tiers, submission) >= 0) option(say("none"), rest);
    const title = element("h3", { id: "choose-title" }, say("chooseTitle", { submission: nameOf(submission) }));
    const cancel = element("button", { type: "button", onclick: () => this.dialog.close() }, say("cancel"));
    this.dialog.setAttribute("aria-labelledby", "choose-title");
    this.dialog.replaceChildren(title, element("ul", {}, ...options), cancel);
    this.dialog.showModal();
  }

  // -- shortcuts -----------------------------------------------------------------------------------------

  key(event) {
    if ((event.ctrlKey || event.metaKey) && event.key === "z" && !event.shiftKey) {
      event.preventDefault();
      return this.takeBack();
    }
    const entry = event.target.closest("[data-submission]");
    const how = { ArrowUp: order.up, ArrowDown: order.down }[event.key];
    if (!event.altKey || !how || !entry) return;
    event.preventDefault();
    const submission = entry.dataset.submission;
    this.move(submission, how(this.tiers, submission), event.target.dataset.control);
  }
}
