import {
  defineTaskserv,
  type FoundName,
  type FoundRecords,
  inputError,
  type Step,
  type ZoneAt,
  zoneRecords,
} from '../../sdk/index.js';
import { type CloudDnsConfig, type CloudRecord, cloudDnsConfig } from './cloud-dns-config.js';

const at = ({ provider, zone, owner }: CloudDnsConfig): ZoneAt => ({ provider, zone, owner });

/** Sets the addresses of names at the cloud that has their zone. The worker does it, by the credentials of its provider. */
export const cloudDns = defineTaskserv({
  name: 'cloud-dns',
  category: 'networking',
  holds: [],
  description: 'Sets addresses of names in a DNS zone of a cloud, and never changes records of other owners.',
  versions: { default: '1', supported: ['1'], source: 'provisioning' },
  config: cloudDnsConfig,
  uses: () => [],
  facts: (config) => ({
    records: zoneRecords(
      at(config),
      config.records.map(({ name }) => name),
    ),
  }),
  installed: ({ records }) => (ownNames(records).length > 0 ? '1' : undefined),

  plan: (config, { records }) => [
    ...config.records.flatMap((record) => recordStep(config, records, record)),
    ...ownNames(records)
      .filter(({ name }) => !config.records.some((one) => one.name === name))
      .map((found) => removeStep(config, found)),
  ],

  health: ({ records }) => [
    { title: 'the names are set', records: records.map(({ name, addresses }) => ({ name, ...(addresses && { addresses }) })) },
  ],

  remove: (config, { records }) => ownNames(records).map((found) => removeStep(config, found)),
});

/** Names that this server has set. Those that another one has taken over are its business. */
const ownNames = ({ server, names }: FoundRecords): FoundName[] =>
  names.filter((one) => one.server !== undefined && one.server === server);

function recordStep(config: CloudDnsConfig, found: FoundRecords, { name, addresses, ttl }: CloudRecord): Step[] {
  const there = found.names.find((one) => one.name === name);
  if (there?.foreign) throw foreign(config, name, there.foreign);
  const wanted = addresses ?? (found.address ? [found.address] : undefined);
  if (!wanted && found.noAddress) throw withoutAddress(name, found.noAddress);
  const sorted = wanted && [...wanted].sort();
  const isSet = there?.server === found.server && there?.ttl === ttl && there.addresses.join() === sorted?.join();
  if (there && isSet) return [];
  const to = { ttl, ...(sorted && { addresses: sorted }) };
  const title = `Set the records of ${name}${sorted ? ` to ${sorted.join(', ')}` : ''}`;
  return [{ title, records: { ...at(config), name, to, ...formerOf(there) } }];
}

const removeStep = (config: CloudDnsConfig, found: FoundName): Step => ({
  title: `Remove the records of ${found.name}`,
  records: { ...at(config), name: found.name, ...formerOf(found) },
});

/** Record that an undo restores: one of the platform that has addresses. */
function formerOf(found: FoundName | undefined) {
  if (found?.server === undefined || found.addresses.length === 0) return {};
  const { ttl, addresses, server } = found;
  return { from: { ttl, addresses, server } };
}

const foreign = (config: CloudDnsConfig, name: string, there: string) =>
  inputError({
    code: 'dns-foreign',
    what: 'set the records of a name',
    on: name,
    why: `records exist that the platform did not create: ${there}`,
    hint: `remove them in the zone ${config.zone} of ${config.provider}, or choose another name`,
  });

const withoutAddress = (name: string, why: string) =>
  inputError({
    code: 'no-address',
    what: 'set the records of a name',
    on: name,
    why: `the address of its server is not known: ${why}`,
    hint: 'write the addresses of the name in its record of cloud-dns',
  });
