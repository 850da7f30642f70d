// One submission at a time, with a quick switch between them; each is loaded when it is first opened.

import { element, nameOf, say } from "./words.js";

export class Reading {
  constructor(root, submissions) {
    this.panels = new Map(submissions.map((submission) => [submission, root.querySelector(`section[data-submission="${CSS.escape(submission)}"]`)]));
    this.buttons = new Map(submissions.map((submission) => [submission, element("button", {
      type: "button", onclick: () => this.open(submission),
    }, nameOf(submission))]));
    const items = [...this.buttons.values()].map((button) => element("li", {}, button));
    const bar = element("nav", { className: "switch" }, element("ul", {}, ...items));
    bar.setAttribute("aria-label", say("submissions"));
    root.querySelector(".submissions-title").after(bar);
    const wanted = location.hash.replace("#submission-", "");
    this.open(this.panels.has(wanted) ? wanted : submissions[0]);
    addEventListener("hashchange", () => {
      const submission = location.hash.replace("#submission-", "");
      if (this.panels.has(submission)) this.open(submission);
    });
  }

  open(submission) {
    for (const [one, panel] of this.panels) {
      panel.hidden = one !== submission;
      if (one === submission) this.buttons.get(one).setAttribute("aria-current", "true");
      else this.buttons.get(one).removeAttribute("aria-current");
    }
    this.load(this.panels.get(submission));
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
      part.dataset.state = "failed"; // the link to the submission stays, and the next press tries again
      part.replaceChildren(element("p", {}, say("notLoaded")));
    }
  }
}
