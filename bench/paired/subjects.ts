import type { BatchRun } from '../batch/ours.js';
import { convergeSubject } from './converge.js';
import type { Figures } from './figures.js';
import { resultOf, type Side } from './sides.js';

/** A benchmark that can be run on either side. */
export interface Subject {
  /** What it is run with, the same on both sides. */
  parameters: Record<string, number>;
  measure(which: 'former' | 'present', side: Side): Promise<Figures>;
  close?(): Promise<void>;
}

const number = (name: string, otherwise: number) => Number(process.env[name] ?? otherwise);
const asEnv = (parameters: Record<string, number>) =>
  Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, String(value)]));

interface Operation {
  medianSeconds: { ours: number; again: number; bare: number };
}

function operation(): Subject {
  const parameters = { RUNS: number('RUNS', 9) };
  return {
    parameters,
    async measure(_, side) {
      const { medianSeconds } = await resultOf<Operation>(side, 'operation', asEnv(parameters));
      const { ours, again, bare } = medianSeconds;
      return { operation: ours, 'nothing to do': again, 'bare workflow': bare };
    },
  };
}

type Bare = Pick<BatchRun, 'seconds' | 'cpu'>;
interface Batch {
  bareFirst: { bare: Bare; batch: BatchRun };
  batchFirst: { bare: Bare; batch: BatchRun };
}

/** A batch and a bare loop, each once on a fresh server and once second; the large batch as small as it gets. */
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
