import type { ZoneEntry } from '../../core/schema/definition.js';
import type { Assignment } from '../place-taskservs.js';
import { didYouMean } from '../source/did-you-mean.js';
import type { Findings } from '../source/findings.js';
import type { Path } from '../source/problem.js';
import { isRecord } from '../source/salvage.js';
import { type DomainClaim, DomainServices } from './derived.js';
import type { DomainsAround, Name } from './domains-around.js';
import { frontOf, SERVE } from './fronts.js';
import { addCertificate, addRecords } from './names-of-zone.js';

/** Whom a name leads to. */
interface Leads {
  service: string;
  server: string;
}

/**
 * Adds the entries for which each `domain` stands: records of dns-records, a certificate of acme, and the route and
 * TLS of the haproxy in front. Manual configuration of the same services stays beneath them. `tls: true` stands for
 * the same with the names of its service.
 */
export function expandDomains(written: readonly Assignment[], around: DomainsAround, findings: Findings): Assignment[] {
  const { entries, short } = splitShortTls(written);
  const derived = new DomainServices(entries, around, findings);
  const taken = new Map<string, Leads>();
  for (const entry of entries) {
    const { domain, path } = entry;
    if (domain === undefined) continue;
    const at = (name: string): Path => [...path, 'domain', ...(Array.isArray(domain) ? [domain.indexOf(name)] : [])];
    const names = inZones([domain].flat(), at, around.zones, findings);
    const front = frontOf(entry, derived, findings);
    if (!front) continue;
    const led = lead(names, { service: entry.taskserv.name, server: front.server }, [...path, 'domain']);
    if (led) front.serve(led.certificate);
  }
  for (const one of short) serveByTls(one);
  return [...entries, ...derived.all()];

  /** Adds the records of those names that lead nowhere else, and their certificate where zones say acme. */
  function lead(names: readonly Name[], leads: Leads, path: Path): { certificate: string | undefined } | undefined {
    const free = names.filter((one) => isFree(one, leads, taken, findings));
    if (free.length === 0) return undefined;
    const said: DomainClaim = { server: leads.server, path };
    addRecords(free, said, derived, around, findings);
    return { certificate: addCertificate(free, { ...said, service: leads.service }, derived, around, findings) };
  }

  function serveByTls(one: ShortTls): void {
    const { entry, names, path } = one;
    const before = findings.all.length;
    const server = serverOf(one, derived, findings);
    const service = entry.taskserv.name;
    const acme = server === undefined ? undefined : acmeOn(server);
    if (server !== undefined && acme !== undefined) derived.add(service, { server, path }, { tls: { acme } });
    // The schema must not report the same fault again.
    else delete entry.config.tls;
    if (acme === undefined && findings.all.length === before && server !== undefined)
      findings.value(path, `the zones of these names have no acme: ${names.join(', ')}`, 'add it: acme: { email: … }');

    function acmeOn(server: string): string | undefined {
      const byHand = certificateFor(names, server, derived);
      return (
        byHand ??
        lead(
          inZones(names, () => path, around.zones, findings),
          { service, server },
          path,
        )?.certificate
      );
    }
  }
}

/** Names, each with its zone; those without one are reported. */
function inZones(
  names: readonly string[],
  at: (name: string) => Path,
  zones: ReadonlyMap<string, ZoneEntry>,
  findings: Findings,
): Name[] {
  return [...new Set(names)].flatMap((name): Name[] => {
    // The longest is the one that is delegated.
    const [zone] = [...zones.keys()].filter((one) => name === one || name.endsWith(`.${one}`)).sort((a, b) => b.length - a.length);
    if (zone !== undefined) return [{ name, path: at(name), zone }];
    const labels = name.split('.');
    const parent = labels.slice(labels.length > 2 ? 1 : 0).join('.');
    const hint = zones.size === 0 ? `add it: domains: { ${parent}: { dns: …, acme: … } }` : didYouMean(parent, zones.keys());
    findings.value(at(name), `"${name}" is in no zone of "domains"`, hint);
    return [];
  });
}

function isFree({ name, path }: Name, leads: Leads, taken: Map<string, Leads>, findings: Findings): boolean {
  const other = taken.get(name);
  if (!other) {
    taken.set(name, leads);
    return true;
  }
  if (other.service === leads.service && other.server === leads.server) return true;
  const message = `"${name}" already leads to "${other.service}"`;
  findings.value(path, message, 'a name can lead to only one service: remove it from one of the two');
  return false;
}

/**
 * Drops `public` declarations of TLS if a domain is faulty, because it is unknown whether its server would use TLS.
 * They are checked once the domain is right.
 */
export function dropUnknownPublic(entries: readonly Assignment[], findings: Findings): readonly Assignment[] {
  if (!findings.all.some(({ path }) => isOfDomain(path))) return entries;
  return entries.map((entry) => (SERVE.has(entry.taskserv.name) ? { ...entry, public: undefined } : entry));
}

/** `domains`, the `domain` of an entry, or its `tls: true`. */
function isOfDomain(path: Path): boolean {
  const [key, inner] = path.slice(path[0] === 'servers' ? 4 : 2);
  return path[0] === 'domains' || key === 'domain' || (key === 'config' && inner === 'tls');
}

/** The web server that has the short form. */
const SERVER = 'nginx';

/** An entry that says `tls: true`: TLS for the very names that it serves. */
export interface ShortTls {
  entry: Assignment;
  names: string[];
  path: Path;
}

/**
 * Removes `tls: true` from the entries of nginx. A certificate of acme with all their names replaces it.
 *
 * @returns the entries, with a `tls` beneath the later configuration
 */
export function splitShortTls(entries: readonly Assignment[]): { entries: Assignment[]; short: ShortTls[] } {
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

/** Names of the default server and of the sites on its port without a certificate of their own. */
function namesIn({ serverName, port = 80, sites }: Record<string, unknown>): string[] {
  const own = (Array.isArray(sites) ? sites : [])
    .filter(isRecord)
    .filter((site) => site.acme === undefined && (site.port ?? port) === port);
  const texts = [serverName, ...own.map((site) => site.serverName)].filter((one) => typeof one === 'string');
  return [...new Set(texts.flatMap((text) => text.split(' ')).filter((name) => name !== '_' && name !== ''))];
}

/** Returns the server that serves the names with TLS. Undefined without one, which is reported. */
export function serverOf({ entry, names, path }: ShortTls, derived: DomainServices, findings: Findings): string | undefined {
  const [server, second] = derived.around.servers.filter((one) => entry.rank(one) !== undefined).map(({ spec }) => spec.name);
  // An entry without a server has a fault in its target, which is reported there.
  if (server === undefined) return undefined;
  const say = (message: string, hint: string): undefined => void findings.value(path, message, hint);
  if (second !== undefined)
    return say(
      `a name can lead to only one server, but "${SERVER}" is on "${server}" and "${second}"`,
      'put the taskserv haproxy in front, and set the names as `domain`',
    );
  if (names.length === 0) return say('the certificate has no name', 'set serverName, or add a site with a server name');
  const wild = names.find((name) => name.includes('*'));
  if (wild !== undefined)
    return say(`a certificate for "${wild}" needs DNS-01`, 'write acme with `dns` by hand, and tls: { acme: NAME } here');
  return server;
}

/** Returns the manual certificate of a server's acme that has all these names. */
export function certificateFor(names: readonly string[], server: string, derived: DomainServices): string | undefined {
  const { certificates } = derived.written(server, 'acme');
  const covering = (Array.isArray(certificates) ? certificates : [])
    .filter(isRecord)
    .find(({ domains }) => Array.isArray(domains) && names.every((name) => domains.includes(name)));
  return typeof covering?.name === 'string' ? covering.name : undefined;
}
