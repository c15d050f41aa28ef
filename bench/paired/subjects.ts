import { fileURLToPath } from 'node:url';
import type { CpuSeconds } from '../batch/cpu.js';
import type { BatchRun } from '../batch/ours.js';
import { time } from '../measure.js';
import type { Turns } from '../operation/turns.js';
import { convergeSubject } from './converge.js';
import { resultOf } from './sides.js';
import type { Subject } from './subject.js';

const number = (name: string, otherwise: number) => Number(process.env[name] ?? otherwise);
const asEnv = (parameters: Record<string, number>) =>
  Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, String(value)]));

const RUN = fileURLToPath(new URL('operation-run.ts', import.meta.url));

/** Uses the same code on both sides: the former checkout does not report processor time. */
function operation(): Subject {
  const parameters = { RUNS: number('RUNS', 9) };
  return {
    parameters,
    async measure(_, { root, env }) {
      const args = ['--import', 'tsx', RUN, root, String(parameters.RUNS)];
      const { stdout } = await time({ command: process.execPath, args, env });
      const { medianSeconds, processor } = JSON.parse(stdout) as Turns;
      const { ours, again, bare } = medianSeconds;
      const sum = ({ worker, server }: CpuSeconds) => worker + server;
      return {
        operation: ours,
        'processor of an operation': sum(processor.ours),
        'nothing to do': again,
        'processor of nothing to do': sum(processor.again),
        'bare workflow': bare,
      };
    },
  };
}

type Bare = Pick<BatchRun, 'seconds' | 'cpu'>;
interface Batch {
  bareFirst: { bare: Bare; batch: BatchRun };
  batchFirst: { bare: Bare; batch: BatchRun };
}

/**
 * Measures a batch and a bare loop, each once first and once second on a fresh server. The large batch has the minimum
 * size.
 */
function batch(): Subject {
  const parameters = { FEW: number('FEW', 300), MANY: number('MANY', 10), NO_LOOP: 1 };
  return {
    parameters,
    async measure(_, side) {
      const { bareFirst, batchFirst } = await resultOf<Batch>(side, 'batch', asEnv(parameters));
      const mean = (which: 'bare' | 'batch', of: (run: Bare) => number) => (of(bareFirst[which]) + of(batchFirst[which])) / 2;
      return {
        batch: mean('batch', ({ seconds }) => seconds),
        'processor of the worker': mean('batch', ({ cpu }) => cpu.worker),
        'processor of the server': mean('batch', ({ cpu }) => cpu.server),
        'worker peak in MiB': Math.max(bareFirst.batch.peakMiB, batchFirst.batch.peakMiB),
        'bare loop': mean('bare', ({ seconds }) => seconds),
        'processor of the server, bare': mean('bare', ({ cpu }) => cpu.server),
      };
    },
  };
}

export const SUBJECTS = { operation, batch, converge: () => convergeSubject({ ROUNDS: number('ROUNDS', 7) }) };
