import assert from "node:assert/strict";
import { test } from "node:test";
import { explainFailure, findServer, type Surroundings } from "../src/find";

function around(programs: readonly string[], more: Partial<Surroundings> = {}): Surroundings {
  return {
    setting: "",
    folders: ["/work/plant"],
    env: { PATH: "/usr/local/bin:/usr/bin" },
    platform: "linux",
    isProgram: (file) => programs.includes(file),
    ...more,
  };
}

test("the setting wins over everything else", () => {
  const search = findServer(around(["/opt/serq-lsp", "/work/plant/.venv/bin/serq-lsp"], { setting: "/opt/serq-lsp" }));
  assert.equal(search.found, "/opt/serq-lsp");
});

test("a relative setting is looked for in each workspace folder", () => {
  const search = findServer(around(["/b/tools/serq-lsp"], { setting: "tools/serq-lsp", folders: ["/a", "/b"] }));
  assert.equal(search.found, "/b/tools/serq-lsp");
});

test("a setting that names no program ends the search and is named in the message", () => {
  const search = findServer(around(["/usr/bin/serq-lsp"], { setting: "/opt/serq-lsp" }));
  assert.equal(search.found, undefined);
  assert.match(explainFailure(search), /setting: \/opt\/serq-lsp.*Correct the setting/);
});

test("the project's environment comes before the active one, and that before PATH", () => {
  const env = { PATH: "/usr/bin", VIRTUAL_ENV: "/envs/a" };
  const all = ["/work/plant/venv/bin/serq-lsp", "/envs/a/bin/serq-lsp", "/usr/bin/serq-lsp"];
  assert.equal(findServer(around(all, { env })).found, all[0]);
  assert.equal(findServer(around(all.slice(1), { env })).found, all[1]);
  assert.equal(findServer(around(all.slice(2), { env })).found, all[2]);
});

test("Windows has its own names and separators", () => {
  const file = "C:\\plant\\.venv\\Scripts\\serq-lsp.exe";
  const search = findServer(around([file], { folders: ["C:\\plant"], platform: "win32", env: { Path: "C:\\bin" } }));
  assert.equal(search.found, file);
});

test("without folders and without PATH nothing is tried twice and the message still names the cure", () => {
  const search = findServer(around([], { folders: [], env: {} }));
  assert.deepEqual(search.tried, []);
  assert.match(explainFailure(search), /pip install serq-lsp/);
});

test("a long PATH is not listed in full", () => {
  const path = Array.from({ length: 30 }, (_, k) => `/p${String(k)}`).join(":");
  assert.match(explainFailure(findServer(around([], { env: { PATH: path } }))), /and 26 more on PATH/);
});
