import js from "@eslint/js";
import globals from "globals";

export default [
  { ignores: ["**/bundle.js", "**/.venv*/", "runs/", "build/"] },
  js.configs.recommended,
  {
    languageOptions: { ecmaVersion: 2023, sourceType: "module" },
    rules: {
      eqeqeq: "error",
      "no-var": "error",
      "prefer-const": "error",
      "no-unused-vars": ["error", { argsIgnorePattern: "^_" }],
    },
  },
  {
    files: ["vizapp/ui/viewer/**/*.js", "vizapp/ui/link/*.js", "vizapp/ui/glossary/*.js", "vizapp/ui/incoming/*.js"],
    languageOptions: { globals: globals.browser },
  },
  {
    files: ["vizapp/ui/viewer/build.mjs", ".ci/*.mjs", "tests/js/**", "*.config.js"],
    languageOptions: { globals: globals.node },
  },
  { files: ["bench/*.js", "tests/ui/*.js"], languageOptions: { globals: globals.browser } },
];
