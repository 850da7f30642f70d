// Copies of what is not saved yet, on this device: per person and ranking, one for each tab. And word
// between tabs.

export class Device {
  constructor(key) {
    this.key = key;
    addEventListener("leaving-device", () => { this.keep = () => true; }); // somebody signs out: leaving.js
    this.mine = `${key}:${crypto.randomUUID?.() ?? Math.random()}`; // randomUUID: only over TLS and at home
  }

  // Whether it could be kept: private windows and full disks refuse.
  keep(copy) {
    try {
      localStorage.setItem(this.mine, JSON.stringify({ ...copy, at: Date.now() }));
      return true;
    } catch {
      return false;
    }
  }

  // What tabs have left behind, the newest last.
  left() {
    try {
      const names = Object.keys(localStorage).filter((name) => name.startsWith(`${this.key}:`));
      return names.map((name) => JSON.parse(localStorage.getItem(name))).sort((one, other) => one.at - other.at);
    } catch {
      return [];
    }
  }

  forget() {
    try {
      localStorage.removeItem(this.mine);
    } catch { /* then there is none */ }
  }

  forgetOthers() {
    forgetAll(`${this.key}:`, this.mine);
  }
}

// Wipe whatever begins so.
export function forgetAll(beginning, but = "") {
  try {
    for (const name of Object.keys(localStorage)) {
      if (name.startsWith(beginning) && name !== but) localStorage.removeItem(name);
    }
  } catch { /* then there is none */ }
}

export class Tabs {
  constructor(key, heard) {
    this.channel = "BroadcastChannel" in window ? new BroadcastChannel(key) : null;
    this.channel?.addEventListener("message", (event) => heard(event.data));
  }

  tell(message) {
    this.channel?.postMessage(message);
  }
}
