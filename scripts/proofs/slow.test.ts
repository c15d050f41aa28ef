import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { SLOW } from './slow.js';

const root = resolve(import.meta.dirname, '../..');
const tests = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.test.ts'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((path) => path !== '' && !path.startsWith('test/') && existsSync(join(root, path)));

// Unit tests share their modules. A module that another file has loaded cannot be replaced, whatever the order.
test('a unit test that replaces modules has a process of its own', () => {
  const replacing = tests.filter(
    (path) =>
      /\bvi\.(?:mock|doMock|resetModules)\(/.test(readFileSync(join(root, path), 'utf8')) && !path.endsWith('/slow.test.ts'),
  );
  expect(replacing.length).toBeGreaterThan(2);
  expect(replacing.filter((path) => !SLOW.includes(path))).toEqual([]);
});

test('each slow test exists, once', () => {
  expect(SLOW.filter((path) => !tests.includes(path))).toEqual([]);
  expect(new Set(SLOW).size).toBe(SLOW.length);
});
