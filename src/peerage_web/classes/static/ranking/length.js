// How much is written about each submission, where there is a minimum. Counted as the server does.

import { data, say } from "./words.js";

const UNSPACED = /[\u0e00-\u0eff\u1000-\u109f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/g;

export function countWords(text) {
  return text.replace(UNSPACED, " $& ").split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

export function watchLength() {
  for (const line of document.querySelectorAll("[data-words]")) {
    const fields = [...line.parentElement.querySelectorAll("textarea")];
    const tell = () => {
      const count = fields.map((field) => countWords(field.value)).reduce((sum, words) => sum + words, 0);
      line.textContent = say("words", { count, least: data.minWords });
    };
    line.parentElement.addEventListener("input", tell);
    tell();
  }
}
