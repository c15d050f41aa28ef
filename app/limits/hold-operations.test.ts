import { msToTs } from '@temporalio/common/lib/time.js';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { inputError } from '../../core/errors.js';
import { translateWorkspace } from '../../core/tenant-names.js';
import { addressOfFile } from '../../definition/source/file-address.js';
import type { Freeze } from '../../stores/rows/freezes.js';
import { freezes } from '../../stores/rows/freezes.js';
import { type AccessFixture, openFixture } from '../../test/support/access-fixture.js';
import { putBundle } from '../bundle/bundle-store.js';
import type { Engine } from '../engine.js';
import { readEnvironments } from './environments/find-environments.js';
import { recordEnvironment } from './environments/record-environment.js';
import { followFreezes } from './hold-operations.js';

/** A whole number as the API of Temporal has it. */
const ONE = msToTs(1_000).seconds;

let fixture: AccessFixture;
beforeEach(async () => {
  fixture = await openFixture();
});
afterEach(() => fixture.remove());

interface Running {
  /** Its infra does not answer. */
  isMute?: boolean;
  workspace: string;
  infra: string;
  paused?: string;
}

/** Temporal with operations that take pauses as ours do. */
function temporalWith(operations: Record<string, Running>) {
  const asked: string[] = [];
  const attribute = (text: string) => ({
    data: Buffer.from(JSON.stringify(text)),
    metadata: { encoding: Buffer.from('json/plain') },
  });
  const executions = (query: string) =>
    Object.entries(operations)
      .filter(([, { workspace, infra }]) => {
        const named = (name: string, value: string) => !query.includes(`${name} = `) || query.includes(`${name} = '${value}'`);
        return named('ProvisioningWorkspace', workspace) && named('ProvisioningInfra', infra);
      })
      .map(([workflowId, { workspace, infra }]) => ({
        execution: { workflowId, runId: 'r' },
        historyLength: ONE,
        startTime: { seconds: ONE, nanos: 0 },
        type: { name: 'cluster' },
        searchAttributes: {
          indexedFields: { ProvisioningWorkspace: attribute(workspace), ProvisioningInfra: attribute(infra) },
        },
      }));
  const temporal = {
    options: { namespace: 'n', loadedDataConverter: { payloadCodecs: [] } },
    workflowService: {
      listWorkflowExecutions: async ({ query }: { query: string }) => ({ executions: executions(query), nextPageToken: [] }),
    },
    withDeadline: (_: number, work: () => unknown) => work(),
    workflow: {
      getHandle: (id: string) => ({
        describe: async () => ({ type: 'cluster', status: { name: 'RUNNING' } }),
        // A former release applied `old` with the files of a bundle.
        query: async (name: string) => {
          if (Object.values(operations).some(({ infra, isMute }) => isMute && id.endsWith(`/${infra}`))) throw new Error('mute');
          return name === 'request'
            ? { bundle: await keepOldBundle() }
            : id.endsWith('/old')
              ? [{ inForce: true, operation: 'before' }]
              : [];
        },
        async executeUpdate(name: string, { args: [by] }: { args: [{ actor: string; freeze: string }] }) {
          const operation = operations[id] as Running;
          if (name === 'pause' && operation.paused !== undefined) throw refused('already-paused');
          if (name === 'resume' && !operation.paused?.startsWith('freeze')) throw refused('not-paused');
          asked.push(`${name} ${id} by ${by.actor}`);
          if (name === 'pause') operation.paused = `freeze ${by.freeze}`;
          else delete operation.paused;
        },
      }),
    },
  };
  return { engine: { temporal, stores: fixture.stores } as unknown as Engine, asked };
}

async function keepOldBundle(): Promise<string> {
  const address = addressOfFile('default', 'infra: old\n');
  const files = [{ path: 'old.yaml', address, size: 11 }];
  const bundle = { workspace: 'default', infra: 'old', definition: 'a'.repeat(64), main: 'old.yaml', environment: 'prod', files };
  return (await putBundle(fixture.stores.blobs, bundle, { [address]: 'infra: old\n' })).bundle as string;
}

const refused = (code: string) => inputError({ code, what: 'tell the operation', why: code });

async function keep(more: Partial<Freeze>): Promise<void> {
  const row = {
    tenant: '',
    workspace: 'default',
    infra: '*',
    id: 'f',
    reason: 'why',
    createdAt: '2026-11-29T10:00:00Z',
    createdBy: 'ann',
  };
  await (await fixture.stores.rows()).table(freezes).put({ ...row, ...more });
}

const left = async () => (await (await fixture.stores.rows()).table(freezes).list()).rows.map(({ row }) => row.id);
const follow = async (engine: Engine, now?: number) => followFreezes(engine, await fixture.stores.rows(), new Set(), now);

test('operations of a frozen place are paused, each once; others go on', async () => {
  const { engine, asked } = temporalWith({
    a: { workspace: 'default', infra: 'shop' },
    b: { workspace: 'default', infra: 'blog', paused: 'bob' },
    c: { workspace: 'other', infra: 'shop' },
  });
  await keep({});
  await follow(engine);
  await follow(engine);
  expect(asked).toEqual(['pause a by ann']);
});

test('a freeze of a tenant pauses operations in its workspaces, and none of others', async () => {
  const { engine, asked } = temporalWith({
    a: { workspace: translateWorkspace('4k2m9d7q', 'default'), infra: 'shop' },
    b: { workspace: translateWorkspace('4k2m9d7q', 'blog'), infra: 'shop' },
    c: { workspace: translateWorkspace('5k2m9d7q', 'default'), infra: 'shop' },
    d: { workspace: 'default', infra: 'shop' },
  });
  await keep({ tenant: '4k2m9d7q', workspace: translateWorkspace('4k2m9d7q', 'blog') });
  await follow(engine);
  expect(asked).toEqual(['pause b by ann']);
  await keep({ tenant: '4k2m9d7q', workspace: '*' });
  await follow(engine);
  expect(asked).toEqual(['pause b by ann', 'pause a by ann']);
});

test('a freeze of an environment pauses operations of the infras in it, also of those that a former release applied', async () => {
  const { engine, asked } = temporalWith({
    a: { workspace: 'default', infra: 'shop' },
    b: { workspace: 'default', infra: 'old' },
    c: { workspace: 'default', infra: 'none' },
    d: { workspace: 'other', infra: 'shop' },
  });
  const rows = await fixture.stores.rows();
  await recordEnvironment(rows, { workspace: 'default', infra: 'shop' }, 'prod');
  await recordEnvironment(rows, { workspace: 'other', infra: 'shop' }, 'prod');
  await keep({ infra: '@prod' });
  await follow(engine);
  expect(asked.sort()).toEqual(['pause a by ann', 'pause b by ann']);
  expect(await readEnvironments(rows, { workspace: 'default', infra: 'old' })).toEqual(['prod']);
  await keep({ infra: '@prod', endedAt: '2026-11-29T11:00:00Z', endedBy: 'bob' });
  asked.length = 0;
  await follow(engine, Date.parse('2026-11-29T11:00:01Z'));
  expect(asked.sort()).toEqual(['resume a by bob', 'resume b by bob']);
});

test('the end of a freeze resumes what it paused, and not what somebody else paused, nor what is still frozen', async () => {
  const { engine, asked } = temporalWith({
    a: { workspace: 'default', infra: 'shop', paused: 'freeze f' },
    b: { workspace: 'default', infra: 'blog', paused: 'bob' },
    c: { workspace: 'default', infra: 'wiki', paused: 'freeze f' },
  });
  const endedAt = '2026-11-29T11:00:00Z';
  await keep({ endedAt, endedBy: 'bob' });
  await keep({ id: 'g', infra: 'wiki' });
  await follow(engine, Date.parse(endedAt) + 1_000);
  expect([asked, await left()]).toEqual([['resume a by bob'], ['f', 'g']]);
  await follow(engine, Date.parse(endedAt) + 60_000);
  expect([asked, await left()]).toEqual([['resume a by bob'], ['g']]);
});

test('an infra that does not answer keeps no other operation and no other freeze from the update', async () => {
  const operations: Record<string, Running> = {
    a: { workspace: 'default', infra: 'mute', isMute: true },
    b: { workspace: 'default', infra: 'shop' },
    c: { workspace: 'other', infra: 'blog' },
    d: { workspace: 'third', infra: 'wiki', paused: 'freeze h' },
  };
  const { engine, asked } = temporalWith(operations);
  await recordEnvironment(await fixture.stores.rows(), { workspace: 'default', infra: 'shop' }, 'prod');
  await keep({ infra: '@prod' });
  await keep({ id: 'g', workspace: 'other' });
  await keep({ id: 'h', workspace: 'third', endedAt: '2026-11-29T11:00:00Z', endedBy: 'bob' });
  await expect(follow(engine)).rejects.toMatchObject({ details: { code: 'engine-not-answering' } });
  expect(asked.sort()).toEqual(['pause b by ann', 'pause c by ann', 'resume d by bob']);
  expect(await left()).toEqual(['f', 'g']);
});

test('environments are asked for only if a freeze of an environment decides', async () => {
  const { engine, asked } = temporalWith({
    a: { workspace: 'default', infra: 'mute', isMute: true, paused: 'freeze f' },
    b: { workspace: 'default', infra: 'shop', isMute: true, paused: 'freeze f' },
  });
  // Of another workspace, and of one infra.
  await keep({ endedAt: '2026-11-29T11:00:00Z', endedBy: 'bob' });
  await keep({ id: 'g', workspace: 'other', infra: '@prod' });
  await keep({ id: 'h', infra: 'shop' });
  await follow(engine, Date.parse('2026-11-29T11:00:01Z'));
  expect(asked).toEqual(['resume a by bob']);
});
