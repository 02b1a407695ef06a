// Where the language server may be: pure, so that it is tested without an editor.
import * as path from "node:path";

/** What the search looks at. Paths are those of the machine the extension runs on. */
export interface Surroundings {
  /** The setting `serq.server.path`; empty when it is not set. */
  readonly setting: string;
  /** Workspace folders, in order; absolute paths. */
  readonly folders: readonly string[];
  /** The process's environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** Says whether a path is a file that can be started. */
  readonly isProgram: (file: string) => boolean;
}

/** One place that was looked at. */
export interface Attempt {
  readonly source: "setting" | "project environment" | "PATH";
  readonly file: string;
}

export interface Search {
  /** The program to start; undefined when none was found. */
  readonly found: string | undefined;
  /** All places looked at, in order; the last one is `found`, if any. */
  readonly tried: readonly Attempt[];
}

/**
 * Looks for `serq-lsp`: the setting, else the project's environment, else PATH.
 * A setting that names no program ends the search: the user asked for that one.
 */
export function findServer(around: Surroundings): Search {
  const tried: Attempt[] = [];
  for (const attempt of candidates(around)) {
    tried.push(attempt);
    if (around.isProgram(attempt.file)) {
      return { found: attempt.file, tried };
    }
  }
  return { found: undefined, tried };
}

function* candidates(around: Surroundings): Generator<Attempt> {
  const { setting, folders, env, platform } = around;
  const paths = platform === "win32" ? path.win32 : path.posix;
  const program = platform === "win32" ? "serq-lsp.exe" : "serq-lsp";
  const bin = platform === "win32" ? "Scripts" : "bin";
  if (setting !== "") {
    const bases = paths.isAbsolute(setting) || folders.length === 0 ? [""] : folders;
    for (const base of bases) {
      yield { source: "setting", file: paths.join(base, setting) };
    }
    return;
  }
  for (const folder of folders) {
    for (const name of [".venv", "venv"]) {
      yield { source: "project environment", file: paths.join(folder, name, bin, program) };
    }
  }
  for (const root of [env["VIRTUAL_ENV"], env["CONDA_PREFIX"]]) {
    if (root !== undefined && root !== "") {
      yield { source: "project environment", file: paths.join(root, bin, program) };
    }
  }
  for (const folder of (env["PATH"] ?? env["Path"] ?? "").split(paths.delimiter)) {
    if (folder !== "") {
      yield { source: "PATH", file: paths.join(folder, program) };
    }
  }
}

/** One message for the user: what was tried and what to do. */
export function explainFailure(search: Search): string {
  const lines = search.tried.map((attempt) => `${attempt.source}: ${attempt.file}`);
  const shown = lines.slice(0, 6);
  const rest = lines.length - shown.length;
  const list = rest > 0 ? [...shown, `and ${String(rest)} more on PATH`] : shown;
  const cure = search.tried.some((attempt) => attempt.source === "setting")
    ? "Correct the setting serq.server.path."
    : "Install it with `pip install serq-lsp` in the project's environment, or set serq.server.path.";
  return `The serQ language server (serq-lsp) was not found. Tried ${list.join("; ")}. ${cure}`;
}
