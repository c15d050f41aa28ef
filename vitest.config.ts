import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { LANES, MOST_LANES } from './scripts/proofs/lanes.js';
import { SLOW } from './scripts/proofs/slow.js';
import { LongestFirst } from './test/support/longest-first.js';

const exclude = ['node_modules/**', 'dist/**'];

/** A run that records what tests use (scripts/proofs/record.ts): how it takes turns is no input of theirs. */
const isRecording = process.env.TESTS_SET_UP !== undefined;

/** Temporal's native library lives in processes, not in threads. */
const shared = {
  pool: 'forks',
  exclude,
  env: {
    // Wrapping keys of homes that tests make are none of the user's.
    XDG_STATE_HOME: join(tmpdir(), `provisioning-test-state-${userInfo().uid}`),
    // Bash takes the socket that Node gives it for a remote shell's, and reads the user's ~/.bashrc, unless a shell started it.
    SHLVL: '2',
  },
  // A run that records what tests use brings one (scripts/proofs/record.ts).
  setupFiles: process.env.TESTS_SET_UP?.split(',') ?? ([] as string[]),
} as const;

/** One group, so that no project waits for the longest file of another; `maxWorkers` has to be the same then. */
const inLanes = {
  // Much of what they do is waiting: further lanes open where the processors have nothing to do.
  ...(isRecording ? { maxWorkers: LANES } : { maxWorkers: MOST_LANES, setupFiles: ['scripts/proofs/take-lane.ts'] }),
  globalSetup: ['scripts/proofs/clear-lanes.ts'],
  sequence: { groupOrder: 1 },
};

const ON_ENGINES = ['test/support/find-engine.ts', 'test/support/build.ts', 'test/support/engines.ts'];

/** Milliseconds. They end what hangs: at load 20 on two cores, ten services from mirrors took longer than eight minutes. */
const PATIENT = { testTimeout: 900_000, hookTimeout: 900_000 } as const;

export default defineConfig({
  test: {
    // Where much fails, each of the others may wait for its time-out, and nobody would hear of it within the hour.
    bail: process.env.CI ? 10 : 0,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          ...shared,
          name: 'unit',
          include: ['**/*.test.ts'],
          exclude: [...exclude, 'test/**', ...SLOW],
          // Loading the modules again for each file takes longer than the tests. A recording run has to see them load.
          isolate: isRecording,
          // Vitest leaves one processor of two to others, who do nothing meanwhile.
          maxWorkers: '100%',
          // Milliseconds on a quiet machine; some start programs, which takes seconds where eight others want the processor.
          testTimeout: 120_000,
          hookTimeout: 120_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...shared,
          name: 'slow',
          include: [...SLOW],
          ...inLanes,
          ...PATIENT,
        },
      },
      {
        test: {
          ...shared,
          name: 'rooms',
          include: ['test/**/*.test.ts'],
          exclude: [...exclude, 'test/end-to-end/**'],
          ...inLanes,
          globalSetup: [...inLanes.globalSetup, ...ON_ENGINES],
          ...PATIENT,
        },
      },
      {
        test: {
          ...shared,
          name: 'end-to-end',
          include: ['test/end-to-end/*.test.ts'],
          ...inLanes,
          globalSetup: [...inLanes.globalSetup, ...ON_ENGINES],
          ...PATIENT,
        },
      },
    ],
  },
});
