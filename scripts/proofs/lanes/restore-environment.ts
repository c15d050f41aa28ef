/** Where a process keeps the environment with which it played its first file. Modules may be loaded again. */
const KEPT = Symbol.for('provisioning.tests.environment');
/** Variables that Vitest sets for each file. */
const VITEST = /^VITEST/;

/**
 * Gives a test file the environment with which its process started, whatever the files before it in this process have
 * set. An engine passes its environment on to its worker: credentials of one file would be accounts in the next.
 */
export function restoreEnvironment(
  env: NodeJS.ProcessEnv = process.env,
  kept: Record<symbol, unknown> = globalThis as never,
): void {
  kept[KEPT] ??= { ...env };
  const first = kept[KEPT] as NodeJS.ProcessEnv;
  for (const name of Object.keys(env)) if (!(name in first) && !VITEST.test(name)) delete env[name];
  for (const [name, value] of Object.entries(first)) if (!VITEST.test(name) && env[name] !== value) env[name] = value;
}
