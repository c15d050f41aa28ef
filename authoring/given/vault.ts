import * as z from 'zod';
import { inputError, messageOf, unreachableError } from '../../core/errors.js';
import { pathAndField, readBoundCredentials, readField } from './bound.js';
import type { GivenKind } from './given-kind.js';

const error = 'write MOUNT/PATH#FIELD';
const FORM = /^[A-Za-z0-9_][\w.-]*(?:\/[A-Za-z0-9_][\w.-]*)+#[^#\p{Cc}]{1,200}$/u;
/** Time limit of a server's answer, in milliseconds. */
const PATIENCE_MS = 10_000;
const MOST_BYTES = 1024 * 1024;

/**
 * `{ vault: MOUNT/PATH#FIELD }`: a field of a secret in Vault or OpenBao, key-value engine version 2. Address and
 * token are the workspace secrets `vault/address` and `vault/token`. A definition cannot name another server.
 */
export const vaultReference: GivenKind<{ vault: string }> = {
  form: '{ vault: MOUNT/PATH#FIELD }',
  keys: ['vault'],
  shape: z.strictObject({ vault: z.string({ error }).max(500, { error }).regex(FORM, { error }) }),
  async read({ vault }, place) {
    const { address, token, namespace } = await readBoundCredentials(place, 'vault', ['address', 'token'], ['namespace']);
    const [path, field] = pathAndField(vault);
    const [mount, ...rest] = path.split('/');
    const headers = { 'X-Vault-Token': token, ...(namespace && { 'X-Vault-Namespace': namespace }) };
    const answer = await ask(new URL(`v1/${mount}/data/${rest.join('/')}`, baseOf(address)), headers, vault);
    return readField((answer as { data?: { data?: unknown } }).data?.data, field, path);
  },
};

function baseOf(address: string): URL {
  const url = URL.canParse(address) ? new URL(`${address.replace(/\/$/, '')}/`) : undefined;
  const isHere = url !== undefined && /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isHere)) return url;
  // The message leaves out the address, which may contain a password.
  const why = 'the address does not use https, so the token would be readable in transit';
  throw inputError({
    code: 'given-credentials',
    what: 'reach Vault',
    on: 'vault/address',
    why,
    hint: 'provisioning secret set vault/address',
  });
}

async function ask(url: URL, headers: Record<string, string>, on: string): Promise<unknown> {
  const missing = (why: string, hint?: string) =>
    inputError({ code: 'given-missing', what: 'read the secret', on, why, ...(hint && { hint }) });
  const away = (why: string) => unreachableError({ code: 'given-unreachable', what: 'reach Vault', on: url.host, why });
  // Following a redirect would send the token to another server.
  const response = await fetch(url, { headers, redirect: 'error', signal: AbortSignal.timeout(PATIENCE_MS) }).catch((thrown) => {
    throw away(messageOf((thrown as Error).cause ?? thrown));
  });
  const { status } = response;
  if (status === 403) throw missing('the token of the workspace may not read it', 'provisioning secret set vault/token');
  if (status === 404) throw missing('there is no such secret, or it is deleted');
  if (status >= 500 || status === 429) throw away(`it answers with status ${status}`);
  if (status !== 200) throw missing(`Vault answers with status ${status}`);
  const text = await response.text();
  try {
    if (text.length > MOST_BYTES) throw new Error();
    return JSON.parse(text);
  } catch {
    throw missing('the answer of Vault is too long or not JSON');
  }
}
