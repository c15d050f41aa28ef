import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { howOf } from '../host/artifact.js';
import { artifactsIn, ensureNoArtifact } from './artifacts.js';

test('an artifact is found as it was put there, the last one first, and is removed so that it can be fetched again', () => {
  const folder = mkdtempSync(join(tmpdir(), 'artifacts-'));
  const made = [
    { to: join(folder, '1'), sha256: 'a'.repeat(64), url: 'https://example.org/1.tar.gz', unpack: 'tar' as const, strip: 2 },
    { to: join(folder, '2'), sha256: 'b'.repeat(64), url: 'https://example.org/two', as: 'two' },
  ];
  for (const [index, one] of made.entries()) {
    mkdirSync(one.to);
    const marker = join(one.to, '.provisioning-artifact');
    writeFileSync(marker, `${one.sha256}\n${one.url}\n${howOf(one)}\n`);
    utimesSync(marker, index, index);
  }
  mkdirSync(join(folder, 'mine'));
  const asked = artifactsIn(folder);
  if (asked.kind !== 'command') throw new Error('it is asked by a command');
  const stdout = execFileSync('bash', ['-euo', 'pipefail', '-c', asked.run], { encoding: 'utf8' });
  const found = asked.parse({ stdout, exit: 0 });
  expect(found).toEqual([...made].reverse());
  expect(found.flatMap(ensureNoArtifact).map((step) => 'artifact' in step && step.artifact)).toEqual(
    [...made].reverse().map((one) => ({ state: 'absent', ...one })),
  );
  rmSync(folder, { recursive: true });
});
