import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parseWorkerIdentity, workerIdentity } from '../../core/names.js';
import { homeOf } from '../../home/home.js';
import { status, workerProblems } from './status.js';

const poller = (build?: string) => ({
  identity: build ? workerIdentity(build, 7, 'here') : '7@here',
  build,
  lastSeen: '2026-01-01T00:00:00.000Z',
});

test('a worker can be told from its identity, a stranger cannot', () => {
  expect(parseWorkerIdentity(workerIdentity('abc123', 7, 'my-host'))).toEqual({ build: 'abc123', pid: 7, hostname: 'my-host' });
  expect(parseWorkerIdentity('7@my-host')).toBeUndefined();
});

test('what is wrong with the workers is said', () => {
  expect(workerProblems([], 'new')).toEqual([expect.stringContaining('no worker polls')]);
  expect(workerProblems([poller('new')], 'new')).toEqual([]);
  expect(workerProblems([poller('new'), poller('old')], 'new')).toEqual([
    expect.stringContaining('"worker/old/7@here" is of another version'),
  ]);
  expect(workerProblems([poller()], 'new')).toHaveLength(1);
});

test('an identity that cannot be read is a problem among others', async () => {
  const home = homeOf({ PROVISIONING_HOME: await mkdtemp(join(tmpdir(), 'status-')) });
  onTestFinished(() => rm(home.root, { recursive: true }));
  await writeFile(home.identity, '{');
  expect(await status(home, { env: {} })).toMatchObject({
    state: 'stopped',
    problems: [expect.stringContaining('the file has no valid identity'), expect.stringContaining('no engine runs')],
  });
});
