import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { makeFolder } from '../../../test/support/temporary-folder.js';
import { engineKey, engineSources, thisMachine } from './engine-key.js';
import { engineModule } from './package-root.js';

let copy: string;
beforeEach(async () => {
  copy = await makeFolder('key');
  await cp(engineModule(), copy, { recursive: true });
});
const key = () => engineKey(thisMachine(), copy);

test('a copy in another folder has the same key', () => {
  expect(key()).toBe(engineKey());
  expect(key()).toMatch(/^[0-9a-f]{64}$/);
});

test('each source makes another key, the stand-ins and pins too', async () => {
  const sources = engineSources(copy);
  expect(sources).toEqual(
    expect.arrayContaining(['go.mod', 'go.sum', 'main.go', 'left-out/storage/storage.go', 'left-out/api/go.mod']),
  );
  const keys = new Set([key()]);
  for (const name of sources) {
    const before = await readFile(join(copy, name));
    await writeFile(join(copy, name), Buffer.concat([before, Buffer.from('\n')]));
    keys.add(key());
    await writeFile(join(copy, name), before);
  }
  await writeFile(join(copy, 'more.go'), 'package main\n');
  keys.add(key());
  expect(keys.size).toBe(sources.length + 2);
});

test('what is not compiled does not count', async () => {
  const before = key();
  await writeFile(join(copy, 'main_test.go'), 'package main\n');
  await writeFile(join(copy, 'README.md'), 'engine\n');
  expect(key()).toBe(before);
});

test('each platform has a key of its own', () => {
  const targets = ['linux', 'darwin'].flatMap((platform) => ['x64', 'arm64'].map((arch) => ({ platform, arch })));
  expect(new Set(targets.map((target) => engineKey(target, copy))).size).toBe(targets.length);
});
