import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { readProofs, secondsOf } from '../../scripts/proofs/proofs.js';

/**
 * Runs files that take long first, within each group of projects, by what they took when they were proven. Only their
 * order matters: a file that is begun last and takes long keeps one processor and leaves the other without work.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const proofs = readProofs(this.ctx.config.root);
    const seconds = ({ moduleId }: TestSpecification) => secondsOf(proofs, relative(this.ctx.config.root, moduleId));
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => seconds(b) - seconds(a));
  }
}
