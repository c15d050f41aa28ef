import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hashOver, type RecordedInputs, readInputs, writeInputs } from './proofs.js';

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'proofs-'));
  mkdirSync(join(root, 'test/proofs'), { recursive: true });
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const text = () => readFileSync(join(root, 'test/proofs/inputs.json'), 'utf8').split('\n');

test('what was recorded is read as it was written, and a new test changes few lines', () => {
  const recorded: RecordedInputs = {
    used: {
      'test/b.test.ts': { ran: ['core/a.ts', 'core/b.ts'], opened: ['docs/x.md'] },
      'test/c.test.ts': { ran: ['core/b.ts'], opened: [] },
    },
    loaded: ['core/l.ts'],
  };
  writeInputs(root, recorded);
  expect(readInputs(root)).toEqual(recorded);
  const before = text();
  recorded.used['test/a.test.ts'] = { ran: ['core/c.ts'], opened: [] };
  writeInputs(root, recorded);
  expect(readInputs(root)).toEqual(recorded);
  // The test, its module, and the comma before it.
  expect(text().filter((line) => !before.includes(line))).toHaveLength(3);
  delete recorded.used['test/b.test.ts'];
  writeInputs(root, recorded);
  expect(readInputs(root)).toEqual(recorded);
});

test('one hash is over all hashes, in any order', () => {
  expect(hashOver(['a', 'b'])).toBe(hashOver(['b', 'a']));
  expect(hashOver(['a', 'b'])).not.toBe(hashOver(['a', 'c']));
});
