// The order as a list with buttons and shortcuts: places in an <ol>, works that share one in a list of their
// own; below it what is not ranked. It is drawn anew after every change, and the focus goes with the work.

import * as order from "./order.js";
import { element, nameOf, namesOf, say } from "./words.js";

export class List {
  // `moved(bins)` is called for every move; `tell(text)` says something in the status line.
  constructor({ works, ties, moved, tell }) {
    Object.assign(this, { works, ties, moved, tell });
    this.bins = [];
    this.undo = [];
    this.places = element("ol", { className: "bins" });
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
  show(bins) {
    if (this.drawn && !order.sameOrder(bins, this.bins)) this.undo.push(this.bins);
    this.bins = bins;
    this.draw();
  }

  // A move of a work by the person.
  move(work, bins, control) {
    if (order.sameOrder(bins, this.bins)) return this.tell(this.whyNot(work));
    this.undo.push(this.bins);
    this.bins = bins;
    this.draw();
    this.focus(work, control);
    this.tell(this.where(work));
    this.moved(bins);
  }

  takeBack() {
    if (!this.undo.length) return;
    this.bins = this.undo.pop();
    this.draw();
    this.undoButton.focus();
    this.tell(say("undone"));
    this.moved(this.bins);
  }

  where(work) {
    const at = order.placeOf(this.bins, work);
    if (at < 0) return say("isUnranked", { work: nameOf(work) });
    const others = this.bins[at].filter((one) => one !== work);
    const values = { work: nameOf(work), place: at + 1, count: this.bins.length, others: namesOf(others) };
    return say(others.length ? "atTied" : "at", values);
  }

  whyNot(work) {
    const first = order.placeOf(this.bins, work) === 0;
    return say(first ? "first" : "last", { work: nameOf(work) });
  }

  // -- drawing ---------------------------------------------------------------------------------------

  draw() {
    this.drawn = true;
    const unranked = this.works.filter((work) => order.placeOf(this.bins, work) < 0);
    this.places.replaceChildren(...this.bins.map((bin, at) => this.place(bin, at)));
    if (!this.bins.length) this.places.append(element("li", { className: "empty" }, say("nothing")));
    this.rest.replaceChildren(...unranked.map((work) => this.row("li", work)));
    if (!unranked.length) this.rest.append(element("li", { className: "empty" }, say("all")));
    this.undoButton.setAttribute("aria-disabled", String(!this.undo.length));
  }

  place(bin, at) {
    const number = element("span", { className: "number" }, say("place", { place: at + 1 }));
    const body = bin.length > 1
      ? element("ul", { className: "tied" }, ...bin.map((work) => this.row("li", work)))
      : this.row("div", bin[0]);
    const made = element("li", { className: "bin" }, number, body);
    made.dataset.place = at;
    return made;
  }

  row(tag, work) {
    const at = order.placeOf(this.bins, work);
    const tied = at >= 0 && this.bins[at].length > 1;
    const name = nameOf(work);
    const handle = element("span", { className: "handle", title: say("drag", { work: name }) }, "⠿");
    handle.setAttribute("aria-hidden", "true");
    const row = element("div", { className: "row" }, handle, element("span", { className: "name" }, name));
    const button = (control, text, label, act, off = false) => {
      const made = element("button", { type: "button", onclick: () => act() }, text);
      made.dataset.control = control;
      if (label !== text) made.setAttribute("aria-label", label);
      if (off) made.setAttribute("aria-disabled", "true");
      row.append(made);
    };
    const go = (how, control) => () => this.move(work, how(this.bins, work), control);
    if (at < 0) {
      button("up", "↑", say("add", { work: name }), go(order.up, "up"));
    } else {
      button("up", "↑", say("up", { work: name }), go(order.up, "up"), at === 0 && !tied);
      button("down", "↓", say("down", { work: name }), go(order.down, "down"), at === this.bins.length - 1 && !tied);
      if (tied) button("tie", say("separate"), say("separateWork", { work: name }), go(order.separate, "tie"));
      else if (this.ties && at > 0) button("tie", say("tie"), say("tieWork", { work: name }), go(order.tie, "tie"));
    }
    button("choose", say("choose"), say("chooseWork", { work: name }), () => this.choose(work));
    const made = element(tag, { className: "entry" }, row);
    made.dataset.work = work;
    return made;
  }

  focus(work, control) {
    const row = this.root.querySelector(`[data-work="${CSS.escape(work)}"]`);
    const found = row?.querySelector(`[data-control="${control}"]`) ?? row?.querySelector("button");
    found?.focus();
  }

  // -- choosing a place --------------------------------------------------------------------------------

  choose(work) {
    this.chosen = work;
    const rest = order.without(this.bins, work);
    const options = [];
    const option = (text, bins) => options.push(element("li", {}, element("button", {
      type: "button",
      onclick: () => {
        this.dialog.close();
        this.move(work, bins, "choose");
      },
    }, text)));
    rest.forEach((bin, at) => {
      option(say("alone", { place: at + 1 }), order.alone(this.bins, work, at));
      if (this.ties) {
        option(say("with", { place: at + 1, others: namesOf(bin) }), order.beside(this.bins, work, bin[0]));
      }
    });
    option(say("alone", { place: rest.length + 1 }), order.alone(this.bins, work, rest.length));
    if (order.placeOf(this.bins, work) >= 0) option(say("none"), rest);
    const title = element("h3", { id: "choose-title" }, say("chooseTitle", { work: nameOf(work) }));
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
    const entry = event.target.closest("[data-work]");
    const how = { ArrowUp: order.up, ArrowDown: order.down }[event.key];
    if (!event.altKey || !how || !entry) return;
    event.preventDefault();
    const work = entry.dataset.work;
    this.move(work, how(this.bins, work), event.target.dataset.control);
  }
}
