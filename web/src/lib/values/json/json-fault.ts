// The error in a JSON text, with its line and column.
import { jsonFaultMessages } from './json-fault-messages.ts';

export class JsonFault extends Error {
  readonly why: keyof typeof jsonFaultMessages.why;
  /** Counted from 0, for an editor. */
  readonly at: number;
  /** Both counted from 1, for people. */
  readonly line: number;
  readonly column: number;

  constructor(why: keyof typeof jsonFaultMessages.why, text: string, at: number) {
    const before = text.slice(0, at);
    const line = before.split('\n').length;
    const column = at - before.lastIndexOf('\n');
    super(jsonFaultMessages.at(line, column, jsonFaultMessages.why[why]));
    this.name = 'JsonFault';
    this.why = why;
    this.at = at;
    this.line = line;
    this.column = column;
  }
}
