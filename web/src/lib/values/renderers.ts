// Loads the file that draws a kind of value on demand, as the table of rules names it.
import type { Json } from '@countersign/shared/json/json';
import type { Component, Snippet } from 'svelte';
import { RULES, type Kind, type Shape, type ShapeOf } from './classify.ts';
import { lazy } from './lazy.ts';

/** What such a file is given. */
export interface RendererProps<K extends Kind = Kind> {
  shape: ShapeOf<K>;
  /** The accessible name of a table or a conversation. */
  label: string;
  /** The path to the value. */
  path: string;
  /** Draws a value inside of it. */
  other: Snippet<[value: Json, path: string]>;
}

type Module = { default: Component<RendererProps> };
type Load = () => Module | Promise<Module>;

const ON_DEMAND = { mail: 1, diff: 1, json: 1, code: 1, call: 1, cited: 1, chat: 1, table: 1 } as const;

/** Null for the forms of the first load. */
export function loadRenderer({ kind }: Shape): Load | null {
  const name = RULES.find((rule) => rule.kind === kind)?.renderer ?? 'here';
  // The rule of a kind yields the shape its renderer takes.
  const loads: Readonly<Record<string, { now: unknown }>> = lazy;
  return name in ON_DEMAND ? (loads[name]?.now as Load) : null;
}
