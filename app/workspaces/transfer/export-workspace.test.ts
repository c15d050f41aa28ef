import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fileRecord } from '../../../core/definition/bundle.js';
import { LIMITS } from '../../../core/limits.js';
import { type AccessFixture, openFixture } from '../../../test/support/access-fixture.js';
import { failure } from '../../../test/support/secret-client.js';
import type { Engine } from '../../engine.js';
import { readFreezes } from '../../limits/freezes.js';
import { exportWorkspace } from './export-workspace.js';

let fixture: AccessFixture;
beforeEach(async () => {
  fixture = await openFixture();
  // More than one part.
  await fixture.stores.blobs.put(fileRecord('shop', randomBytes(2 * LIMITS.workspacePart).toString('base64')));
});
afterEach(() => fixture.remove());

/** Returns an engine without workflows, whose store does something before it keeps the first part. */
function openEngine(before: () => Promise<unknown> = async () => {}): Engine {
  const { stores, home } = fixture;
  let isFirst = true;
  const put = async (text: string) => {
    const work = isFirst ? before : async () => {};
    isFirst = false;
    await work();
    return stores.blobs.put(text);
  };
  const temporal = {
    options: { namespace: 'n', loadedDataConverter: { payloadCodecs: [] } },
    workflowService: { listWorkflowExecutions: async () => ({ executions: [], nextPageToken: new Uint8Array() }) },
    withDeadline: (_: number, work: () => unknown) => work(),
  };
  const blobs = { ...stores.blobs, put };
  return { stores: { ...stores, blobs }, temporal, beside: { home, env: { HOME: home.root } } } as unknown as Engine;
}

const exported = (engine: Engine) =>
  exportWorkspace(engine, { workspace: 'shop', actor: 'ann', check: false, keep: false, inParts: true });
const isFrozen = async () => (await readFreezes(await fixture.stores.rows())).some(({ row }) => row.endedAt === undefined);

test('an export that the same command replaces leaves the freeze, which the other one found', async () => {
  let other: Awaited<ReturnType<typeof exported>> | undefined;
  const former = exported(
    openEngine(async () => {
      other = await exported(openEngine());
    }),
  );
  await expect(former).rejects.toMatchObject(failure('unknown-transfer'));
  expect([other?.summary.frozen, await isFrozen()]).toEqual([true, true]);
});

test('an export that fails ends its freeze', async () => {
  const full = async () => {
    throw new Error('the disk is full');
  };
  await expect(exported(openEngine(full))).rejects.toThrow('the disk is full');
  expect(await isFrozen()).toBe(false);
});
