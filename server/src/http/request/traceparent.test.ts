// Which traceparent headers are sent on, as Trace Context defines them.
import { expect, it } from 'vitest';
import { traceparentOf } from './traceparent.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';
const VALID = `00-${TRACE}-${PARENT}-01`;

it.each<[string, string | undefined, string | null]>([
  ['sends a valid one on unchanged', VALID, VALID],
  ['sends one that is not sampled on unchanged', `00-${TRACE}-${PARENT}-00`, `00-${TRACE}-${PARENT}-00`],
  ['sends further flags of version 00 on', `00-${TRACE}-${PARENT}-03`, `00-${TRACE}-${PARENT}-03`],
  ['removes white space around it', ` ${VALID} `, VALID],
  ['reads a later version as version 00', `01-${TRACE}-${PARENT}-09-more`, VALID],
  ['keeps the sampled flag of a later version only', `cc-${TRACE}-${PARENT}-fe`, `00-${TRACE}-${PARENT}-00`],
  ['ignores a missing one', undefined, null],
  ['ignores an empty one', '', null],
  ['ignores a trace ID of zeros', `00-${'0'.repeat(32)}-${PARENT}-01`, null],
  ['ignores a parent ID of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`, null],
  ['ignores the forbidden version', `ff-${TRACE}-${PARENT}-01`, null],
  ['ignores upper case', VALID.toUpperCase(), null],
  ['ignores an appended part in version 00', `${VALID}-more`, null],
  ['ignores a later version whose flags go on', `01-${TRACE}-${PARENT}-0109`, null],
  ['ignores two headers in one', `${VALID}, ${VALID}`, null],
  ['ignores a line break', `${VALID}\n00-x`, null],
  ['ignores other text', 'traceparent', null],
])('%s', (_, header, sent) => expect(traceparentOf(header)).toBe(sent));
