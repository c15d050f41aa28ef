/**
 * Measures the cost of separate task queues: the same operations without one, with one for the account, and with
 * another for hosts. Needs `npm run build`. `COUNT` (60) concurrent operations, `ROUNDS` (3).
 */
import { demoDefinition } from '../../test/support/definition.js';
import { startTestEngine } from '../../test/support/engine.js';
import { submit } from '../../test/support/operations.js';
import { keepResult, machine, printTable } from '../report.js';

const COUNT = Number(process.env.COUNT ?? 60);
const ROUNDS = Number(process.env.ROUNDS ?? 3);
/** Limits that never delay anything. */
const SETTINGS = {
  'on the queue of workflows': '',
  'accounts apart': 'demo=100000',
  'accounts and hosts apart': 'demo=100000 hosts=100000',
};

/** Returns operations per second: the best of several rounds, the first of which is a warm-up. */
async function rateWith(limits: string): Promise<number> {
  const engine = await startTestEngine(limits ? { PROVISIONING_LIMITS: limits } : {});
  try {
    const client = await engine.client();
    let best = 0;
    for (let round = 0; round <= ROUNDS; round++) {
      const started = performance.now();
      const operations = await Promise.all(
        Array.from({ length: COUNT }, (_, index) => {
          const infra = `shop-${round}-${index}`;
          return submit(engine, { infra, definition: demoDefinition(infra, { servers: [{ name: 'web' }], taskservs: ['redis'] }) });
        }),
      );
      for (const operation of operations) {
        const { status } = await client.operations.result({ operation });
        if (status !== 'done') throw new Error(`${operation} ended as ${status}`);
      }
      if (round > 0) best = Math.max(best, COUNT / ((performance.now() - started) / 1_000));
    }
    return best;
  } finally {
    await engine.stop();
  }
}

const rates: [string, number][] = [];
for (const [name, limits] of Object.entries(SETTINGS)) rates.push([name, await rateWith(limits)]);
const [[, base] = ['', 1]] = rates;
printTable(
  ['activities', 'operations/s', 'ratio'],
  rates.map(([name, rate]) => [name, rate.toFixed(1), (rate / base).toFixed(2)]),
);
await keepResult('queues', { machine: machine(), count: COUNT, rates: Object.fromEntries(rates) });
