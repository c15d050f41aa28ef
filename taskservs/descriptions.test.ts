import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadModules } from '../core/registry.js';
import { describeTaskserv } from '../definition/description/describe-taskserv.js';
import { loadDefinition } from '../definition/load-definition.js';
import { providers } from '../providers/registry.generated.js';
import { taskservs } from './registry.generated.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'examples-'));
});
afterAll(() => rm(folder, { recursive: true }));

const secretNames = { has: () => false };

const modules = await loadModules(taskservs);

describe.each(Object.entries(modules))('what is told of %s', (name, taskserv) => {
  const together = (taskserv.after ?? []).flatMap((one) => modules[one] ?? []);
  const described = describeTaskserv(taskserv, together);

  test('says of each field what it is and what it is for', () => {
    expect(described.fields.filter(({ description }) => description === '').map(({ path }) => path)).toEqual([]);
    expect(described.fields.filter(({ type }) => type.includes('any')).map(({ path }) => path)).toEqual([]);
  });

  test('has an example that is a definition, with a configuration where there is one', async () => {
    const path = join(folder, `${name}.json`);
    await writeFile(path, JSON.stringify(described.example));
    const loaded = await loadDefinition(path, { workspace: 'default', registries: { taskservs, providers }, secretNames });
    expect(loaded.problems).toEqual([]);
    expect(loaded.definition?.servers[0]?.taskservs.map((one) => one.name)).toContain(name);
    expect(described.example.taskservs[0]?.config !== undefined).toBe(described.fields.length > 0);
  });
});
