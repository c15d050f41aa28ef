import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inputsOf } from './inputs.js';
import { moduleGraph } from './module-graph.js';

const FILES = {
  'package-lock.json': '{"packages":{}}',
  'bench/a/main.ts': "import { median } from '../measure.js';\nimport { SIZES } from '../../core/sizes.js';\nmedian(SIZES);\n",
  'bench/b/main.ts': 'export {};\n',
  'bench/measure.ts': 'export const median = (all: number[]) => all[0];\n',
  'test/support/start-main.ts': "import './port.js';\n",
  'test/support/port.ts': 'export const PORT = 1;\n',
  'core/sizes.ts': 'export const SIZES = [1];\n',
  'test/a.test.ts': 'export {};\n',
};

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'module-graph-'));
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
});
afterAll(() => rmSync(root, { recursive: true }));

test.each([
  ['bench/a/main.ts', ['bench/measure.ts', 'core/sizes.ts']],
  ['test/support/start-main.ts', ['test/support/port.ts']],
])('a test that starts %s depends on %j, too', async (program, expected) => {
  const graph = await moduleGraph(root, Object.keys(FILES));
  const inputs = inputsOf('test/a.test.ts', { ran: [], opened: [program] }, new Set(), graph);
  expect(inputs.filter((path) => path in FILES)).toEqual([...expected, program, 'test/a.test.ts'].sort());
});
