import { accountIn } from '../../core/machine/account.js';
import type { AnyProvider } from '../../core/machine/provider.js';
import type { ZoneEntry } from '../../core/schema/definition.js';
import { requireFeature } from '../server-features.js';
import { didYouMean } from '../source/did-you-mean.js';
import type { Findings } from '../source/findings.js';

/** The taskserv that sets the records of a zone: the cloud that has it is asked by the worker, a name server by a host. */
export const setterOf = (dns: NonNullable<ZoneEntry['dns']>): 'cloud-dns' | 'dns-records' =>
  'provider' in dns ? 'cloud-dns' : 'dns-records';

/** Whether a zone is said to be at a provider and at a name server, which is reported once. */
export const isTwofold = (dns: NonNullable<ZoneEntry['dns']>): boolean => 'provider' in dns && 'server' in dns;

/** Reports zones that name no provider with zones, or a provider and a name server at once. */
export function checkZones(
  zones: ReadonlyMap<string, ZoneEntry>,
  { providers, known }: { providers: Readonly<Record<string, AnyProvider>>; known: readonly string[] },
  findings: Findings,
): void {
  for (const [zone, { dns }] of zones) {
    if (dns === undefined || !('provider' in dns)) continue;
    const at = ['domains', zone, 'dns'];
    if (isTwofold(dns)) {
      const hint = 'omit provider if your own name server has the zone, otherwise omit server, key and tsigSecret';
      findings.key([...at, 'server'], 'a zone has either a provider or a name server', hint);
      continue;
    }
    if (typeof dns.provider !== 'string') continue;
    const { provider: name } = accountIn(dns.provider);
    const provider = Object.hasOwn(providers, name) ? providers[name] : undefined;
    if (provider) requireFeature('records', provider, [...at, 'provider'], findings);
    else findings.value([...at, 'provider'], `unknown provider "${name}"`, didYouMean(name, known));
  }
}
