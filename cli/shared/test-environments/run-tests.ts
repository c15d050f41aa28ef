import { findInventory } from '../../../authoring/request/which-infra.js';
import { testContext } from '../../../authoring/test-environments/test-context.js';
import type { TestScript } from '../../../core/environment/test-environment.js';
import type { TestResult } from '../../../core/environment/test-result.js';
import type { InventoryServer } from '../../../core/infra/inventory.js';
import type { Session } from '../../program/session.js';
import { prepareKeys } from '../../ssh/keys-of.js';
import { type CommandResult, runThere } from '../../ssh/run-there.js';

const WHAT = 'run the script';
/** Time limit for each host's service checks, in milliseconds. */
const LOOK_MS = 120_000;

/**
 * Runs a script from standard input in a temporary folder that only root may enter. Arguments would be visible to
 * every user of the host. A script without an interpreter runs in bash and ends at the first failed command.
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
  /** Time limit of a script on a host, in seconds. */
  timeoutS: number;
  signal: AbortSignal;
  /** Called after each test. */
  done?(result: TestResult): void;
}

/**
 * Tests a test environment. The platform checks its services. Scripts run on its hosts as root by SSH, with logins
 * that the worker signs for the caller.
 *
 * @param session in the workspace of the environment
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
