import { messageOf } from '../../core/errors.js';
import type { InventoryServer } from '../../core/infra/inventory.js';
import { SSH_EXIT } from './reached-server.js';
import { type KeptOutput, MOST_OUTPUT, runThere } from './run-there.js';

/** Result of a command on one server. */
export interface HostRun {
  server: string;
  /** Exit code; null if the command was ended by a signal or did not start. */
  exit: number | null;
  stdout: KeptOutput;
  stderr: KeptOutput;
  reached: boolean;
  /** Reason why there is no exit code. */
  why?: string;
}

interface How {
  keys: string;
  what: string;
  /** Maximum number of servers in parallel. */
  parallel: number;
  timeoutS?: number;
  /** Maximum stored bytes of each stream of a server. Default: `MOST_OUTPUT`. */
  most?: number;
  signal: AbortSignal;
  /** Called after each server. */
  done?(run: HostRun): void;
}

/** Maximum stored bytes of all servers together. */
const MOST_OF_ALL = 128 * 1024 ** 2;

const NOTHING: KeptOutput = { text: '', cut: 0 };

/** Runs a command on servers in parallel. The runs are independent of each other. */
export async function runOnAll(servers: readonly InventoryServer[], how: How, words: readonly string[]): Promise<HostRun[]> {
  const runs: HostRun[] = [];
  const most = Math.min(how.most ?? MOST_OUTPUT, Math.floor(MOST_OF_ALL / 2 / servers.length));
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < servers.length; index = next++) {
      const server = servers[index] as InventoryServer;
      const run = await runOn(server, { ...how, most }, words);
      runs[index] = run;
      how.done?.(run);
    }
  };
  await Promise.all(Array.from({ length: Math.min(how.parallel, servers.length) }, worker));
  return runs;
}

async function runOn(server: InventoryServer, how: How & { most: number }, words: readonly string[]): Promise<HostRun> {
  const { timeoutS, signal, ...more } = how;
  const none = (why: string): HostRun => ({
    server: server.name,
    exit: null,
    stdout: NOTHING,
    stderr: NOTHING,
    reached: false,
    why,
  });
  if (signal.aborted) return none('it was not begun');
  if (server.stopped) return none('it is switched off');
  try {
    const timeoutMs = timeoutS === undefined ? undefined : timeoutS * 1000;
    const { exit, stdout, stderr, reached, timedOut, stopped } = await runThere(server, { ...more, timeoutMs, signal }, words);
    const ended = { server: server.name, exit: exit ?? null, stdout, stderr, reached };
    if (stopped) return { ...ended, why: 'ended by Ctrl-C: the remote command may continue' };
    if (timedOut && reached) return { ...ended, why: `no end within ${timeoutS} s: the remote command may continue` };
    if (timedOut) return none(`no connection within ${timeoutS} s`);
    if (!reached) return none(stderr.text.trim() === '' ? 'ssh found no connection' : stderr.text.trim());
    if (exit === SSH_EXIT && server.connection.kind === 'ssh')
      return { ...ended, why: 'the command returned this code, or the connection broke' };
    return exit === undefined ? { ...ended, why: 'the script was ended by a signal' } : ended;
  } catch (error) {
    return none(messageOf(error));
  }
}
