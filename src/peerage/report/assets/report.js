"use strict";
// Tables that sort, search and turn pages; plots that answer to pointer and arrow keys.
// Everything is put into the page as text, never as markup.

const PAGE = 50;
const ALL_ON_ONE = 60;
const TIGHT = 26;
const SHORT = 14;

function make(tag, properties, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

function value(cell) {
  const found = cell.replaceAll("\u2212", "-").replaceAll(",", "").match(/-?\d+(\.\d+)?/);
  return found ? Number(found[0]) : NaN;
}

const words = new Intl.Collator("en", { numeric: true });

function comparison(kind, column, direction) {
  if (kind !== "number") return (a, b) => direction * words.compare(a[column], b[column]);
  return (a, b) => {
    const [x, y] = [value(a[column]), value(b[column])];
    if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y);
    return direction * (x - y);
  };
}

class Table {
  constructor(box) {
    this.box = box;
    this.name = box.querySelector("caption").textContent;
    this.body = box.querySelector("tbody");
    this.heads = [...box.querySelectorAll("thead th")];
    this.kinds = this.heads.map((head) => head.dataset.kind);
    const data = document.getElementById(box.id + "-rows");
    this.rows = data ? JSON.parse(data.textContent) : this.written();
    this.lower = null;
    this.shown = this.rows;
    this.page = 0;
    this.size = this.rows.length > ALL_ON_ONE ? PAGE : ALL_ON_ONE;
    this.heads.forEach((head, column) => this.sortable(head, column));
    this.box.prepend(this.search());
    this.box.append(this.pager());
    box.querySelector(".cut")?.remove();
    this.draw();
  }

  written() {
    return [...this.body.rows].map((row) => [...row.cells].map((cell) => cell.textContent));
  }

  sortable(head, column) {
    const button = make("button", { type: "button", textContent: head.textContent });
    button.addEventListener("click", () => this.sort(column));
    head.replaceChildren(button);
  }

  sort(column) {
    const up = this.heads[column].getAttribute("aria-sort") !== "ascending";
    this.heads.forEach((head) => head.removeAttribute("aria-sort"));
    this.heads[column].setAttribute("aria-sort", up ? "ascending" : "descending");
    this.rows.sort(comparison(this.kinds[column], column, up ? 1 : -1));
    this.lower = null;
    this.filter();
  }

  search() {
    const id = this.box.id + "-search";
    this.input = make("input", { type: "search", id, autocomplete: "off" });
    this.count = make("output", {});
    this.count.setAttribute("for", id);
    this.input.addEventListener("input", () => this.filter());
    const label = make("label", { htmlFor: id, textContent: "Search" });
    return make("div", { className: "tools" }, label, this.input, this.count);
  }

  filter() {
    const wanted = this.input.value.trim().toLowerCase();
    this.lower ??= this.rows.map((row) => row.join("\n").replaceAll("\u00a0", " ").toLowerCase());
    this.shown = wanted ? this.rows.filter((_, k) => this.lower[k].includes(wanted)) : this.rows;
    this.page = 0;
    this.draw();
  }

  pager() {
    const turn = (by, textContent) => {
      const button = make("button", { type: "button", textContent });
      button.addEventListener("click", () => { this.page += by; this.draw(); });
      return button;
    };
    this.back = turn(-1, "Previous");
    this.next = turn(1, "Next");
    this.where = make("span", {});
    const bar = make("nav", { className: "pager" }, this.back, this.where, this.next);
    bar.setAttribute("aria-label", "Pages of: " + this.name);
    this.bar = bar;
    return bar;
  }

  draw(most = this.size) {
    const pages = Math.max(1, Math.ceil(this.shown.length / most));
    this.page = Math.min(Math.max(this.page, 0), pages - 1);
    const from = this.page * most;
    this.body.replaceChildren(...this.shown.slice(from, from + most).map((row) => this.row(row)));
    this.count.textContent = this.shown.length === this.rows.length
      ? `${this.rows.length.toLocaleString("en")} rows`
      : `${this.shown.length.toLocaleString("en")} of ${this.rows.length.toLocaleString("en")} rows`;
    this.where.textContent = `Page ${this.page + 1} of ${pages}`;
    this.back.disabled = this.page === 0;
    this.next.disabled = this.page === pages - 1;
    this.bar.hidden = pages === 1;
  }

  row(cells) {
    return make("tr", {}, ...cells.map((cell, column) => {
      const element = make(column ? "td" : "th", { textContent: cell, className: this.kinds[column] });
      if (cell.length <= TIGHT) element.classList.add("tight");
      if (cell.length <= SHORT) element.classList.add("short");
      if (!column) { element.scope = "row"; element.dir = "auto"; }
      return element;
    }));
  }
}

// A plot is one stop of the tab key; arrow keys, Home and End move within it.
function rove(plot) {
  const marks = [...plot.querySelectorAll(".mark")];
  const readout = plot.closest("figure").querySelector(".readout");
  const say = (mark) => { readout.textContent = mark.getAttribute("aria-label"); };
  const go = (mark) => {
    marks.forEach((other) => other.setAttribute("tabindex", other === mark ? "0" : "-1"));
    mark.focus();
  };
  marks.forEach((mark) => {
    mark.addEventListener("pointerenter", () => say(mark));
    mark.addEventListener("focus", () => say(mark));
  });
  plot.addEventListener("keydown", (event) => {
    const at = marks.indexOf(document.activeElement);
    const steps = { ArrowDown: at + 1, ArrowRight: at + 1, ArrowUp: at - 1, ArrowLeft: at - 1,
      Home: 0, End: marks.length - 1 };
    const to = steps[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    go(marks[Math.min(Math.max(to, 0), marks.length - 1)]);
  });
}

