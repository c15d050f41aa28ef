import { findInventory } from '../../../authoring/request/which-infra.js';
import { testContext } from '../../../authoring/test-environments/test-context.js';
import type { TestScript } from '../../../core/environment/test-environment.js';
import type { TestResult } from '../../../core/environment/test-result.js';
import type { InventoryServer } from '../../../core/infra/inventory.js';
import type { Session } from '../../program/session.js';
import { prepareKeys } from '../../ssh/keys-of.js';
import { type CommandResult, runThere } from '../../ssh/run-there.js';

const WHAT = 'run the script';
/** Milliseconds that each host may take to tell how its services are. */
const LOOK_MS = 120_000;

/**
 * Runs a script that comes by standard input, in a folder that root alone may enter and that goes with it: an
 * argument would be seen by every user of the host. Without an interpreter of its own it is one of bash, and ends at
 * the first command that fails.
 */
const RUN = [
  'set -e',
  'dir=$(mktemp -d /root/.provisioning-test.XXXXXXXX)',
  'trap \'rm -rf "$dir"\' EXIT',
  'cat > "$dir/script"',
  'chmod 700 "$dir/script"',
  'cd "$dir"',
  'case "$(head -c 2 "$dir/script" | tr -d "\\0")" in',
  '  "#!") "$dir/script" < /dev/null ;;',
  '  *) bash -eo pipefail "$dir/script" < /dev/null ;;',
  'esac',
].join('\n');

export interface TestRun {
  scripts: readonly TestScript[];
  /** Seconds that a script may take on a host. */
  timeoutS: number;
  signal: AbortSignal;
  /** Called as each is done. */
  done?(result: TestResult): void;
}

/**
 * Tries a test environment: has the platform check its services, and runs scripts on its hosts as root, by SSH with
 * logins that the worker signs for whoever calls.
 *
 * @param session in the workspace that the environment is for
 */
export async function runTests(session: Session, infra: string, run: TestRun): Promise<TestResult[]> {
  const results: TestResult[] = [];
  const add = (...more: TestResult[]) => {
    for (const one of more) run.done?.(one);
    results.push(...more);
  };
  const { workspace } = session;
  add(...(await (await session.client()).testEnvironments.run({ workspace, infra, withinMs: LOOK_MS })).tests);
  if (run.scripts.length === 0) return results;
  const inTests = testContext(session);
  const inventory = await findInventory(inTests, infra);
  const servers = Object.values(inventory.servers).sort((a, b) => a.name.localeCompare(b.name));
  const { folder: keys, remove } = await prepareKeys(inTests, inventory, servers);
  try {
    for (const script of run.scripts)
      for (const server of servers.filter(({ name }) => script.on === undefined || script.on.includes(name)))
        if (!run.signal.aborted) add(await runScript(server, script, keys, run));
  } finally {
    await remove();
  }
  return results;
}

async function runScript(
  server: InventoryServer,
  { name, text }: TestScript,
  keys: string,
  { timeoutS, signal }: TestRun,
): Promise<TestResult> {
  const began = performance.now();
  const ran = await runThere(server, { keys, what: WHAT, timeoutMs: timeoutS * 1_000, signal, input: text }, ['sh', '-c', RUN]);
  const seconds = (performance.now() - began) / 1_000;
  const output = [ran.stdout, ran.stderr].map((one) => `${one.text}${one.cut > 0 ? `… cut here: ${one.cut} bytes more\n` : ''}`);
  const base = { kind: 'script', name, server: server.name, seconds, output: output.join('') } as const;
  return { ...base, ...outcomeOf(ran, timeoutS) };
}

function outcomeOf(
  { exit, reached, timedOut, stopped, stderr }: CommandResult,
  timeoutS: number,
): Pick<TestResult, 'status' | 'why' | 'exit'> {
  if (stopped) return { status: 'error', why: 'the script was interrupted' };
  if (timedOut) return { status: 'failed', why: `the script did not end within ${timeoutS} s` };
  if (!reached) return { status: 'error', why: `the host was not reached: ${stderr.text.trim() || 'ssh found no connection'}` };
  if (exit === undefined) return { status: 'failed', why: 'the script was ended by a signal' };
  return exit === 0 ? { status: 'passed', exit } : { status: 'failed', why: `the script ended with exit code ${exit}`, exit };
}
