import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '..');
const modules = ['workflows', 'core'].flatMap((room) =>
  (readdirSync(join(root, room), { recursive: true }) as string[])
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => join(room, name)),
);

/** State at the top of a module: a variable, or a container that is empty at first. */
const STATE = /^(export )?((let|var) |const \w+(: (?!Readonly).+)? = (new (Map|Set)(<.*>)?\(\)|\[\]|\{\});)/;

test('no module of the workflows keeps state: all workflows of a thread share them', () => {
  expect(modules.length).toBeGreaterThan(50);
  const found = modules.flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .filter((line) => STATE.test(line))
      .map((line) => `${file}: ${line}`),
  );
  expect(found).toEqual([]);
});
