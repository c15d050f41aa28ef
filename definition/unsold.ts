import type { ServerSpec } from '../core/definition/definition.js';
import type { CatalogPlan, CatalogZone } from '../core/machine/catalog.js';
import { findPriceInZone } from '../core/machine/cost.js';
import type { ProviderOffer } from '../core/operation/provider-questions.js';
import { didYouMean } from './source/did-you-mean.js';
import { Findings } from './source/findings.js';
import type { Path, Problem } from './source/problem.js';
import { problemsOf } from './source/read-source.js';
import { isRecord } from './source/salvage.js';
import type { Source } from './source/source.js';

/** Zones and plans that an account can buy today. */
export interface Offer {
  sold: ProviderOffer;
  zones: readonly CatalogZone[];
}

type Wanted = Pick<ServerSpec, 'name' | 'group' | 'provider' | 'plan' | 'zone'>;

/**
 * Reports unknown zones and plans in a file, and plans that are not sold in their zone. If a catalogue does not cover
 * something, the provider decides.
 *
 * @param offers by provider with its account
 */
export function unsold(source: Source, servers: readonly Wanted[], offers: ReadonlyMap<string, Offer>): Problem[] {
  const findings = new Findings();
  const entries = isRecord(source.value) && Array.isArray(source.value.servers) ? source.value.servers : [];
  const judged = new Set<string>();
  for (const server of servers) {
    const offer = offers.get(server.provider);
    const index = entries.findIndex((entry) => isRecord(entry) && entry.name === server.group);
    if (!offer || index < 0 || judged.has(server.group)) continue;
    judged.add(server.group);
    judge(server, offer, { path: ['servers', index], entry: entries[index] }, findings);
  }
  return problemsOf(source, findings);
}

function judge(
  { provider, plan, zone }: Wanted,
  { sold, zones }: Offer,
  { path, entry }: { path: Path; entry: Record<string, unknown> },
  findings: Findings,
): void {
  const at = (key: string): Path => (key in entry ? [...path, key] : key === 'zone' && !('region' in entry) ? ['region'] : path);
  const names = zones.map(({ name }) => name);
  if (zone !== undefined && names.length > 0 && !names.includes(zone)) {
    findings.value(at('zone'), `"${provider}" has no zone "${zone}"`, didYouMean(zone, names));
    return;
  }
  const place = zone ?? sold.defaultZone;
  const there = sold.plans.filter((one) => place === undefined || findPriceInZone(one.zones, place) !== undefined);
  // Nothing at all in a zone that is there: the catalogue does not reach so far.
  if (there.length === 0 || there.some(({ name }) => name === plan.name)) return;
  const known = sold.plans.find(({ name }) => name === plan.name);
  // Without any price it may be sold all the same.
  if (known && Object.keys(known.zones).length === 0) return;
  const written = typeof entry.plan === 'string' && entry.plan !== plan.name ? `"${entry.plan}" (${plan.name})` : `"${plan.name}"`;
  if (!known) {
    findings.value(
      at('plan'),
      `"${provider}" does not sell the plan ${written} today`,
      didYouMean(
        plan.name,
        there.map(({ name }) => name),
      ),
    );
    return;
  }
  const where = Object.keys(known.zones).sort().join(', ');
  findings.value(
    at('plan'),
    `the plan ${written} is not sold in ${place}`,
    `it is in ${where}; ${place} has ${alike(known, there)}`,
  );
}

/** Those that come nearest in cores and memory. */
function alike({ cores, memoryMiB }: CatalogPlan, there: readonly CatalogPlan[]): string {
  const far = (one: CatalogPlan) => Math.abs(Math.log2(one.cores / cores)) + Math.abs(Math.log2(one.memoryMiB / memoryMiB));
  return [...there]
    .sort((a, b) => far(a) - far(b) || (a.name < b.name ? -1 : 1))
    .slice(0, 3)
    .map(({ name }) => name)
    .join(', ');
}
