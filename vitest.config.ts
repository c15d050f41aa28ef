import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { SLOW } from './scripts/proofs/slow.js';
import { LongestFirst } from './test/support/longest-first.js';

const exclude = ['node_modules/**', 'dist/**'];

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
  setupFiles: process.env.TESTS_SET_UP?.split(',') ?? [],
} as const;

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
          isolate: process.env.TESTS_SET_UP !== undefined,
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
          maxWorkers: 3,
          ...PATIENT,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...shared,
          name: 'rooms',
          include: ['test/**/*.test.ts'],
          exclude: [...exclude, 'test/end-to-end/**'],
          globalSetup: ['test/support/find-engine.ts', 'test/support/build.ts', 'test/support/engines.ts'],
          // Much of it is waiting.
          maxWorkers: 3,
          ...PATIENT,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...shared,
          name: 'end-to-end',
          include: ['test/end-to-end/*.test.ts'],
          globalSetup: ['test/support/find-engine.ts', 'test/support/build.ts', 'test/support/engines.ts'],
          ...PATIENT,
          // Hosts are containers on this machine, and take its cores; much of it is waiting for packages and for health.
          maxWorkers: 3,
          // One group with the others, so that none waits for the longest of another; `maxWorkers` has to be the same.
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
