import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import type { ProvisioningError } from '../../core/errors.js';
import { kmsKindOf, openKms } from '../../encryption/kms/open-kms.js';
import { makeFolder } from '../support/temporary-folder.js';
import type { Effects, Place } from './effect.js';

/** A Vault that receives no requests, unless an environment names another one. */
const VAULT = { VAULT_ADDR: 'https://127.0.0.1:1', VAULT_TOKEN: 'x', PROVISIONING_ENCRYPTION_KMS_KEY: 'transit/x' };

const vault = ({ env }: Place, more: NodeJS.ProcessEnv = {}) =>
  openKms('vault', { setUp: 's', env: { ...VAULT, ...more, ...env } });

async function tokenFiles(): Promise<[string, string]> {
  const folder = await makeFolder('effect-token');
  const file = async (token: string) => {
    await writeFile(join(folder, token), `${token}\n`, { mode: 0o600 });
    return join(folder, token);
  };
  return [await file('token-a'), await file('token-b')];
}

/** Returns the token of requests to a Vault, by the name of its file. */
async function tokenOf(place: Place): Promise<string> {
  let token: unknown;
  const api = createServer((request, response) => {
    token = request.headers['x-vault-token'];
    response.writeHead(403).end('{}');
  });
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(api.address() as { port: number }).port}`;
  const kms = await vault(place, { VAULT_ADDR: address, VAULT_TOKEN: undefined });
  await kms.wrap(Buffer.alloc(32)).catch(() => undefined);
  api.closeAllConnections();
  api.close();
  return join(String(place.value), '..', String(token));
}

export const ENCRYPTION_EFFECTS: Effects = {
  'encryption.kms': { values: ['age', 'vault'], sees: 'itself', observe: ({ env }) => kmsKindOf(env) },
  'encryption.kmsKey': {
    values: ['transit/a', 'transit/b'],
    sees: ['Vault transit/a at https://127.0.0.1:1', 'Vault transit/b at https://127.0.0.1:1'],
    observe: async (place) => (await vault(place)).name,
  },
  'encryption.kmsAddress': {
    values: ['https://a', 'https://b'],
    sees: ['Vault transit/x at https://a', 'Vault transit/x at https://b'],
    observe: async (place) => (await vault(place)).name,
  },
  'encryption.kmsFile': { values: tokenFiles, sees: 'itself', observe: tokenOf },
  'encryption.kmsCa': {
    values: ['/nowhere/a.pem', '/nowhere/b.pem'],
    sees: 'itself',
    observe: async (place) => (await vault(place)).wrap(Buffer.alloc(32)).catch((error: ProvisioningError) => error.details.on),
  },
  'encryption.keyCommand': {
    values: ['/opt/a', '/opt/b'],
    sees: ['command "/opt/a"', 'command "/opt/b"'],
    observe: async ({ env }) => (await openKms('command', { setUp: 's', env })).name,
  },
};
