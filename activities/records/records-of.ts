import { isIP } from 'node:net';
import { inputError } from '../../core/errors.js';
import { type FoundName, markNameOf, serverInMark } from '../../core/host/zone-records.js';
import type { RecordSet, ZoneVerbs } from '../../core/machine/zones.js';
import type { ConnectionOf } from '../machine/provider-connections.js';

const MARK = markNameOf('');

/** The zones of an account. Throws the input error `no-zones` where its provider has none. */
export async function findZoneVerbs(connectionOf: ConnectionOf, provider: string): Promise<ZoneVerbs> {
  const { records } = await connectionOf(provider);
  if (records) return records;
  throw inputError({
    code: 'no-zones',
    what: 'set the records of names',
    on: provider,
    why: 'the provider has no DNS zones',
    hint: 'choose hetzner or aws',
  });
}

/** Returns a zone's records of one name, and their owner. */
export function readFoundName(all: readonly RecordSet[], owner: string, name: string): FoundName {
  const there = all.filter((set) => set.name === name && set.type !== 'TXT');
  const mark = all.find((set) => set.name === markNameOf(name) && set.type === 'TXT');
  const server = mark?.values.length === 1 ? serverInMark(owner, mark.values[0] ?? '') : undefined;
  const other = server === undefined ? (mark ?? there[0]) : there.find(({ type }) => type === 'CNAME');
  return {
    name,
    ttl: there[0]?.ttl ?? 0,
    addresses: there
      .flatMap(({ values }) => values)
      .filter((value) => isIP(value) > 0)
      .sort(),
    ...(server !== undefined && { server }),
    ...(other && { foreign: `${other.type} ${other.values.join(' ')}` }),
  };
}

/** Names of a zone with the mark of an owner. */
export const listMarkedNames = (all: readonly RecordSet[], owner: string): string[] =>
  all.flatMap(({ name, type, values }) =>
    type === 'TXT' && name.startsWith(MARK) && values.some((value) => serverInMark(owner, value) !== undefined)
      ? [name.slice(MARK.length)]
      : [],
  );
