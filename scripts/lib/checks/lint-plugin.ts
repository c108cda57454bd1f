// Gives oxlint the rule `no-restricted-syntax` of ESLint, which it lacks.
import { builtinRules } from 'eslint/use-at-your-own-risk';

/** The name of the entry point is ESLint's: it has no other one for a single rule. */
export default {
  meta: { name: 'eslint-js' },
  rules: { 'no-restricted-syntax': builtinRules.get('no-restricted-syntax') },
};
