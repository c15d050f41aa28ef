import { isIP } from 'node:net';
import { same } from '../../core/encoding/hash.js';
import { inputError } from '../../core/errors.js';
import type { Leads, RecordsAction } from '../../core/host/step.js';
import { markNameOf, markOf } from '../../core/host/zone-records.js';
import type { CallContext } from '../../core/machine/call-context.js';
import type { RecordChange, RecordSet } from '../../core/machine/zones.js';
import type { ConnectionOf } from '../machine/provider-connections.js';
import type { NamedServer } from './look-at-records.js';
import { findZoneVerbs, readFoundName } from './records-of.js';
import { serverAddress } from './server-address.js';

/** Wanted addresses of a name, and the server that sets them. */
type Wanted = (Leads & { server: string }) | undefined;

/** Sets and removes records of a server's names. Each is safe to repeat: it begins with a look. */
export function recordSetter(named: NamedServer, connectionOf: ConnectionOf, context: CallContext) {
  return {
    /** Throws the input error `dns-foreign` if the name now belongs to others. */
    async set({ name, to, ...at }: RecordsAction): Promise<void> {
      const { all, found, change } = await lookAt(at, name);
      if (!to) {
        // Another server of the infra has taken the name over, or it is not ours any more.
        if (found.foreign === undefined && found.server === named.server) await change(changes(all, at.owner, name, undefined));
        return;
      }
      if (found.foreign !== undefined) throw foreign(at.owner, named.server, name, found.foreign);
      const addresses = to.addresses ?? [ownAddress(name)];
      await change(changes(all, at.owner, name, { ttl: to.ttl, addresses, server: named.server }));
    },

    /** Restores the former record. Records that others have set since stay. */
    async unset({ name, from, ...at }: RecordsAction): Promise<void> {
      const { all, found, change } = await lookAt(at, name);
      if (found.foreign !== undefined) return;
      if (found.server !== undefined && found.server !== named.server) return;
      await change(changes(all, at.owner, name, from));
    },
  };

  async function lookAt({ provider, zone, owner }: Omit<RecordsAction, 'name'>, name: string) {
    const verbs = await findZoneVerbs(connectionOf, provider);
    const all = await verbs.list(zone, context);
    const change = async (wanted: RecordChange[]) => {
      if (wanted.length > 0) await verbs.change(zone, wanted, context);
    };
    return { all, found: readFoundName(all, owner, name), change };
  }

  function ownAddress(name: string): string {
    const own = named.connection ? serverAddress(named.connection) : { noAddress: 'the server does not exist' };
    if ('address' in own) return own.address;
    const hint = 'write the addresses of the name in its record';
    throw inputError({ code: 'no-address', what: 'set the records of a name', on: name, why: own.noAddress, hint });
  }
}

/** Missing changes. The mark is created first and removed last, so the platform's records always have it. */
function changes(all: readonly RecordSet[], owner: string, name: string, wanted: Wanted): RecordChange[] {
  const ofFamily = (family: 4 | 6) => wanted?.addresses.filter((address) => isIP(address) === family).sort() ?? [];
  const mark = wanted ? [markOf(owner, wanted.server)] : [];
  const inOrder = [
    changeOf(all, markNameOf(name), 'TXT', mark, wanted?.ttl),
    changeOf(all, name, 'A', ofFamily(4), wanted?.ttl),
    changeOf(all, name, 'AAAA', ofFamily(6), wanted?.ttl),
  ].flat();
  return wanted ? inOrder : inOrder.reverse();
}

function changeOf(all: readonly RecordSet[], name: string, type: RecordChange['type'], values: string[], ttl = 0): RecordChange[] {
  const there = all.find((set) => set.name === name && set.type === type);
  const from = there && { ttl: there.ttl, values: there.values };
  const to = values.length > 0 ? { ttl, values } : undefined;
  return same(from, to) ? [] : [{ name, type, ...(from && { from }), ...(to && { to }) }];
}

const foreign = (owner: string, server: string, name: string, there: string) =>
  inputError({
    code: 'dns-foreign',
    what: 'set the records of a name',
    on: name,
    why: `records exist that the platform did not create: ${there}`,
    hint: `remove them, or set the TXT record ${markNameOf(name)} to "${markOf(owner, server)}"`,
  });
