import { expect, test } from 'vitest';
import { hetzner } from '../../../providers/hetzner/index.js';
import { seedOf } from '../../support/seed.js';
import { type FaultSubject, faultRounds } from '../fault-rounds.js';
import { leftIn } from './behind.js';
import { startHetzner } from './stand-in.js';

const subject: FaultSubject = {
  provider: hetzner,
  async open() {
    const standIn = await startHetzner({ delays: { make: 8, boot: 8, stop: 5, remove: 8, other: 2 } });
    const outside = { env: { HCLOUD_TOKEN: standIn.token, HCLOUD_ENDPOINT: standIn.endpoint }, secret: async () => undefined };
    return {
      faults: standIn.faults,
      connect: () => hetzner.connect(hetzner.config.parse({ pollMs: 5 }), outside),
      count: (name) => [...standIn.world.state.servers.values()].filter((row) => row.name.endsWith(`rounds-${name}`)).length,
      left: () => Object.entries(leftIn(standIn)).map(([table, count]) => `${count} ${table}`),
      close: () => standIn.close(),
    };
  },
};

const rounds = Number(process.env.ROUNDS ?? (process.env.LONG ? 3 : 1));
const seed = seedOf(process.env, 1);
// Each kind at each request of each operation, instead of a random one.
const everywhere = process.env.EVERYWHERE !== undefined;

test(`faults at Hetzner leave nothing doubled, orphaned or too early: ${rounds} rounds, seed ${seed}`, {
  timeout: 1_200_000,
}, async () => {
  const { runs, requests, wrong } = await faultRounds(subject, { rounds, seed, everywhere });
  console.log(`${runs} runs; requests without a fault: ${JSON.stringify(requests)}`);
  expect(wrong).toEqual([]);
});
