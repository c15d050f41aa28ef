import { afterEach, beforeEach, expect, test } from 'vitest';
import { workspaceImports } from '../../../stores/rows/workspace-imports.js';
import { type AccessFixture, openFixture } from '../../../test/support/access-fixture.js';
import { failure } from '../../../test/support/secret-client.js';
import { createDispatcher } from '../../dispatch.js';
import type { Engine } from '../../engine.js';
import { createFreeze, endFreeze, endOwnFreeze, readFreezes } from '../../limits/freezes.js';
import { limitCalls } from '../../limits/limit-calls.js';
import { createUndoFreezeId } from '../../limits/undo-freezes.js';
import { createOwner } from '../../principal.js';
import { packContent } from './workspace-content.js';

const EXPORT = '8a1c8a26-2f7b-4a53-8f59-3a4f3b0f6f10';
const OTHER = '9a1c8a26-2f7b-4a53-8f59-3a4f3b0f6f10';
const PLACE = { tenant: '', workspace: 'shop', infra: '*' };

let fixture: AccessFixture;
let data: string;
beforeEach(async () => {
  fixture = await openFixture();
  data = await packContent({
    ...{ id: EXPORT, workspace: 'shop', at: '2026-11-29T10:00:00Z', by: 'ann', setUp: 'cafe', frozen: true },
    ...{ infras: [], secrets: 0, operations: 0, sources: 0, records: [], ended: [] },
  });
});
afterEach(() => fixture.remove());

const rows = () => fixture.stores.rows();

/** Calls the platform beside an engine without workflows. @param hangs whether Temporal never answers */
function calls(hangs = false) {
  const answer = async () => ({ executions: [], nextPageToken: new Uint8Array() });
  const temporal = {
    options: { namespace: 'n', loadedDataConverter: { payloadCodecs: [] } },
    workflowService: { listWorkflowExecutions: hangs ? () => new Promise(() => {}) : answer },
    withDeadline: (_: number, work: () => unknown) => work(),
  };
  const { stores, home } = fixture;
  const engine = { stores, temporal, beside: { home, env: { HOME: home.root } } } as unknown as Engine;
  return createDispatcher({ engine, principal: createOwner('ann@desk'), ...limitCalls(stores) });
}

const undo = (hangs = false) => calls(hangs).call('workspaces.import', { workspace: 'shop', data, undo: true });
const imported = async (state: 'begun' | 'done') =>
  (await rows())
    .table(workspaceImports)
    .put({ workspace: 'shop', export: EXPORT, state, at: '2026-11-29T11:00:00Z', by: 'ann@desk' });
const frozen = async () =>
  (await readFreezes(await rows())).filter(({ row }) => row.endedAt === undefined).map(({ row }) => row.id);
const isImported = async () => (await (await rows()).table(workspaceImports).get({ workspace: 'shop' })) !== undefined;
/** Leaves the freeze of a call that was killed. */
const leaveFreeze = async (id = createUndoFreezeId(EXPORT)) =>
  createFreeze(await rows(), PLACE, { reason: 'x', by: 'ann@desk', id });

test('an undo that was killed is continued by the next one, which ends its freeze', async () => {
  await imported('done');
  // It never goes on, as after a kill -9.
  void undo(true);
  await expect.poll(frozen).toHaveLength(1);
  expect(await calls().call('workspaces.import', { workspace: 'shop', data, check: true })).toMatchObject({ outcome: 'unchanged' });
  expect(await undo()).toMatchObject({ outcome: 'undone' });
  expect([await frozen(), await isImported()]).toEqual([[], false]);
});

test('one that was killed in the midst of the removal is continued', async () => {
  await imported('begun');
  await leaveFreeze();
  expect(await undo()).toMatchObject({ outcome: 'undone' });
  expect([await frozen(), await isImported()]).toEqual([[], false]);
});

test('one that was killed after the removal leaves a freeze, which the next one ends', async () => {
  await leaveFreeze();
  expect(await undo()).toMatchObject({ outcome: 'unchanged' });
  expect(await frozen()).toEqual([]);
});

test('other calls are refused in its freeze', async () => {
  await leaveFreeze();
  for (const input of [{}, { takeOver: true }])
    await expect(calls().call('workspaces.import', { workspace: 'shop', data, ...input })).rejects.toMatchObject(failure('frozen'));
  expect(await frozen()).toHaveLength(1);
});

test('the freeze for another export stays', async () => {
  await imported('done');
  await leaveFreeze(createUndoFreezeId(OTHER));
  expect(await undo()).toMatchObject({ outcome: 'undone' });
  expect(await frozen()).toEqual([expect.stringContaining(OTHER)]);
});

test('an undo in a place that a person froze is refused', async () => {
  await imported('done');
  await leaveFreeze('4b3c8a26-2f7b-4a53-8f59-3a4f3b0f6f10');
  await expect(undo()).rejects.toMatchObject(failure('frozen'));
  expect([await frozen().then(({ length }) => length), await isImported()]).toEqual([1, true]);
});

test('a freeze that a person made while the import was undone stays', async () => {
  await imported('done');
  const own = await leaveFreeze();
  await endFreeze(await rows(), PLACE, 'bob@desk');
  const { freeze } = await leaveFreeze('4b3c8a26-2f7b-4a53-8f59-3a4f3b0f6f10');
  await endOwnFreeze(await rows(), own.freeze, 'ann@desk');
  expect(await frozen()).toEqual([freeze.id]);
  await endOwnFreeze(await rows(), freeze, 'ann@desk');
  await endOwnFreeze(await rows(), freeze, 'ann@desk');
  expect(await frozen()).toEqual([]);
});

test('a call that checks an undo only looks', async () => {
  await imported('done');
  const input = { workspace: 'shop', data, undo: true, check: true };
  expect(await calls().call('workspaces.import', input)).toMatchObject({ outcome: 'unchanged' });
  expect([await frozen(), await isImported()]).toEqual([[], true]);
});
