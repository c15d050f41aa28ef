import type { ZoneEntry } from '../../core/schema/definition.js';
import type { ServiceDefaults } from '../defaults/service-defaults.js';
import type { ExpandedServer } from '../expand-servers.js';
import type { Assignment, Surroundings } from '../place-taskservs.js';
import { didYouMean } from '../source/did-you-mean.js';
import type { Findings } from '../source/findings.js';
import type { Path } from '../source/problem.js';
import { Derived, type Said } from './derived.js';
import { frontOf } from './fronts.js';
import { addCertificate, addRecords } from './names-of-zone.js';

/** What is looked at besides the entries of a definition. */
export interface DomainsAround extends Surroundings {
  infra: string;
  servers: readonly ExpandedServer[];
  zones: ReadonlyMap<string, ZoneEntry>;
  /** What settings say of a taskserv. */
  defaultsOf(taskserv: string): ServiceDefaults | undefined;
}

/** A name of a `domain`, where the file says it, and the zone that it is in. */
export interface Name {
  name: string;
  path: Path;
  zone: string;
}

/** Whom a name leads to. */
interface Leads {
  service: string;
  server: string;
}

/**
 * The entries that each `domain` stands for: records of dns-records, a certificate of acme, and the route and TLS of the
 * haproxy in front, as one could have written them. What the file says of the same services by hand stays, below them.
 */
export function fromDomains(entries: readonly Assignment[], around: DomainsAround, findings: Findings): Assignment[] {
  const derived = new Derived(entries, around, findings);
  const taken = new Map<string, Leads>();
  for (const entry of entries) {
    if (entry.domain === undefined) continue;
    const names = namesOf(entry, around.zones, findings);
    const front = frontOf(entry, derived, findings);
    if (!front) continue;
    const free = names.filter((one) => isFree(one, { service: entry.taskserv.name, server: front.server }, taken, findings));
    if (free.length === 0) continue;
    const said: Said = { server: front.server, path: [...entry.path, 'domain'] };
    addRecords(free, said, derived, around, findings);
    const certificate = addCertificate(free, { ...said, service: entry.taskserv.name }, derived, around, findings);
    front.serve(certificate);
  }
  return derived.all();
}

/** The names of an entry, each with its zone; those without one are reported. */
function namesOf({ domain = [], path }: Assignment, zones: ReadonlyMap<string, ZoneEntry>, findings: Findings): Name[] {
  const isList = Array.isArray(domain);
  return [...new Set([domain].flat())].flatMap((name): Name[] => {
    const at = [...path, 'domain', ...(isList ? [domain.indexOf(name)] : [])];
    // The longest is the one that is delegated.
    const [zone] = [...zones.keys()].filter((one) => name === one || name.endsWith(`.${one}`)).sort((a, b) => b.length - a.length);
    if (zone !== undefined) return [{ name, path: at, zone }];
    const labels = name.split('.');
    const parent = labels.slice(labels.length > 2 ? 1 : 0).join('.');
    const hint = zones.size === 0 ? `add it: domains: { ${parent}: { dns: …, acme: … } }` : didYouMean(parent, zones.keys());
    findings.value(at, `"${name}" is in no zone of "domains"`, hint);
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
  const message = `"${name}" leads to "${other.service}" already`;
  findings.value(path, message, 'a name leads to one service: take it out of one of the two');
  return false;
}
