// The two cookies: the session, and the one that binds a sign-in challenge to this browser (A2, S4).
import type { Context } from 'koa';

export const SESSION_COOKIE = '__Host-sid';
export const SIGN_IN_COOKIE = '__Host-siws';

interface Cookie {
  name: string;
  value: string;
  maxAgeMs: number;
  sameSite: 'lax' | 'strict';
}

export function setCookie(ctx: Context, { name, value, maxAgeMs: maxAge, sameSite }: Cookie): void {
  // `__Host-` requires Secure; browsers accept it on http://localhost, and behind a TLS proxy Koa cannot detect the
  // secure connection.
  ctx.cookies.secure = true;
  ctx.cookies.set(name, value, { secure: true, httpOnly: true, sameSite, path: '/', maxAge, overwrite: true });
}

export function clearCookie(ctx: Context, name: string): void {
  setCookie(ctx, { name, value: '', maxAgeMs: 0, sameSite: 'lax' });
}
