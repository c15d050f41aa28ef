import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { cacheOf } from '../../home/home.js';
import { has } from '../../providers/local/prepare/packages.js';

/** Returns the tools of the comparison on this machine. The bench installs missing ones. */
export async function peersHere(): Promise<Record<string, string>> {
  const ansible = (await has('ansible-playbook')) ? ['ansible'] : [];
  const pyinfra = existsSync(join(cacheOf(), 'bench/pyinfra/bin/pyinfra')) ? ['pyinfra'] : [];
  return { PEERS: ['bare ssh', ...ansible, ...pyinfra].join() };
}
