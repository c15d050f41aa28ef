import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, TestModule, Vitest } from 'vitest/node';

/** How a test file ended; one JSON text a line, written as each ends: a run that is interrupted has told what it did. */
export interface Ended {
  file: string;
  /** It ended well, and something in it was played. */
  proven: boolean;
  /** It did not end well. One of which nothing could be played here did not fail. */
  failed: boolean;
  /** Of its tests and hooks, beside the others of the run. */
  seconds: number;
}

/** Appends to the file that `ENDED_TESTS` names. */
export default class EndedTests implements Reporter {
  /** Files that end now have tests that were skipped, and pass for the rest. */
  #isCanceled = false;

  onInit(vitest: Pick<Vitest, 'onCancel'>): void {
    vitest.onCancel(() => {
      this.#isCanceled = true;
    });
  }

  onTestModuleEnd(module: TestModule): void {
    const path = process.env.ENDED_TESTS;
    if (!path) return;
    const played = [...module.children.allTests('passed')].length;
    const { duration, collectDuration } = module.diagnostic();
    const ended: Ended = {
      file: relative(process.env.ENDED_ROOT ?? module.project.config.root, module.moduleId),
      proven: !this.#isCanceled && module.state() === 'passed' && played > 0,
      failed: module.state() === 'failed',
      seconds: Math.ceil((duration + collectDuration) / 1000),
    };
    appendFileSync(path, `${JSON.stringify(ended)}\n`);
  }
}
