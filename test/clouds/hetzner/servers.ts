import { freeAddress, type Machine, newMachine } from '../machines.js';
import { imageNamed, locationNamed, typeNamed } from './catalog.js';
import { oneOf } from './lists.js';
import { newAddress } from './others.js';
import { attachTo } from './private-network.js';
import { shownAction } from './views.js';
import { assertUnlocked, begin, existing, invalid, newRow, Refusal, type Routes, type ServerRow, type World } from './world.js';

const about = ({ id }: ServerRow) => [{ id, type: 'server' }];

/** Reports a container's failure as a failure of the action. */
async function switchOn({ machines }: World, row: ServerRow): Promise<void> {
  await machines.get(row.id)?.start();
  row.status = 'running';
}

async function switchOff({ machines }: World, row: ServerRow, graceS: number): Promise<void> {
  await machines.get(row.id)?.stop(graceS);
  row.status = 'off';
}

const turn = (row: ServerRow, status: ServerRow['status']): void => {
  row.status = status;
};

const acted = (status: number, { action }: ReturnType<typeof begin>) => ({ status, body: { action: shownAction(action) } });

/** Returns the handler of an action on one server, which starts only if no other action runs on it. */
const onServer =
  (
    command: string,
    effect: (world: World, row: ServerRow, body: Record<string, unknown>) => void | (() => void | Promise<void>),
    takes?: 'stop' | 'boot',
  ): Routes[string] =>
  (world, { ids, body }) => {
    const row = existing(world, 'servers', ids[0]);
    assertUnlocked(world, row);
    const later = effect(world, row, body);
    return acted(201, begin(world, command, about(row), { effect: later || undefined, takes: world.delays[takes ?? 'other'] }));
  };

function makeServer(world: World, body: Record<string, unknown>): ServerRow {
  const type = typeNamed(body.server_type);
  const { name: location } = locationNamed(body.location);
  if (!type.locations.some((one) => one.name === location))
    throw invalid('unsupported location for server type', 'server_type', 'location');
  const image = imageNamed(body.image);
  if (String(body.user_data ?? '').length > 32 * 1024) throw invalid("invalid input in field 'user_data'", 'user_data');
  if (world.state.servers.size >= world.limits.servers) throw new Refusal(403, 'resource_limit_exceeded', 'server limit exceeded');
  for (const key of (body.ssh_keys ?? []) as string[])
    if (![...world.state.ssh_keys.values()].some(({ id, name }) => String(id) === key || name === key))
      throw new Refusal(404, 'not_found', `SSH key '${key}' not found`);
  const firewalls = ((body.firewalls ?? []) as { firewall: number }[]).map(
    ({ firewall }) => existing(world, 'firewalls', firewall).id,
  );
  const volumes = ((body.volumes ?? []) as number[]).map((id) => existing(world, 'volumes', id));
  for (const volume of volumes) {
    if (volume.location !== location) throw invalid('volume and server are in different locations', 'volumes');
    if (volume.server !== null) throw new Refusal(422, 'volume_already_attached', 'volume already attached');
    if (volume.status !== 'available') throw new Refusal(423, 'locked', 'volume is locked');
  }
  const group =
    body.placement_group === undefined ? undefined : existing(world, 'placement_groups', Number(body.placement_group)).id;
  if (
    group !== undefined &&
    [...world.state.servers.values()].filter(({ placement }) => placement === group).length >= world.limits.groupMembers
  )
    throw new Refusal(403, 'resource_limit_exceeded', 'placement group is full');
  const row: ServerRow = {
    ...newRow(world, 'servers', body),
    status: 'initializing',
    server_type: type.name,
    image: image.id,
    location,
    ipv4: '',
    address: 0,
    networks: [],
    placement: group,
    firewalls,
    disk: type.disk,
  };
  for (const id of (body.networks ?? []) as number[]) attachTo(world, row, existing(world, 'networks', id));
  for (const volume of volumes) volume.server = row.id;
  return row;
}

/** Creates a machine with the server's given address, or with a new one. */
async function giveMachine(world: World, row: ServerRow, body: Record<string, unknown>): Promise<Machine> {
  const wanted = (body.public_net as { ipv4?: number } | undefined)?.ipv4;
  const given = typeof wanted === 'number' ? existing(world, 'primary_ips', wanted) : undefined;
  if (given && given.server !== null) throw new Refusal(422, 'primary_ip_assigned', 'primary IP is already assigned');
  if (given && given.location !== row.location)
    throw new Refusal(422, 'primary_ip_datacenter_mismatch', 'primary IP is in another location');
  const ip = given?.ip ?? (await freeAddress(world.hosts));
  const { location } = row;
  const address = given ?? newAddress(world, { name: `primary_ip-${row.id}`, labels: {}, ip, location, auto_delete: true });
  address.server = row.id;
  row.address = address.id;
  row.ipv4 = ip;
  return newMachine({
    name: row.name,
    userData: String(body.user_data ?? ''),
    hosts: world.hosts,
    address: ip,
    disks: world.disks,
  });
}

export const serverRoutes: Routes = {
  'POST /v1/servers': async (world, { body }) => {
    const row = makeServer(world, body);
    const machine = await giveMachine(world, row, body);
    world.state.servers.set(row.id, row);
    world.state.made[row.name] = (world.state.made[row.name] ?? 0) + 1;
    world.machines.set(row.id, machine);
    world.userData.set(row.name, String(body.user_data ?? ''));
    for (const { network, ip } of row.networks)
      await machine.join(network, `${ip}/${existing(world, 'networks', network).ip_range.split('/')[1]}`);
    const make = begin(world, 'create_server', about(row), {
      takes: world.delays.make,
      effect: () => turn(row, 'starting'),
    });
    const start = begin(world, 'start_server', about(row), {
      takes: world.delays.boot,
      after: make.end,
      effect: () => switchOn(world, row),
    });
    return {
      status: 201,
      body: {
        ...oneOf(world, 'servers', row),
        action: shownAction(make.action),
        next_actions: [shownAction(start.action)],
        root_password: null,
      },
    };
  },

  'DELETE /v1/servers/{}': (world, { ids }) => {
    const { state } = world;
    const row = existing(world, 'servers', ids[0]);
    assertUnlocked(world, row);
    row.status = 'deleting';
    const effect = async () => {
      state.servers.delete(row.id);
      for (const volume of state.volumes.values()) if (volume.server === row.id) volume.server = null;
      for (const address of state.primary_ips.values()) {
        if (address.server !== row.id) continue;
        if (address.auto_delete) state.primary_ips.delete(address.id);
        else address.server = null;
      }
      await world.machines.get(row.id)?.remove();
      world.machines.delete(row.id);
    };
    return acted(200, begin(world, 'delete_server', about(row), { takes: world.delays.remove, effect }));
  },

  'POST /v1/servers/{}/actions/poweron': onServer('start_server', (world, row) => () => switchOn(world, row), 'boot'),
  'POST /v1/servers/{}/actions/poweroff': onServer('stop_server', (world, row) => () => switchOff(world, row, 0), 'stop'),
  // The action ends when the system has been notified. The power goes off after the shutdown.
  'POST /v1/servers/{}/actions/shutdown': onServer('shutdown_server', (world, row) => () => switchOff(world, row, 20), 'stop'),

  'POST /v1/servers/{}/actions/change_type': onServer('change_server_type', (_, row, body) => {
    const type = typeNamed(body.server_type);
    if (row.status !== 'off') throw new Refusal(422, 'server_not_stopped', 'server must be stopped');
    if (type.disk < row.disk || !type.locations.some((one) => one.name === row.location))
      throw new Refusal(422, 'invalid_server_type', 'server type does not fit');
    return () => {
      row.server_type = type.name;
      if (body.upgrade_disk === true) row.disk = type.disk;
    };
  }),

  'POST /v1/servers/{}/actions/attach_to_network': onServer('attach_to_network', (world, row, body) => {
    const network = existing(world, 'networks', Number(body.network));
    const ip = attachTo(world, row, network);
    return () => world.machines.get(row.id)?.join(network.id, `${ip}/${network.ip_range.split('/')[1]}`);
  }),
  'POST /v1/servers/{}/actions/detach_from_network': onServer('detach_from_network', (_, row, body) => {
    row.networks = row.networks.filter(({ network }) => network !== body.network);
  }),

  'POST /v1/servers/{}/actions/add_to_placement_group': onServer('add_to_placement_group', (world, row, body) => {
    if (row.status !== 'off') throw new Refusal(422, 'server_not_stopped', 'server must be stopped');
    row.placement = existing(world, 'placement_groups', Number(body.placement_group)).id;
  }),
  'POST /v1/servers/{}/actions/remove_from_placement_group': onServer('remove_from_placement_group', (_, row) => {
    row.placement = undefined;
  }),
};
