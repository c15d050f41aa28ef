import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
const benches = Object.keys(scripts).flatMap((name) => /^bench:(.+)$/.exec(name)?.[1] ?? []);

test('there are benches', () => expect(benches.length).toBeGreaterThan(10));

test.each(benches)('bench:%s is a program of its folder, and a test plays its smallest form', (name) => {
  expect(scripts[`bench:${name}`]).toMatch(new RegExp(`^npm run -s (build|generate) && tsx bench/${name}/main\\.ts$`));
  // The file is opened, so that its removal makes the proof stale.
  expect(readFileSync(join(import.meta.dirname, `${name}.test.ts`), 'utf8')).toContain(`await playSmallest('${name}', `);
});
