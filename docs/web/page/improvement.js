// A search for a faster order, watched while it improves. A search of twice as many tries begins anew and takes the same
// way, so all of them together take twice the time of the last.

import { el } from "../../../src/report/page/web/dom.js";
import { whole } from "../../../src/report/page/web/words.js";

const FIRST = 25, MOST = 6400;  // tries

export class Improvement {
  // find(effort) returns the data of a page, or { refused }; show(data) shows it.
  constructor(find, show) {
    Object.assign(this, { find, show, turn: 0, running: false });
    this.button = el("button", { type: "button", name: "improve", click: () => (this.running ? this.stop() : this.go()) });
    this.said = el("output", {});
    this.element = el("p", { class: "exports" }, this.button, this.said);
    this.mark();
  }

  mark() {
    this.button.textContent = this.running ? "Stop" : "Look for a faster order";
  }

  stop() {
    this.running = false;
    this.mark();
  }

  async go() {
    const turn = ++this.turn;
    this.running = true;
    this.mark();
    for (let effort = FIRST; effort <= MOST; effort *= 2) {
      this.said.textContent = `trying ${whole(effort)} orders …`;
      await new Promise((painted) => setTimeout(painted, 50));
      if (!this.running || turn !== this.turn) break;
      const data = this.find(effort);
      this.show(data);
      if (data.refused) break;
      this.said.textContent = `${whole(data.synthesis.effort)} orders tried`;
      if (data.synthesis.optimal) break;
    }
    if (turn === this.turn) this.stop();
  }
}
