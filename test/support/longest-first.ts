import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { readProofs, secondsOf } from '../../scripts/proofs/proofs.js';

/**
 * Runs long files first, within each group of projects, according to their last proof. Only the order matters: a long
 * file that starts last occupies one processor while the other is idle.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const proofs = readProofs(this.ctx.config.root);
    const seconds = ({ moduleId }: TestSpecification) => secondsOf(proofs, relative(this.ctx.config.root, moduleId));
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => seconds(b) - seconds(a));
  }
}
