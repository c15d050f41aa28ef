/**
 * Measures a single operation: a server with a service on the demo provider. It alternates with a bare workflow of as
 * many sequential activities on the same server. Needs `npm run build`.
 */
import { demoDefinition } from '../../test/support/definition.js';
import { startTestEngine } from '../../test/support/engine.js';
import { runWell } from '../../test/support/operations.js';
import { withBareWorker } from '../batch/bare.js';
import { type CpuSeconds, cpuOf } from '../batch/cpu.js';
import { keepResult, machine, printTable } from '../report.js';
import { takeTurns } from './turns.js';

/** The bare workflow has no locks, inventory, record, queries or encryption: each requires a message to the infra. */
const GOAL = 1.75;
const RUNS = Number(process.env.RUNS ?? 9);

const tools = { startTestEngine, demoDefinition, runWell, withBareWorker, cpuOf };
const { activities, medianSeconds, processor } = await takeTurns(tools, RUNS);
const { ours, again, bare } = medianSeconds;
const ms = (value: number) => (value * 1_000).toFixed(0);
const cpu = ({ worker, server }: CpuSeconds) => `${ms(worker)} + ${ms(server)} ms`;
process.stdout.write(`${machine()}; medians of ${RUNS} runs each, in turn\n`);
printTable(
  ['what', 'activities', 'time', 'ratio', 'goal', 'CPU of worker + server'],
  [
    ['bare workflow', String(activities), `${ms(bare)} ms`, '1', '', ''],
    ['operation', String(activities), `${ms(ours)} ms`, (ours / bare).toFixed(2), `at most ${GOAL}`, cpu(processor.ours)],
    ['operation with nothing to do', '', `${ms(again)} ms`, (again / bare).toFixed(2), '', cpu(processor.again)],
  ],
);
process.stdout.write(`${ours / bare <= GOAL ? 'reached' : 'MISSED'}: ${(ours / bare).toFixed(2)} of ${GOAL}\n`);
await keepResult('operation', { runs: RUNS, goal: GOAL, activities, ratio: ours / bare, medianSeconds, processor });
