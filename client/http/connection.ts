import { readFileSync } from 'node:fs';
import { inputError, messageOf } from '../../core/errors.js';
import { currentContext, findContext, listContexts, readToken, THIS_MACHINE } from '../../home/contexts/contexts.js';
import type { Home } from '../../home/home.js';

/** A server of the API, and the credentials of its caller. */
export interface ServerConnection {
  /** `https://provisioning.example.org`, without a slash at its end. */
  url: string;
  /** A token, without `Bearer`. */
  token: string;
  /** The certificates of trusted authorities, as PEM. Absent: the authorities that Node trusts. */
  ca?: string;
}

/** The server that commands call, and the source of that choice. */
export interface ChosenContext {
  /** The name of the context; absent: `PROVISIONING_SERVER` names the server. */
  name?: string;
  by: 'variable' | 'server-variable' | 'current';
  url: string;
  ca?: string;
  workspace?: string;
  /** Source of the token. */
  tokenBy: 'PROVISIONING_TOKEN' | 'login';
}

export interface Asker {
  home: Home;
  env: NodeJS.ProcessEnv;
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * Returns the server that commands call instead of this machine's engine; undefined if no server is chosen.
 * `PROVISIONING_CONTEXT` decides, then `PROVISIONING_SERVER`, then `PROVISIONING_SOCKET` (which is not a server), then
 * `context use`. Files of a workspace have no influence.
 *
 * @throws inputError `unknown-context`, `server-url`, `server-ca`
 */
export function chooseContext({ home, env }: Asker): ChosenContext | undefined {
  const named = env.PROVISIONING_CONTEXT || undefined;
  if (named === THIS_MACHINE) return undefined;
  if (named !== undefined) return chosenContext(home, env, named, 'variable');
  if (env.PROVISIONING_SERVER) {
    const ca = env.PROVISIONING_SERVER_CA ? readCa(env.PROVISIONING_SERVER_CA) : undefined;
    const url = checkServerUrl(env.PROVISIONING_SERVER);
    return { by: 'server-variable', url, ...(ca !== undefined && { ca }), tokenBy: 'PROVISIONING_TOKEN' };
  }
  if (env.PROVISIONING_SOCKET) return undefined;
  const current = currentContext(home);
  return current === undefined ? undefined : chosenContext(home, env, current, 'current');
}

/**
 * Returns the server of the active context with its token; undefined if commands call this machine's engine.
 *
 * @throws inputError `unknown-context`, `server-url`, `server-ca`, `not-logged-in`, `bad-token`, `folder-not-private`
 */
export function readConnection(asking: Asker): ServerConnection | undefined {
  const chosen = chooseContext(asking);
  if (!chosen) return undefined;
  const { name, url, ca, tokenBy } = chosen;
  const token =
    tokenBy === 'login' && name !== undefined ? readToken(asking.home, name) : asking.env.PROVISIONING_TOKEN?.trim() || undefined;
  if (token !== undefined) return { url, token: checkToken(token, tokenBy), ...(ca !== undefined && { ca }) };
  throw inputError({
    code: 'not-logged-in',
    what: 'call the server',
    on: name ?? url,
    why: name === undefined ? 'PROVISIONING_TOKEN has no token' : 'the context has no token',
    hint: name === undefined ? 'set PROVISIONING_TOKEN' : `provisioning login --context ${name}`,
  });
}

/**
 * Returns whether the token comes from `PROVISIONING_TOKEN`. If `PROVISIONING_SERVER` is also set, the token belongs
 * to that server and is sent to no other.
 */
const tokenOfVariable = (env: NodeJS.ProcessEnv): boolean => Boolean(env.PROVISIONING_TOKEN) && !env.PROVISIONING_SERVER;

function chosenContext(home: Home, env: NodeJS.ProcessEnv, name: string, by: ChosenContext['by']): ChosenContext {
  const found = findContext(home, name);
  if (!found) throw unknownContext(home, name, by === 'current');
  const { server, ...more } = found;
  return { name, by, url: checkServerUrl(server), ...more, tokenBy: tokenOfVariable(env) ? 'PROVISIONING_TOKEN' : 'login' };
}

/** Creates the error for a context that this home does not have. */
export function unknownContext(home: Home, name: string, isCurrent = false) {
  const known = listContexts(home);
  return inputError({
    code: 'unknown-context',
    what: 'find the context',
    on: name,
    why: isCurrent ? '`context use` has chosen it, and it is gone' : 'this home has no context of this name',
    hint: known.length > 0 ? `contexts: ${known.join(', ')}` : `provisioning context add ${name} --server https://…`,
  });
}

/**
 * The address of a server without its trailing slash. Plain HTTP is for loopback only: others on the way would read the token.
 *
 * @throws inputError `server-url`
 */
export function checkServerUrl(text: string): string {
  const refuse = (why: string) =>
    inputError({
      code: 'server-url',
      what: 'read the address of the server',
      on: text.replace(/\/\/[^@/]*@/, '//…@'),
      why,
      hint: 'https://provisioning.example.org',
    });
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol)) throw refuse('it is no address of the form https://HOST[:PORT]');
  if (url.username || url.password) throw refuse('it has a user or a password');
  if (url.pathname !== '/' || url.search || url.hash) throw refuse('it has more than a host and a port');
  if (url.protocol === 'http:' && !LOOPBACK.test(url.hostname)) throw refuse('plain HTTP is for loopback only: use https://');
  return url.origin;
}

/** Returns the certificates in a file. @throws inputError `server-ca` for a file without certificates */
export function readCa(path: string): string {
  const refuse = (why: string) => inputError({ code: 'server-ca', what: 'read the certificates of the server', on: path, why });
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw refuse(messageOf(error));
  }
  const certificates = text.match(/-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g);
  if (!certificates) throw refuse('the file has no certificate in PEM');
  // Other content of the file, such as a key, is dropped.
  return `${certificates.join('\n')}\n`;
}

/** Characters of a bearer (RFC 9110). @throws inputError `bad-token` if it cannot be one */
export function checkToken(token: string, from: string): string {
  if (/^[A-Za-z0-9._~+/-]{1,4096}=*$/.test(token)) return token;
  throw inputError({
    code: 'bad-token',
    what: 'read the token',
    on: from,
    why: 'it has characters that no token has',
    hint: TOKEN_FORM,
  });
}

const TOKEN_FORM = 'a token has the form prov_ID_SECRET; provisioning token create makes one';
