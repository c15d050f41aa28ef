import { expect, test } from 'vitest';
import { upcloud } from '../../../providers/upcloud/index.js';
import { seedOf } from '../../support/seed.js';
import { type FaultSubject, faultRounds } from '../fault-rounds.js';
import { startUpCloud } from './stand-in.js';

const subject: FaultSubject = {
  provider: upcloud,
  async open() {
    const standIn = await startUpCloud({ delays: { boot: 15, stop: 10 } });
    const { account } = standIn.world;
    const outside = { env: { UPCLOUD_TOKEN: standIn.token, UPCLOUD_API_URL: standIn.url }, secret: async () => undefined };
    return {
      faults: standIn.faults,
      connect: () => upcloud.connect(upcloud.config.parse({ pollMs: 10 }), outside),
      count: (name) => [...account.servers.values()].filter(({ hostname }) => hostname === name).length,
      left: () => [
        ...[...account.servers.values()].map(({ title }) => `server ${title}`),
        ...[...account.storages.values()].map(({ title }) => `storage ${title}`),
        ...[...account.networks.values()].map(({ name }) => `network ${name}`),
        ...[...account.groups.values()].map(({ title }) => `group ${title}`),
        ...[...account.addresses.keys()].map((address) => `address ${address}`),
      ],
      close: () => standIn.close(),
    };
  },
};

const rounds = Number(process.env.ROUNDS ?? (process.env.LONG ? 3 : 1));
const seed = seedOf(process.env, 1);
// Each kind at each request of each operation, instead of a random one.
const everywhere = process.env.EVERYWHERE !== undefined;

test(`faults at UpCloud leave nothing doubled, orphaned or too early: ${rounds} rounds, seed ${seed}`, {
  timeout: 1_200_000,
}, async () => {
  const { runs, requests, wrong } = await faultRounds(subject, { rounds, seed, everywhere });
  console.log(`${runs} runs; requests without a fault: ${JSON.stringify(requests)}`);
  expect(wrong).toEqual([]);
});
