import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, it } from 'vitest';
import type { Scope } from '../../core/machine/call-context.js';
import type { ProviderConnection, WantedServer } from '../../core/machine/provider.js';
import { aroundServers } from './cases/around-servers.js';
import type { ContractCase, ContractSubject, Kind, Stage } from './cases/case.js';
import { networks } from './cases/networks.js';
import { ending, ownership } from './cases/ownership.js';
import { selling } from './cases/selling.js';
import { servers } from './cases/servers.js';
import { volumes } from './cases/volumes.js';
import { hostAccess } from './host-access.js';

export type { ContractSubject } from './cases/case.js';

/** All guarantees, in the order of the tests: later ones use resources of earlier ones. */
export const CASES: readonly ContractCase[] = [
  ...networks,
  ...servers,
  ...ownership,
  ...volumes,
  ...aroundServers,
  ...selling,
  ...ending,
];

/**
 * Kinds of cases that every provider passes. A new provider begins with these (scripts/templates). All other kinds
 * depend on features.
 *
 * @public
 */
export const FIRST_KINDS: readonly Kind[] = ['network', 'server', 'ownership', 'volume'];

/**
 * Tests the guarantees of every provider (core/machine/provider.ts, `Verbs`). Guarantees of features that it lacks are
 * skipped.
 *
 * @param kinds limits the cases to these kinds; default: all
 */
export function providerContract(subject: ContractSubject, { kinds }: { kinds?: readonly Kind[] } = {}): void {
  const stage = stageOf(subject);

  beforeAll(async () => {
    stage.open(await subject.connect());
  });

  afterAll(async () => {
    const { connection, scope, stranger } = stage;
    for (const whose of [scope, stranger]) {
      for (const { name } of await connection.servers.list({ scope: whose }))
        await connection.servers.delete(name, { scope: whose });
      for (const { name } of await connection.volumes.list({ scope: whose }))
        await connection.volumes.delete(name, { scope: whose });
      for (const { name } of await connection.networks.list({ scope: whose }))
        await connection.networks.delete(name, { scope: whose });
    }
  });

  for (const { kind, cases } of runsOf(CASES.filter(({ kind }) => kinds?.includes(kind) ?? true))) {
    describe(kind, () => {
      for (const { title, offered, run } of cases) {
        it(title, async ({ skip }) => {
          if (offered && !offered(stage)) skip(`${subject.provider.name} does not offer it`);
          // Remains of a failed case would fail the following cases.
          await run(stage).catch(async (error: unknown) => {
            await stage.remove('extra-1', 'extra-2').catch(() => {});
            throw error;
          });
        });
      }
    });
  }
}

/** Groups successive cases of one kind. */
function runsOf(cases: readonly ContractCase[]): { kind: Kind; cases: ContractCase[] }[] {
  const runs: { kind: Kind; cases: ContractCase[] }[] = [];
  for (const one of cases) {
    const last = runs.at(-1);
    if (last?.kind === one.kind) last.cases.push(one);
    else runs.push({ kind: one.kind, cases: [one] });
  }
  return runs;
}

function stageOf(subject: ContractSubject): Stage & { open(connection: ProviderConnection): void } {
  const { provider } = subject;
  const scope: Scope = {
    workspace: subject.labels?.workspace ?? 'contract',
    infra: `c${randomUUID().slice(0, 6)}`,
    uuid: randomUUID(),
  };
  const setup = subject.labels?.setup ?? `contract-${process.pid}`;
  const access = hostAccess();
  let opened: ProviderConnection | undefined;
  let extras = 0;
  const stage: Stage = {
    subject,
    provider,
    scope,
    stranger: { ...scope, uuid: randomUUID() },
    setup,
    access,
    get connection() {
      if (!opened) throw new Error('the provider is not connected yet');
      return opened;
    },
    context: (key = 'operation/step/1', whose = scope) => ({ scope: whose, key, setup }),
    wanted: (changes: Partial<WantedServer> = {}): WantedServer => ({
      name: 'web-1',
      role: 'web',
      plan: provider.sizes.small,
      image: provider.images.default,
      labels: { team: 'red' },
      volumes: [{ name: 'data', sizeGiB: 10, mount: '/srv/data' }],
      network: 'default',
      ...changes,
    }),
    async extra(changes) {
      const wanted = stage.wanted({ name: 'extra-1', volumes: [], ...changes });
      const context = { ...stage.context(`operation/extra/${++extras}`), access };
      const made = await stage.connection.servers.create(wanted, context);
      return stage.connection.servers.ready(made.name, { scope, signal: AbortSignal.timeout(60_000) });
    },
    async remove(...names) {
      for (const name of names) await stage.connection.servers.delete(name, { scope });
    },
  };
  return Object.assign(stage, {
    open(connection: ProviderConnection) {
      opened = connection;
    },
  });
}
