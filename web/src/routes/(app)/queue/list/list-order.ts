// The parts of the queue page about the order of its list, loaded together: a list in due order needs none at first.
export { nextRule } from './next-rule.ts';
export { default as OrderLine } from './OrderLine.svelte';
export { default as OrderMenu } from './OrderMenu.svelte';
