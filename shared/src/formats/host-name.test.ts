// Which texts are host names of media, and what is read of a pasted URL (ST4).
import { expect, it } from 'vitest';
import { hostNameOf, isHostName } from './host-name.ts';

it.each(['images.example.com', 'xn--bcher-kva.example', '1.a1', 'a-b.c-d.example'])('ST4: %s is a host name', (host) =>
  expect(isHostName(host)).toBe(true),
);

it.each([
  ...['', 'localhost', 'example', 'a.example.', '.a.example', 'a..example', '-a.example', 'a-.example', 'a_b.example'],
  ...['A.example', 'bücher.example', 'a.example:443', 'a.example/x', 'u@a.example', ' a.example', 'a.example\n'],
  ...['127.0.0.1', '0x7f.1', '1.2.3.4.5', '127.1', '[::1]', '::1', `${'a'.repeat(64)}.example`],
  `${'a.'.repeat(127)}ab`,
])('ST4: %j is none', (text) => expect(isHostName(text)).toBe(false));

it.each([
  ['https://Images.Example.com/a/b.png?x#y', 'images.example.com'],
  [' Bücher.example ', 'xn--bcher-kva.example'],
  ['a.example/x', 'a.example'],
  ['https://a.example:8443/', 'https://a.example:8443/'],
  ['http://127.0.0.1/', 'http://127.0.0.1/'],
  ['nonsense', 'nonsense'],
  ['', ''],
])('ST4: %j is read as %j', (typed, host) => expect(hostNameOf(typed)).toBe(host));
