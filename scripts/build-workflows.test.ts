import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { buildWorkflows } from './build-workflows.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'workflows-'));
  write('workflows/index.ts', 'first');
  write('core/one.ts', 'one');
  write('dist/build-id', 'first\n');
});
afterEach(() => rmSync(root, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

const kept = () => readFileSync(join(root, 'dist/workflows.js'), 'utf8');
/** Builds with a bundler that returns the source. */
async function build() {
  const bundle = async () => readFileSync(join(root, 'workflows/index.ts'), 'utf8');
  const built = await buildWorkflows(root, join(root, 'dist'), bundle);
  if (!built) throw new Error('it has workflows');
  return built;
}

test('a build that does not come to its end leaves the former workflows', async () => {
  await (await build()).keep();
  expect(kept()).toBe('first');
  write('workflows/index.ts', 'second');
  const { code, keep } = await build();
  expect([code, kept()]).toEqual(['second', 'first']);
  // The next build does not take the former bundle for its own.
  expect((await build()).code).toBe('second');
  await keep();
  expect(kept()).toBe('second');
});

test('a bundle of unchanged workflows is used again', async () => {
  await (await build()).keep();
  write('dist/workflows.js', 'the former bundle');
  const { code, keep } = await build();
  await keep();
  expect([code, kept()]).toEqual(['the former bundle', 'the former bundle']);
});
