/** Batches of 1,000 and of 10,000 operations against bare loops on the same server. Needs `npm run build`. MANY=2000 makes it shorter. */
import { startTestEngine, type TestEngine } from '../../test/support/engine.js';
import { keepResult, machine, printTable } from '../report.js';
import { bareLoop } from './bare.js';
import type { CpuSeconds } from './cpu.js';
import { batchRun, clientLoop } from './ours.js';

const FEW = Number(process.env.FEW ?? 1_000);
const MANY = Number(process.env.MANY ?? 10_000);
const LIMIT = 500;
const GOALS = { ratio: 0.8, peakMiB: 400, growth: 1.25 };

async function fresh<T>(work: (engine: TestEngine) => Promise<T>): Promise<T> {
  const engine = await startTestEngine();
  try {
    return await work(engine);
  } finally {
    await engine.stop();
  }
}

const say = (text: string) => process.stderr.write(`${text}\n`);
say(`bare loop and batch of ${FEW}, in turn, on one server`);
const turns = await fresh(async (engine) => {
  const bare = await bareLoop(engine, FEW);
  const batch = await batchRun(engine, FEW, LIMIT);
  return { bare, batch };
});
say(`the same operations without a batch`);
const loop = process.env.NO_LOOP ? undefined : await fresh((engine) => clientLoop(engine, FEW));
say(`batch of ${MANY} on a fresh home`);
const many = await fresh((engine) => batchRun(engine, MANY, LIMIT));

const rate = (count: number, seconds: number) => count / seconds;
const ratio = turns.bare.seconds / turns.batch.seconds;
const growth = many.seconds / MANY / (turns.batch.seconds / FEW);
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
    row('a workflow with one activity each, bare', FEW, turns.bare.seconds, [cpu(turns.bare.cpu), '', '']),
    row('batch', FEW, turns.batch.seconds, [
      cpu(turns.batch.cpu),
      `${turns.batch.peakMiB.toFixed(0)} MiB`,
      String(turns.batch.runs),
    ]),
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
  process.stdout.write(`without a batch the same takes ${(loop / turns.batch.seconds).toFixed(2)} times as long\n`);
await keepResult('batch', {
  few: FEW,
  many: MANY,
  limit: LIMIT,
  goals: GOALS,
  ratio,
  growth,
  bare: turns.bare,
  batch: turns.batch,
  clientLoopSeconds: loop,
  batchOfMany: many,
});
