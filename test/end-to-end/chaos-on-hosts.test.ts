import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { endHosts } from '../chaos/faults/host-work.js';
import { hosts } from '../chaos/faults/hosts.js';
import { playRound } from '../chaos/run.js';
import { startTestEngine, type TestEngine } from '../support/engine.js';
import { whyNoHosts } from '../support/hosts.js';

const why = await whyNoHosts();
if (why) console.warn(`left out: ${why}`);

const SEED = Number(process.env.TEST_SEED ?? 1);
const CHOSEN = ['host-worker-kill', 'ssh-cut'];

describe.skipIf(why)(`faults on hosts of this machine (TEST_SEED=${SEED}; the long form is npm run chaos)`, () => {
  let engine: TestEngine;
  beforeAll(async () => {
    engine = await startTestEngine();
  });
  afterAll(() => engine?.stop());

  for (const fault of hosts.filter(({ name }) => CHOSEN.includes(name))) {
    test(`${fault.name}: ${fault.about}`, async () => {
      expect(await findingsOf(fault)).toEqual([]);
    });
  }

  /** On a busy machine the work may end before its fault. Then another moment is drawn. */
  async function findingsOf(fault: (typeof hosts)[number]) {
    for (let round = 1; ; round++) {
      const { findings } = await playRound(engine, fault, round, SEED);
      const isMissed = findings.length === 1 && /over before the fault/.test(findings[0]?.what ?? '');
      if (!isMissed || round === 3) return findings;
    }
  }

  test('nothing is left when the hosts are deleted', async () => {
    expect(await endHosts(engine)).toEqual([]);
  });
});
