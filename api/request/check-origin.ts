import { inputError } from '../../core/errors.js';

/** Names of this machine in a browser that do not depend on a name server. */
const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Refuses a request that a browser sends for a page of another site. The host must be loopback or one of the served
 * names. A foreign name that resolves to this machine would give its pages the same origin as the server (DNS
 * rebinding).
 *
 * @param names served in addition to loopback, in lower case
 * @throws inputError `host-not-served`, `cross-site`
 */
export function checkOrigin(headers: Headers, names: ReadonlySet<string>): void {
  const host = (headers.get('host') ?? '').toLowerCase();
  const name = host.replace(/:\d{1,5}$/, '');
  if (!LOOPBACK.has(name) && !names.has(name))
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
