// Sets security headers: nothing from other origins, and no inline scripts except those of the build.
import helmet from 'koa-helmet';
import type { Middleware } from 'koa';

/** `scriptHashes` are the base64 SHA-256 hashes of the inline scripts of the built page. */
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
