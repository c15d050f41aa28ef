import { liveStatus } from '../../../authoring/request/live-status.js';
import { findInventory } from '../../../authoring/request/which-infra.js';
import type { TestScript } from '../../../core/environment/test-environment.js';
import type { InventoryServer } from '../../../core/infra/inventory.js';
import type { Session } from '../../program/session.js';
import { type LiveService, liveServices } from '../../render/status.js';
import type { TestResult } from '../../render/test-environments/test-result.js';
import { prepareKeys } from '../../ssh/keys-of.js';
import { type Ran, runThere } from '../../ssh/run-there.js';

const WHAT = 'run the script';
/** Seconds that each host may take to tell how its services are. */
const LOOK_S = 120;

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
 * Tries a test environment: asks its services for their health, as their taskservs know it, sees whether a second run
 * would find something to do, and runs scripts on its hosts as root.
 *
 * @param session in the workspace of test environments
 */
export async function runTests(session: Session, infra: string, run: TestRun): Promise<TestResult[]> {
  const inventory = await findInventory(session, infra);
  const results: TestResult[] = [];
  const add = (...more: TestResult[]) => {
    for (const one of more) run.done?.(one);
    results.push(...more);
  };
  const began = performance.now();
  const looked = await liveStatus(session, [inventory], { clouds: false, seconds: LOOK_S });
  const seconds = (performance.now() - began) / 1_000;
  for (const service of liveServices(looked)) add(...resultsOf(service, seconds));
  const servers = Object.values(inventory.servers).sort((a, b) => a.name.localeCompare(b.name));
  if (run.scripts.length === 0) return results;
  const { folder: keys, remove } = await prepareKeys(session, inventory, servers);
  try {
    for (const script of run.scripts)
      for (const server of servers.filter(({ name }) => script.on === undefined || script.on.includes(name)))
        if (!run.signal.aborted) add(await runScript(server, script, keys, run));
  } finally {
    await remove();
  }
  return results;
}

/** Its health, and whether it stays as it was left. */
function resultsOf({ server, taskserv, state, why, steps = [] }: LiveService, seconds: number): TestResult[] {
  const well = state === 'healthy' || state === 'differs';
  const health = { kind: 'health', name: `${taskserv} is healthy`, server, seconds } as const;
  const unchanged = { kind: 'unchanged', name: `${taskserv} needs no further change`, server, seconds: 0 } as const;
  if (!well)
    return [
      { ...health, status: 'failed', why: `${state}${why === undefined ? '' : `: ${why}`}` },
      { ...unchanged, status: 'skipped', why: 'the service is not healthy' },
    ];
  return [
    { ...health, status: 'passed' },
    state === 'healthy'
      ? { ...unchanged, status: 'passed' }
      : { ...unchanged, status: 'failed', why: `a second run would change more: ${steps.join('; ')}` },
  ];
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
  { exit, reached, timedOut, stopped, stderr }: Ran,
  timeoutS: number,
): Pick<TestResult, 'status' | 'why' | 'exit'> {
  if (stopped) return { status: 'error', why: 'the script was interrupted' };
  if (timedOut) return { status: 'failed', why: `the script did not end within ${timeoutS} s` };
  if (!reached) return { status: 'error', why: `the host was not reached: ${stderr.text.trim() || 'ssh found no connection'}` };
  if (exit === undefined) return { status: 'failed', why: 'the script was ended by a signal' };
  return exit === 0 ? { status: 'passed', exit } : { status: 'failed', why: `the script ended with exit code ${exit}`, exit };
}
