import { fstatSync } from 'node:fs';
import { isTopology, type Topology, topologyIn, topologyNamed } from '../../../authoring/test-environments/topology.js';
import { inputError } from '../../../core/errors.js';
import type { Session } from '../../program/session.js';
import { readAll } from '../secrets/typed-secret.js';

/** Topology of a command, and the taskserv to which a `--version` without a name applies. */
export interface AskedTopology {
  topology: Topology;
  main?: string;
}

/**
 * Returns a topology by name or from standard input. Standard input is read for `-`, and for piped input with an
 * unknown name. The unknown name is then the taskserv under test.
 *
 * @throws inputError `unknown-topology`, `which-topology`; DefinitionError with all problems of the topology
 */
export async function chooseTopology(session: Session, name: string | undefined): Promise<AskedTopology> {
  const isKnown = name !== undefined && name !== '-' && (await isTopology(session, name));
  if (isKnown) return { topology: await topologyNamed(session, name) };
  if (name !== '-' && !isPiped(session)) {
    if (name !== undefined) return { topology: await topologyNamed(session, name) };
    const why = 'the topology is missing: choose one, or pass it on standard input';
    throw inputError({ code: 'which-topology', what: 'choose the topology', why, hint: 'provisioning test topology list' });
  }
  const text = await readAll(session.stdin);
  if (text.trim() === '' && name !== undefined && name !== '-') return { topology: await topologyNamed(session, name) };
  return { topology: topologyIn(name === undefined || name === '-' ? 'cluster' : name, text), ...(name !== '-' && { main: name }) };
}

/** Returns whether standard input is a pipe or a file. Without a writer, as in many CI jobs, it is neither. */
function isPiped({ stdin }: Session): boolean {
  if (stdin.isTTY) return false;
  const { fd } = stdin as { fd?: number };
  if (fd === undefined) return true;
  try {
    const found = fstatSync(fd);
    return found.isFIFO() || found.isFile();
  } catch {
    return false;
  }
}

/**
 * Returns versions by taskserv from `VERSION` and `TASKSERV=VERSION`.
 *
 * @param main the taskserv for a version without a name
 * @throws inputError `bad-arguments`
 */
export function versionsIn(said: readonly string[], { topology, main }: AskedTopology): Map<string, string> {
  const known = namesIn(topology.source.value);
  const versions = new Map<string, string>();
  for (const one of said) {
    const [, named, version = one] = /^([^=]+)=(.*)$/.exec(one) ?? [];
    const [only, ...others] = known;
    const name = named ?? (main !== undefined && known.includes(main) ? main : others.length === 0 ? only : undefined);
    if (name !== undefined && known.includes(name)) versions.set(name, version);
    else {
      const why = name === undefined ? 'the taskserv of the version is missing' : `the topology has no taskserv "${name}"`;
      const hint = `--version TASKSERV=VERSION; it has ${known.join(', ')}`;
      throw inputError({ code: 'bad-arguments', what: 'choose the version', on: one, why, hint });
    }
  }
  return versions;
}

/** Returns the taskservs that a topology names. */
function namesIn(value: unknown): string[] {
  const { taskservs, servers } = (value ?? {}) as { taskservs?: unknown; servers?: unknown };
  const listed = (list: unknown) => (Array.isArray(list) ? (list as unknown[]) : []);
  const entries = [...listed(taskservs), ...listed(servers).flatMap((one) => listed((one as { taskservs?: unknown })?.taskservs))];
  const names = entries.map((one) => (typeof one === 'string' ? one : String((one as { name?: unknown })?.name)));
  return [...new Set(names)];
}
