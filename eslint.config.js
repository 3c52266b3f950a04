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
    files: [
      "vizapp/ui/viewer/**/*.js",
      "vizapp/ui/link/*.js",
      "vizapp/ui/glossary/*.js",
      "vizapp/ui/incoming/*.js",
      "vizapp/ui/early/*.js",
      "vizapp/ui/views/*.js",
    ],
    languageOptions: { globals: globals.browser },
  },
  {
    // In a page, a Worker and Node alike: what all three have, and nothing else.
    files: ["vizapp/browser/engine/**/*.js"],
    languageOptions: { globals: globals["shared-node-browser"] },
    rules: { "max-len": ["error", { code: 130 }] }, // a test has the same bound: here it is told at once
  },
  {
    files: ["vizapp/bundles.mjs", ".ci/*.mjs", "tests/js/**", "*.config.js"],
    languageOptions: { globals: globals.node },
  },
  // Those that have a canvas or a page to talk to, which Node has not.
  { files: ["vizapp/browser/engine/{blobs,decode,encode,pages,worker}.js"], languageOptions: { globals: globals.worker } },
  {
    files: ["vizapp/browser/{page,cell,language,needs,served,unpack,widget}/**/*.js"],
    languageOptions: { globals: globals.browser },
  },
  { files: ["tests/whole/browser/*.mjs"], languageOptions: { globals: { ...globals.node, ...globals.browser } } },
  { files: ["bench/*.js", "tests/support/*.js", "tests/whole/browser/*.js"], languageOptions: { globals: globals.browser } },
];
