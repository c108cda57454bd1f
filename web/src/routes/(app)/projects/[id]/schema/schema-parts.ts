// What only the answer schema needs, loaded together: the editor, the validator and the form.
export { default as SchemaEditor } from './SchemaEditor.svelte';
export { default as SchemaPreview } from './SchemaPreview.svelte';
