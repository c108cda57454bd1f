// What the first screen of the answer schema does not need, loaded together: the validator, the form and the check.
export { readSchema } from './read-schema.ts';
export { default as RecentItemsCheck } from './RecentItemsCheck.svelte';
export { default as SchemaPreview } from './SchemaPreview.svelte';
