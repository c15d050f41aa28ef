import type { EC2 } from '@aws-sdk/client-ec2';
import { groupsOf } from '../../providers/aws/ec2/instances.js';

/** Actions of a person in an account through the vendor's own API, without the platform. */
export interface Elsewhere {
  /** Creates a server without our labels and returns its id. */
  make(name: string, userData: string): Promise<string>;
  delete(id: string): Promise<void>;
  stop(id: string): Promise<void>;
  start(id: string): Promise<void>;
  /** Changes its plan. */
  resize(id: string, plan: string): Promise<void>;
  label(id: string, labels: Record<string, string>): Promise<void>;
  /** Copies all labels of one server to another. */
  copyLabels(from: string, to: string, changed: Record<string, string>): Promise<void>;
  /** Removes all its labels. */
  strip(id: string): Promise<void>;
  /** Opens a port to everyone in the server's firewall. */
  open(id: string, port: number): Promise<void>;
  /** Grows the volume that is attached in addition to the boot disk. */
  grow(id: string, sizeGiB: number): Promise<void>;
  /** Plan that is larger than small and medium. */
  larger: string;
}

type Json = Record<string, never>;

function caller(base: string, token: string) {
  return async (method: string, path: string, body?: unknown): Promise<Json> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const response = await fetch(`${base}${path}`, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return (text ? JSON.parse(text) : {}) as Json;
  };
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (let left = 300; left > 0; left--) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`not within 30 s: ${what}`);
}

/** Uses Hetzner Cloud's API. */
export function elsewhereAtHetzner(endpoint: string, token: string): Elsewhere {
  const call = caller(endpoint, token);
  const server = async (id: string) => (await call('GET', `/servers/${id}`)).server as unknown as HetznerServer;
  const settled = (id: string, status: string) =>
    until(`${id} is ${status}`, async () => {
      const row = await server(id);
      return row.status === status && !row.locked;
    });
  const act = async (id: string, action: string, body: unknown, status: string) => {
    await call('POST', `/servers/${id}/actions/${action}`, body);
    await settled(id, status);
  };
  return {
    larger: 'cx43',
    async make(name, user_data) {
      const wanted = { name, server_type: 'cx23', image: 'debian-12', location: 'nbg1', user_data, labels: { 'made-by': 'hand' } };
      const { server: made } = (await call('POST', '/servers', wanted)) as unknown as { server: { id: number } };
      await settled(String(made.id), 'running');
      return String(made.id);
    },
    async delete(id) {
      await call('DELETE', `/servers/${id}`);
      await until(`${id} is gone`, () =>
        server(id).then(
          () => false,
          () => true,
        ),
      );
    },
    stop: (id) => act(id, 'poweroff', undefined, 'off'),
    start: (id) => act(id, 'poweron', undefined, 'running'),
    async resize(id, server_type) {
      await act(id, 'poweroff', undefined, 'off');
      await act(id, 'change_type', { server_type, upgrade_disk: false }, 'off');
      await act(id, 'poweron', undefined, 'running');
    },
    async label(id, labels) {
      await call('PUT', `/servers/${id}`, { labels: { ...(await server(id)).labels, ...labels } });
    },
    async copyLabels(from, to, changed) {
      await call('PUT', `/servers/${to}`, { labels: { ...(await server(from)).labels, ...changed } });
    },
    async strip(id) {
      await call('PUT', `/servers/${id}`, { labels: {} });
    },
    async open(id, port) {
      const [first] = (await server(id)).public_net.firewalls;
      const { firewall } = (await call('GET', `/firewalls/${first?.id}`)) as unknown as { firewall: { rules: object[] } };
      const rule = { direction: 'in', protocol: 'tcp', port: String(port), source_ips: ['0.0.0.0/0', '::/0'] };
      await call('POST', `/firewalls/${first?.id}/actions/set_rules`, { rules: [...firewall.rules, rule] });
    },
    async grow(id, size) {
      const [volume] = (await server(id)).volumes;
      await call('POST', `/volumes/${volume}/actions/resize`, { size });
      await until('the volume has grown', async () => {
        const { volume: now } = (await call('GET', `/volumes/${volume}`)) as unknown as { volume: { size: number } };
        return now.size === size;
      });
    },
  };
}

interface HetznerServer {
  status: string;
  locked: boolean;
  labels: Record<string, string>;
  volumes: number[];
  public_net: { firewalls: { id: number }[] };
}

/** Uses UpCloud's API. */
export function elsewhereAtUpCloud(url: string, token: string): Elsewhere {
  const call = caller(`${url}/1.3`, token);
  const server = async (id: string) => (await call('GET', `/server/${id}`)).server as unknown as UpCloudServer;
  const settled = (id: string, state: string) => until(`${id} is ${state}`, async () => (await server(id)).state === state);
  const put = async (id: string, change: object) => void (await call('PUT', `/server/${id}`, { server: change }));
  const relabel = (id: string, labels: Record<string, string>) =>
    put(id, { labels: { label: Object.entries(labels).map(([key, value]) => ({ key, value })) } });
  const labelsOf = async (id: string) =>
    Object.fromEntries((await server(id)).labels.label.map(({ key, value }) => [key, value] as const));
  const stop = async (id: string) => {
    await call('POST', `/server/${id}/stop`, { stop_server: { stop_type: 'hard' } });
    await settled(id, 'stopped');
  };
  const start = async (id: string) => {
    await call('POST', `/server/${id}/start`);
    await settled(id, 'started');
  };
  return {
    larger: '4xCPU-8GB',
    async make(name, user_data) {
      const storage = '01000000-0000-4000-8000-000020070100';
      const publicly = { type: 'public', ip_addresses: { ip_address: [{ family: 'IPv4' }] } };
      const { server: made } = (await call('POST', '/server', {
        server: {
          ...{ title: name, hostname: name, zone: 'de-fra1', plan: '1xCPU-1GB', metadata: 'yes', user_data },
          labels: { label: [{ key: 'made-by', value: 'hand' }] },
          storage_devices: { storage_device: [{ action: 'clone', storage, title: name, size: 25 }] },
          networking: { interfaces: { interface: [publicly] } },
        },
      })) as unknown as { server: { uuid: string } };
      await settled(made.uuid, 'started');
      return made.uuid;
    },
    async delete(id) {
      await stop(id);
      await call('DELETE', `/server/${id}?storages=1`);
    },
    stop,
    start,
    async resize(id, plan) {
      await stop(id);
      await put(id, { plan });
      await start(id);
    },
    label: async (id, labels) => relabel(id, { ...(await labelsOf(id)), ...labels }),
    copyLabels: async (from, to, changed) => relabel(to, { ...(await labelsOf(from)), ...changed }),
    strip: (id) => relabel(id, {}),
    async open(id, port) {
      const { firewall_rules } = (await call('GET', `/server/${id}/firewall_rule`)) as unknown as {
        firewall_rules: { firewall_rule: object[] };
      };
      const ports = { destination_port_start: String(port), destination_port_end: String(port) };
      const rule = (family: string) => ({ action: 'accept', direction: 'in', protocol: 'tcp', family, ...ports });
      const rules = [rule('IPv4'), rule('IPv6'), ...firewall_rules.firewall_rule];
      await call('PUT', `/server/${id}/firewall_rule`, { firewall_rules: { firewall_rule: rules } });
    },
    async grow(id, size) {
      const [, volume] = (await server(id)).storage_devices.storage_device;
      await stop(id);
      await call('PUT', `/storage/${volume?.storage}`, { storage: { size: String(size) } });
      await start(id);
    },
  };
}

interface UpCloudServer {
  state: string;
  labels: { label: { key: string; value: string }[] };
  storage_devices: { storage_device: { storage: string }[] };
}

/** Uses EC2's API. */
export function elsewhereAtAws(client: () => Promise<EC2>): Elsewhere {
  const instance = async (id: string) => {
    const { Reservations = [] } = await (await client()).describeInstances({ InstanceIds: [id] });
    return Reservations[0]?.Instances?.[0] ?? {};
  };
  const settled = (id: string, state: string) => until(`${id} is ${state}`, async () => (await instance(id)).State?.Name === state);
  const stop = async (id: string) => {
    await (await client()).stopInstances({ InstanceIds: [id] });
    await settled(id, 'stopped');
  };
  const start = async (id: string) => {
    await (await client()).startInstances({ InstanceIds: [id] });
    await settled(id, 'running');
  };
  const tag = async (id: string, labels: Record<string, string>) => {
    const Tags = Object.entries(labels).map(([Key, Value]) => ({ Key, Value }));
    await (await client()).createTags({ Resources: [id], Tags });
  };
  const tagsOf = async (id: string) =>
    Object.fromEntries(((await instance(id)).Tags ?? []).map(({ Key = '', Value = '' }) => [Key, Value]));
  return {
    larger: 't3.large',
    async make(name, userData) {
      const ec2 = await client();
      const { Images: [image] = [] } = await ec2.describeImages({ Owners: ['136693071363'] });
      const Tags = Object.entries({ Name: name, 'made-by': 'hand' }).map(([Key, Value]) => ({ Key, Value }));
      const { Instances: [made] = [] } = await ec2.runInstances({
        ...{ MinCount: 1, MaxCount: 1, ImageId: image?.ImageId, InstanceType: 't3.small' },
        UserData: Buffer.from(userData).toString('base64'),
        TagSpecifications: [{ ResourceType: 'instance', Tags }],
      });
      await settled(made?.InstanceId ?? '', 'running');
      return made?.InstanceId ?? '';
    },
    async delete(id) {
      await (await client()).terminateInstances({ InstanceIds: [id] });
      await settled(id, 'terminated');
    },
    stop,
    start,
    async resize(id, Value) {
      await stop(id);
      await (await client()).modifyInstanceAttribute({ InstanceId: id, InstanceType: { Value } });
      await start(id);
    },
    label: (id, labels) =>
      tag(id, Object.fromEntries(Object.entries(labels).map(([key, value]) => [`provisioning.label/${key}`, value]))),
    copyLabels: async (from, to, changed) => tag(to, { ...(await tagsOf(from)), ...changed }),
    async strip(id) {
      const Tags = Object.entries(await tagsOf(id)).map(([Key, Value]) => ({ Key, Value }));
      await (await client()).deleteTags({ Resources: [id], Tags });
    },
    async open(id, port) {
      const ec2 = await client();
      // Use the groups of its interface: moto returns no groups for the instance itself, and an empty list would
      // select every group.
      const GroupIds = groupsOf(await instance(id));
      if (GroupIds.length === 0) throw new Error(`${id} has no security groups`);
      const { SecurityGroups = [] } = await ec2.describeSecurityGroups({ GroupIds });
      const own = SecurityGroups.find(({ Tags = [] }) =>
        Tags.some(({ Key, Value }) => Key === 'provisioning.kind' && Value === 'firewall'),
      );
      const IpRanges = [{ CidrIp: '0.0.0.0/0' }];
      const Ipv6Ranges = [{ CidrIpv6: '::/0' }];
      await ec2.authorizeSecurityGroupIngress({
        GroupId: own?.GroupId,
        IpPermissions: [{ IpProtocol: 'tcp', FromPort: port, ToPort: port, IpRanges, Ipv6Ranges }],
      });
    },
    async grow(id, Size) {
      const ec2 = await client();
      const { Volumes = [] } = await ec2.describeVolumes({ Filters: [{ Name: 'attachment.instance-id', Values: [id] }] });
      const volume = Volumes.find(({ Tags = [] }) =>
        Tags.some(({ Key, Value }) => Key === 'provisioning.kind' && Value === 'volume'),
      );
      await ec2.modifyVolume({ VolumeId: volume?.VolumeId, Size });
    },
  };
}
