// Serves the built web app: hashed files with a permanent cache, and a fallback page per area.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { Context, Middleware } from 'koa';
import { encodingFor } from '../response/compression.ts';
import { SESSION_COOKIE } from '../admission/cookies.ts';

interface File {
  path: string;
  encodings: { br?: string; gzip?: string };
}

/** Requested files by path: each is in memory once, however many responses are unread (MB3). */
const fileCache = new Map<string, Buffer>();

function bytesOf(path: string): Buffer {
  const bytes = fileCache.get(path) ?? readFileSync(path);
  fileCache.set(path, bytes);
  return bytes;
}

/** The page for a browser with a session cookie, and for one without. */
interface PageVariants {
  signedIn: Buffer;
  signedOut: Buffer;
}

/** The web app as built: the file list is read once, so that no request path ever reaches the file system. */
export interface Site {
  files: Map<string, File>;
  fallback: PageVariants;
  /** The same with the programs of the documentation included, shown before scripts run. */
  docs: PageVariants;
  scriptHashes: string[];
}

/** Reads the build in `folder`; null when there is none. */
export function loadSite(folder: string): Site | null {
  const fallbackPath = join(folder, '200.html');
  if (!existsSync(fallbackPath)) return null;
  const docsPath = join(folder, 'docs.html');
  const html = readFileSync(fallbackPath, 'utf8');
  const docs = existsSync(docsPath) ? readFileSync(docsPath, 'utf8') : html;
  const scriptHashes = [...new Set([html, docs].flatMap(inlineScriptHashes))];
  return { files: listFiles(folder), fallback: variantsOf(html), docs: variantsOf(docs), scriptHashes };
}

/** Without a cookie nobody is signed in: the page learns it here and avoids a request that returns 401. */
const variantsOf = (html: string): PageVariants => ({
  signedIn: Buffer.from(html),
  signedOut: Buffer.from(html.replace('<head>', '<head><meta name="session" content="none">')),
});

function listFiles(folder: string): Map<string, File> {
  const names = readdirSync(folder, { recursive: true }) as string[];
  const paths = names.map((name) => name.replaceAll('\\', '/')).filter((name) => statSync(join(folder, name)).isFile());
  const all = new Set(paths);
  const servable = paths.filter((name) => !/\.(br|gz|html)$/.test(name) && !name.startsWith('.'));
  return new Map(
    servable.map((name) => {
      const path = join(folder, name);
      const br = all.has(`${name}.br`) ? { br: `${path}.br` } : {};
      const gzip = all.has(`${name}.gz`) ? { gzip: `${path}.gz` } : {};
      return [`/${name}`, { path, encodings: { ...br, ...gzip } }];
    }),
  );
}

function inlineScriptHashes(html: string): string[] {
  const scripts = html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g);
  return [...scripts].map((match) =>
    createHash('sha256')
      .update(match[1] ?? '')
      .digest('base64'),
  );
}

const DOCS = '/api/public/docs';
const PAGES = /^\/(projects|queue|analytics|learnings|mistakes|invites|account|sessions)?(\/|$)/;
const NOT_BUILT = 'The web app is not built. Run: npm run build\n';

export function pages(site: Site | null): Middleware {
  return async (ctx, next) => {
    const isApi = ctx.path.startsWith('/api/') && ctx.path !== DOCS;
    if ((ctx.method !== 'GET' && ctx.method !== 'HEAD') || isApi) {
      await next();
      return;
    }
    const file = site?.files.get(ctx.path);
    if (file) return sendFile(ctx, file);
    if (ctx.path.startsWith('/_app/') || extname(ctx.path) !== '') {
      await next();
      return;
    }
    ctx.set('cache-control', 'no-cache');
    ctx.status = ctx.path === DOCS || PAGES.test(ctx.path) ? 200 : 404;
    ctx.type = site ? 'html' : 'text';
    ctx.vary('cookie');
    const page = ctx.path === DOCS ? site?.docs : site?.fallback;
    ctx.body = page?.[ctx.cookies.get(SESSION_COOKIE) ? 'signedIn' : 'signedOut'] ?? NOT_BUILT;
  };
}

function sendFile(ctx: Context, { path, encodings }: File): void {
  ctx.set(
    'cache-control',
    ctx.path.startsWith('/_app/immutable/') ? 'public, max-age=31536000, immutable' : 'no-cache',
  );
  ctx.vary('accept-encoding');
  const chosen = encodingFor(ctx, Object.keys(encodings));
  const encoded = encodings[chosen as keyof typeof encodings];
  if (chosen !== undefined) ctx.set('content-encoding', chosen);
  ctx.type = extname(path);
  ctx.body = bytesOf(encoded ?? path);
}
