// Let the platform keep state and nonce, then go on to it. Where it does not answer, the page stays: it offers a
// window of its own, in which the platform's hint has to be fresh.
import { put } from "./platform_storage.js";

const { origin, frame, state, nonce, next } = document.getElementById("storage").dataset;
const where = { origin, frame };
const kept = await Promise.all([put(where, `state-${state}`, state), put(where, `nonce-${state}`, nonce)]);
if (kept.every((answer) => answer !== null)) window.location.replace(next);
