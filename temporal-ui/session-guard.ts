import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Context, MiddlewareHandler } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { html } from 'hono/html';

/** Lifetime of an unused link, in milliseconds. */
const LINK_MS = 10 * 60_000;
/** Methods that change nothing; all others must come from our own pages. */
const READING = new Set(['GET', 'HEAD']);

/** Guard of the Web UI: admits only a browser that opened one of our links, each of which works once. */
export interface SessionGuard {
  /** Creates a token for one browser, valid once and for ten minutes. */
  newToken(): string;
  /** Middleware that runs before all routes. */
  protect: MiddlewareHandler;
  /** Exchanges a token for a session: `GET /session?token=…&to=/path`. */
  open(c: Context): Promise<Response>;
}

/**
 * @param port listening port, when it is known. It is part of the cookie's name, since browsers share cookies among
 *   ports
 */
export function sessionGuard(port: () => number): SessionGuard {
  const tokens = new Map<string, number>();
  const sessions = new Set<string>();
  const cookie = () => `provisioning-ui-${port()}`;
  const origins = () => ['127.0.0.1', 'localhost'].map((host) => `http://${host}:${port()}`);

  return {
    newToken() {
      const token = secret();
      tokens.set(hashOf(token), Date.now() + LINK_MS);
      return token;
    },

    async protect(c, next) {
      const host = c.req.header('host') ?? '';
      // Otherwise a foreign name that resolves to this machine would share our origin.
      if (!origins().includes(`http://${host}`)) return c.text('This is not the address of this Web UI.\n', 421);
      if (c.req.path === '/session' && c.req.method === 'GET') return next();
      const given = getCookie(c, cookie());
      if (!given || !isAmong(sessions, hashOf(given))) return c.text(STRANGER, 401);
      if (!READING.has(c.req.method) && !origins().includes(c.req.header('origin') ?? '')) {
        return c.text('This request comes from another site.\n', 403);
      }
      await next();
    },

    async open(c) {
      const hash = hashOf(c.req.query('token') ?? '');
      const until = tokens.get(hash) ?? 0;
      tokens.delete(hash);
      if (until < Date.now()) return c.text(STRANGER, 401);
      const session = secret();
      sessions.add(hashOf(session));
      setCookie(c, cookie(), session, { path: '/', httpOnly: true, sameSite: 'Strict' });
      c.header('Cache-Control', 'no-store');
      c.header('Referrer-Policy', 'no-referrer');
      const to = c.req.query('to') ?? '/';
      const path = /^\/(?![/\\])/.test(to) ? to : '/';
      // Not a redirect: coming from another site, it would not carry the strict cookie.
      return c.html(html`<!doctype html><meta http-equiv="refresh" content="0;url=${path}" /><title>Opening the Web UI</title>`);
    },
  };
}

const STRANGER = 'No session. Open the link that `provisioning ui` printed; each works once. Press Enter there for a new one.\n';

const secret = (): string => randomBytes(32).toString('base64url');
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const isAmong = (known: Set<string>, hash: string): boolean =>
  [...known].some((one) => timingSafeEqual(Buffer.from(one), Buffer.from(hash)));
