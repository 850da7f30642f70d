// The ranking screen: makes a list with buttons and dragging out of the form, which works without it, too.

import { makeDraggable } from "./ranking/drag.js";
import { watchLength } from "./ranking/length.js";
import { countLevels, LevelField } from "./ranking/level.js";
import { List } from "./ranking/list.js";
import { placeOf } from "./ranking/order.js";
import { Reading } from "./ranking/reading.js";
import { Saving } from "./ranking/saving.js";
import { Views } from "./ranking/views.js";
import { data, element, namesOf, say } from "./ranking/words.js";

const form = document.getElementById("ranking");
const selects = form.querySelector(".selects");
const status = element("p", { className: "status" });
status.setAttribute("role", "status");
const saveState = element("p", { className: "saving" });
const notices = element("div", { className: "notices" });
const said = new Set();
let trouble = null;

const page = {
  fields: new Map([
    ...document.querySelectorAll("textarea[form=ranking]"),
    ...[...document.querySelectorAll("fieldset.criterion")].map((fieldset) => new LevelField(fieldset)),
  ].map((one) => [one.name, one])),

  get tiers() {
    return list.tiers;
  },

  show(tiers) {
    list.show(tiers);
    fill();
  },

  tell(name, values) {
    status.textContent = say(name, values);
  },

  tellSaving(name, values = {}) {
    tellRubric();
    saveState.dataset.state = name;
    saveState.textContent = say(name, values);
    if (name === "signedOut") {
      saveState.append(" ", element("a", { href: data.signIn, target: "_blank", rel: "noopener" }, say("signIn")));
    }
    // what goes wrong is worth a word to those who do not see the line, once
    const isWell = ["saving", "saved", "unsaved"].includes(name);
    if (!isWell && trouble !== name) status.textContent = saveState.textContent;
    if (name !== "saving") trouble = isWell ? null : name;
  },

  // What was submitted counts; what was changed since does not, and says so at once.
  tellChanged(isChanged) {
    const notice = document.getElementById("not-submitted");
    if (!notice || notice.hidden === !isChanged) return;
    notice.hidden = !isChanged;
    if (isChanged) status.textContent = notice.querySelector("p").textContent;
  },

  otherTab() {
    once("otherTab", element("p", {}, say("otherTab")));
  },

  submissionsChanged() {
    once("submissionsChanged", element("p", {}, say("submissionsChanged")), element("p", {}, element("a", { href: location.pathname }, say("reload"))));
  },

  chooseOrder(mine, theirs) {
    document.getElementById("two-orders")?.remove();
    const made = element("section", { id: "two-orders", className: "notice bad", tabIndex: -1 }, element("p", {}, say("conflict")));
    made.setAttribute("aria-label", say("conflict"));
    const choices = [["mine", "keepMine", mine, true], ["theirs", "keepTheirs", theirs, false]];
    const orders = choices.map(([title, button, tiers, isMine]) => element(
      "div", {}, element("h3", {}, say(title)), orderOf(tiers),
      element("button", {
        type: "button",
        onclick: () => {
          made.remove();
          saving.choose(isMine);
          list.undoButton.focus();
        },
      }, say(button)),
    ));
    made.append(element("div", { className: "side-by-side" }, ...orders));
    notices.append(made);
    made.focus();
  },

  answer(answers) {
    for (const [submission, one] of Object.entries(answers)) showAnswer(submission, one);
  },
};

function once(name, ...children) {
  if (said.has(name)) return;
  said.add(name);
  notices.append(element("div", { className: "notice" }, ...children));
}

function orderOf(tiers) {
  if (!tiers.length) return element("p", {}, say("noneRanked"));
  return element("ol", {}, ...tiers.map((tier) => element("li", {}, namesOf(tier))));
}

// The answer of the practice round: beside the example, and in the list.
function showAnswer(submission, one) {
  const place = document.querySelector(`[data-answer="${CSS.escape(submission)}"]`);
  if (!place) return;
  place.replaceChildren();
  const entry = list.root.querySelector(`[data-submission="${CSS.escape(submission)}"]`);
  entry?.querySelector(".says")?.remove();
  if (!one) return;
  const texts = () => [element("p", {}, element("strong", {}, one.text)), element("p", {}, one.because)];
  place.append(element("div", { className: one.agrees ? "notice" : "notice bad" }, ...texts()));
  entry?.append(element("div", { className: one.agrees ? "says right" : "says" }, ...texts()));
}

// The form says what the list says, whoever reads it.
function fill() {
  for (const select of form.querySelectorAll("select[data-submission]")) {
    const at = placeOf(list.tiers, select.dataset.submission);
    select.value = at < 0 ? "" : String(at + 1);
  }
  views.tellRanked(list.tiers.flat().length, data.submissions.length);
}

// Levels may also come from another tab or the copy on the device: told with every change of what is shown.
function tellRubric() {
  const state = document.getElementById("rubric-state");
  if (state) state.textContent = say("rubric", countLevels(page.fields.values()));
}

const views = new Views();
const list = new List({
  submissions: data.submissions,
  ties: data.ties,
  moved: () => {
    fill();
    saving.changed();
  },
  tell: (text) => { status.textContent = text; },
});
list.show(data.tiers);
if (data.shown) list.show(data.shown); // what could not be taken, to be sent again
selects.hidden = true;
form.querySelector("button.save").hidden = true;
selects.after(list.root, status, saveState, notices);
makeDraggable(list);
new Reading(document.getElementById("submissions"), data.submissions);
page.tellSaving("unsaved");
const saving = new Saving(data, page);
fill();

watchLength();
for (const field of page.fields.values()) {
  field.addEventListener("input", () => {
    tellRubric();
    saving.changed();
  });
}

// Submitting: first everything is saved; then the form is sent as it would be without this script.
form.addEventListener("submit", async (event) => {
  if (form.dataset.ready || event.submitter?.name !== "submit-ranking") return;
  event.preventDefault();
  if (!(await saving.send())) return page.tell("cannotHandIn");
  // a form is deaf to requestSubmit until this event is over, and with nothing to save it is not yet
  await new Promise((done) => setTimeout(done));
  form.elements.before.value = saving.before();
  form.dataset.ready = "yes";
  form.requestSubmit(event.submitter);
  delete form.dataset.ready;
});
