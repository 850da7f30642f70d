// The levels of one criterion beside one submission: radio buttons that are saved as a comment's text is.

export class LevelField {
  constructor(fieldset) {
    this.fieldset = fieldset;
    this.name = fieldset.dataset.name;
    this.dataset = fieldset.dataset;
    this.radios = [...fieldset.querySelectorAll("input")];
  }

  get value() {
    return this.radios.find((radio) => radio.checked)?.value ?? "";
  }

  // Two texts are put one below the other; of two levels the one that is chosen here stays.
  set value(level) {
    if (level && !this.radios.some((radio) => radio.value === level)) return;
    for (const radio of this.radios) radio.checked = radio.value === level;
  }

  get defaultValue() {
    return this.radios.find((radio) => radio.defaultChecked)?.value ?? "";
  }

  addEventListener(...listener) {
    this.fieldset.addEventListener(...listener);
  }
}

// How many of the fields have a level, and how many there are.
export function countLevels(fields) {
  const levels = [...fields].filter((field) => field instanceof LevelField);
  return { chosen: levels.filter((field) => field.value).length, all: levels.length };
}
