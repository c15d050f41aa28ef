import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { cacheOf } from '../../../home/home.js';
import type { Transit } from './transit.js';

/**
 * Built by test/support/vault/build.sh from the modules in its go.mod: HashiCorp's own code of transit, tokens,
 * policies and the HTTP API.
 */
const binary = (): string => join(cacheOf(), 'vault-transit-1.21.3');

export const whyNoVault = (): string | undefined =>
  existsSync(binary()) ? undefined : `there is no ${binary()}: sh test/support/vault/build.sh`;

/** Starts the transit engine of HashiCorp Vault 1.21.3, in memory, in a separate process. */
export async function startRealVault(): Promise<Transit & { version: string }> {
  const vault = spawn(binary(), [], { stdio: ['ignore', 'pipe', 'inherit'] });
  const end = () => vault.kill('SIGKILL');
  process.once('exit', end);
  const [listening = '', token = '', version = ''] = (await firstLine(vault.stdout)).split(' ');
  const address = `http://${listening}`;
  const call = async (method: string, path: string, body: object = {}) => {
    const answer = await fetch(`${address}/v1/${path}`, {
      method,
      headers: { 'x-vault-token': token },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer.status === 204 ? {} : ((await answer.json()) as { auth?: { client_token: string } });
  };
  await call('POST', 'sys/mounts/transit', { type: 'transit' });
  const { auth } = await call('POST', 'auth/token/create', { policies: ['default'], no_parent: true });
  return {
    address,
    token,
    powerless: auth?.client_token ?? '',
    version,
    makeKey: async (name) => void (await call('POST', `transit/keys/${name}`)),
    rotate: async (name) => void (await call('POST', `transit/keys/${name}/rotate`)),
    async stop() {
      process.off('exit', end);
      end();
    },
  };
}

async function firstLine(stream: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: stream })) return line;
  throw new Error('the Vault of the tests ended at once');
}
