import { describe, expect, test } from 'vitest';
import { type Lock, OTHER_PACKAGES, packageInput, packagesHash } from './packages.js';

const lock: Lock = {
  '': { dependencies: { web: '1', db: '1' }, devDependencies: { runner: '1', '@types/web': '1', knip: '1' } },
  'node_modules/web': { version: '1.0.0', dependencies: { shared: '1', deep: '1' }, peerDependencies: { absent: '1' } },
  'node_modules/web/node_modules/shared': { version: '1.5.0' },
  'node_modules/shared': { version: '2.0.0' },
  'node_modules/deep': { version: '1.0.0', dependencies: { web: '1' } },
  'node_modules/db': { version: '1.0.0', dependencies: { shared: '2' } },
  'node_modules/runner': { version: '1.0.0' },
  'node_modules/@types/web': { version: '1.0.0' },
  'node_modules/knip': { version: '1.0.0' },
};
const INPUTS = ['npm:web', 'npm:db', OTHER_PACKAGES];
const IMPORTED = new Set(['npm:web', 'npm:db', 'npm:shared']);

const changedBy = (folder: string): string[] => {
  const other = { ...lock, [folder]: { ...lock[folder], version: '9.0.0' } };
  return INPUTS.filter((input) => packagesHash(input, IMPORTED, lock) !== packagesHash(input, IMPORTED, other));
};

describe('another version of a package changes the inputs that are made of it', () => {
  test.each<[string, string[]]>([
    ['node_modules/web', ['npm:web']],
    ['node_modules/deep', ['npm:web']],
    ['node_modules/web/node_modules/shared', ['npm:web']],
    ['node_modules/shared', ['npm:db']],
    ['node_modules/db', ['npm:db']],
    ['node_modules/runner', [OTHER_PACKAGES]],
    ['node_modules/@types/web', []],
    ['node_modules/knip', []],
    ['node_modules/new', []],
  ])('%s: %j', (folder, expected) => expect(changedBy(folder)).toEqual(expected));
});

test.each<[string, string[]]>([
  ['zod', ['npm:zod']],
  ['hono/client', ['npm:hono']],
  ['@temporalio/worker/lib/x.js', ['npm:@temporalio/worker']],
  ['node:fs', []],
  ['./a.js', []],
  ['#cli', []],
])('an import of %s is one of %j', (specifier, expected) => expect(packageInput(specifier)).toEqual(expected));
