import { accessSync, constants, statSync } from "node:fs";
import * as vscode from "vscode";
import { LanguageClient, Trace, type LanguageClientOptions, type ServerOptions } from "vscode-languageclient/node";
import { explainFailure, findServer, type Search } from "./find";
import { Latest } from "./once";

const SLOW_START_MS = 5000;

let client: LanguageClient | undefined;
const starts = new Latest();

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const log = vscode.window.createOutputChannel("serQ", { log: true });
  const restart = (): Promise<void> => starts.run(async () => {
    await stop(log);
    await start(log);
  });
  context.subscriptions.push(
    log,
    vscode.commands.registerCommand("serq.restartServer", restart),
    vscode.commands.registerCommand("serq.showLog", () => { log.show(); }),
    vscode.workspace.onDidChangeConfiguration(async (change) => {
      if (change.affectsConfiguration("serq.server.path") || change.affectsConfiguration("serq.inlayHints")) {
        await restart();
      }
      if (change.affectsConfiguration("serq.trace.server")) {
        await client?.setTrace(traceLevel());
      }
    }),
    vscode.workspace.onDidChangeWorkspaceFolders(async () => {
      if (client === undefined) {
        await restart();
      }
    }),
  );
  await restart();
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}

async function stop(log: vscode.LogOutputChannel): Promise<void> {
  const old = client;
  client = undefined;
  try {
    await old?.dispose();
  } catch (fault) {
    log.warn(`the old server did not stop cleanly: ${String(fault)}`);
  }
}

async function start(log: vscode.LogOutputChannel): Promise<void> {
  const search = look();
  for (const attempt of search.tried) {
    log.info(`looked for the server: ${attempt.source}: ${attempt.file}`);
  }
  if (search.found === undefined) {
    void offerCures(explainFailure(search), log);
    return;
  }
  const server: ServerOptions = { command: search.found, args: ["--stdio"] };
  const options: LanguageClientOptions = {
    documentSelector: [{ language: "serq" }],
    outputChannel: log,
    initializationOptions: hintSettings(),
    synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher("**/{*.sq,serq.toml}") },
  };
  const fresh = new LanguageClient("serq", "serQ", server, options);
  const slow = setTimeout(() => {
    log.warn(`${search.found ?? ""} has not answered for ${String(SLOW_START_MS / 1000)} s`);
    void vscode.window.showWarningMessage(`The serQ language server is slow to start: ${search.found ?? ""} has not answered yet.`);
  }, SLOW_START_MS);
  try {
    client = fresh;
    await fresh.start();
    await fresh.setTrace(traceLevel());
    log.info(`started ${search.found}`);
  } catch (fault) {
    client = undefined;
    void offerCures(`The serQ language server ${search.found} could not be started: ${String(fault)}`, log);
  } finally {
    clearTimeout(slow);
  }
}

function look(): Search {
  const setting = vscode.workspace.getConfiguration("serq").get<string>("server.path", "");
  // A project may not choose the program to start before its user trusts it.
  const folders = vscode.workspace.isTrusted ? (vscode.workspace.workspaceFolders ?? []) : [];
  return findServer({
    setting: setting.trim(),
    folders: folders.map((folder) => folder.uri.fsPath),
    env: process.env,
    platform: process.platform,
    isProgram,
  });
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

function hintSettings(): Record<string, unknown> {
  const settings = vscode.workspace.getConfiguration("serq");
  return {
    inlayHints: {
      trace: settings.get<boolean>("inlayHints.trace", true),
      iterations: settings.get<boolean>("inlayHints.iterations", true),
    },
  };
}

function traceLevel(): Trace {
  return Trace.fromString(vscode.workspace.getConfiguration("serq").get<string>("trace.server", "off"));
}

async function offerCures(message: string, log: vscode.LogOutputChannel): Promise<void> {
  log.error(message);
  const choice = await vscode.window.showErrorMessage(message, "Open Settings", "Show Log", "Try Again");
  if (choice === "Open Settings") {
    await vscode.commands.executeCommand("workbench.action.openSettings", "serq.server.path");
  } else if (choice === "Show Log") {
    log.show();
  } else if (choice === "Try Again") {
    await vscode.commands.executeCommand("serq.restartServer");
  }
}
