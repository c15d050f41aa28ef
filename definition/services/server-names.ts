import { isRecord } from '../source/salvage.js';
import type { Placed } from './settle-services.js';

/**
 * Services of a server, whose endpoints say under which name they are asked by TLS: their certificate of acme has not that of
 * the server, but those that acme asks for.
 */
export function withServerNames(server: string, placed: readonly Placed[]): Placed[] {
  const domains = domainsOf(placed.find(({ spec }) => spec.name === 'acme')?.spec.config);
  return placed.map((one) => {
    const { config, endpoints } = one.spec;
    const acme = isRecord(config) && isRecord(config.tls) ? config.tls.acme : undefined;
    const [domain] = (typeof acme === 'string' && domains.get(acme)) || [];
    if (domain === undefined || !endpoints.some(({ tls }) => tls)) return one;
    const serverName = domain.replace('*', server);
    return { ...one, spec: { ...one.spec, endpoints: endpoints.map((at) => (at.tls ? { ...at, serverName } : at)) } };
  });
}

/** What the certificates of an acme are for, by their names. */
function domainsOf(config: unknown): Map<string, string[]> {
  const certificates = isRecord(config) && Array.isArray(config.certificates) ? config.certificates : [];
  return new Map(certificates.filter(isRecord).map(({ name, domains }) => [String(name), domains as string[]]));
}
