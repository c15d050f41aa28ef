import type { TaskservSpec } from '../definition/definition.js';
import type { Inventory, InventoryServer } from '../infra/inventory.js';
import { fact } from './facts.js';
import { quote } from './shell.js';
import type { Step } from './step.js';

/** Addresses by server's name. */
export type HostNames = Record<string, string>;

const BEGIN = '# begin of names written by provisioning';
const LOOPBACK = '127.0.0.1';
const END = '# end of names written by provisioning';

/** Fact with the platform's lines of a host's /etc/hosts. */
export const namesOnHost = fact(`sed -n '/^${BEGIN}$/,/^${END}$/p' /etc/hosts`, ({ stdout }) => namesIn(stdout), {} as HostNames);

/** The names in the part of the file that is ours. */
export function namesIn(text: string): HostNames {
  const lines = text.split('\n').filter((line) => /^[0-9a-f]/i.test(line) && !line.startsWith('#'));
  return Object.fromEntries(lines.map((line) => line.split(/\s+/)).map(([address = '', name = '']) => [name, address]));
}

/**
 * By which addresses a server reaches others of its infra. Clouds resolve no names of
 * servers; a container's network and the demo do, and whoever names an existing host
 * sees to its names. Undefined where there is nothing to be written.
 *
 * @param itself whether its services use its own name, which images give an address of loopback
 */
export function namesFor(server: string, others: Iterable<string>, { servers }: Inventory, itself = false): HostNames | undefined {
  const own = servers[server];
  if (!own || !isReached(own)) return undefined;
  const names: HostNames = {};
  // Without a private address its services listen on loopback, or on all addresses.
  if (itself && own.connection.kind === 'ssh') names[server] = own.connection.privateAddress ?? LOOPBACK;
  for (const name of others) {
    const other = servers[name];
    if (other && name !== server && isReached(other)) names[name] = addressFrom(own, other);
  }
  return Object.keys(names).length > 0 ? names : undefined;
}

/** Whether a service of a server refers to that server or to another of its services. */
export const refersToItself = (server: string, taskservs: readonly Pick<TaskservSpec, 'refersTo'>[]): boolean =>
  taskservs.some(({ refersTo = [] }) => refersTo.some((one) => one.server === server));

/** Whether others reach it by an address that its connection has. */
const isReached = ({ connection, spec }: InventoryServer): boolean =>
  connection.kind === 'ssh' && !spec.host && !/^(127\.|::1$|localhost$)/.test(connection.address);

/** Those of one network talk within it. */
function addressFrom(own: InventoryServer, { connection, provider, spec }: InventoryServer): string {
  if (connection.kind !== 'ssh') return '';
  const together = own.provider === provider && own.spec.network === spec.network;
  return (together && connection.privateAddress) || connection.address;
}

/** Names that the host knows by another address than the one wanted. */
export const listMovedNames = (known: HostNames, wanted: HostNames): string[] =>
  Object.keys(wanted).filter((name) => known[name] !== undefined && known[name] !== wanted[name]);

/**
 * Step that adds or changes one name on a host whose names were not read. It does nothing if the host already knows
 * the name.
 */
export function nameStep(name: string, address: string): Step {
  const kept = `sed -n '/^${BEGIN}$/,/^${END}$/p' /etc/hosts | grep -v '^#' | grep -v ${quote(` ${name}$`)} || true`;
  return {
    title: `Name the server ${name}`,
    run: [
      `known=$(${kept})`,
      `rest=$(sed '/^${BEGIN}$/,/^${END}$/d' /etc/hosts)`,
      `block=$(printf '%s\n' "$known" ${quote(`${address} ${name}`)} | sed '/^$/d' | sort)`,
      `printf '%s\n' ${quote(BEGIN)} "$block" ${quote(END)} "$rest" >/etc/hosts`,
    ].join('\n'),
    // The name is known whoever asks for it, and the next operation looks again.
    undo: ':',
  };
}

/**
 * Step that adds these names to the known names. Undefined if they are known. The file is written in place, because
 * containers have it as a mount.
 */
export function namesStep(known: HostNames, wanted: HostNames): Step | undefined {
  const after = { ...known, ...wanted };
  const missing = Object.keys(after).filter((name) => after[name] !== known[name]);
  if (missing.length === 0) return undefined;
  const title = missing.length === 1 ? `Name the server ${missing[0]}` : `Name ${missing.length} other servers`;
  return { title, run: write(after), undo: write(known) };
}

function write(names: HostNames): string {
  const lines = Object.entries(names).map(([name, address]) => `${address} ${name}`);
  // First of all: the first address of a name counts, and images name their host 127.0.1.1.
  const block = lines.length > 0 ? [BEGIN, ...lines.sort(), END] : [];
  return [
    `rest=$(sed '/^${BEGIN}$/,/^${END}$/d' /etc/hosts)`,
    `printf '%s\\n' ${block.map((line) => `${quote(line)} `).join('')}"$rest" >/etc/hosts`,
  ].join('\n');
}
