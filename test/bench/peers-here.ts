import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { cacheOf } from '../../home/home.js';
import { has } from '../../providers/local/prepare/packages.js';

/** Peers of the comparison that this machine has; the bench installs those that it lacks. */
export async function peersHere(): Promise<Record<string, string>> {
  const ansible = (await has('ansible-playbook')) ? ['ansible'] : [];
  const pyinfra = existsSync(join(cacheOf(), 'bench/pyinfra/bin/pyinfra')) ? ['pyinfra'] : [];
  return { PEERS: ['bare ssh', ...ansible, ...pyinfra].join() };
}
