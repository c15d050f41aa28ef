import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readText } from './read-text.js';

describe('a text', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'read-text-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  test.each(['', 'é', 'x'.repeat(100_000)])('is read whole (%#)', async (text) => {
    const path = join(folder, 'text');
    await writeFile(path, text);
    expect(await readText(path, 100_000)).toBe(text);
  });

  test('is read whole where the file does not say its size', async () => {
    expect(await readText('/proc/sys/kernel/ostype', 100)).toBe('Linux\n');
  });

  test('that is larger than it says is refused', async () => {
    expect(await readText('/proc/self/status', 100)).toMatchObject({
      message: 'the file has more than 100 B, at most 100 B are read',
    });
  });
});
