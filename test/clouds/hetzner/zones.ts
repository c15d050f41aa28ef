import { isIPv4, isIPv6 } from 'node:net';
import { paged } from './catalog.js';
import { shownAction } from './views.js';
import { begin, type Call, invalid, newId, now, Refusal, type Routes, type RrsetRow, type World, type ZoneRow } from './world.js';

/** Creates a zone, like the console of a project. */
export function addZone(world: World, name: string): ZoneRow {
  const zone: ZoneRow = { id: newId(world), name, created: now(), ttl: 3600, rrsets: [] };
  world.state.zones.set(name, zone);
  return zone;
}

/** Returns the sorted values of a record set, or undefined if it does not exist. */
export const valuesOf = ({ state }: World, zone: string, name: string, type: string): string[] | undefined =>
  state.zones
    .get(zone)
    ?.rrsets.find((one) => one.name === name && one.type === type)
    ?.records.map(({ value }) => value)
    .sort();

function zoneOf({ state }: World, { names: [name = ''] }: Call): ZoneRow {
  const zone = state.zones.get(name);
  if (!zone) throw new Refusal(404, 'not_found', `zone with ID '${name}' not found`);
  return zone;
}

function setOf(zone: ZoneRow, { names: [, name, type] }: Call): RrsetRow {
  const set = zone.rrsets.find((one) => one.name === name && one.type === type);
  if (!set) throw new Refusal(404, 'not_found', `rrset with ID '${name}/${type}' not found`);
  return set;
}

/** Validates records by type, as the API does. Texts are quoted. */
function recordsIn(type: string, { records }: Call['body']): RrsetRow['records'] {
  const found = records as RrsetRow['records'];
  const takes: Record<string, (value: string) => boolean> = { A: isIPv4, AAAA: isIPv6, TXT: (value) => /^"[^"]*"$/.test(value) };
  for (const { value } of found) if (takes[type]?.(value) === false) throw invalid(`invalid record ${value}`, 'records');
  return found.map(({ value }) => ({ value }));
}

const shownSet = ({ id: zone }: ZoneRow, set: RrsetRow) => ({
  ...set,
  id: `${set.name}/${set.type}`,
  labels: {},
  protection: { change: false },
  zone,
});

const shownZone = ({ id, name, created, ttl, rrsets }: ZoneRow) => ({
  ...{ id, name, created, ttl, mode: 'primary', labels: {}, protection: { delete: false }, status: 'ok', registrar: 'other' },
  record_count: rrsets.reduce((sum, { records }) => sum + records.length, 0),
  authoritative_nameservers: {
    assigned: ['hydrogen.ns.hetzner.com.'],
    delegated: ['hydrogen.ns.hetzner.com.'],
    delegation_last_check: now(),
    delegation_status: 'valid',
  },
});

const started = (world: World, command: string, { id }: ZoneRow) =>
  shownAction(begin(world, command, [{ id, type: 'zone' }]).action);

/** Routes of zones and their record sets. The name servers apply a change at the end of its action. */
export const zoneRoutes: Routes = {
  'GET /v1/zones/{}': (world, call) => ({ status: 200, body: { zone: shownZone(zoneOf(world, call)) } }),
  'GET /v1/zones/{}/rrsets': (world, call) => {
    const zone = zoneOf(world, call);
    const types = call.query.getAll('type');
    const rows = zone.rrsets.filter(({ type }) => types.length === 0 || types.includes(type));
    return paged(
      'rrsets',
      rows.map((one) => shownSet(zone, one)),
      call.query,
    );
  },
  'POST /v1/zones/{}/rrsets': (world, call) => {
    const zone = zoneOf(world, call);
    const [name, type] = [String(call.body.name), String(call.body.type)];
    if (zone.rrsets.some((one) => one.name === name && one.type === type))
      throw new Refusal(409, 'uniqueness_error', 'rrset already exists', ['name', 'type']);
    if (zone.rrsets.some((one) => one.name === name && (one.type === 'CNAME') !== (type === 'CNAME')))
      throw invalid('a CNAME stands alone', 'type');
    const ttl = call.body.ttl === undefined ? null : Number(call.body.ttl);
    const set: RrsetRow = { name, type, ttl, records: recordsIn(type, call.body) };
    zone.rrsets.push(set);
    return { status: 201, body: { rrset: shownSet(zone, set), action: started(world, 'create_rrset', zone) } };
  },
  'DELETE /v1/zones/{}/rrsets/{}/{}': (world, call) => {
    const zone = zoneOf(world, call);
    const set = setOf(zone, call);
    zone.rrsets = zone.rrsets.filter((one) => one !== set);
    return { status: 201, body: { action: started(world, 'delete_rrset', zone) } };
  },
  'POST /v1/zones/{}/rrsets/{}/{}/actions/set_records': (world, call) => {
    const zone = zoneOf(world, call);
    const set = setOf(zone, call);
    set.records = recordsIn(set.type, call.body);
    return { status: 201, body: { action: started(world, 'set_rrset_records', zone) } };
  },
  'POST /v1/zones/{}/rrsets/{}/{}/actions/change_ttl': (world, call) => {
    const zone = zoneOf(world, call);
    setOf(zone, call).ttl = Number(call.body.ttl);
    return { status: 201, body: { action: started(world, 'change_rrset_ttl', zone) } };
  },
};
