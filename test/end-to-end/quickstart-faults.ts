/**
 * Kills the worker (-9) at random moments of examples/quickstart.yaml and checks
 * that each time all ends well and nothing happens twice.
 * Run by `npm run faults -- --rounds 10 --seed 1`; exit code 1 where something is wrong.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Definition } from '../../core/definition.js';
import { messageOf } from '../../core/errors.js';
import type { Intent, OperationResult } from '../../core/operation.js';
import { numbersOf } from '../support/arguments.js';
import { startTestEngine, type TestEngine } from '../support/engine.js';
import { remainsOf, sweep, whyNoHosts } from '../support/hosts.js';
import { faultsOn, quickstartAs } from '../support/quickstart.js';
import { seededRandom } from '../support/random.js';

const INFRA = `faults-${process.pid}`;

let count = 0;
async function begin(engine: TestEngine, intent: Intent, definition?: Definition): Promise<string> {
  const request = { kind: 'cluster' as const, workspace: 'default', infra: INFRA, intent, definition, allowDestroy: true };
  const client = await engine.client();
  return (await client.submit({ id: `faults-${process.pid}-${++count}`, actor: 'faults', onFailure: 'keep', ...request }))
    .operation;
}
const end = async (engine: TestEngine, operation: string): Promise<OperationResult> => (await engine.client()).result(operation);

/** Everything that is wrong after a round, in words. */
async function faultsOf(engine: TestEngine, definition: Definition, result: OperationResult): Promise<string[]> {
  const faults = await faultsOn(definition, result);
  const demand = (holds: boolean, otherwise: string) => void (holds || faults.push(otherwise));
  const { holders, waiters } = await (await engine.client()).locks('default', INFRA);
  demand(holders.length + waiters.length === 0, `${holders.length} locks are left`);
  const again = await end(engine, await begin(engine, { verb: 'ensure', prune: true }, definition));
  demand(
    again.status === 'done' && again.steps.executed === 0,
    `the next run did ${again.steps.executed} steps and ended ${again.status}`,
  );
  return faults;
}

/** One deployment; `killAfterMs` undefined leaves the worker alone. */
async function round(
  engine: TestEngine,
  definition: Definition,
  killAfterMs?: number,
): Promise<{ seconds: number; at: string; faults: string[] }> {
  const start = performance.now();
  const operation = await begin(engine, { verb: 'ensure', prune: true }, definition);
  let at = '';
  if (killAfterMs !== undefined) {
    await sleep(killAfterMs);
    const { cells, status } = await (await engine.client()).progress(operation);
    const running = cells
      .filter(({ state }) => state === 'running')
      .map(({ server, taskserv, step }) => `${server}${taskserv ? `/${taskserv}` : ''}: ${step}`);
    at = running.join('; ') || status;
    await engine.killWorker();
    await engine.up();
  }
  const result = await end(engine, operation);
  const seconds = (performance.now() - start) / 1000;
  const faults = await faultsOf(engine, definition, result);
  const gone = await end(engine, await begin(engine, { verb: 'delete' }));
  if (gone.status !== 'done') faults.push(`delete ended ${gone.status}: ${gone.error?.why}`);
  for (const name of await remainsOf(INFRA)) faults.push(`left after delete: ${name}`);
  return { seconds, at, faults };
}

async function main(): Promise<number> {
  const { rounds, seed } = numbersOf({ rounds: 10, seed: 1 });
  const why = await whyNoHosts();
  if (why) throw new Error(why);
  const definition = await quickstartAs(INFRA);
  const random = seededRandom(seed);
  const engine = await startTestEngine();
  let wrong = 0;
  const tell = (name: string, killed: string, { seconds, at, faults }: Awaited<ReturnType<typeof round>>) => {
    wrong += faults.length;
    console.log(
      `${name.padEnd(10)} ${killed.padStart(8)} ${`${seconds.toFixed(1)} s`.padStart(8)}  ${faults.length === 0 ? 'well' : faults.join('; ')}${at ? `  [${at}]` : ''}`,
    );
  };
  try {
    console.log(`seed ${seed}\n${'round'.padEnd(10)} ${'killed'.padStart(8)} ${'took'.padStart(8)}  ended`);
    const reference = await round(engine, definition);
    tell('reference', '-', reference);
    for (let index = 1; index <= rounds; index++) {
      const after = random() * reference.seconds;
      tell(`${index}`, `${after.toFixed(1)} s`, await round(engine, definition, after * 1000));
    }
  } finally {
    await engine.stop();
    await sweep(INFRA);
  }
  console.log(wrong === 0 ? `all ${rounds} rounds ended well` : `${wrong} things went wrong`);
  return wrong === 0 ? 0 : 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(messageOf(error));
  process.exitCode = 1;
}
