// What a browser may do with our pages: nothing from elsewhere, no inline script but the ones we built.
import helmet from 'koa-helmet';
import type { Middleware } from 'koa';

/** `scriptHashes` are the SHA-256 hashes, base64, of the inline scripts of the built page. */
export function securityHeaders(baseUrl: string, scriptHashes: readonly string[]): Middleware {
  const { protocol, host } = new URL(baseUrl);
  const secure = protocol === 'https:';
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        scriptSrc: ["'self'", ...scriptHashes.map((hash) => `'sha256-${hash}'`)],
        styleSrc: ["'self'", "'unsafe-inline'"],
        imgSrc: ["'self'", 'data:'],
        connectSrc: ["'self'", `${secure ? 'wss' : 'ws'}://${host}`],
        objectSrc: ["'none'"],
        baseUri: ["'none'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
      },
    },
    strictTransportSecurity: secure ? { maxAge: 31_536_000 } : false,
    referrerPolicy: { policy: 'no-referrer' },
    crossOriginOpenerPolicy: { policy: 'same-origin' },
    originAgentCluster: false,
  });
}
