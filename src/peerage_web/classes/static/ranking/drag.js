// Dragging by the handle, with a mouse, a pen or a finger: between two places makes a new one, onto one a tie.

import * as order from "./order.js";
import { say } from "./words.js";

const START = 8; // pixels before it is a drag
const EDGE = 70; // pixels from the edge of what scrolls
const SPEED = 12; // pixels per frame

export function makeDraggable(list) {
  let drag = null;

  list.root.addEventListener("pointerdown", (event) => {
    const handle = event.target.closest(".handle");
    if (!handle || event.button !== 0 || drag) return;
    const entry = handle.closest("[data-submission]");
    drag = { entry, submission: entry.dataset.submission, x: event.clientX, y: event.clientY, pointer: event.pointerId };
    list.root.setPointerCapture(event.pointerId);
    event.preventDefault();
  });

  list.root.addEventListener("pointermove", (event) => {
    if (!drag || event.pointerId !== drag.pointer) return;
    Object.assign(drag, { nowX: event.clientX, nowY: event.clientY });
    if (!drag.on && Math.hypot(drag.nowX - drag.x, drag.nowY - drag.y) < START) return;
    if (!drag.on) begin();
    follow();
  });

  list.root.addEventListener("pointerup", (event) => drag && event.pointerId === drag.pointer && end(true));
  list.root.addEventListener("pointercancel", () => drag && end(false));
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !drag?.on) return;
    event.preventDefault();
    end(false);
    list.tell(say("cancelled"));
  });

  function begin() {
    drag.on = true;
    drag.scroller = scrollerOf(list.root);
    drag.from = drag.scroller.scrollTop;
    drag.entry.classList.add("dragged");
    list.root.classList.add("dragging");
    drag.frame = requestAnimationFrame(scroll);
  }

  function follow() {
    const scrolled = drag.scroller.scrollTop - drag.from;
    drag.entry.style.transform = `translateY(${drag.nowY - drag.y + scrolled}px)`;
    clear();
    drag.drop = dropAt(list, drag.submission, drag.nowY);
    drag.drop?.mark.classList.add(drag.drop.how);
  }

  // While the pointer is near an edge, what is beyond it comes into sight.
  function scroll() {
    if (!drag?.on) return;
    const box = drag.scroller === document.scrollingElement
      ? { top: 0, bottom: innerHeight - barHeight() }
      : drag.scroller.getBoundingClientRect();
    const step = drag.nowY < box.top + EDGE ? -SPEED : drag.nowY > box.bottom - EDGE ? SPEED : 0;
    if (step) {
      drag.scroller.scrollBy({ top: step, behavior: "instant" });
      follow();
    }
    drag.frame = requestAnimationFrame(scroll);
  }

  function clear() {
    for (const how of ["before", "after", "onto"]) {
      list.root.querySelectorAll(`.${how}`).forEach((one) => one.classList.remove(how));
    }
  }

  function end(drops) {
    const { submission, drop, on, entry } = drag;
    cancelAnimationFrame(drag.frame);
    drag = null;
    entry.style.transform = "";
    entry.classList.remove("dragged");
    list.root.classList.remove("dragging");
    clear();
    if (on && drops && drop) list.move(submission, drop.tiers, "choose");
  }
}

// What dropping a submission at this height would do: the new order, and where to show it.
function dropAt(list, submission, y) {
  const rest = list.rest.getBoundingClientRect();
  if (y >= rest.top - 10 && y <= rest.bottom + 10) {
    return { tiers: order.without(list.tiers, submission), mark: list.rest, how: "onto" };
  }
  const places = [...list.places.querySelectorAll(".tier")];
  if (!places.length) return { tiers: [[submission]], mark: list.places, how: "onto" };
  const own = order.placeOf(list.tiers, submission);
  const isAlone = own >= 0 && list.tiers[own].length === 1;
  // how many places are above this one once the submission is taken out of its own
  const index = (at) => (isAlone && own < at ? at - 1 : at);
  for (const [at, place] of places.entries()) {
    const box = place.getBoundingClientRect();
    if (y > box.bottom && at < places.length - 1) continue;
    const part = (y - box.top) / box.height;
    const mayTie = list.ties && !(isAlone && own === at);
    const margin = mayTie ? 0.3 : 0.5;
    if (part < margin) return { tiers: order.alone(list.tiers, submission, index(at)), mark: place, how: "before" };
    if (part >= 1 - margin) return { tiers: order.alone(list.tiers, submission, index(at + 1)), mark: place, how: "after" };
    const other = list.tiers[at].find((one) => one !== submission);
    return { tiers: order.beside(list.tiers, submission, other), mark: place, how: "onto" };
  }
  return null;
}

// Of the bar at the bottom of narrow screens, under which nothing can be seen.
function barHeight() {
  return document.querySelector(".views")?.offsetHeight ?? 0;
}

function scrollerOf(node) {
  for (let one = node; one; one = one.parentElement) {
    if (one.scrollHeight > one.clientHeight && /auto|scroll/.test(getComputedStyle(one).overflowY)) return one;
  }
  return document.scrollingElement;
}
