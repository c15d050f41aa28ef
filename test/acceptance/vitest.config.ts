import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Milliseconds. Servers in clouds take minutes. */
const PATIENT = 1_800_000;

/** The contract on an account. No other run includes it, because it costs money. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: { include: ['test/acceptance/contract.suite.ts'], pool: 'forks', testTimeout: PATIENT, hookTimeout: PATIENT },
});
