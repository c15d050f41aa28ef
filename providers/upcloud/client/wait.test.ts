import { expect, test } from 'vitest';
import { waitUntil } from './wait.js';

test('a wait ends at once if its signal was aborted during a look', async () => {
  const caller = new AbortController();
  const look = async () => caller.abort(new Error('the caller gives up'));
  await expect(waitUntil('a server', look, () => false, { everyMs: 300_000, signal: caller.signal })).rejects.toThrow(
    'the caller gives up',
  );
});
