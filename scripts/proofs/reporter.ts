import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, SerializedError, TestModule, Vitest } from 'vitest/node';

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

/** The last line of a run that went to its end: nothing failed in it but files of which it told. */
export const WHOLE = 'whole';

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

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const path = process.env.ENDED_TESTS;
    if (!path || this.#isCanceled) return;
    const failed = new Set(modules.filter((module) => module.state() === 'failed').map(({ moduleId }) => moduleId));
    // Vitest notes in which file's process nobody caught an error. It counts with the failure of that file.
    const isOfThese = ({ VITEST_TEST_PATH: at }: SerializedError) => typeof at === 'string' && failed.has(at);
    if (unhandled.every(isOfThese)) appendFileSync(path, `${JSON.stringify(WHOLE)}\n`);
  }
}
