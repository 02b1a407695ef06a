// Bundles the extension, or (with --tests) compiles the unit tests; `npm run types` checks the types.
import { build } from "esbuild";
import { readdirSync } from "node:fs";

const tests = process.argv.includes("--tests");
await build({
  entryPoints: tests ? readdirSync("test").map((name) => `test/${name}`) : ["src/extension.ts"],
  outdir: tests ? "dist/test" : "dist",
  bundle: true,
  platform: "node",
  target: "node20",
  format: "cjs",
  external: ["vscode"],
  sourcemap: tests,
  minify: !tests,
});
