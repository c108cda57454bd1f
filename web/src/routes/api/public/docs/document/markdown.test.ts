// The Markdown subset of descriptions: what is parsed, and that nothing else becomes an element.
import { describe, expect, it } from 'vitest';
import { GUIDE } from './guide.ts';
import { blocksOf } from './markdown.ts';

describe('blocks', () => {
  it('are paragraphs and lists', () => {
    expect(blocksOf('One\nline.\n\n- a\n- b\n').map(({ kind, lines }) => [kind, lines.length])).toEqual([
      ['paragraph', 1],
      ['list', 2],
    ]);
  });

  it('contain code, bold and links', () => {
    expect(blocksOf('Send `a*b`, **now**, see [`this`](#there).')[0]?.lines[0]).toEqual([
      { kind: 'text', text: 'Send ' },
      { kind: 'code', text: 'a*b' },
      { kind: 'text', text: ', ' },
      { kind: 'bold', text: 'now' },
      { kind: 'text', text: ', see ' },
      { kind: 'link', text: '`this`', href: '#there' },
      { kind: 'text', text: '.' },
    ]);
  });

  it('never contain a link that runs a script', () => {
    const text = '[a](javascript:alert(1)) <b>';
    expect(blocksOf(text)[0]?.lines[0]).toEqual([{ kind: 'text', text }]);
  });
});

it('every link of the guide leads to a heading of the page or an operation', () => {
  const anchors = ['#webhook', '#listEvents', '#submitBatch', '#receiveInbound', ...GUIDE.map(({ id }) => `#${id}`)];
  const links = GUIDE.flatMap(({ text }) => blocksOf(text))
    .flatMap(({ lines }) => lines.flat())
    .flatMap(({ href }) => href ?? []);
  expect(links.length).toBeGreaterThan(2);
  for (const link of links) expect(anchors).toContain(link);
});
