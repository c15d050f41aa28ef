import type { HostedZone } from '@aws-sdk/client-route-53';
import { inputError, unreachableError } from '../../../sdk/index.js';
import type { AskDns } from './dns.js';

/** Returns the id of the public zone with this name. Throws the input errors `zone-missing` and `zone-ambiguous`. */
export async function findZoneId(ask: AskDns, zone: string): Promise<string> {
  const { HostedZones } = await ask((dns, options) => dns.listHostedZonesByName({ DNSName: zone }, options));
  const parts = { what: 'look at the records', on: zone };
  if (!HostedZones) {
    const why = 'AWS answered with HTTP 200 and an unknown format, perhaps from a proxy';
    throw unreachableError({ code: 'aws-answer', ...parts, why });
  }
  // The answer also contains the zones that follow this name.
  const found = HostedZones.filter(({ Name, Config }: HostedZone) => Name === `${zone}.` && !Config?.PrivateZone);
  const [first, ...more] = found.map(({ Id = '' }) => Id.replace(/^\/hostedzone\//, ''));
  if (first === undefined) {
    const hint = 'create it in the Route 53 console, or choose its account: provider: aws/prod';
    throw inputError({ code: 'zone-missing', ...parts, why: 'the account has no such public zone', hint });
  }
  if (more.length === 0) return first;
  const why = `the account has ${found.length} public zones of this name: ${[first, ...more].join(', ')}`;
  throw inputError({ code: 'zone-ambiguous', ...parts, why, hint: 'delete the zones that no registrar points to' });
}
