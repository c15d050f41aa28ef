import { setTimeout as sleep } from 'node:timers/promises';
import type {
  Change,
  ListResourceRecordSetsRequest,
  ListResourceRecordSetsResponse,
  ResourceRecordSet,
} from '@aws-sdk/client-route-53';
import { type RecordChange, type RecordSet, unreachableError, type ZoneVerbs } from '../../sdk/index.js';
import type { Account } from './ec2/account.js';
import { type AskDns, openDns } from './route53/dns.js';
import { findZoneId } from './route53/zone-id.js';

const TYPES = ['A', 'AAAA', 'CNAME', 'TXT'] as const;

/** Creates the verbs for record sets in Route 53 zones, which belong to an account and not to a region. */
export function zoneVerbs(account: Account): ZoneVerbs {
  const open = openDns(account.settings);
  return {
    async list(zone, { signal }) {
      const ask = (await open).for({ what: 'look at the records', on: zone, signal });
      const HostedZoneId = await findZoneId(ask, zone);
      return (await allSets(ask, HostedZoneId)).flatMap(told);
    },

    async change(zone, changes, { signal }) {
      const ask = (await open).for({ what: 'change the records', on: changes[0]?.name ?? zone, signal });
      const HostedZoneId = await findZoneId(ask, zone);
      const ChangeBatch = { Changes: changes.map(asked) };
      const { ChangeInfo } = await ask((dns, options) => dns.changeResourceRecordSets({ HostedZoneId, ChangeBatch }, options));
      // Until then, some of its name servers return the former records.
      for (let status = ChangeInfo?.Status; status !== 'INSYNC'; ) {
        await sleep(account.pollMs, undefined, signal ? { signal } : {});
        const { ChangeInfo: now } = await ask((dns, options) => dns.getChange({ Id: ChangeInfo?.Id }, options));
        status = now?.Status;
      }
    },
  };
}

async function allSets(ask: AskDns, HostedZoneId: string): Promise<ResourceRecordSet[]> {
  const all: ResourceRecordSet[] = [];
  for (let start: ListResourceRecordSetsRequest | undefined = { HostedZoneId }; start; ) {
    const input: ListResourceRecordSetsRequest = start;
    const page: ListResourceRecordSetsResponse = await ask((dns, options) => dns.listResourceRecordSets(input, options));
    if (!page.ResourceRecordSets) {
      const why = 'AWS answered with HTTP 200 and an unknown format, perhaps from a proxy';
      throw unreachableError({ code: 'aws-answer', what: 'look at the records', on: HostedZoneId, why });
    }
    all.push(...page.ResourceRecordSets);
    const { NextRecordName, NextRecordType, NextRecordIdentifier } = page;
    start = page.IsTruncated
      ? {
          HostedZoneId,
          ...(NextRecordName !== undefined && { StartRecordName: NextRecordName }),
          ...(NextRecordType !== undefined && { StartRecordType: NextRecordType }),
          ...(NextRecordIdentifier !== undefined && { StartRecordIdentifier: NextRecordIdentifier }),
        }
      : undefined;
  }
  return all;
}

function told({ Name = '', Type, TTL = 0, ResourceRecords = [], AliasTarget }: ResourceRecordSet): RecordSet[] {
  const type = TYPES.find((one) => one === Type);
  if (!type) return [];
  const values = AliasTarget
    ? [`alias of ${AliasTarget.DNSName}`]
    : ResourceRecords.map(({ Value = '' }) => (type === 'TXT' ? unquoted(Value) : Value)).sort();
  return [{ name: Name.replace(/\.$/, '').toLowerCase(), type, ttl: TTL, values }];
}

/**
 * Converts a change. AWS applies a batch completely or not at all. A created record must be absent, and a deleted
 * record unchanged.
 */
function asked({ name, type, from, to }: RecordChange): Change {
  const { ttl, values } = to ?? from ?? { ttl: 0, values: [] };
  return {
    Action: !to ? 'DELETE' : from ? 'UPSERT' : 'CREATE',
    ResourceRecordSet: {
      Name: `${name}.`,
      Type: type,
      TTL: ttl,
      ResourceRecords: values.map((value) => ({ Value: type === 'TXT' ? `"${value}"` : value })),
    },
  };
}

/** Returns a text without the quotes of zone files, in which long texts are split into parts. */
const unquoted = (value: string): string =>
  /^"/.test(value) ? [...value.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, part = '']) => part).join('') : value;
