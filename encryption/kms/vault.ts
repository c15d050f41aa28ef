import { readFile } from 'node:fs/promises';
import { messageOf, ProvisioningError } from '../../core/errors.js';
import { badKmsSetting, type KeyWrapper, type KmsPlace, keyBytes, serviceGone, serviceRefuses, type Verb } from './key-wrapper.js';
import { post } from './post.js';

/** Creates a wrapper with the transit engine of HashiCorp Vault or OpenBao. */
export function openKms({ setUp, env }: KmsPlace): KeyWrapper {
  const address = addressOf(env);
  const [mount, key] = keyOf(env);
  const name = `Vault ${mount}/${key} at ${address.origin}`;
  const associated = Buffer.from(setUp).toString('base64');
  const ask = async (verb: Verb, what: string, body: Record<string, string>, field: string): Promise<string> => {
    const url = new URL(`v1/${mount}/${what}/${key}`, address);
    const [headers, ca] = await Promise.all([headersOf(env), caOf(env)]);
    const { status, text } = await post(url, { headers, ca, body: JSON.stringify({ ...body, associated_data: associated }) }).catch(
      (error) => {
        throw serviceGone(verb, name, messageOf(error), 'is it reached from here? encryption.kmsAddress, encryption.kmsCa');
      },
    );
    return fieldIn(text, status, field, verb, name);
  };
  return {
    kind: 'vault',
    name,
    wrap: (bytes) => ask('wrap', 'encrypt', { plaintext: bytes.toString('base64') }, 'ciphertext'),
    unwrap: async (ciphertext) => keyBytes(await ask('unwrap', 'decrypt', { ciphertext }, 'plaintext'), name),
  };
}

function addressOf(env: NodeJS.ProcessEnv): URL {
  const given = env.PROVISIONING_ENCRYPTION_KMS_ADDRESS || env.VAULT_ADDR || env.BAO_ADDR;
  const setting = 'encryption.kmsAddress';
  if (!given) throw badKmsSetting(setting, 'the address of Vault is missing', 'https://vault.example.org:8200');
  if (!URL.canParse(given)) throw badKmsSetting(setting, `"${given}" is not an address`, 'https://vault.example.org:8200');
  const url = new URL(given.endsWith('/') ? given : `${given}/`);
  const isHere = ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname);
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isHere)) return url;
  throw badKmsSetting(setting, `"${given}" is not https: the token and the keys could be read in transit`, 'https://…');
}

/** Parses `transit/provisioning`, or a name in the mount `transit`. */
function keyOf(env: NodeJS.ProcessEnv): [string, string] {
  const given = env.PROVISIONING_ENCRYPTION_KMS_KEY ?? '';
  const [, mount = 'transit', key] = /^(?:([A-Za-z0-9._/-]+)\/)?([A-Za-z0-9._-]+)$/.exec(given) ?? [];
  if (key && !`${mount}/${key}`.split('/').some((part) => /^\.*$/.test(part))) return [mount, key];
  throw badKmsSetting('encryption.kmsKey', given ? `"${given}" is not a transit key` : 'it names no transit key', 'transit/NAME');
}

async function headersOf(env: NodeJS.ProcessEnv): Promise<Record<string, string>> {
  const path = env.PROVISIONING_ENCRYPTION_KMS_FILE;
  const token = (env.VAULT_TOKEN || env.BAO_TOKEN || (path ? await textAt(path) : '')).trim();
  // The token is never quoted.
  if (!/^[\x21-\x7e]+$/.test(token))
    throw badKmsSetting(
      'VAULT_TOKEN',
      'there is no token for Vault',
      'set VAULT_TOKEN, or encryption.kmsFile: a file with the token, mode 600',
    );
  const namespace = env.VAULT_NAMESPACE || env.BAO_NAMESPACE;
  return { 'x-vault-token': token, 'x-vault-request': 'true', ...(namespace ? { 'x-vault-namespace': namespace } : {}) };
}

async function caOf(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const path = env.PROVISIONING_ENCRYPTION_KMS_CA || env.VAULT_CACERT || env.BAO_CACERT;
  return path ? textAt(path) : undefined;
}

const textAt = (path: string): Promise<string> =>
  readFile(path, 'utf8').catch((error) => {
    throw badKmsSetting(path, messageOf(error));
  });

function fieldIn(text: string, status: number, field: string, verb: Verb, on: string): string {
  try {
    const { data, errors } = JSON.parse(text) as { data?: Record<string, unknown>; errors?: unknown[] };
    const value = data?.[field];
    if (status === 200 && typeof value === 'string' && value !== '') return value;
    const said = errors?.map(String).join('; ').replace(/\s+/g, ' ').slice(0, 300);
    if (status >= 500 || status === 429 || status === 473)
      throw serviceGone(verb, on, `it answers ${status}${said ? `: ${said}` : ''}`);
    if (status >= 400) throw serviceRefuses(verb, on, `it answers ${status}${said ? `: ${said}` : ''}`, hintOf(status));
  } catch (error) {
    if (error instanceof ProvisioningError) throw error;
  }
  if (status >= 500) throw serviceGone(verb, on, `it answers ${status}`);
  throw serviceRefuses(verb, on, `its answer (${status}) is not an answer of transit`, 'check the address of Vault');
}

const hintOf = (status: number): string =>
  status === 403
    ? 'the token needs `update` on MOUNT/encrypt/KEY and MOUNT/decrypt/KEY'
    : 'look at encryption.kmsKey: the mount and the key';
