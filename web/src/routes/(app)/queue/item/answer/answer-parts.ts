// What only an item with a schema or a tool call needs in the pane, loaded together.
export { default as AnswerFaults } from './AnswerFaults.svelte';
export { default as ToolCall } from './ToolCall.svelte';
