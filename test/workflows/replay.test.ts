import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger, Worker, type WorkflowBundleOption } from '@temporalio/worker';
import { DeterminismViolationError } from '@temporalio/workflow';
import { beforeAll, describe, expect, test } from 'vitest';
import { workflowsOf } from '../../scripts/build-workflows.js';
import { createDataConverter } from '../../workers/data-converter.js';
import * as workflows from '../../workflows/index.js';
import { historyOf, readRecording, recordingCodec, recordingsIn } from '../support/histories.js';
import { useNativeRuntime } from '../support/native-runtime.js';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const dist = join(root, 'dist');
const names = [...recordingsIn('former'), ...recordingsIn('present')];

/** Replays a history like the worker: sealed, with the worker's own codec, under its original id. */
const replay = async (workflowBundle: WorkflowBundleOption, name: string) => {
  const recording = await readRecording(name);
  const dataConverter = createDataConverter(await recordingCodec('mark'), dist);
  return Worker.runReplayHistory({ workflowBundle, dataConverter }, historyOf(recording), recording.workflowId);
};

/** Bundles the workflows with a changed source. */
async function bundleWith(file: string, change: (source: string) => string): Promise<WorkflowBundleOption> {
  const place = await mkdtemp(join(tmpdir(), 'changed-workflows-'));
  try {
    for (const room of ['workflows', 'core', 'encryption']) await cp(join(root, room), join(place, room), { recursive: true });
    await symlink(join(root, 'node_modules'), join(place, 'node_modules'));
    await cp(join(root, 'package.json'), join(place, 'package.json'));
    const source = await readFile(join(place, file), 'utf8');
    const changed = change(source);
    expect(changed).not.toBe(source);
    await writeFile(join(place, file), changed);
    return await bundleWorkflowCode({ ...workflowsOf(place), logger: new DefaultLogger('WARN') });
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

/** Swaps two lines, each of which must occur exactly once. */
function exchange(source: string, one: string, other: string): string {
  for (const line of [one, other]) expect(source.split(line)).toHaveLength(2);
  return source.replace(one, '\0').replace(other, one).replace('\0', other);
}

const REMEMBER = 'await rememberDefinition(operation);';
const MAKE = 'await makeMachines(operation, work, machines, rolling.rolls);';
const LAST = 'await deleteUnusedNetworks(operation);';

describe('golden histories', () => {
  const built = { codePath: join(dist, 'workflows.js') };

  beforeAll(useNativeRuntime);

  test('there are some of each workflow', async () => {
    const types = await Promise.all(
      names.map(async (name) => (await readRecording(name)).events[0]?.workflowExecutionStartedEventAttributes?.workflowType.name),
    );
    expect([...new Set(types)].sort()).toEqual(Object.keys(workflows).sort());
  });

  test.each(names)('%s', async (name) => {
    // The recording must end with the end of its workflow: a recording that has only begun would replay nothing.
    expect((await readRecording(name)).events.at(-1)?.eventType).toMatch(/_(COMPLETED|FAILED|CANCELED|CONTINUED_AS_NEW)$/);
    await replay(built, name);
  });

  test('only who has the key, and replays under the id that it had, gets through', async () => {
    const { workflowId, ...recording } = await readRecording('former/cluster-check');
    const dataConverter = createDataConverter(await recordingCodec('mark'), dist);
    const run = (options: object, id: string) =>
      Worker.runReplayHistory({ workflowBundle: built, ...options }, historyOf({ workflowId, ...recording }), id);
    await run({ dataConverter }, workflowId);
    await expect(run({}, workflowId)).rejects.toThrow();
    await expect(run({ dataConverter }, 'another')).rejects.toThrow();
  });

  test.each([
    ['former/cluster-apply', 'workflows/runbook/runbook.ts', REMEMBER, MAKE],
    ['former/server-create', 'workflows/runbook/runbook.ts', REMEMBER, MAKE],
    ['former/taskserv-ensure', 'workflows/runbook/runbook.ts', REMEMBER, LAST],
    ['former/infra', 'workflows/infra/watch-holders.ts', 'await sleep(pause);', 'await lookOnce();'],
  ])('%s does not replay with two steps exchanged', async (name, file, one, other) => {
    const exchanged = await bundleWith(file, (source) => exchange(source, one, other));
    await expect(replay(exchanged, name)).rejects.toThrow(DeterminismViolationError);
  });

  test('a step exchanged where a history does not come by is no fault of that history', async () => {
    const exchanged = await bundleWith('workflows/runbook/runbook.ts', (source) => exchange(source, MAKE, LAST));
    await replay(exchanged, 'former/cluster-nothing-to-do');
  });
});
