// What is submitted needs no copy on this device any more.

import { forgetAll } from "./ranking/device.js";

forgetAll(document.getElementById("receipt").dataset.device);
