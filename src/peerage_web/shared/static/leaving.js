// Whoever signs out leaves nothing behind on this device; if something is saved here only, they are asked.

const copies = () => Object.keys(localStorage).filter((name) => name.startsWith("peerage-ranking-"));

document.querySelector("form[data-leaving]")?.addEventListener("submit", (event) => {
  try {
    const left = copies();
    if (left.length && !confirm(event.target.dataset.leaving)) return event.preventDefault();
    dispatchEvent(new Event("leaving-device"));
    left.forEach((name) => localStorage.removeItem(name));
  } catch { /* a browser that keeps nothing */ }
});
