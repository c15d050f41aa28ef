/**
 * Compares batches of 1,000 and of 10,000 operations with bare loops on the same server. Needs `npm run build`. `FEW`
 * and `MANY` set the sizes. `ENGINES=1` uses a single engine, which only tests that it runs, and is no measurement.
 */
import { startTestEngine, type TestEngine } from '../../test/support/engine.js';
import { keepResult, machine, printTable } from '../report.js';
import { bareLoop } from './bare.js';
import type { CpuSeconds } from './cpu.js';
import { batchRun, clientLoop } from './ours.js';

const FEW = Number(process.env.FEW ?? 1_000);
const MANY = Number(process.env.MANY ?? 10_000);
const LIMIT = 500;
const GOALS = { ratio: 0.8, peakMiB: 400, growth: 1.25 };

const ONE_ENGINE = process.env.ENGINES === '1';
let only: TestEngine | undefined;

async function fresh<T>(work: (engine: TestEngine) => Promise<T>): Promise<T> {
  const engine = only ?? (await startTestEngine({ PROVISIONING_CHECK_ANSWERS: '0' }));
  if (ONE_ENGINE) only = engine;
  try {
    return await work(engine);
  } finally {
    if (!ONE_ENGINE) await engine.stop();
  }
}

const say = (text: string) => process.stderr.write(`${text}\n`);

async function measure() {
  // The second run on a server finds it larger, so each is first once.
  say(`bare loop, then batch of ${FEW}, on one server`);
  const there = await fresh(async (engine) => {
    const bare = await bareLoop(engine, FEW);
    return { bare, batch: await batchRun(engine, FEW, LIMIT) };
  });
  say(`batch of ${FEW}, then bare loop, on another`);
  const back = await fresh(async (engine) => {
    const batch = await batchRun(engine, FEW, LIMIT);
    return { bare: await bareLoop(engine, FEW), batch };
  });
  say(`the same operations without a batch`);
  const loop = process.env.NO_LOOP ? undefined : await fresh((engine) => clientLoop(engine, FEW));
  say(`batch of ${MANY} on a fresh home`);
  return { there, back, loop, many: await fresh((engine) => batchRun(engine, MANY, LIMIT)) };
}

const { there, back, loop, many } = await measure().finally(() => only?.stop());

const rate = (count: number, seconds: number) => count / seconds;
const ratio = (there.bare.seconds + back.bare.seconds) / (there.batch.seconds + back.batch.seconds);
// Each on a separate server.
const growth = many.seconds / MANY / (back.batch.seconds / FEW);
const cpu = ({ worker, server }: CpuSeconds) => `${worker.toFixed(0)} + ${server.toFixed(0)} s`;
const row = (name: string, count: number, seconds: number, rest: string[]) => [
  name,
  String(count),
  `${seconds.toFixed(1)} s`,
  `${rate(count, seconds).toFixed(1)}`,
  ...rest,
];
process.stdout.write(`${machine()}; limit ${LIMIT}\n`);
printTable(
  ['what', 'operations', 'time', 'a second', 'CPU of worker + server', 'worker peak', 'runs'],
  [
    ...[there, back].flatMap(({ bare, batch }, at) => {
      const rows = [
        row('a workflow with one activity each, bare', FEW, bare.seconds, [cpu(bare.cpu), '', '']),
        row('batch', FEW, batch.seconds, [cpu(batch.cpu), `${batch.peakMiB.toFixed(0)} MiB`, String(batch.runs)]),
      ];
      return at === 0 ? rows : rows.reverse();
    }),
    ...(loop === undefined ? [] : [row('the same operations, submitted one by one', FEW, loop, ['', '', ''])]),
    row('batch', MANY, many.seconds, [cpu(many.cpu), `${many.peakMiB.toFixed(0)} MiB`, String(many.runs)]),
  ],
);
const verdict = (name: string, value: number, goal: number, reached: boolean) =>
  process.stdout.write(`${reached ? 'reached' : 'MISSED'}: ${name} ${value.toFixed(2)} of ${goal}\n`);
verdict('operations a second against the bare loop', ratio, GOALS.ratio, ratio >= GOALS.ratio);
verdict(`seconds an operation, ${MANY} against ${FEW}, at most`, growth, GOALS.growth, growth <= GOALS.growth);
verdict('worker peak in MiB, below', many.peakMiB, GOALS.peakMiB, many.peakMiB < GOALS.peakMiB);
if (loop !== undefined)
  process.stdout.write(`without a batch the same takes ${(loop / back.batch.seconds).toFixed(2)} times as long\n`);
await keepResult('batch', {
  few: FEW,
  many: MANY,
  limit: LIMIT,
  goals: GOALS,
  ratio,
  growth,
  bareFirst: there,
  batchFirst: back,
  clientLoopSeconds: loop,
  batchOfMany: many,
});
