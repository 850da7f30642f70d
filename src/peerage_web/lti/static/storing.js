// Let the platform keep state and nonce, then go on to it; with or without its answer.
import { put } from "./platform_storage.js";

const { origin, frame, state, nonce } = document.getElementById("storage").dataset;
const where = { origin, frame };
await Promise.all([put(where, `state-${state}`, state), put(where, `nonce-${state}`, nonce)]);
window.location.replace(document.getElementById("next").href);
