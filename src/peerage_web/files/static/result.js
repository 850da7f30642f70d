// The result page: tables and plots of the report, with links to explanations; countdown; copying.
// Table, rove and make are the report's own (report.js, loaded before this).
/* global Table, rove, make */

const fetched = new WeakMap(); // rows of long tables, which do not come with the page
const leads = new WeakMap(); // where a row written into the page leads

const SHORT = { ranks: 15, graders: 25 }; // rows at a time of tables that few read to the end

class LinkedTable extends Table {
  constructor(box) {
    super(box);
    if (box.id in SHORT) this.size = SHORT[box.id];
    this.draw();
  }

  written() {
    if (fetched.has(this.box)) return fetched.get(this.box);
    const links = [...this.body.rows].map((row) => row.querySelector("a")?.getAttribute("href"));
    const rows = super.written();
    rows.forEach((row, k) => { if (links[k]) leads.set(row, links[k]); });
    return rows;
  }

  row(cells) {
    const row = super.row(cells);
    const href = leads.get(cells) ?? this.lead(cells);
    if (href) row.cells[0].replaceChildren(make("a", { href, textContent: cells[0] }));
    return row;
  }

  lead(cells) {
    if (this.box.id !== "grades") return "";
    const task = this.heads.findIndex((head) => head.textContent === "Task");
    const asked = new URLSearchParams({ item: cells[0] });
    if (task > 0) asked.set("task", cells[task]);
    return `explain?${asked}`;
  }
}

const tables = [];

// A long table stays as it is, its first rows with a note, if the rest cannot be had.
async function fetchRows(box) {
  const answer = await fetch(`rows/${box.dataset.rows}`);
  if (!answer.ok) return;
  fetched.set(box, await answer.json());
  tables.push(new LinkedTable(box));
}

const coming = new IntersectionObserver((seen) => seen.filter((one) => one.isIntersecting).forEach((one) => {
  coming.unobserve(one.target);
  fetchRows(one.target);
}), { rootMargin: "600px" });

document.querySelectorAll("[data-tools]").forEach((box) => {
  if (box.dataset.rows) coming.observe(box);
  else tables.push(new LinkedTable(box));
});
document.querySelectorAll("[data-rove]").forEach(rove);
document.documentElement.classList.add("script");
addEventListener("beforeprint", () => tables.forEach((table) => { table.page = 0; table.draw(2000); }));
addEventListener("afterprint", () => tables.forEach((table) => table.draw()));

// -- where in the page one is

const entries = new Map([...document.querySelectorAll(".contents a")].map((link) => [link.hash.slice(1), link]));
const reading = new IntersectionObserver((seen) => seen.filter((one) => one.isIntersecting).forEach((one) => {
  entries.forEach((link) => link.removeAttribute("aria-current"));
  const link = entries.get(one.target.id);
  link.setAttribute("aria-current", "true");
  const bar = link.closest("ol");
  bar.scrollTo({ left: link.offsetLeft - bar.clientWidth / 2 + link.offsetWidth / 2 });
}), { rootMargin: "-20% 0px -70% 0px" });
entries.forEach((_, id) => reading.observe(document.getElementById(id)));

// -- what a mark in a plot stands for: beside it, on hover, focus and tap

const tip = make("div", { className: "tip", hidden: true });
tip.setAttribute("aria-hidden", "true"); // the mark itself is read out
document.body.append(tip);

function itemOf(link) {
  return new URL(link.href.baseVal ?? link.href, location.href).searchParams.get("item");
}

function words(mark) {
  const label = mark.getAttribute("aria-label");
  const name = mark.localName === "a" ? itemOf(mark) : label.split(": ")[0];
  return [name, label.slice(name.length + 2)];
}

function showTip(mark) {
  const [name, rest] = words(mark);
  const lines = rest.split(/, (?=[a-z]+ )/).map((line) => make("span", { textContent: line }));
  tip.replaceChildren(make("b", { textContent: name }), ...lines);
  tip.hidden = false;
  const at = (mark.querySelector("circle") ?? mark).getBoundingClientRect();
  const left = Math.min(Math.max(at.left + at.width / 2 - tip.offsetWidth / 2, 8),
    document.documentElement.clientWidth - tip.offsetWidth - 8);
  const above = at.top - tip.offsetHeight - 14;
  tip.style.left = `${left + scrollX}px`;
  tip.style.top = `${(above < 8 ? at.bottom + 14 : above) + scrollY}px`;
}

function hideTip() { tip.hidden = true; }

function hideAfterMouse(event) { if (event.pointerType === "mouse") hideTip(); } // a tap leaves at once

document.querySelectorAll("[data-rove] .mark").forEach((mark) => {
  mark.addEventListener("pointerenter", () => showTip(mark));
  mark.addEventListener("pointerleave", hideAfterMouse);
  mark.addEventListener("focus", () => { if (mark.matches(":focus-visible")) showTip(mark); });
  mark.addEventListener("blur", hideTip);
});

// Graders stand close together: the nearest one answers, wherever one points.
function pointNear(plot) {
  const marks = [...plot.querySelectorAll(".mark")];
  const distance = (mark, x) => {
    const box = mark.getBoundingClientRect();
    return Math.abs(box.left + box.width / 2 - x);
  };
  const answer = (event) => {
    const near = marks.reduce((a, b) => (distance(b, event.clientX) < distance(a, event.clientX) ? b : a));
    marks.forEach((mark) => mark.classList.toggle("near", mark === near));
    showTip(near);
  };
  plot.addEventListener("pointermove", answer);
  plot.addEventListener("pointerdown", answer);
  plot.addEventListener("pointerleave", (event) => {
    hideAfterMouse(event);
    marks.forEach((mark) => mark.classList.remove("near"));
  });
}

document.querySelectorAll("svg.graders").forEach(pointNear);
document.addEventListener("pointerdown", (event) => { if (!event.target.closest(".mark, svg.graders")) hideTip(); });
document.addEventListener("keydown", (event) => { if (event.key === "Escape") hideTip(); });

// -- the explanation of an item, over the page

const dialog = document.getElementById("explanation");
const answer = dialog.querySelector(".answer");

function standingOf(link) {
  if (link.matches(".mark")) return words(link)[1].split(/, (?=[a-z]+ )/).map((part) => ["", part]);
  const row = link.closest("#grades tr");
  if (!row) return [];
  const heads = [...row.closest("table").querySelectorAll("thead th")].map((head) => head.textContent);
  return [...row.cells].slice(1).map((cell, k) => [heads[k + 1], cell.textContent]).filter((one) => one[1]);
}

function standingList(link) {
  const parts = standingOf(link).map(([name, value]) => make("div", {},
    ...(name ? [make("dt", { textContent: name })] : []), make("dd", { textContent: value })));
  return parts.length ? [make("dl", { className: "standing-now" }, ...parts)] : [];
}

async function fetchExplanation(href) {
  try {
    const response = await fetch(href, { headers: { "HX-Request": "true" } });
    if (response.status < 500 && response.status !== 404) return await response.text();
  } catch { /* no network: said below */ }
  return null;
}

async function explain(link) {
  const href = new URL(link.href.baseVal ?? link.href, location.href).href;
  dialog.dataset.href = href;
  const standing = standingList(link);
  answer.replaceChildren(make("h2", { textContent: itemOf(link), dir: "auto" }), ...standing,
    make("p", { textContent: "Working out what each review did …", className: "muted" }));
  dialog.showModal();
  const html = await fetchExplanation(href);
  if (dialog.dataset.href !== href) return; // another one was asked for meanwhile
  if (html === null) {
    answer.lastChild.textContent = "This could not be explained just now. Please try again.";
    return;
  }
  answer.replaceChildren(document.createRange().createContextualFragment(html));
  answer.querySelector("h2").after(...standing);
}

document.addEventListener("click", (event) => {
  const link = event.target.closest('a[href^="explain?"]');
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  hideTip();
  explain(link);
});
dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });

// -- how long it is kept, where it is not kept for good

const times = document.querySelectorAll("time[data-until]");

function leftWords(milliseconds) {
  const minutes = Math.floor(milliseconds / 60000);
  if (minutes >= 48 * 60) return `${Math.floor(minutes / 60 / 24)} days left`;
  if (minutes >= 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min left`;
  if (minutes >= 1) return `${minutes} min left`;
  return milliseconds > 0 ? "less than a minute left" : "deleted now";
}

function countDown() {
  const ends = new Date(times[0].dateTime);
  const here = new Intl.DateTimeFormat("en-GB", {
    day: "numeric", month: "long", year: "numeric", hour: "2-digit", minute: "2-digit", timeZoneName: "short",
  });
  times.forEach((time) => { time.textContent = here.format(ends).replace(" at ", ", "); });
  const count = () => {
    const words = leftWords(ends - Date.now());
    document.querySelectorAll("[data-left]").forEach((left) => { left.textContent = words; });
  };
  count();
  setInterval(count, 10000);
}

if (times.length) countDown();

// -- copying the address

document.querySelectorAll("[data-copy]").forEach((copy) => {
  copy.hidden = false;
  copy.addEventListener("click", async () => {
    const field = document.getElementById(copy.dataset.copy);
    field.select();
    try {
      await navigator.clipboard.writeText(field.value);
    } catch { // not a secure context
      document.execCommand("copy");
    }
    document.querySelector(".copied").textContent = "Copied.";
  });
});
