import type { Figures } from './figures.js';
import type { Side } from './sides.js';

/** A benchmark that can be run on either side. */
export interface Subject {
  /** What it is run with, the same on both sides. */
  parameters: Record<string, number>;
  measure(which: 'former' | 'present', side: Side): Promise<Figures>;
  close?(): Promise<void>;
}
