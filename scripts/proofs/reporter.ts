import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, SerializedError, TestModule, Vitest } from 'vitest/node';

/**
 * Result of a test file. It is written as a line of JSON when the file ends, so that an interrupted run keeps its
 * results.
 */
export interface Ended {
  file: string;
  /** Whether it passed and at least one test was played. */
  proven: boolean;
  /** Whether it failed. A file without tests that can run here does not fail. */
  failed: boolean;
  /** Duration of its tests and hooks, in parallel with other files of the run. */
  seconds: number;
}

/** Last line of a complete run, in which only reported files failed. */
export const WHOLE = 'whole';

/** Appends to the file that `ENDED_TESTS` names. */
export default class EndedTests implements Reporter {
  /** Files that end after a cancellation have skipped tests, and pass otherwise. */
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
    // Vitest records in which file's process an error was unhandled. It counts as a failure of that file.
    const isOfThese = ({ VITEST_TEST_PATH: at }: SerializedError) => typeof at === 'string' && failed.has(at);
    if (unhandled.every(isOfThese)) appendFileSync(path, `${JSON.stringify(WHOLE)}\n`);
  }
}
