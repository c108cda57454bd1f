// Loads what only tool calls and suggestions that break their schema need.

export const loadAnswerParts = () => import('./answer-parts.ts');
