// The bar of narrow screens: which view is shown, what is ranked, and where one was in each view.
// What is shown is decided by the stylesheet, from the target of the address, so that it works without this.

import { say } from "./words.js";

export class Views {
  constructor() {
    this.links = [...document.querySelectorAll(".views a")];
    this.count = document.querySelector(".views .ranked");
    this.places = new Map(); // how far each view was scrolled
    for (const link of this.links) link.addEventListener("click", (event) => this.open(link, event));
    addEventListener("hashchange", () => this.mark());
    this.mark();
  }

  get shown() {
    return this.links.find((link) => link.hash === location.hash) ?? this.links[0];
  }

  open(link, event) {
    event.preventDefault();
    const before = this.shown;
    if (link !== before) this.places.set(before, scrollY);
    location.replace(link.hash); // a switch is no step in the history
    const place = link === before ? undefined : this.places.get(link);
    if (place !== undefined) scrollTo({ top: place, behavior: "instant" });
  }

  mark() {
    for (const link of this.links) {
      if (link === this.shown) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  }

  tellRanked(count, all) {
    if (this.count) this.count.textContent = say("ranked", { count, all });
  }
}
