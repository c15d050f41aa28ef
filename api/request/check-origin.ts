import { isIPv4, isIPv6 } from 'node:net';
import { inputError } from '../../core/errors.js';

/** Names of this machine in a browser that do not depend on a name server. */
const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Stands for all addresses of a machine and is none of a server. Browsers take it for loopback. */
const UNSPECIFIED = /^(0\.0\.0\.0|\[[0:.]*(ffff:[0:.]+)?\])$/;

/**
 * Whether a host is an address, in the form that a browser writes.
 *
 * A server behind address translation does not know the address that its clients use. Each address may be served: a
 * browser writes into `Host` what is in the URL. Under an address, no name server can lead a page of another site here.
 * A page has the same origin as the server only if this address answered with it. Whoever answers for the address of a
 * server can do so for its names, too, and only TLS helps against both. Other forms of addresses are refused: browsers
 * do not send them.
 */
const isAddress = (name: string): boolean =>
  !UNSPECIFIED.test(name) && (isIPv4(name) || (/^\[[0-9a-f:.]+\]$/.test(name) && isIPv6(name.slice(1, -1))));

/**
 * Refuses a request that a browser sends for a page of another site. The host must be loopback, an address or one of the
 * served names. A foreign name that resolves to this machine would give its pages the same origin as the server (DNS
 * rebinding).
 *
 * @param served `loopback`: only that; otherwise names in lower case that are served as well as all addresses
 * @throws inputError `host-not-served`, `cross-site`
 */
export function checkOrigin(headers: Headers, served: ReadonlySet<string> | 'loopback'): void {
  const host = (headers.get('host') ?? '').toLowerCase();
  const name = host.replace(/:\d{1,5}$/, '');
  const isServed = LOOPBACK.has(name) || (served !== 'loopback' && (served.has(name) || isAddress(name)));
  if (!isServed)
    throw inputError({
      code: 'host-not-served',
      what: 'answer the request',
      why: 'its host is not a name of this server',
      hint: 'start the server with --host-name NAME for each name that clients use',
    });
  const site = headers.get('sec-fetch-site');
  if (site !== null && site !== 'same-origin' && site !== 'none') throw crossSite();
  const origin = headers.get('origin');
  // Behind a proxy that ends TLS the scheme is another one; the host is not.
  if (origin !== null && origin.toLowerCase().replace(/^https?:\/\//, '') !== host) throw crossSite();
}

const crossSite = () =>
  inputError({
    code: 'cross-site',
    what: 'answer the request',
    why: 'it comes from a page of another site',
    hint: 'programs send no Origin and no Sec-Fetch-Site',
  });

/** Names of parameters that are meant for tokens. */
const TOKEN_NAMES = /^(access_?token|token|bearer|authorization|api[-_]?key)$/i;
/** Texts that are tokens of the platform, or headers with a token. */
const TOKEN_TEXTS = /^(prov_[A-Za-z0-9_-]+|bearer\s.*)$/i;

/**
 * Refuses a token in a URL, since URLs are recorded in proxy logs and browser histories.
 *
 * @param path as it was sent
 * @throws inputError `token-in-url`
 */
export function refuseTokenInUrl(path: string, query: string): void {
  const isToken = (text: string) => TOKEN_TEXTS.test(decodeLeniently(text));
  const pairs = query.split('&').map((pair) => pair.split('='));
  const found =
    path.split('/').some(isToken) ||
    pairs.some(([name = '', ...value]) => TOKEN_NAMES.test(decodeLeniently(name)) || isToken(value.join('=')));
  if (!found) return;
  throw inputError({
    code: 'token-in-url',
    what: 'answer the request',
    why: 'its URL has a token, and URLs are kept in logs',
    hint: 'revoke the token, and send the next one in the header Authorization: Bearer',
  });
}

function decodeLeniently(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
