import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { demoDefinition } from '../support/definition.js';
import { startTestEngine, type TestEngine } from '../support/engine.js';
import { isInPart, oneOfEach } from '../support/in-part.js';
import type { Fault } from './fault.js';
import { prepare, SLOW } from './faults/demo-work.js';
import { faults } from './faults/index.js';
import { judgeAccount, judgeDone, judgeInventory, judgeOperations } from './judge.js';
import { playRound } from './run.js';
import type { Stage } from './stage.js';
import { makeAll } from './work.js';

/** Seconds. `npm run chaos` waits longer, for a realistic absence. */
process.env.CHAOS_AWAY_S ??= '8';

const SEED = Number(process.env.TEST_SEED ?? 1);

const everyday = faults.filter(({ on, long }) => on === 'demo' && !long);

describe(`each fault once (TEST_SEED=${SEED}; the long form is npm run chaos)`, { timeout: 120_000 }, () => {
  let engine: TestEngine;
  beforeAll(async () => {
    engine = await startTestEngine();
  });
  afterAll(() => engine?.stop());

  for (const fault of isInPart('test/chaos/chaos.test.ts') ? oneOfEach(everyday, everyday.length) : everyday) {
    test.skipIf(fault.whyNot?.() !== undefined)(`${fault.name}: ${fault.about}`, async () => {
      const own = await fault.engine?.();
      try {
        const { findings, ended } = await playRound(own ?? engine, fault, 1, SEED);
        expect(findings).toEqual([]);
        expect(ended).not.toBe('badly');
      } finally {
        await own?.stop();
      }
    });
  }

  describe('a round says what is wrong when somebody', () => {
    /** A deployment without faults, which is tampered with before the checks. */
    const sabotage = async (tamper: (stage: Stage) => Promise<void>, latencyMs = {}): Promise<string[]> => {
      const fault: Fault = {
        name: 'sabotage',
        about: 'not one of the list',
        on: 'demo',
        async round(stage) {
          const work = await prepare(stage, makeAll(stage.infra));
          await stage.account.behave({ latencyMs });
          const operation = await stage.submit(work.wish);
          if (Object.keys(latencyMs).length === 0) await stage.settled();
          await tamper(stage);
          await judgeOperations(stage);
          await judgeAccount(stage);
          await judgeDone(stage, [operation]);
          await judgeInventory(stage, work.wanted);
        },
      };
      const { findings, ended } = await playRound(engine, fault, 1, SEED);
      expect(ended).toBe(findings.length > 0 ? 'badly' : 'well');
      return findings.map(({ kind }) => kind);
    };

    test('does nothing: then nothing', async () => {
      expect(await sabotage(async () => {})).toEqual([]);
    });

    test('makes a server behind the platform', async () => {
      const found = await sabotage((stage) =>
        stage.account.meddle(({ servers }) => {
          const known = servers[`default/${stage.infra}/db`];
          if (known) servers[`default/${stage.infra}/spare`] = { ...known, name: 'spare', volumes: [], network: 'elsewhere' };
        }),
      );
      // The deletion of the infra does not find it either, so it is reported twice.
      expect(new Set(found)).toEqual(new Set(['orphaned']));
    });

    test('loses a server that the inventory has', async () => {
      const found = await sabotage((stage) =>
        stage.account.meddle(({ servers }) => void delete servers[`default/${stage.infra}/db`]),
      );
      expect(found).toEqual(['wrong']);
    });

    test('does a step a second time', async () => {
      const found = await sabotage((stage) =>
        stage.account.meddle(({ effects }) => {
          const step = effects.find(({ verb }) => verb === 'host.step');
          if (step) effects.push({ ...step });
        }),
      );
      expect(new Set(found)).toEqual(new Set(['doubled']));
    });

    test('applies another definition meanwhile', async () => {
      const found = await sabotage(async (stage) => {
        const definition = demoDefinition(stage.infra, { servers: [{ name: 'web', count: 2 }], taskservs: ['nginx'] });
        await stage.undisturbed({ intent: { verb: 'ensure', prune: true }, definition });
      });
      expect(found).toContain('wrong');
    });

    test('judges an operation that still runs and calls nobody', async () => {
      const found = await sabotage(async () => {}, { ...SLOW, 'servers.create': 4_000 });
      expect(found).toContain('silent');
    });
  });
});
