import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aws } from '../../../providers/aws/index.js';
import { seedOf } from '../../support/seed.js';
import { type FaultSubject, faultRounds } from '../fault-rounds.js';
import { remains, serversOf } from './inspect.js';
import { type Moto, startMoto, whyNoMoto } from './moto.js';
import { startAws } from './stand-in.js';

const rounds = Number(process.env.ROUNDS ?? 1);
const seed = seedOf(process.env, 1);
// The long form affects each request of each operation: about 800 runs a round.
const everywhere = process.env.EVERYWHERE !== undefined;

const problem = await whyNoMoto();

describe.skipIf(problem)(`faults at AWS${problem ? ` (left out: ${problem})` : ''}`, () => {
  let moto: Moto;
  beforeAll(async () => {
    moto = await startMoto();
  });
  afterAll(() => moto?.stop());

  const subject: FaultSubject = {
    provider: aws,
    async open() {
      const standIn = await startAws({ moto, regions: ['eu-central-1', 'us-east-1'] });
      const ec2 = await standIn.behind();
      return {
        faults: standIn.faults,
        connect: () => aws.connect(aws.config.parse({ pollMs: 10 }), { env: standIn.env, secret: async () => undefined }),
        count: (name) => serversOf(ec2, name),
        left: async () => [...(await remains(ec2)), ...standIn.cloud.placements.names.map((name) => `placement group ${name}`)],
        close: () => standIn.close(),
      };
    },
  };

  test(`leave nothing doubled, orphaned or too early: ${rounds} rounds, seed ${seed}`, { timeout: 3_600_000 }, async () => {
    const { runs, requests, wrong } = await faultRounds(subject, { rounds, seed, everywhere });
    console.log(`${runs} runs; requests without a fault: ${JSON.stringify(requests)}`);
    expect(wrong).toEqual([]);
  });
});
