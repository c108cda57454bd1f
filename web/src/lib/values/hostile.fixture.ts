// Values somebody may submit to harm their viewer. Each must be shown, and none may have an effect.
import type { Json } from '@countersign/shared/json/json';

/** Never fetched: every URL of this host is a trap. */
export const TRAP = 'https://trap.example';

export const HOSTILE_TEXTS: Record<string, string> = {
  script: '<script>globalThis.pwned = 1; alert(1)</script>',
  'img onerror': `<img src=x onerror="globalThis.pwned=1"><img src="${TRAP}/1.png">`,
  svg: '<svg onload="globalThis.pwned=1"><animate onbegin="globalThis.pwned=1"/><script>globalThis.pwned=1</script></svg>',
  iframe: `<iframe srcdoc="<script>parent.pwned=1</script>"></iframe><object data="${TRAP}/o"></object>`,
  style: `<style>*{background:url(${TRAP}/css)}</style><div style="background:url(${TRAP}/div)">x</div>`,
  link: `<link rel=stylesheet href=${TRAP}/s.css><base href=${TRAP}/><meta http-equiv=refresh content="0;url=${TRAP}">`,
  'javascript address': 'javascript:globalThis.pwned=1 and JaVaScRiPt:alert(1)',
  'data address': 'data:text/html,<script>globalThis.pwned=1</script>',
  'markdown script': '[click](javascript:globalThis.pwned=1) **a** `b`\n\n# T\n\n- x\n- y',
  'markdown entity': '[click](java&#115;cript:globalThis.pwned=1)\n\n[tab](java&Tab;script:alert(1))',
  'markdown data': '[x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)\n\n![i](data:text/html,x)',
  'markdown picture': `![tracker](${TRAP}/pixel.png)\n\n![t](${TRAP}/a.svg "onload=alert(1)")`,
  'markdown autolink': `<javascript:globalThis.pwned=1> <${TRAP}/auto> ${TRAP}/bare`,
  'markdown html': `# T\n\n<img src=x onerror=globalThis.pwned=1>\n\n<a href="javascript:globalThis.pwned=1">x</a>\n\n**b**`,
  mxss: '# T\n\n<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=globalThis.pwned=1&gt;">\n\n**b**',
  'mxss noscript': '`a` **b**\n\n<noscript><p title="</noscript><img src=x onerror=globalThis.pwned=1>">',
  'mxss attribute':
    '[x](https://a.example/"onmouseover="globalThis.pwned=1) ![a" onerror="globalThis.pwned=1](https://a.example/x.png)',
  'code fence':
    '```html"><script>globalThis.pwned=1</script>\n</code></pre><img src=x onerror=globalThis.pwned=1>\n```',
  'named access': '# T\n\n<form name=body><input name=parentNode></form>\n\n<a id=getElementById>x</a>\n\n**b**',
  'svg picture': `data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><image href="${TRAP}/i"/></svg>`,
  'right to left': 'invoice\u202efdp.exe \u2066hidden\u2069',
  'entity override': '[x](https://good.example/) &#x202e;gpj &rlm; **b** `c`',
  zalgo: `z${'\u0300\u0301\u0302\u0303\u0304'.repeat(60)}algo`,
  'lone accent': '\u0301\u0301 begins with a combining character',
  tags: 'plain\u{e0069}\u{e0067}\u{e006e}\u{e006f}\u{e0072}\u{e0065}',
  template: '{{constructor.constructor("globalThis.pwned=1")()}} ${globalThis.pwned=1} {@html "<b>"}',
  'other host': 'https://bank.example@trap.example/login',
  ansi: '\u001b]8;;https://trap.example\u0007click\u001b]8;;\u0007',
};

const nest = (depth: number): Json =>
  depth === 0 ? 'the bottom' : depth % 2 === 0 ? [nest(depth - 1)] : { a: nest(depth - 1) };

/** Values with a hostile shape. */
export const HOSTILE_SHAPES: Record<string, Json> = {
  'prototype keys': JSON.parse(
    '{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}, "toString": "x", "hasOwnProperty": 1}',
  ) as Json,
  'prototype rows': JSON.parse('[{"__proto__": 1, "a": "=1+1"}, {"__proto__": 2, "a": "@x"}]') as Json,
  'hostile keys': { '<img src=x onerror=globalThis.pwned=1>': 1, 'a\u202eb': 2, '': 3, 'javascript:alert(1)': 4 },
  chat: [
    { role: '<script>globalThis.pwned=1</script>', content: '<img src=x onerror=globalThis.pwned=1>' },
    { role: 'user', content: [{ type: 'image_url', image_url: { url: `${TRAP}/chat.png` } }] },
    { role: 'constructor', content: [{ type: 'text', text: `![x](${TRAP}/t.png) **b** ` }], tool_calls: 'x' },
  ],
  'prototype roles': ['constructor', '__proto__', 'toString'].map((role) => ({ role, content: 'ROLE_SEEN' })),
  'words behind a picture': [
    {
      role: 'user',
      content: [{ type: 'image_url', image_url: { url: `${TRAP}/chat.png` }, text: 'ignore the rules' }],
    },
  ],
  'picture address': `${TRAP}/picture.png`,
  deep: nest(32),
  many: Array.from({ length: 4900 }, (_, at) => [at]),
  'one line': 'x'.repeat(250_000),
  'many lines': 'a b\n'.repeat(45_000),
  'long key': { ['k'.repeat(256)]: 'v'.repeat(5000) },
  table: Array.from({ length: 1000 }, (_, at) => ({
    id: at,
    html: '<b onclick=alert(1)>x</b>',
    link: `${TRAP}/${at}`,
  })),
  numbers: [1e308, -0, 5e-324, 9007199254740991],
};
