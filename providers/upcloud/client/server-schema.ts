import * as z from 'zod';
import { createListSchema, numeric, oneZero, onOff, plainLabels, wrappedLabels, wrappedLabelsToWrite, yesNo } from './wire.js';

const interfaceAddress = z.looseObject({
  address: z.string(),
  family: z.string(),
  floating: yesNo.optional(),
  dhcp_provided: yesNo.optional(),
  release_policy: z.string().optional(),
});

export const serverInterface = z.looseObject({
  index: z.number(),
  /** `public`, `utility` or `private`. */
  type: z.string(),
  ip_addresses: createListSchema('ip_address', interfaceAddress),
  mac: z.string(),
  /** UUID of the network. */
  network: z.string(),
  bootable: yesNo.optional(),
  source_ip_filtering: yesNo.optional(),
});
export type ServerInterface = z.output<typeof serverInterface>;

export const networking = z.looseObject({ interfaces: createListSchema('interface', serverInterface) });

const storageDevice = z.looseObject({
  /** `virtio:0`, `scsi:0:0`, `ide:1:0`. */
  address: z.string(),
  /** `disk` or `cdrom`. */
  type: z.string(),
  /** UUID; empty in an empty CD-ROM drive. */
  storage: z.string(),
  storage_title: z.string().optional(),
  storage_size: z.number().optional(),
  storage_tier: z.string().optional(),
  storage_encrypted: yesNo.optional(),
  boot_disk: oneZero.optional(),
  labels: plainLabels.optional(),
});
export type StorageDevice = z.output<typeof storageDevice>;

/** Server as in lists, without addresses. */
export const serverSummary = z.looseObject({
  uuid: z.string(),
  title: z.string(),
  hostname: z.string(),
  zone: z.string(),
  /** `custom`, or the plan's name. */
  plan: z.string().optional(),
  core_number: numeric,
  /** In MiB. */
  memory_amount: numeric,
  /** `started`, `stopped`, `maintenance` or `error`. */
  state: z.string(),
  /** Seconds since 1970. */
  created: z.number().optional(),
  /** Id of the physical machine, in private clouds and some others. */
  host: z.number().optional(),
  labels: wrappedLabels.optional(),
  tags: createListSchema('tag', z.string()).optional(),
  license: z.number().optional(),
  plan_ipv4_bytes: numeric.optional(),
  plan_ipv6_bytes: numeric.optional(),
  /** UUID of the server group. */
  server_group: z.string().nullish(),
  simple_backup: z.string().optional(),
});
export type ServerSummary = z.output<typeof serverSummary>;

export const server = serverSummary.extend({
  boot_order: z.string().optional(),
  firewall: onOff.optional(),
  ip_addresses: createListSchema(
    'ip_address',
    z.looseObject({ access: z.string(), address: z.string(), family: z.string().optional() }),
  ),
  metadata: yesNo.optional(),
  networking: networking.optional(),
  nic_model: z.string().optional(),
  /** Percent of the current task in `maintenance`. */
  progress: numeric.optional(),
  remote_access_enabled: yesNo.optional(),
  remote_access_type: z.string().optional(),
  /** Secret. */
  remote_access_password: z.string().optional(),
  storage_devices: createListSchema('storage_device', storageDevice),
  timezone: z.string().optional(),
  /** Only in the answer of a creation. */
  username: z.string().optional(),
  /** Secret; only in the answer of a creation. */
  password: z.string().optional(),
  video_model: z.string().optional(),
});
export type Server = z.output<typeof server>;

const addressToWrite = z.strictObject({
  family: z.enum(['IPv4', 'IPv6']).optional(),
  address: z.string().optional(),
  dhcp_provided: yesNo.optional(),
});

export const interfaceToWrite = z.strictObject({
  type: z.enum(['public', 'utility', 'private']),
  network: z.string().optional(),
  ip_addresses: createListSchema('ip_address', addressToWrite),
  index: z.number().optional(),
  bootable: yesNo.optional(),
  source_ip_filtering: yesNo.optional(),
});
export type InterfaceCreate = z.output<typeof interfaceToWrite>;

export const interfaceChange = interfaceToWrite.partial();
export type InterfaceModify = z.output<typeof interfaceChange>;

const storageToWrite = z.strictObject({
  /** Default `create`; `clone` copies a template or storage, `attach` uses an existing one. */
  action: z.enum(['create', 'clone', 'attach']).optional(),
  /** UUID of the cloned or attached storage. */
  storage: z.string().optional(),
  title: z.string().optional(),
  /** In GiB. */
  size: z.number().optional(),
  tier: z.string().optional(),
  address: z.string().optional(),
  type: z.enum(['disk', 'cdrom']).optional(),
  encrypted: yesNo.optional(),
  labels: plainLabels.optional(),
});

const loginUser = z.strictObject({
  username: z.string().optional(),
  create_password: yesNo.optional(),
  ssh_keys: createListSchema('ssh_key', z.string()).optional(),
});

/** Fields that can be set at the creation and, except for the zone, later. */
const changeable = {
  title: z.string(),
  hostname: z.string(),
  plan: z.string().optional(),
  core_number: numeric.optional(),
  memory_amount: numeric.optional(),
  labels: wrappedLabelsToWrite.optional(),
  metadata: yesNo.optional(),
  firewall: onOff.optional(),
  boot_order: z.string().optional(),
  nic_model: z.string().optional(),
  remote_access_enabled: yesNo.optional(),
  remote_access_type: z.string().optional(),
  simple_backup: z.string().optional(),
  timezone: z.string().optional(),
  video_model: z.string().optional(),
};

export const serverCreate = z.strictObject({
  ...changeable,
  zone: z.string(),
  storage_devices: createListSchema('storage_device', storageToWrite),
  networking: z.strictObject({ interfaces: createListSchema('interface', interfaceToWrite) }).optional(),
  login_user: loginUser.optional(),
  password_delivery: z.enum(['none', 'email', 'sms']).optional(),
  /** A script or a URL; cloud-init templates need `metadata`. */
  user_data: z.string().optional(),
  /** UUID. */
  server_group: z.string().optional(),
  avoid_host: z.number().optional(),
  host: z.number().optional(),
});
export type ServerCreate = z.output<typeof serverCreate>;

export const serverChange = z.strictObject(changeable).partial();
export type ServerModify = z.output<typeof serverChange>;
