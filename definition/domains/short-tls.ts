import type { Assignment } from '../place-taskservs.js';
import type { Findings } from '../source/findings.js';
import type { Path } from '../source/problem.js';
import { isRecord } from '../source/salvage.js';
import type { Derived } from './derived.js';

/** The web server that has the short form. */
const SERVER = 'nginx';

/** An entry that says `tls: true`: TLS for the very names that it serves. */
export interface ShortTls {
  entry: Assignment;
  names: string[];
  path: Path;
}

/**
 * Takes `tls: true` out of the entries of nginx, in place of which the certificate of acme comes that has all their names.
 *
 * @returns the entries, with a `tls` that what follows is laid over
 */
export function withoutShortTls(entries: readonly Assignment[]): { entries: Assignment[]; short: ShortTls[] } {
  const short: ShortTls[] = [];
  const all = entries.map((entry) => {
    if (entry.taskserv.name !== SERVER || entry.config.tls !== true) return entry;
    const path = [...entry.path, 'config', 'tls'];
    const own = { ...entry, config: { ...entry.config, tls: {} } };
    short.push({ entry: own, names: namesIn(entry.config), path });
    return own;
  });
  return { entries: all, short };
}

/** The names of the default server and of the sites on its port that have no certificate of their own. */
function namesIn({ serverName, port = 80, sites }: Record<string, unknown>): string[] {
  const own = (Array.isArray(sites) ? sites : [])
    .filter(isRecord)
    .filter((site) => site.acme === undefined && (site.port ?? port) === port);
  const texts = [serverName, ...own.map((site) => site.serverName)].filter((one) => typeof one === 'string');
  return [...new Set(texts.flatMap((text) => text.split(' ')).filter((name) => name !== '_' && name !== ''))];
}

/** The server that serves the names by TLS; undefined where there is none, which is reported. */
export function serverOf({ entry, names, path }: ShortTls, derived: Derived, findings: Findings): string | undefined {
  const [server, second] = derived.around.servers.filter((one) => entry.rank(one) !== undefined).map(({ spec }) => spec.name);
  // Where an entry is for nobody, that is told of its target.
  if (server === undefined) return undefined;
  const say = (message: string, hint: string): undefined => void findings.value(path, message, hint);
  if (second !== undefined)
    return say(
      `a name leads to one server, and "${SERVER}" is on "${server}" and "${second}"`,
      'put the taskserv haproxy in front, and say the names as `domain`',
    );
  if (names.length === 0) return say('no name is known that a certificate could be for', 'say serverName, or sites with one');
  const wild = names.find((name) => name.includes('*'));
  if (wild !== undefined)
    return say(`a certificate for "${wild}" needs DNS-01`, 'write acme with `dns` by hand, and tls: { acme: NAME } here');
  return server;
}

/** The certificate of the acme of a server that has all these names, where the file says one by hand. */
export function certificateFor(names: readonly string[], server: string, derived: Derived): string | undefined {
  const { certificates } = derived.written(server, 'acme');
  const covering = (Array.isArray(certificates) ? certificates : [])
    .filter(isRecord)
    .find(({ domains }) => Array.isArray(domains) && names.every((name) => domains.includes(name)));
  return typeof covering?.name === 'string' ? covering.name : undefined;
}
