// Loads the editor while the item is read, so that the edit key finds it ready.

export const loadEditor = () => import('../editor/EditorBody.svelte');

/** Not at once: the visible content loads first. */
export function loadEditorSoon(): void {
  if (typeof requestIdleCallback === 'function') requestIdleCallback(() => void loadEditor().catch(() => undefined));
}
