import type { Readable, Writable } from 'node:stream';
import { unreachableError } from '../../core/errors.js';
import type { InventoryServer } from '../../core/infra/inventory.js';
import type { Scope } from '../../core/machine/call-context.js';

/** How a script ended on a host. */
export interface ScriptEnd {
  exit: number;
  /** The end of its standard error. */
  stderr: string;
}

export interface ScriptOptions {
  /** Ends the script. */
  signal?: AbortSignal;
  /** Milliseconds that it may take on the host. Default: no limit. */
  limitMs?: number;
  /** Called with its output. */
  onOutput?: (text: string) => void;
  /** Receives its output as bytes, at the pace of this stream's reader. `onOutput` then receives nothing. */
  output?: Writable;
  /** Its standard input. It ends with the connection. Default: empty. */
  input?: Readable;
}

/** Some servers of an infra, each with connections of its own. */
export interface OpenHosts {
  /**
   * Runs a script as root, one at a time on a server.
   *
   * @throws `host-managed-by-another`, `host-key-unknown`, `host-key-changed`, `host-unreachable`, `host-too-late`,
   *   `no-machine`; the reason of `signal` if that is aborted
   */
  run(server: InventoryServer, script: string, options?: ScriptOptions): Promise<ScriptEnd>;
  /** Ends the connections, including those that are still being opened. */
  close(): void;
}

/**
 * Runs scripts on hosts from the process of a worker, which has the keys. Only known host keys are accepted, and no key
 * is made or pinned.
 */
export interface HostScripts {
  open(scope: Scope, servers: readonly InventoryServer[]): Promise<OpenHosts>;
}

/** @throws unreachableError `no-worker` */
export function findHostScripts({ hostScripts }: { hostScripts?: HostScripts }, what: string): HostScripts {
  if (hostScripts) return hostScripts;
  const why = 'no worker of this home runs, and the worker logs in to hosts for methods';
  throw unreachableError({ code: 'no-worker', what, why, hint: 'provisioning up' });
}
