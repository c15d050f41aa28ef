import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { LANES, MOST_LANES } from './scripts/proofs/lanes/lanes.js';
import { SLOW } from './scripts/proofs/slow.js';
import { LongestFirst } from './test/support/longest-first.js';

const exclude = ['node_modules/**', 'dist/**'];

/** Whether the run records the inputs of tests (scripts/proofs/record.ts). Their order is not an input. */
const isRecording = process.env.TESTS_SET_UP !== undefined;

/** Temporal's native library needs processes instead of threads. */
const shared = {
  pool: 'forks',
  exclude,
  env: {
    // Keeps the wrapping keys of test homes apart from those of the user.
    XDG_STATE_HOME: join(tmpdir(), `provisioning-test-state-${userInfo().uid}`),
    // Without it, Bash mistakes the socket from Node for a remote shell and reads the user's ~/.bashrc.
    SHLVL: '2',
    // Temporal collects garbage less often. It takes 6 % less time of the processors then, and 100 MB more memory.
    GOGC: '400',
  },
  // A recording run adds one (scripts/proofs/record.ts).
  setupFiles: process.env.TESTS_SET_UP?.split(',') ?? ([] as string[]),
} as const;

/**
 * Files of engines play one after the other in a process, with the same modules and the environment of its start
 * (scripts/proofs/lanes/take-lane.ts): loading the modules of an engine takes a second of processor time. A recording run must
 * see them load.
 */
const inTurn = { isolate: isRecording };

/** One group, so that no project waits for the longest file of another. `maxWorkers` must then be equal. */
const inLanes = {
  // The tests often wait, so further lanes open if the processors are idle.
  ...(isRecording ? { maxWorkers: LANES } : { maxWorkers: MOST_LANES, setupFiles: ['scripts/proofs/lanes/take-lane.ts'] }),
  globalSetup: ['scripts/proofs/lanes/clear-lanes.ts'],
  sequence: { groupOrder: 1 },
};

const ON_ENGINES = ['test/support/find-engine.ts', 'test/support/build.ts', 'test/support/engines.ts'];

/** Milliseconds, to end hanging tests. At load 20 on two cores, ten services from mirrors took over eight minutes. */
const PATIENT = { testTimeout: 900_000, hookTimeout: 900_000 } as const;

export default defineConfig({
  test: {
    // After many failures each further test may wait for its time-out, and the result would take more than an hour.
    bail: process.env.CI ? 10 : 0,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          ...shared,
          name: 'unit',
          include: ['**/*.test.ts'],
          exclude: [...exclude, 'test/**', ...SLOW],
          // Reloading the modules for each file takes longer than the tests. A recording run must see them load.
          isolate: isRecording,
          // By default Vitest leaves one of two processors idle.
          maxWorkers: '100%',
          // Tests take milliseconds on an idle machine. Some start programs, which takes seconds on a busy machine.
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
          ...inTurn,
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
