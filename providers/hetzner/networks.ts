import * as z from 'zod';
import {
  type CallContext,
  type CreateContext,
  type FoundNetwork,
  inputError,
  type ProviderConnection,
  unreachableError,
  type WantedNetwork,
} from '../../sdk/index.js';
import type { RequestSubject } from './api/api.js';
import { isNotFound } from './api/api.js';
import { action, location, type Network, network } from './api/shapes.js';
import { hetznerName, nameIn, ownLabels, selector } from './project/labels.js';
import { type Project, surely } from './project/project.js';
import { freeRange, freeSubnet, overlap, parseRange } from './project/ranges.js';

const holding = z.object({ network });

/** Creates the verbs for private networks, which contain a subnet for each network zone with servers. */
export function networkVerbs(project: Project): ProviderConnection['networks'] {
  const { api } = project;
  const found = ({ id, labels, ip_range }: Network): FoundNetwork => ({ name: nameIn(labels), id: String(id), range: ip_range });

  const read = async (name: string, context: CallContext) => {
    const row = await project.find('network', name, context);
    return row && found(row);
  };

  return {
    read,
    diff: ({ range }, { range: there }) =>
      range === undefined || there === undefined || range === there
        ? { action: 'noop' }
        : { action: 'replace', changes: [`range ${there} becomes ${range}`] },
    ready: async (name, context) => (await read(name, context)) ?? gone(name),
    update: async ({ name }, context) => (await read(name, context)) ?? gone(name),

    async list({ scope, signal }) {
      signal?.throwIfAborted();
      const rows = await project.list('network', selector(scope, 'network'), {
        what: 'list the networks',
        on: scope.infra,
        signal,
      });
      return rows.map(found).sort((a, b) => a.name.localeCompare(b.name));
    },

    async create(wanted, context) {
      if (wanted.existing) return existing(project, wanted.name, wanted.existing, context);
      return found(await project.ensure('network', wanted.name, context, () => makeNetwork(project, wanted, context)));
    },

    async delete(name, context) {
      const row = await project.ours('network', name, context);
      if (!row) return;
      const about = { what: 'delete the network', on: name, signal: context.signal };
      // The vendor would silently detach its servers.
      if (row.servers.length > 0)
        throw unreachableError({ code: 'network-in-use', ...named(about), why: `${row.servers.length} servers are in it` });
      await api.remove(z.unknown(), `networks/${row.id}`, about);
    },
  };
}

const named = ({ what, on }: RequestSubject) => ({ what, on });

async function makeNetwork(project: Project, { name, range, zone }: WantedNetwork, context: CreateContext): Promise<Network> {
  const about = { what: 'make the network', on: name };
  const all = await project.api.list(network, 'networks', {}, about);
  if (range) refuseOverlap(name, range, all, context);
  const ip_range = range ?? freeRange(all.map((one) => one.ip_range));
  const network_zone = zone ? await zoneOf(project, zone, about) : 'eu-central';
  const body = {
    name: hetznerName(context.scope, name),
    ip_range,
    subnets: [{ type: 'cloud', network_zone, ip_range: freeSubnet(ip_range, []) ?? ip_range }],
    labels: ownLabels('network', name, context),
  };
  return (await project.api.post(holding, 'networks', body, about)).network;
}

function refuseOverlap(name: string, range: string, all: readonly Network[], { scope }: CallContext): void {
  const parts = { what: 'make the network', on: name };
  if (!parseRange(range))
    throw inputError({
      code: 'network-range',
      ...parts,
      why: `"${range}" is not an IPv4 range`,
      hint: 'write a range such as 10.20.0.0/16',
    });
  const other = all.find((one) => one.labels['provisioning.uuid'] === scope.uuid && overlap(one.ip_range, range));
  if (!other) return;
  const why = `its range ${range} overlaps with ${other.ip_range} of the network "${nameIn(other.labels)}"`;
  throw inputError({ code: 'network-overlap', ...parts, why, hint: 'give the networks of an infra ranges that do not overlap' });
}

/** Returns the network zone of a location. */
async function zoneOf(project: Project, zone: string, about: RequestSubject): Promise<string> {
  const all = await project.api.list(location, 'locations', {}, about);
  const there = all.find(({ name, network_zone }) => name === zone || network_zone === zone);
  if (there) return there.network_zone;
  const why = `no zone "${zone}" exists: use ${all.map(({ name }) => name).join(', ')}`;
  throw inputError({ code: 'unknown-zone', ...named(about), why });
}

/** Uses an existing network unchanged. */
async function existing(project: Project, name: string, id: string, { signal }: CallContext): Promise<FoundNetwork> {
  const row = await networkById(project, name, id, signal);
  return { name, id: String(row.id), range: row.ip_range };
}

async function networkById(project: Project, name: string, id: string, signal?: AbortSignal): Promise<Network> {
  const about = { what: 'use the network', on: name, signal };
  const hint = 'use its number from the console of the project';
  if (!/^\d+$/.test(id))
    throw inputError({ code: 'network-missing', ...named(about), why: `"${id}" is not the number of a network`, hint });
  try {
    return (await project.api.get(holding, `networks/${id}`, {}, about)).network;
  } catch (error) {
    if (isNotFound(error))
      throw inputError({ code: 'network-missing', ...named(about), why: `the project has no network ${id}`, hint });
    throw error;
  }
}

/** Returns the network for a server, with a subnet in the server's zone. */
export async function networkFor(
  project: Project,
  { network: name, existingNetwork }: { network: string; existingNetwork?: string },
  locationName: string,
  context: CallContext,
): Promise<Network> {
  const row = existingNetwork
    ? await networkById(project, name, existingNetwork, context.signal)
    : await surely(project, () => project.find('network', name, context));
  if (!row)
    throw inputError({ code: 'network-missing', what: 'use the network', on: name, why: 'it does not exist in the project' });
  const known = zones.get(locationName);
  if (known && row.subnets.some(({ network_zone }) => network_zone === known)) return row;
  return project.shared(`subnet ${row.id} ${locationName}`, context.signal, () =>
    ensureSubnet(project, row, name, locationName, !existingNetwork),
  );
}

/** Network zones of locations, which do not change. */
const zones = new Map<string, string>();

async function ensureSubnet(project: Project, row: Network, name: string, locationName: string, ours: boolean): Promise<Network> {
  const about = { what: 'use the network', on: name };
  const network_zone = zones.get(locationName) ?? (await zoneOf(project, locationName, about));
  zones.set(locationName, network_zone);
  if (row.subnets.some((subnet) => subnet.network_zone === network_zone)) return row;
  if (!ours)
    throw inputError({
      code: 'network-missing',
      ...about,
      why: `it has no subnet in ${network_zone}, the zone of ${locationName}`,
      hint: 'create a subnet in the console: the platform does not change existing networks',
    });
  const ip_range = freeSubnet(
    row.ip_range,
    row.subnets.flatMap((subnet) => subnet.ip_range ?? []),
  );
  if (!ip_range)
    throw inputError({
      code: 'network-full',
      ...about,
      why: `its range ${row.ip_range} has no room for a subnet in ${network_zone}`,
    });
  const answer = await project.api.post(
    z.object({ action }),
    `networks/${row.id}/actions/add_subnet`,
    { type: 'cloud', network_zone, ip_range },
    about,
  );
  await project.actions.finished([answer.action], about);
  return row;
}

function gone(name: string): never {
  throw inputError({ code: 'network-gone', what: 'use the network', on: name, why: 'the project no longer has it' });
}
