import js from "@eslint/js";
import ts from "typescript-eslint";

export default ts.config(
  { ignores: ["dist/", "node_modules/"] },
  js.configs.recommended,
  { files: ["**/*.mjs"], languageOptions: { globals: { process: "readonly" } } },
  { files: ["**/*.ts"], extends: ts.configs.strictTypeChecked, languageOptions: { parserOptions: { projectService: true } } },
  // node:test returns promises that its runner itself awaits
  { files: ["test/**/*.ts"], rules: { "@typescript-eslint/no-floating-promises": "off" } },
);
