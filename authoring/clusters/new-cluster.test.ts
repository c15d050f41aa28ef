import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Context } from '../context.js';
import { prepareCluster } from './new-cluster.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'new-cluster-'));
});
afterEach(() => rm(folder, { recursive: true }));

test.each(['\n', '\n\n', ' \n\t'])('a description with the line break %j stays one comment', async (end) => {
  const file = join(folder, 'own.json');
  const vars = { count: { type: 'number', default: 1, description: `How${end}many: {${end}now` } };
  const servers = [{ name: 'web', count: '{{ vars.count }}' }];
  await writeFile(file, JSON.stringify({ description: `One${end}two: [${end}three${end}`, vars, servers }));
  const template = { name: 'own', file, within: folder, builtIn: false };
  const { edit } = await prepareCluster({} as Context, template, { infra: 'shop' }, folder);
  expect(edit.after).toContain('# One two: [ three: provisioning cluster templates own\n');
  expect(edit.after).toContain('    # How many: { now\n    # count: 1\n');
  expect(parse(edit.after)).toEqual({ infra: 'shop', use: { own: {} } });
});
