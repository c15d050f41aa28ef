import type { Client } from '@temporalio/client';
import { defaultPayloadConverter, type PayloadCodec } from '@temporalio/common';
import { expect, test } from 'vitest';
import { VERSION_MEMO, WORKFLOWS_SINCE, WORKFLOWS_VERSION } from '../core/engine/workflows-version.js';
import { recordingCodec } from '../test/support/histories.js';
import { refuseOtherVersions } from './running-versions.js';

const PINNED = 1;
const namespace = 'default';

interface Running {
  id: string;
  version?: number;
  behavior?: number;
  ended?: true;
  /** Written by an author without the key. */
  plain?: true;
}

/** Emulates Temporal with these running workflows, in pages of two. */
async function runs(codec: PayloadCodec, running: readonly Running[]): Promise<Client> {
  const executions = await Promise.all(
    running.map(async ({ id, version, behavior, plain }) => {
      const payload = defaultPayloadConverter.toPayload(version);
      const [sealed] = plain ? [payload] : await codec.encode([payload], { type: 'workflow', namespace, workflowId: id });
      const memo = version === undefined ? undefined : { fields: { [VERSION_MEMO]: sealed } };
      return { execution: { workflowId: id, runId: id }, memo, versioningInfo: { behavior } };
    }),
  );
  return {
    options: { namespace },
    workflowService: {
      listWorkflowExecutions: async ({ nextPageToken }: { nextPageToken?: Uint8Array }) => {
        const from = nextPageToken?.[0] ?? 0;
        const more = from + 2 < executions.length;
        return { executions: executions.slice(from, from + 2), nextPageToken: Uint8Array.from(more ? [from + 2] : []) };
      },
    },
    workflow: {
      getHandle: (id: string) => ({
        describe: async () => ({ status: { name: running.find((one) => one.id === id)?.ended ? 'COMPLETED' : 'RUNNING' } }),
      }),
    },
  } as unknown as Client;
}

const [OLD, NEW] = [WORKFLOWS_SINCE - 1, WORKFLOWS_VERSION + 1];

test.each<[string, Running[], string | undefined]>([
  ['nothing', [], undefined],
  ['what this build, or the former release, began', [{ id: 'a', version: WORKFLOWS_VERSION }, { id: 'b' }], undefined],
  ['one that is too old, on a later page', [{ id: 'a' }, { id: 'b' }, { id: 'c', version: OLD }], 'former-workflows: c'],
  ['one that is too new', [{ id: 'a', version: NEW }, { id: 'b' }], 'newer-workflows: a'],
  [
    'both, of which the older have to end first',
    [
      { id: 'a', version: NEW },
      { id: 'b', version: OLD },
    ],
    'former-workflows: b',
  ],
  ['one that has ended meanwhile', [{ id: 'a', version: OLD, ended: true }], undefined],
  ['one of which somebody without the key says so', [{ id: 'a', version: OLD, plain: true }], undefined],
  ['many', ['g', 'f', 'e', 'd', 'c', 'b', 'a'].map((id) => ({ id, version: OLD })), 'former-workflows: a, b, c, d, e, and 2 more'],
])('where there is %s', async (_, running, refusal) => {
  const codec = await recordingCodec('mark');
  const temporal = await runs(codec, running);
  const refused = await refuseOtherVersions(temporal, codec, { taskQueue: 'q' }).then(
    () => undefined,
    ({ details }) => details,
  );
  expect(refused && `${refused.code}: ${refused.on}`).toBe(refusal);
});

test('in a fleet, what is pinned to another build is not its own', async () => {
  const codec = await recordingCodec('mark');
  const temporal = await runs(codec, [{ id: 'pinned', version: OLD, behavior: PINNED }]);
  await refuseOtherVersions(temporal, codec, { taskQueue: 'q', deployment: 'd' });
  await expect(refuseOtherVersions(temporal, codec, { taskQueue: 'q' })).rejects.toThrow('pinned');
});

test('after a moment only what was begun since then is listed', async () => {
  const queries: string[] = [];
  const temporal = await runs(await recordingCodec('mark'), []);
  const list = temporal.workflowService.listWorkflowExecutions.bind(temporal.workflowService);
  Object.assign(temporal.workflowService, {
    listWorkflowExecutions: (request: { query: string }) => {
      queries.push(request.query);
      return list(request);
    },
  });
  const codec = await recordingCodec('mark');
  await refuseOtherVersions(temporal, codec, { taskQueue: 'q' });
  await refuseOtherVersions(temporal, codec, { taskQueue: 'q' }, '2026-11-29T12:00:00.000Z');
  const [all, since] = queries;
  expect(all).not.toContain('StartTime');
  expect(since).toBe(`${all} AND StartTime >= '2026-11-29T12:00:00.000Z'`);
});
