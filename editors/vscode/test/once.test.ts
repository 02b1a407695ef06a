import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { test } from "node:test";
import { Latest } from "../src/once";

test("tasks never overlap and only the newest of those that wait is run", async () => {
  const latest = new Latest();
  const seen: string[] = [];
  let running = 0;
  const task = (name: string) => async (): Promise<void> => {
    running += 1;
    assert.equal(running, 1);
    await sleep(5);
    seen.push(name);
    running -= 1;
  };
  await Promise.all([latest.run(task("first")), latest.run(task("second")), latest.run(task("third"))]);
  assert.deepEqual(seen, ["first", "third"]);
});

test("after all is done a new task runs at once", async () => {
  const latest = new Latest();
  let runs = 0;
  const task = (): Promise<void> => {
    runs += 1;
    return Promise.resolve();
  };
  await latest.run(task);
  await latest.run(task);
  assert.equal(runs, 2);
});
