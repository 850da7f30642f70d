// Ask the platform for the state that it kept; where it is the launch's own, this browser began it.
import { get } from "./platform_storage.js";

const form = document.getElementById("check");
const state = form.elements.state.value;
const kept = await get({ origin: form.dataset.origin, frame: form.dataset.frame }, `state-${state}`);
if (kept !== null && kept === state) {
  form.elements.stored.value = kept;
  form.submit();
} else {
  document.getElementById("waiting").hidden = true;
  document.getElementById("silence").hidden = false;
}
