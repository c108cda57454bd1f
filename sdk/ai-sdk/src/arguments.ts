// The arguments of a tool call as reviewers see them, and what the tool itself takes.
import { asSchema, isDeepEqualData, type ToolSet } from 'ai';
import type { Json } from '@countersign/shared/client';
import { UnknownInterruptError } from './errors.ts';
import { toDraft2020 } from './schema.ts';

type Arguments = Record<string, Json>;

/**
 * The input of a call as an object of JSON; an input of another shape is its member `text`. Errors: `UnknownInterruptError` for
 * an input that JSON cannot show, since people would approve something else than what runs.
 */
export function shownArguments(toolName: string, input: unknown): Arguments {
  const shown = input === undefined || input === null ? {} : shownValue(toolName, input);
  return isObject(shown) ? shown : { text: shown };
}

function shownValue(toolName: string, value: unknown): Json {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (value instanceof Date && Number.isFinite(value.getTime())) return value.toISOString();
  if (Array.isArray(value)) return value.map((member) => shownValue(toolName, member));
  if (isPlain(value)) {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    return Object.fromEntries(members.map(([name, member]) => [name, shownValue(toolName, member)]));
  }
  throw new UnknownInterruptError(
    `The arguments of "${toolName}" have a value that is not JSON, so nobody can review them: give its schema a plain output.`,
  );
}

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

const isObject = (value: Json): value is Arguments =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether the tool runs with exactly these arguments: its schema takes them, and changes nothing of them. */
export async function takesUnchanged(tools: ToolSet | undefined, toolName: string, given: unknown): Promise<boolean> {
  const tool = toolOf(tools, toolName);
  const validate = tool && asSchema(tool.inputSchema).validate;
  if (validate === undefined) return true;
  const result = await validate(structuredClone(given));
  return result.success && isDeepEqualData(result.value, given);
}

/**
 * The JSON Schema of the arguments, from which the form for edits is made. Null: any object, where the tool is unknown, has
 * another input than what is shown, or has no object as its input.
 */
export async function argumentsSchema(
  tools: ToolSet | undefined,
  toolName: string,
  { input, shown }: { input: unknown; shown: Arguments },
): Promise<Json> {
  const tool = toolOf(tools, toolName);
  if (tool?.inputSchema === undefined || !isDeepEqualData(shown, input)) return null;
  if (!(await takesUnchanged(tools, toolName, shown))) return null;
  return toDraft2020(JSON.parse(JSON.stringify(await asSchema(tool.inputSchema).jsonSchema)) as Json);
}

/** Finds own members only: the model may choose a name that every object has. */
function toolOf(tools: ToolSet | undefined, toolName: string): ToolSet[string] | undefined {
  return tools !== undefined && Object.hasOwn(tools, toolName) ? tools[toolName] : undefined;
}
