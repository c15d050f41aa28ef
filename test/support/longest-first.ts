import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { inOrder } from '../../scripts/proofs/lanes/in-order.js';
import { readProofs, secondsOf } from '../../scripts/proofs/proofs.js';

/** Runs files in an order that shortens a run, within each group of projects, according to their last proof. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const proofs = readProofs(this.ctx.config.root);
    const sorted = await super.sort(files);
    return inOrder(sorted, {
      seconds: ({ moduleId }) => secondsOf(proofs, relative(this.ctx.config.root, moduleId)),
      room: ({ project }) => project.name,
    });
  }
}
