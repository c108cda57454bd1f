// Loads the editor while the item is read, so that the edit key finds it ready.

let loading = 0;
let loaded = false;

/** Whether the editor is on its way: what is typed meanwhile is meant for it. */
export const isEditorLoading = (): boolean => !loaded && loading > 0;

export async function loadEditor() {
  loading += 1;
  try {
    const editor = await import('../editor/EditorBody.svelte');
    loaded = true;
    return editor;
  } finally {
    loading -= 1;
  }
}

/** Not at once: the visible content loads first. */
export function loadEditorSoon(): void {
  if (typeof requestIdleCallback === 'function') requestIdleCallback(() => void loadEditor().catch(() => undefined));
}
