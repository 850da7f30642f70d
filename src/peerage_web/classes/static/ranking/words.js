// Texts come with the page, in the reader's language; `{…}` is filled in here.

export const data = JSON.parse(document.getElementById("ranking").dataset.ranking);

export function say(name, values = {}) {
  return data.texts[name].replace(/\{(\w+)\}/g, (whole, key) => values[key] ?? whole);
}

export const nameOf = (submission) => say("submission", { submission });

export const namesOf = (submissions) => submissions.map(nameOf).join(", ");

export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in made) made[name] = value;
    else made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}
