// What pages with htmx need besides it: a word when a request fails, and no second press while one is sent.

document.documentElement.classList.add("script");

const refused = document.getElementById("refused");

const said = { // a page in another language brings its own words
  noAnswer: "This site could not respond.",
  later: "Try again in a minute.",
  notReached: "This site cannot be reached.",
  check: "Check your connection, then try again.",
  ...refused?.dataset,
};

function refuse(...lines) {
  if (!refused) return;
  refused.replaceChildren(...lines.filter(Boolean).map((text) => {
    const line = document.createElement("p");
    line.textContent = text;
    return line;
  }));
  refused.hidden = false;
  refused.scrollIntoView({ block: "nearest" });
}

document.addEventListener("htmx:responseError", (event) => {
  const answer = new DOMParser().parseFromString(event.detail.xhr.responseText, "text/html");
  const words = ["h1", ".lead"].map((part) => answer.querySelector(part)?.textContent.trim());
  refuse(words[0] ?? said.noAnswer, words[1] ?? said.later);
});

document.addEventListener("htmx:sendError", () => {
  refuse(said.notReached, said.check);
});

document.addEventListener("htmx:beforeRequest", () => {
  if (refused) refused.hidden = true;
});

document.addEventListener("submit", (event) => {
  if (event.defaultPrevented || event.target.dataset.sent) {
    if (event.target.dataset.sent) event.preventDefault();
    return;
  }
  event.target.dataset.sent = "yes";
  setTimeout(() => { delete event.target.dataset.sent; }, 5000); // the visitor may have stopped it
});

window.addEventListener("pageshow", () => {
  document.querySelectorAll("form[data-sent]").forEach((form) => { delete form.dataset.sent; });
});

// What has the focus is never under the bar at the bottom, however it got there.
document.addEventListener("focusin", (event) => {
  const bar = document.querySelector(".actions.sticky");
  if (!bar || bar.contains(event.target)) return;
  requestAnimationFrame(() => {
    const hidden = event.target.getBoundingClientRect().bottom - bar.getBoundingClientRect().top;
    if (hidden > 0 && event.target.offsetHeight < innerHeight / 2) scrollBy({ top: hidden + 16, behavior: "instant" });
  });
});
