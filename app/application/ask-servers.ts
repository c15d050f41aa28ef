import { inputError, messageOf, ProvisioningError } from '../../core/errors.js';
import type { InventoryServer } from '../../core/infra/inventory.js';
import type { Application } from './applications.js';
import { findHostScripts, type HostScripts, type OpenHosts, type ScriptEnd } from './host-scripts.js';

/** Servers that are queried at a time. */
const PARALLEL = 10;
/** Milliseconds that each may take. */
const LIMIT_MS = 60_000;
/** Maximum size of the output of all servers together, in characters. */
const MOST = 64 * 1024 * 1024;

/** Errors about the right to use a host: they are passed on unchanged. */
const REFUSALS: ReadonlySet<string> = new Set(['host-managed-by-another', 'ssh-key-not-allowed', 'this-host-not-allowed']);

/** Returns whether an error refuses any use of a host. */
export const isRefusal = (error: unknown): boolean => error instanceof ProvisioningError && REFUSALS.has(error.details.code);

/** Why a server that is switched off does not answer. */
export const SWITCHED_OFF = 'it is switched off';

/** Why a script on a server failed. */
export const explainFailure = (error: unknown): string =>
  error instanceof ProvisioningError ? error.details.why : messageOf(error);

/** The last line that a script printed as an error, or its exit code. */
export const explainEnd = ({ exit, stderr }: ScriptEnd): string =>
  stderr.trim().split('\n').at(-1)?.trim() || `the script ended with code ${exit}`;

/**
 * Runs a script as root on each server of an application. The first failure ends all scripts.
 *
 * @returns the output of each script, by server
 * @throws inputError `app-not-asked` if a server was not reached, the script failed, or its output was too large;
 * unreachableError `no-worker`
 */
export async function askServers(
  engine: { hostScripts?: HostScripts },
  { inventory, servers, config }: Application,
  script: string,
  { what, signal }: { what: string; signal?: AbortSignal | undefined },
): Promise<Map<string, string>> {
  const hosts = await findHostScripts(engine, what).open(inventory, servers);
  const stop = new AbortController();
  const ended = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
  const answers = new Map<string, string>();
  const left = servers.slice();
  let room = MOST;
  const worker = async () => {
    for (let server = left.shift(); server; server = left.shift()) {
      const { name } = server;
      const texts: string[] = [];
      const take = (text: string) => {
        texts.push(text);
        room -= text.length;
        if (room < 0) stop.abort(refuse(name, `the servers print more than ${MOST / 1024 / 1024} MiB: ask for less`));
      };
      await runOn(hosts, server, script, { signal: ended, take }).catch((error: unknown) => {
        throw stop.signal.aborted ? stop.signal.reason : isRefusal(error) ? error : refuse(name, explainFailure(error));
      });
      answers.set(name, texts.join(''));
    }
  };
  const refuse = (server: string, why: string) =>
    inputError({ code: 'app-not-asked', what, on: `${config.name} on ${server}`, why });
  try {
    await Promise.all(Array.from({ length: Math.min(PARALLEL, servers.length) }, worker));
    return new Map(servers.map(({ name }) => [name, answers.get(name) ?? '']));
  } finally {
    stop.abort();
    hosts.close();
  }
}

async function runOn(
  hosts: OpenHosts,
  server: InventoryServer,
  script: string,
  { signal, take }: { signal: AbortSignal; take(text: string): void },
): Promise<void> {
  signal.throwIfAborted();
  if (server.stopped) throw new Error(SWITCHED_OFF);
  const end = await hosts.run(server, script, { signal, limitMs: LIMIT_MS, onOutput: take });
  signal.throwIfAborted();
  if (end.exit !== 0) throw new Error(explainEnd(end));
}
