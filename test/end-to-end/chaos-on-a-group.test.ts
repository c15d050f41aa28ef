import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GROUP_INFRA } from '../chaos/faults/group-work.js';
import { groups } from '../chaos/faults/groups.js';
import { endHosts } from '../chaos/faults/host-work.js';
import { playRound } from '../chaos/run.js';
import { startTestEngine, type TestEngine } from '../support/engine.js';
import { whyNoHosts } from '../support/hosts.js';

const why = await whyNoHosts();
if (why) console.warn(`left out: ${why}`);

const SEED = Number(process.env.TEST_SEED ?? 1);

/** `LONG=1` plays five rounds of each fault in turn, which takes half an hour. */
const ROUNDS = process.env.LONG ? 20 : 1;

describe.skipIf(why)(`faults during the work on an etcd cluster (TEST_SEED=${SEED})`, () => {
  let engine: TestEngine;
  beforeAll(async () => {
    engine = await startTestEngine();
  });
  afterAll(() => engine?.stop());

  for (let index = 0; index < ROUNDS; index += 1) {
    const fault = groups[(index + groups.length - (ROUNDS > 1 ? 1 : 0)) % groups.length];
    const round = 1 + Math.floor(index / groups.length);
    test(`round ${index + 1}, ${fault?.name}: the group is whole, and no acknowledged write is lost`, async () => {
      if (!fault) throw new Error('no fault');
      const { findings, moment, tookSeconds, secondsFromFault } = await playRound(engine, fault, round, SEED);
      const on = secondsFromFault === undefined ? '' : `, went on after ${secondsFromFault.toFixed(1)} s`;
      console.log(`${fault.name} ${round}: ${tookSeconds.toFixed(0)} s${on} [${moment}]`);
      expect(findings).toEqual([]);
    });
  }

  test('nothing is left when the members are deleted', async () => {
    expect(await endHosts(engine, GROUP_INFRA)).toEqual([]);
  });
});
