// User-agents as browsers send them, and malformed ones.
import { describe, expect, it } from 'vitest';
import { deviceOf } from './device.ts';

const CHROME = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';
const IOS = 'AppleWebKit/605.1.15 (KHTML, like Gecko)';

describe('deviceOf', () => {
  it.each([
    ['Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0', 'Firefox on Linux'],
    [CHROME, 'Chrome on Linux'],
    [CHROME.replace('X11; Linux x86_64', 'Windows NT 10.0; Win64; x64'), 'Chrome on Windows'],
    [CHROME.replace('X11; Linux x86_64', 'X11; CrOS x86_64 14541.0.0'), 'Chrome on ChromeOS'],
    [
      CHROME.replace('X11; Linux x86_64', 'Linux; Android 10; K').replace('Safari', 'Mobile Safari'),
      'Chrome on Android',
    ],
    [CHROME.replace('Chrome/', 'HeadlessChrome/'), 'Chrome on Linux'],
    [`${CHROME} Edg/142.0.0.0`, 'Edge on Linux'],
    [`${CHROME} OPR/120.0.0.0`, 'Opera on Linux'],
    [CHROME.replace('Chrome/', 'SamsungBrowser/28.0 Chrome/'), 'Samsung Internet on Linux'],
    [`Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${IOS} Version/18.5 Safari/605.1.15`, 'Safari on macOS'],
    [
      `Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) ${IOS} Version/18.5 Mobile/15E148 Safari/604.1`,
      'Safari on iPhone',
    ],
    [
      `Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) ${IOS} FxiOS/145.0 Mobile/15E148 Safari/605.1.15`,
      'Firefox on iPhone',
    ],
    [`Mozilla/5.0 (iPad; CPU OS 18_5 like Mac OS X) ${IOS} Mobile/15E148`, 'iPad'],
    ['Firefox/145.0', 'Firefox'],
  ])('reads the user agent %s as %s', (userAgent, device) => expect(deviceOf(userAgent)).toBe(device));

  it('retains nothing that it does not recognize, however it is disguised', () => {
    for (const userAgent of [
      undefined,
      '',
      'curl/8.14.1',
      'node',
      '<script>alert(1)</script>',
      '\0\u202e',
      'x'.repeat(16_000),
    ]) {
      expect(deviceOf(userAgent), String(userAgent).slice(0, 40)).toBeNull();
    }
    const dressed = `${CHROME} <img src=x> ${'y'.repeat(16_000)}`;
    expect(deviceOf(dressed)).toBe('Chrome on Linux');
  });
});
