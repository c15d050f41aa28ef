import { expect } from 'vitest';
import { EtcdLedger } from './etcd-ledger.js';
import { askMember } from './etcd-member.js';
import { shellOf } from './hosts.js';
import { eventually } from './operations.js';

let count = 0;

const generated = (ca: string, names: readonly string[]) =>
  Object.fromEntries(['certificate', 'key', 'authority'].map((part) => [part, { generate: 'certificate', ca, names, part }]));

/** Returns the configuration of a cluster with TLS for these members. */
export const clusterOf = (servers: readonly string[]) => ({
  cluster: 'main',
  tls: generated('etcd', [...servers, '127.0.0.1']),
  peerTls: generated('etcd-peers', servers),
});

/** What is done to a cluster while a client writes. */
export interface WorkUnderLoad {
  infra: string;
  /** For people, who see how long it took. */
  what: string;
  /** Members in the end. */
  members: readonly string[];
  /** Servers that may be members in the meantime. */
  servers: readonly string[];
  work(): Promise<unknown>;
}

/** Does something while a client writes. Each member has what the client was told of afterwards. */
export async function workUnderLoad({ infra, what, members, servers, work }: WorkUnderLoad): Promise<void> {
  const ledger = new EtcdLedger(infra, `load-${++count}`, servers);
  const isWritten = (more: number) => eventually(async () => expect(ledger.count).toBeGreaterThan(more));
  try {
    await isWritten(10);
    const began = Date.now();
    await work();
    const seconds = (Date.now() - began) / 1_000;
    await isWritten(ledger.count + 10);
    const { acknowledged, open, longestGapMs, backwards } = await ledger.stop();
    const writes = `${acknowledged.length} writes acknowledged, ${open} open, longest gap ${longestGapMs} ms`;
    console.log(`${what}: ${seconds.toFixed(0)} s; ${writes}`);
    expect(backwards).toBe(0);
    for (const name of members) expect(await ledger.missingOn(askMember(shellOf(infra, name)))).toEqual([]);
  } finally {
    await ledger.stop();
  }
}
