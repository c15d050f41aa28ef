import { readFile } from 'node:fs/promises';
import { secondsOfEnded } from '../batch/cpu.js';
import type { Host } from './hosts.js';
import type { Peer } from './peer.js';

/** Returns the processor time of a peer's command, long-lived programs and hosts, in seconds. */
export async function processorOf(peer: Peer, hosts: readonly Host[]): Promise<Record<string, number>> {
  const own = (await peer.processor?.()) ?? {};
  let onHosts = 0;
  for (const { container } of hosts) onHosts += await secondsIn(container);
  return { command: await secondsOfEnded(), ...own, hosts: onHosts };
}

/** Adds the processor time between two readings. */
export function addSpent(sum: Record<string, number>, from: Record<string, number>, to: Record<string, number>): void {
  for (const [name, seconds] of Object.entries(to)) sum[name] = (sum[name] ?? 0) + seconds - (from[name] ?? 0);
}

/** Returns the processor time of a container in seconds, for both versions of cgroups. */
export async function secondsIn(container: string): Promise<number> {
  const first = await readFile(`/sys/fs/cgroup/cpuacct/docker/${container}/cpuacct.usage`, 'utf8').catch(() => undefined);
  if (first !== undefined) return Number(first) / 1e9;
  for (const folder of [`docker/${container}`, `system.slice/docker-${container}.scope`]) {
    const stat = await readFile(`/sys/fs/cgroup/${folder}/cpu.stat`, 'utf8').catch(() => '');
    const [, used] = /usage_usec (\d+)/.exec(stat) ?? [];
    if (used !== undefined) return Number(used) / 1e6;
  }
  return 0;
}
