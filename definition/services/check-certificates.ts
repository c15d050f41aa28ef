import type { ExpandedServer } from '../expanded-server.js';
import { didYouMean } from '../source/did-you-mean.js';
import type { Findings } from '../source/findings.js';
import { isRecord } from '../source/salvage.js';
import type { Placed } from './settle-services.js';

/** What serves with a certificate of acme (`tls.acme`) needs an acme on its server that gets it. */
export function checkCertificates(server: ExpandedServer, placed: readonly Placed[], findings: Findings): void {
  const acme = placed.find(({ spec }) => spec.name === 'acme');
  const there = namesIn(acme?.spec.config);
  for (const { spec, path } of placed) {
    for (const name of wantedBy(spec.config)) {
      if (!acme) {
        const why = `"${spec.name}" uses the certificate "${name}" of acme, but the server "${server.spec.name}" has no acme`;
        findings.value(path, why, 'add the taskserv acme to that server, or give certificate and key');
        break;
      }
      if (acme.spec.config === undefined || there.includes(name)) continue;
      findings.value(path, `"${spec.name}" has the certificate "${name}", which acme does not get`, didYouMean(name, there));
    }
  }
}

function namesIn(config: unknown): string[] {
  const certificates = isRecord(config) && Array.isArray(config.certificates) ? config.certificates : [];
  return certificates.flatMap((one) => (isRecord(one) && typeof one.name === 'string' ? [one.name] : []));
}

/** Certificates of acme that a configuration names: of its `tls`, and of sites. */
function wantedBy(config: unknown): string[] {
  if (!isRecord(config) || !isRecord(config.tls)) return [];
  const sites = Array.isArray(config.sites) ? config.sites : [];
  const all = [config.tls.acme, ...sites.map((site) => (isRecord(site) ? site.acme : undefined))].flat();
  return [...new Set(all.filter((name) => typeof name === 'string'))];
}
