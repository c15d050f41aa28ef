import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import type { PayloadCodec } from '@temporalio/common';
import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { WORKFLOWS_VERSION } from '../core/engine/workflows-version.js';
import type { Home } from '../home/home.js';
import { checkVersions, keepChecked } from './checked-workflows.js';
import { refuseOtherVersions } from './running-versions.js';

vi.mock('./running-versions.js', () => ({ refuseOtherVersions: vi.fn() }));

const folder = mkdtempSync(join(tmpdir(), 'checked-'));
afterAll(() => rmSync(folder, { recursive: true }));
const home = { engine: folder } as Home;
const note = join(folder, 'checked-workflows.json');
const OWN = { kind: 'own', namespace: 'default', taskQueue: 'q' } as const;

beforeEach(() => {
  rmSync(note, { force: true });
  vi.mocked(refuseOtherVersions).mockReset();
});

/**
 * Checks a service with running workflows of these versions.
 *
 * @returns the start of the listed period; undefined: all
 */
async function check(
  versions: number[],
  served: Parameters<typeof checkVersions>[3] = OWN,
  moment?: Parameters<typeof checkVersions>[4],
): Promise<string | undefined> {
  const running = versions.map((version, index) => ({ workflowId: `w-${index}`, runId: 'r', version }));
  vi.mocked(refuseOtherVersions).mockResolvedValueOnce(running);
  expect(await checkVersions(home, {} as Client, {} as PayloadCodec, served, moment)).toEqual(running);
  return vi.mocked(refuseOtherVersions).mock.lastCall?.[3];
}

test('after the first check only what was begun since is listed, and a while more', async () => {
  const began = Date.now();
  expect(await check([WORKFLOWS_VERSION, WORKFLOWS_VERSION])).toBeUndefined();
  const since = Date.parse((await check([])) ?? '');
  expect(since).toBeGreaterThanOrEqual(began - 60_000);
  expect(since).toBeLessThanOrEqual(Date.now() - 60_000);
  expect(await check([])).toBeDefined();
});

test('a start lists everything while a former version began something, a running worker does not', async () => {
  const oldest = () => JSON.parse(readFileSync(note, 'utf8')).oldest;
  await check([WORKFLOWS_VERSION, 1]);
  for (let minutes = 0; minutes < 3; minutes++) {
    expect(await check([WORKFLOWS_VERSION], OWN, 'later')).toBeDefined();
    expect(oldest()).toBe(1);
  }
  expect(await check([WORKFLOWS_VERSION, 1])).toBeUndefined();
  expect(oldest()).toBe(1);
  // The last of them has ended.
  expect(await check([WORKFLOWS_VERSION])).toBeUndefined();
  expect(oldest()).toBe(WORKFLOWS_VERSION);
  expect(await check([])).toBeDefined();
});

test('a running worker lists everything if its note is of no use', async () => {
  expect(await check([], OWN, 'later')).toBeUndefined();
  writeFileSync(note, JSON.stringify({ ...JSON.parse(readFileSync(note, 'utf8')), place: 'default another' }));
  expect(await check([], OWN, 'later')).toBeUndefined();
});

test('what another build noted is checked by what this build continues', async () => {
  await check([WORKFLOWS_VERSION]);
  const known = JSON.parse(readFileSync(note, 'utf8'));
  for (const other of [
    { newest: WORKFLOWS_VERSION + 1 },
    { place: 'default another' },
    { upTo: new Date(Date.now() + 3_600_000).toISOString() },
    { upTo: 'never' },
  ]) {
    writeFileSync(note, JSON.stringify({ ...known, ...other }));
    expect([other, await check([])]).toEqual([other, undefined]);
  }
  writeFileSync(note, '{"place":');
  expect(await check([])).toBeUndefined();
});

test('a check that is refused notes nothing', async () => {
  vi.mocked(refuseOtherVersions).mockRejectedValueOnce(new Error('newer-workflows'));
  await expect(checkVersions(home, {} as Client, {} as PayloadCodec, OWN)).rejects.toThrow('newer-workflows');
  expect(await check([])).toBeUndefined();
});

test('a service that others use is listed whole', async () => {
  for (const served of [{ ...OWN, kind: 'configured' } as const, { ...OWN, deployment: 'd' }]) {
    await check([], served);
    expect(await check([], served)).toBeUndefined();
  }
});

test('a worker goes on checking, one check at a time, whatever fails', async () => {
  const checks = vi.fn(async () => {
    throw new Error('away');
  });
  const end = keepChecked(OWN, checks, 1);
  await vi.waitFor(() => expect(checks.mock.calls.length).toBeGreaterThan(2), 30_000);
  end();
  const { length } = checks.mock.calls;
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(checks.mock.calls.length).toBe(length);
  keepChecked({ ...OWN, deployment: 'd' }, checks, 1)();
});
