import { replaceSecrets } from '../place-taskservs.js';
import type { Findings } from '../source/findings.js';
import type { Path } from '../source/problem.js';
import { isRecord } from '../source/salvage.js';
import type { DomainClaim, DomainServices } from './derived.js';
import type { DomainsAround, Name } from './domains-around.js';
import { isTwofold, setterOf } from './zone-setters.js';

const ACME = 'acme';

/** Keys of a zone's parts that follow from the domains. */
const OWN = { dns: ['zone', 'records'], acme: ['certificates'] } as const;

/** Adds the records of names to what sets them on a server: dns-records or cloud-dns. */
export function addRecords(
  names: readonly Name[],
  said: DomainClaim,
  derived: DomainServices,
  around: DomainsAround,
  findings: Findings,
): void {
  for (const [zone, own] of byZone(names)) {
    const dns = around.zones.get(zone)?.dns;
    if (dns === undefined || isTwofold(dns)) continue;
    const setter = setterOf(dns);
    const at = (inner: Path): Path => (inner[0] === 'records' ? said.path : placeIn(zone, 'dns', inner));
    const config = { zone, ...partOf(zone, 'dns', setter, said, around, at, findings) };
    const [first] = own;
    if (!first || disagrees(setter, config, { ...said, path: first.path }, derived, findings)) continue;
    const { owner, records } = derived.config(said.server, setter);
    const there = entriesOf(records);
    const further = own.filter(({ name }) => !there.some((record) => record.name === name));
    const elsewhere = derived.carriers(setter).filter((server) => server !== said.server);
    for (const { name, path } of further) {
      const other = elsewhere.find((server) => entriesOf(derived.written(server, setter).records).some((one) => one.name === name));
      if (other === undefined) continue;
      findings.value(path, `"${setter}" of "${other}" sets "${name}" already`, 'remove the record there');
    }
    const marked = owner === undefined ? { owner: `${around.workspace}/${around.infra}` } : {};
    derived.addPart(setter, said, config, at);
    derived.add(setter, said, { ...marked, records: [...there, ...further.map(({ name }) => ({ name }))] });
  }
}

/**
 * Adds one certificate for all names of a service to the acme of a server, unless one that is there by hand has them all.
 *
 * @returns its name; undefined where the zones say nothing of certificates, or what is wrong is reported
 */
export function addCertificate(
  names: readonly Name[],
  said: DomainClaim & { service: string },
  derived: DomainServices,
  around: DomainsAround,
  findings: Findings,
): string | undefined {
  const own = names.filter(({ zone }) => around.zones.get(zone)?.acme !== undefined);
  for (const [zone, [first]] of byZone(own)) {
    const at = (inner: Path): Path => (inner[0] === 'certificates' ? said.path : placeIn(zone, 'acme', inner));
    const config = partOf(zone, 'acme', ACME, said, around, at, findings);
    if (!first || disagrees(ACME, config, { ...said, path: first.path }, derived, findings)) return undefined;
    derived.addPart(ACME, said, config, at);
  }
  if (own.length === 0) return undefined;
  const domains = own.map(({ name }) => name);
  const there = entriesOf(derived.config(said.server, ACME).certificates);
  const covering = there.find(
    (one) => Array.isArray(one.domains) && domains.every((name) => (one.domains as unknown[]).includes(name)),
  );
  if (typeof covering?.name === 'string') return covering.name;
  const name = said.service.slice(0, 51);
  if (entriesOf(derived.written(said.server, ACME).certificates).some((one) => one.name === name)) {
    const message = `"${ACME}" of "${said.server}" has a certificate "${name}" for other names`;
    findings.value(said.path, message, 'add this name to its domains, or give it another name');
    return undefined;
  }
  // Other entries for the same service may have added names before.
  const former = there.find((one) => one.name === name);
  const all = [...new Set([...(Array.isArray(former?.domains) ? former.domains : []), ...domains])];
  derived.add(ACME, said, { certificates: [...there.filter((one) => one !== former), { name, domains: all }] });
  return name;
}

/** Service part of a zone, with references instead of its secrets. */
function partOf(
  zone: string,
  part: keyof typeof OWN,
  taskserv: string,
  { server }: DomainClaim,
  around: DomainsAround,
  at: (inner: Path) => Path,
  findings: Findings,
): Record<string, unknown> {
  const said = { ...around.zones.get(zone)?.[part] };
  for (const key of OWN[part]) {
    if (said[key] === undefined) continue;
    delete said[key];
    const hint = `write what you set by hand in the configuration of ${taskserv}`;
    findings.key(['domains', zone, part, key], `"${key}" is determined by the names in "domain"`, hint);
  }
  return replaceSecrets(said, { workspace: around.workspace, infra: around.infra, scope: server, taskserv }, around, at, findings);
}

/** Whether a service has other settings already, which is reported. */
function disagrees(
  taskserv: string,
  config: Record<string, unknown>,
  { server, path }: DomainClaim,
  derived: DomainServices,
  findings: Findings,
): boolean {
  const key = derived.contradiction(server, taskserv, config);
  if (key === undefined) return false;
  const one = `"${taskserv}" of "${server}"`;
  if (key === 'zone') {
    const hint = 'serve them from another server, or omit dns in one zone and create its records by hand';
    findings.value(path, `${one} sets names of another zone already`, hint);
  } else findings.value(path, `${one} has another "${key}" already`, 'use the same value by hand and in all zones');
  return true;
}

function byZone(names: readonly Name[]): Map<string, Name[]> {
  const found = new Map<string, Name[]>();
  for (const one of names) found.set(one.zone, [...(found.get(one.zone) ?? []), one]);
  return found;
}

const placeIn = (zone: string, part: string, inner: Path): Path =>
  inner[0] === 'zone' ? ['domains', zone] : ['domains', zone, part, ...inner];

const entriesOf = (value: unknown): Record<string, unknown>[] => (Array.isArray(value) ? value.filter(isRecord) : []);
