// A ticket works once and for a minute: the button goes when it is used or too old, and the sentence stays.
const form = document.getElementById("open");
const over = () => form.remove();
form.addEventListener("submit", () => setTimeout(over, 0));
setTimeout(over, 55_000);
