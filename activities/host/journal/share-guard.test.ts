import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { share, text } from '../../../sdk/index.js';
import { guardShares, NOTE_BEGIN } from './share-guard.js';

test('a share ends a step that begins after it has expired', () => {
  const step = { title: 'Join', run: 'join', undo: 'part', stdin: text`${share('token')}` };
  const until = (seconds: number) => new Map([['token', { value: 'v', until: 1_000 * (100 + seconds) }]]);
  const begins = (seconds: number, code: number, began = NOTE_BEGIN) => {
    const script = `set -euo pipefail\nevent() { echo "event $*"; }\n${began}\nSECONDS=9999\n${guardShares(step, 4, until(seconds), 100_000)}echo runs; exit ${code}`;
    const { stdout, status } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
    return [stdout.trim().split('\n').at(-1), status];
  };
  // The clock of the host was set meanwhile. Its own exit code does not look like that of an expired share.
  expect(begins(60, 113)).toEqual(['runs', 113]);
  expect(begins(-5, 0)).toEqual(['event expired 4', 113]);
  expect(begins(60, 0, `${NOTE_BEGIN}; BEGAN=$((BEGAN - 70))`)).toEqual(['event expired 4', 113]);
  expect(guardShares({ title: 'Other', run: 'true' }, 0, until(60), 100_000)).toBe('');
});
