// Changes on their way to the server. Each is written to localStorage before it is sent and
// removed only when the server has answered for it: a lost network or a reload loses nothing.

const WAITS = [1000, 2000, 5000, 15000];

export class Outbox {
  // `name` keeps apart what one person changes in one case: a browser may be shared. `token`
  // proves the lease at sending time.
  constructor(name, { token, onFragments, onState }) {
    this.name = `inquest:outbox:${name}`;
    this.token = token;
    this.onFragments = onFragments;
    this.onState = onState;
    this.sending = null;
    this.failures = 0;
    this.timer = null;
    window.addEventListener("online", () => this.flush());
  }

  get entries() {
    return JSON.parse(localStorage.getItem(this.name) || "[]");
  }

  set entries(list) {
    if (list.length) localStorage.setItem(this.name, JSON.stringify(list));
    else localStorage.removeItem(this.name);
  }

  // Queue one change. A later value of the same field takes the place of an unsent earlier one.
  add(url, values, { field = null, delay = 0 } = {}) {
    const list = this.entries;
    const last = list.at(-1);
    const entry = { id: crypto.randomUUID(), url, values, field };
    if (field && last?.field === field && last.id !== this.current) list.pop();
    list.push(entry);
    this.entries = list;
    clearTimeout(this.timer);
    if (delay) this.timer = setTimeout(() => this.flush(), delay);
    else return this.flush();
  }

  // Unsent values by field, to be shown in a form the server drew without them.
  get values() {
    return Object.assign({}, ...this.entries.filter((entry) => entry.field).map((entry) => entry.values));
  }

  flush() {
    clearTimeout(this.timer);
    this.sending ??= this.#send().finally(() => { this.sending = null; this.current = null; });
    return this.sending;
  }

  async #send() {
    for (let entry = this.entries[0]; entry; entry = this.entries[0]) {
      this.current = entry.id;
      let response;
      try {
        response = await fetch(entry.url, {
          method: "POST",
          headers: { "X-Inquest": "fragments", "x-csrftoken": this.token().csrf },
          body: new URLSearchParams({ ...entry.values, token: this.token().lease }),
        });
      } catch {
        return this.#later("Offline.");
      }
      if (response.status >= 500) return this.#later("The server does not answer.");
      if (response.ok && response.headers.get("X-Inquest") !== "fragments")
        return this.#later("You were signed out. Sign in again in another tab.");
      if (response.status === 409 || response.status === 403) return this.#refused(await response.text());
      this.entries = this.entries.filter((other) => other.id !== entry.id);
      this.failures = 0;
      if (response.ok) this.onFragments(await response.text(), this.entries.length);
      else this.onState(`A change was not accepted (${response.status}).`);
    }
    this.onState("");
    return true;
  }

  #later(reason) {
    const count = this.entries.length;
    this.onState(`${reason} ${count} change${count === 1 ? " is" : "s are"} kept in this browser and will be sent.`);
    this.timer = setTimeout(() => this.flush(), WAITS[Math.min(this.failures++, WAITS.length - 1)]);
    return false;
  }

  #refused(text) {
    const plain = text.startsWith("<") ? "Your role or lease does not allow this change." : text;
    if (this.entries[0]?.field === null) this.entries = this.entries.slice(1);
    this.onState(`${plain} ${this.entries.length ? "What you wrote is kept in this browser." : ""}`);
    return false;
  }
}
