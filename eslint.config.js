// Lints components and their `.svelte.ts` modules by the rules of Svelte, and configuration that is written in JavaScript.
import svelte from 'eslint-plugin-svelte';
import globals from 'globals';
import ts from 'typescript';
import tseslint from 'typescript-eslint';

/** The rules of TypeScript, in JSON with comments: those below hold for components too. */
const { rules, overrides } = ts.readConfigFile(`${import.meta.dirname}/.oxlintrc.json`, ts.sys.readFile).config;
const OF_WEB = overrides.find(({ files }) => files.includes('web/**')).rules;
const SHARED = [
  'eqeqeq',
  'max-lines',
  'max-lines-per-function',
  'max-params',
  'no-console',
  'no-restricted-properties',
];

// Without a connection it would reject, and the part would be missing until the page is loaded again.
const NO_BARE_LAZY_PART = {
  selector: 'SvelteAwaitBlock[catch=null] > ImportExpression',
  message: 'Import it by web/src/lib/shell/lazy-import.ts, which tries again, or say with {:catch} what shows instead.',
};

export default tseslint.config(
  {
    ignores: [
      '**/node_modules/',
      '**/*.ts',
      '!**/*.svelte.ts',
      '!web/vitest.config.ts',
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
      ...Object.fromEntries(SHARED.map((name) => [name, rules[name]])),
      '@typescript-eslint/consistent-type-imports': rules['typescript/consistent-type-imports'],
      '@typescript-eslint/no-unused-vars': rules['no-unused-vars'],
    },
  },
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: { globals: globals.browser, parserOptions: { parser: tseslint.parser } },
    rules: {
      ...OF_WEB,
      'svelte/no-at-html-tags': 'error',
      // The page is served from the root of its origin: there is no base path to resolve against.
      'svelte/no-navigation-without-resolve': 'off',
      // Takes the reason after the code for more codes; svelte-check validates the real ones.
      'svelte/no-unused-svelte-ignore': 'off',
    },
  },
  { files: ['**/*.svelte'], rules: { 'no-restricted-syntax': ['error', NO_BARE_LAZY_PART] } },
);
