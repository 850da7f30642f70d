// Drop a file anywhere on the page; a chosen file is sent at once, one that is too large is not sent at all.

const form = document.getElementById("upload");
const input = document.getElementById("id_file");
const zone = document.getElementById("drop");
const sending = document.getElementById("sending");
const refused = document.getElementById("refused");

document.documentElement.classList.add("script");

function send() {
  const [file] = input.files;
  if (!file) return;
  if (file.size > Number(form.dataset.most)) {
    refuse(`${file.name} is larger than ${form.dataset.mostText}, the limit on this site. `
      + "Peerage on your own computer has no such limit.");
    input.value = "";
    return;
  }
  refused.hidden = true;
  sending.textContent = `Sending ${file.name} …`;
  form.requestSubmit();
}

function refuse(text) {
  const line = document.createElement("p");
  line.textContent = text;
  refused.replaceChildren(line);
  refused.hidden = false;
}

function isFile(event) {
  return Array.from(event.dataTransfer?.types ?? []).includes("Files");
}

input.addEventListener("change", send);

document.addEventListener("dragover", (event) => {
  if (!isFile(event)) return;
  event.preventDefault();
  zone.classList.add("over");
});

document.addEventListener("dragleave", (event) => {
  if (event.relatedTarget === null) zone.classList.remove("over");
});

document.addEventListener("drop", (event) => {
  if (!isFile(event)) return;
  event.preventDefault();
  zone.classList.remove("over");
  if (event.dataTransfer.files.length > 1) {
    refuse("Drop one file at a time. A roster and staff grades can be added on the next page.");
    return;
  }
  input.files = event.dataTransfer.files;
  send();
});

// going back in the history shows the page as it was left: nothing is being sent any more
window.addEventListener("pageshow", () => { sending.textContent = ""; });
