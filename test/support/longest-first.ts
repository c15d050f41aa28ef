import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { readProofs } from '../../scripts/proofs/proofs.js';

/** Seconds of a file that was never played. */
const GUESS = 120;

/**
 * Runs files that take long first, within each group of projects, by what they took when they were proven. Only their
 * order matters: a file that is begun last and takes long keeps one processor and leaves the other without work.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const proofs = readProofs(this.ctx.config.root);
    const secondsOf = ({ moduleId }: TestSpecification) => proofs[relative(this.ctx.config.root, moduleId)]?.seconds ?? GUESS;
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => secondsOf(b) - secondsOf(a));
  }
}
