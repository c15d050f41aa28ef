import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { mayBeServed } from './start.js';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'served-'));
  await mkdir(join(root, 'engine'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const kindOf = (line: string) => mayBeServed(line.split(' '), { PROVISIONING_HOME: root })?.kind;

test('commands that read a definition are carried out by who is there, or have the worker start it', async () => {
  expect(kindOf('apply infra.yaml --yes --json')).toBeUndefined();
  await writeFile(join(root, 'engine/worker.sock'), '');
  expect(kindOf('apply infra.yaml --yes --json')).toBe('wanted');
  expect(kindOf('validate infra.yaml --json')).toBeUndefined();
  await writeFile(join(root, 'engine/warm.sock'), '');
  expect(kindOf('apply infra.yaml --yes --json')).toBe('there');
  expect(kindOf('validate infra.yaml --yaml')).toBe('there');
});

test.each([
  'status --json',
  'up',
  'apply infra.ts --json',
  'apply infra.k --json',
  'apply infra.ncl --json',
  'apply a.yaml --json -- x',
  'apply - --json',
])('%s runs by itself', async (line) => {
  await writeFile(join(root, 'engine/warm.sock'), '');
  expect(kindOf(line)).toBeUndefined();
});
