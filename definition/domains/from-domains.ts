import type { ZoneEntry } from '../../core/schema/definition.js';
import type { Assignment } from '../place-taskservs.js';
import { didYouMean } from '../source/did-you-mean.js';
import type { Findings } from '../source/findings.js';
import type { Path } from '../source/problem.js';
import { Derived, type Said } from './derived.js';
import type { DomainsAround, Name } from './domains-around.js';
import { frontOf } from './fronts.js';
import { addCertificate, addRecords } from './names-of-zone.js';
import { certificateFor, type ShortTls, serverOf, withoutShortTls } from './short-tls.js';

/** Whom a name leads to. */
interface Leads {
  service: string;
  server: string;
}

/**
 * The entries, with those that each `domain` stands for: records of dns-records, a certificate of acme, and the route and
 * TLS of the haproxy in front, as one could have written them. What the file says of the same services by hand stays,
 * below them. A `tls: true` stands for the same of the names that its service has.
 */
export function fromDomains(written: readonly Assignment[], around: DomainsAround, findings: Findings): Assignment[] {
  const { entries, short } = withoutShortTls(written);
  const derived = new Derived(entries, around, findings);
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
    const said: Said = { server: leads.server, path };
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
    // What is reported is not to be reported by the schema as well.
    else delete entry.config.tls;
    if (acme === undefined && findings.all.length === before && server !== undefined)
      findings.value(path, `no zone of these names says acme: ${names.join(', ')}`, 'add it: acme: { email: … }');

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
  const message = `"${name}" leads to "${other.service}" already`;
  findings.value(path, message, 'a name leads to one service: take it out of one of the two');
  return false;
}
