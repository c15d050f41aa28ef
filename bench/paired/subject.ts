import type { Figures } from './figures.js';
import type { Side } from './sides.js';

/** Benchmark that can run on either side. */
export interface Subject {
  /** Parameters, the same on both sides. */
  parameters: Record<string, number>;
  measure(which: 'former' | 'present', side: Side): Promise<Figures>;
  close?(): Promise<void>;
}
