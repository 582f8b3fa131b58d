/** What counts as looked at on an annotator's own task. */

import { describe, expect, test } from "vitest";
import { LOOK, Visits } from "../src/session/visits";

/** A page whose time passes when a test says so. */
class Clockwork {
  private due: { at: number; call: () => void }[] = [];
  private now = 0;
  visible = true;
  after = (milliseconds: number, call: () => void) => {
    const timer = { at: this.now + milliseconds, call };
    this.due.push(timer);
    return () => void (this.due = this.due.filter((each) => each !== timer));
  };
  seen = () => this.visible;
  pass(milliseconds: number): void {
    this.now += milliseconds;
    const ready = this.due.filter(({ at }) => at <= this.now);
    this.due = this.due.filter(({ at }) => at > this.now);
    for (const { call } of ready) call();
  }
}

describe("a subfigure is looked at", () => {
  test("once it was chosen for .7 seconds, and not by a key held down that passes over it", () => {
    const page = new Clockwork();
    const visits = new Visits(page);
    visits.choose("a");
    page.pass(LOOK - 1);
    expect([...visits.all()]).toEqual([]);
    page.pass(1);
    for (const id of ["b", "c", "d"]) {
      visits.choose(id);
      page.pass(33);
    }
    visits.choose("a");
    page.pass(LOOK);
    expect([...visits.all()]).toEqual(["a"]);
  });
  test("only while the page can be seen", () => {
    const page = new Clockwork();
    const visits = new Visits(page);
    page.visible = false;
    visits.choose("a");
    page.pass(LOOK);
    expect([...visits.all()]).toEqual([]);
    page.visible = true;
    page.pass(LOOK);
    expect([...visits.all()]).toEqual(["a"]);
  });
  test("or once it was changed", () => {
    const visits = new Visits(new Clockwork());
    visits.add("b");
    visits.add(null);
    expect([...visits.all()]).toEqual(["b"]);
  });
});
