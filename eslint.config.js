// Lint rules that neither the compiler nor the formatter enforces. The type-aware rules are in .oxlintrc.json, layers in
// .dependency-cruiser.mjs.
import prettier from 'eslint-config-prettier';
import svelte from 'eslint-plugin-svelte';
import globals from 'globals';
import tseslint from 'typescript-eslint';

const TESTS = ['**/*.{test,contract,fixture}.ts', 'server/test/**', 'e2e/**'];
const SVELTE = ['**/*.svelte', '**/*.svelte.ts'];
const PURE = ['server/src/domain/**/*.ts', 'web/src/lib/live/queue/queue-state.ts'];
const MAY_READ_ENVIRONMENT = ['server/src/config.ts', 'scripts/**', 'sdk/mcp/src/main.ts', '**/*.config.ts', ...TESTS];
// A server that listens for this process alone, and the libraries that ours are measured beside.
const MAY_HAND_ON_ADDRESS = ['server/src/embedded/server.ts', 'scripts/bench/deliveries-rival.ts'];
const MAY_EXPORT_DEFAULT = ['**/+*.ts', '**/*.config.{ts,js}', '.dependency-cruiser.mjs'];

const NO_DEFAULT_EXPORT = [
  'ExportDefaultDeclaration',
  'ExportNamedDeclaration > ExportSpecifier[exported.name="default"]',
].map((selector) => ({ selector, message: 'Export it by name, so that it has one name everywhere.' }));

// Only the result of the one database URL parser reaches the drivers: the ORM's own parser drops the query, and with it TLS.
const NO_ADDRESS_SYNTAX = ['connectionString', 'clientUrl'].map((name) => ({
  selector: `Property[key.name="${name}"]`,
  message:
    'Read the address by server/src/db/connection/database-url.ts, and connect by server/src/db/connection/connect.ts or scripts/lib/processes/postgres-client.ts.',
}));

const NO_CLOCK_SYNTAX = [
  'NewExpression[callee.name="Date"][arguments.length=0]',
  'CallExpression[callee.name="Date"]',
].map((selector) => ({ selector, message: 'Rules take the time as a value: pass it in.' }));

const NO_CLOCK_OR_CHANCE = [
  ['Date', 'now'],
  ['performance', 'now'],
  ['Math', 'random'],
  ['crypto', 'randomUUID'],
  ['crypto', 'getRandomValues'],
].map(([object, property]) => ({ object, property, message: 'Rules take time and chance as values: pass them in.' }));

const NO_ENVIRONMENT = [
  {
    object: 'process',
    property: 'env',
    message: 'Only server/src/config.ts reads the environment: take what you need from the config it returns.',
  },
];

// Without a connection it would reject, and the part would be missing until the page is loaded again.
const NO_BARE_LAZY_PART = {
  selector: 'SvelteAwaitBlock[catch=null] > ImportExpression',
  message: 'Import it by web/src/lib/shell/lazy-import.ts, which tries again, or say with {:catch} what shows instead.',
};

// dependency-cruiser cannot see the type imports of a .svelte file, so this border is checked twice.
const NO_SERVER_IN_WEB = [
  {
    group: ['**/server/src/**', '@countersign/server', '@countersign/server/**'],
    message: 'The page and the server meet in shared/ alone: put the shape there.',
  },
];

export default tseslint.config(
  {
    ignores: [
      '**/node_modules/',
      'docs/',
      'sdk/*/dist/',
      '**/build/',
      '**/build-*/',
      '**/.svelte-kit/',
      '.data/',
      '.test/',
    ],
  },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },

  tseslint.configs.recommended,
  svelte.configs.recommended,
  {
    languageOptions: {
      globals: globals.node,
      parserOptions: { extraFileExtensions: ['.svelte'] },
    },
    rules: {
      eqeqeq: 'error',
      'no-console': 'error',
      'no-restricted-properties': ['error', ...NO_ENVIRONMENT],
      'no-restricted-syntax': ['error', ...NO_DEFAULT_EXPORT, ...NO_ADDRESS_SYNTAX],
      'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 40, skipBlankLines: true, skipComments: true }],
      'max-params': ['error', { max: 3 }],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'separate-type-imports' }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
    },
  },

  {
    files: SVELTE,
    languageOptions: { globals: globals.browser, parserOptions: { parser: tseslint.parser } },
  },
  {
    files: ['web/**'],
    languageOptions: { globals: globals.browser },
    rules: { 'no-restricted-imports': ['error', { patterns: NO_SERVER_IN_WEB }] },
  },
  {
    files: SVELTE,
    rules: {
      'svelte/no-at-html-tags': 'error',
      // The page is served from the root of its origin: there is no base path to resolve against.
      'svelte/no-navigation-without-resolve': 'off',
      // Takes the reason after the code for more codes; svelte-check validates the real ones.
      'svelte/no-unused-svelte-ignore': 'off',
    },
  },

  { files: MAY_READ_ENVIRONMENT, rules: { 'no-restricted-properties': 'off' } },
  { files: MAY_HAND_ON_ADDRESS, rules: { 'no-restricted-syntax': ['error', ...NO_DEFAULT_EXPORT] } },
  { files: MAY_EXPORT_DEFAULT, rules: { 'no-restricted-syntax': 'off' } },
  {
    files: ['scripts/**', 'sdk/mcp/src/main.ts', 'sdk/*/examples/**', '**/*.config.{ts,js}'],
    rules: { 'no-console': 'off' },
  },
  {
    files: PURE,
    ignores: TESTS,
    rules: {
      'no-restricted-properties': ['error', ...NO_ENVIRONMENT, ...NO_CLOCK_OR_CHANCE],
      'no-restricted-syntax': ['error', ...NO_DEFAULT_EXPORT, ...NO_CLOCK_SYNTAX],
    },
  },
  {
    files: TESTS,
    rules: {
      'max-lines-per-function': 'off',
      'max-params': ['error', { max: 4 }],
    },
  },
  { files: ['**/*.svelte'], rules: { 'no-restricted-syntax': ['error', NO_BARE_LAZY_PART] } },
  prettier,
  svelte.configs.prettier,
);
