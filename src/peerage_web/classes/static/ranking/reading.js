// One work at a time, with a quick switch between them; each is loaded when it is first opened.

import { element, nameOf, say } from "./words.js";

export class Reading {
  constructor(root, works) {
    this.panels = new Map(works.map((work) => [work, root.querySelector(`section[data-work="${CSS.escape(work)}"]`)]));
    this.buttons = new Map(works.map((work) => [work, element("button", {
      type: "button", onclick: () => this.open(work),
    }, nameOf(work))]));
    const items = [...this.buttons.values()].map((button) => element("li", {}, button));
    const bar = element("nav", { className: "switch" }, element("ul", {}, ...items));
    bar.setAttribute("aria-label", say("works"));
    root.querySelector(".works-title").after(bar);
    const wanted = location.hash.replace("#work-", "");
    this.open(this.panels.has(wanted) ? wanted : works[0]);
    addEventListener("hashchange", () => {
      const work = location.hash.replace("#work-", "");
      if (this.panels.has(work)) this.open(work);
    });
  }

  open(work) {
    for (const [one, panel] of this.panels) {
      panel.hidden = one !== work;
      if (one === work) this.buttons.get(one).setAttribute("aria-current", "true");
      else this.buttons.get(one).removeAttribute("aria-current");
    }
    this.load(this.panels.get(work));
  }

  async load(panel) {
    const part = panel.querySelector(".part");
    if (!part || !panel.dataset.part || part.dataset.state === "here" || part.dataset.state === "asked") return;
    part.dataset.state = "asked";
    part.replaceChildren(element("p", { className: "muted" }, say("loading")));
    try {
      const answer = await fetch(panel.dataset.part, { redirect: "error" });
      if (!answer.ok) throw new Error(answer.status);
      const text = await answer.text();
      part.replaceChildren(...new DOMParser().parseFromString(text, "text/html").body.childNodes);
      part.dataset.state = "here";
    } catch {
      part.dataset.state = "failed"; // the link to the work stays, and the next press tries again
      part.replaceChildren(element("p", {}, say("notLoaded")));
    }
  }
}
