import { expect, test } from 'vitest';
import { startTestEngine } from '../support/engine.js';
import { LIMITS, meet } from './meet.js';

/** The reduced form of `npm run sick-hosts`. Its figures do not depend on the machine's speed. */
test('a host that closes each connection, or says nothing, takes nothing from others', { timeout: 240_000 }, async () => {
  const engine = await startTestEngine();
  try {
    const met = await meet(engine, [['closing', 'silent']], () => {}, ['look', 'first contact', 'act', 'ssh']);
    expect(met.seen.map(({ named, error }) => (named ? 'named' : error))).toEqual(met.seen.map(() => 'named'));
    expect(met.faults.filter((fault) => /another one|sockets|MiB/.test(fault))).toEqual([]);
    expect(met.after.sockets).toBeLessThanOrEqual(met.before.sockets + LIMITS.socketsMore);
  } finally {
    await engine.stop();
  }
});
