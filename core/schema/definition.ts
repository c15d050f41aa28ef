import * as z from 'zod';
import { isWholeRange } from '../definition/network-range.js';
import { ANYWHERE } from '../machine/firewall.js';
import { REGIONS, SIZES } from '../machine/provider.js';
import { SHARE } from '../operation/rolling.js';
import { mirrors } from './mirrors.js';
import { mountPath } from './mount-path.js';
import { approvalPoint, onFailure, onTimeout, port } from './request-fields.js';
import { reuse } from './reuse.js';
import { addressRange, domainName, filePath, host, jumpHost, line, userName, word } from './text-fields.js';

/** Lower-case letters, digits and dashes, as host names and labels of every provider take them. */
const name = (what: string, max: number) =>
  z
    .string()
    .regex(/^[a-z]([a-z0-9-]*[a-z0-9])?$/, 'use lower-case letters, digits and dashes, a letter first and no dash at the end')
    .max(max, `at most ${max} characters`)
    .describe(what);

const share = z
  .union([z.int().min(1), z.string().regex(SHARE)], 'write a number from 1 on, or a share such as 25%')
  .describe('Number of servers, or a share of a role such as `25%`');

/** How a change reaches servers that serve already. */
const update = z
  .strictObject({
    strategy: z
      .enum(['rolling', 'all-at-once'])
      .optional()
      .describe('Change running servers in waves, or all at once. Default: rolling'),
    batch: share.optional().describe('Servers of a role in a wave; the next wave starts when all are healthy. Default: 25%'),
    maxUnavailable: share.optional().describe('Servers of a role that may be out of service together. Default: the size of a wave'),
    pauseOnFailure: z.boolean().optional().describe('Wait for a person after a failure, regardless of onFailure. Default: false'),
  })
  .optional();

const volume = z.strictObject({
  name: name('Name of the volume, unique on its server', 40),
  size: z
    .string()
    .regex(/^[1-9]\d*\s*(GiB|TiB)$/, 'write a size such as 10 GiB or 1 TiB')
    .describe('Size, such as `10 GiB`'),
  mount: mountPath().describe('Mount point on the host: a directory such as `/srv/data`'),
});

const publicKey = () =>
  z
    .string()
    .max(16_384, 'at most 16384 characters')
    .regex(
      /^(ssh-|ecdsa-)[a-z0-9@.-]+ [A-Za-z0-9+/]+={0,3}( [^\p{C}\p{Zl}\p{Zp}]*)?$/u,
      'write type and key, such as ssh-ed25519 AAAA…',
    );

const sshHost = z.strictObject({
  address: host().describe('Name or IP address'),
  port: port.default(22).describe('SSH port'),
  user: userName().default('root').describe('Login user; users other than root need sudo without a password'),
  identity: filePath().optional().describe('Path of a private key. Default: the key of the infra'),
  hostKey: publicKey().optional().describe('Expected host key (`ssh-ed25519 AAAA…`). Default: the first key is pinned'),
  privateAddress: z
    .union([z.ipv4(), z.ipv6()], 'write an IP address of the machine such as 10.0.0.5')
    .optional()
    .describe('Address for other servers; services that are not public listen on it'),
  jump: jumpHost().optional().describe('Jump host, as `user@address:port`'),
  jumpHostKey: publicKey().optional().describe('Expected host key of `jump`. Default: the first key is pinned'),
});

const ports = z
  .union([port, z.string().regex(/^\d{1,5}(-\d{1,5})?$/)], 'write a port such as 80, or a range such as 8000-8100')
  .transform(String)
  .refine((text) => {
    const [first = 0, last = first] = text.split('-').map(Number);
    return first >= 1 && first <= last && last <= 65_535;
  }, 'ports are from 1 to 65535, the lower one first');

const ranges = z
  .array(addressRange('write a range such as 192.0.2.0/24 or 2001:db8::/32'))
  .min(1)
  .default([...ANYWHERE])
  .describe('Allowed source ranges. Default: all');

/** Allowed incoming traffic, as a server's `firewall` lists it. */
const firewallRule = z.strictObject({
  allow: z.enum(['tcp', 'udp', 'icmp']).describe('Protocol'),
  ports: ports.optional().describe('Port such as `80`, or a range such as `8000-8100`; none for icmp'),
  from: ranges,
});

/** A private network that needs more than its name. */
export const networkEntry = z.strictObject({
  name: name('Name of the network, as servers say it in `network`', 40),
  range: z
    .string()
    .refine(isWholeRange, 'write an IPv4 range by its first address, such as 10.20.0.0/24')
    .optional()
    .describe('IPv4 range, such as `10.20.0.0/24`. Default: a range from the provider'),
  existing: word().optional().describe('Id of an existing network at the provider, which is used but never changed or deleted'),
});

/** Names of a DNS zone, and their certificates. */
export const zoneEntry = z
  .strictObject({
    dns: z
      .record(z.string(), z.unknown())
      .optional()
      .describe(
        'Method for DNS records: `provider`, the cloud with the zone (taskserv `cloud-dns`), or a configuration of the taskserv `dns-records` without `zone` and `records`',
      ),
    acme: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('Source of certificates: a configuration of the taskserv `acme`, without `certificates`'),
  })
  .refine(({ dns, acme }) => dns !== undefined || acme !== undefined, 'a zone has dns, acme or both');

/** A taskserv with its settings, as both lists of a definition hold it. */
const taskservSettings = {
  name: word(80).describe('Name of the taskserv'),
  version: line(80)
    .optional()
    .describe('Version or range, such as `>=15 <17`, `~1.4` or `15.x`. Default: the default version of the taskserv'),
  config: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('Configuration; a value can be `{ secret: NAME }`, `{ generate: password }` or `{ sops: FILE, key: PATH }`'),
  update: update.describe('Rollout of changes to running servers. Default: the rollout of the server'),
  after: z
    .array(word(80))
    .min(1)
    .optional()
    .describe('Taskservs that are applied before this one, on all servers. Default: the order of the taskservs themselves'),
  before: z.array(word(80)).min(1).optional().describe('Taskservs that are applied after this one, on all servers'),
  moveData: z
    .boolean()
    .optional()
    .describe('Move its data when it moves to another server. The former copy is kept. Default: false'),
  public: z
    .array(
      z.union(
        [z.string().min(1), z.strictObject({ endpoint: z.string().min(1).describe('Name of the endpoint'), from: ranges })],
        'write the name of an endpoint such as http, or { endpoint: http, from: [192.0.2.0/24] }',
      ),
    )
    .min(1)
    .optional()
    .describe('Endpoints that are open outside the private network. Default: none'),
  domain: z
    .union(
      [domainName(), z.array(domainName()).min(1).max(100)],
      'write a domain name in lower-case letters such as www.example.org, or a list of these',
    )
    .optional()
    .describe('Host names, each in a zone of `domains`; record, certificate and TLS are set up automatically'),
};

const target = z.union([
  z.literal('all'),
  z.strictObject({ role: word(80).describe('All servers of this role') }),
  z.strictObject({ server: word(80).describe('This server') }),
]);

/** One server, or several alike, as a definition file says it. */
/** Fetcher of artifacts. */
const artifacts = z.enum(['on-host', 'from-worker']).optional();

export const serverEntry = z.strictObject({
  name: name('Name of the server; with `count` the servers are NAME-1 … NAME-n', 40),
  count: z.int().min(1).max(500).optional().describe('Number of servers; when it shrinks, the highest numbers are removed first'),
  role: name('What it is for; taskservs may be put on a role. Default: the name', 40).optional(),
  plan: word()
    .default('small')
    .describe(`Abstract size (${SIZES.join(', ')}) or the name of a plan at the provider`),
  image: word().optional().describe('Operating system. Default: the image of the provider'),
  region: word().optional().describe('Region, with the same names for all providers. Default: the region of the definition'),
  zone: word().optional().describe('Zone, with its name at the provider'),
  labels: z.record(word(63), line(255)).default({}).describe('Your own labels'),
  volumes: z.array(volume).default([]).describe('Disks that survive the server'),
  network: name('Private network that it joins. Default: one per infra, of its name', 40).optional(),
  firewall: z
    .array(firewallRule)
    .optional()
    .describe('Incoming traffic to allow, in addition to SSH, ICMP, its own network and public endpoints'),
  placement: name('A word: servers of the infra with the same one are never on the same physical machine', 40).optional(),
  address: z
    .literal('reserved')
    .optional()
    .describe('`reserved`: a public address that stays when the machine is replaced, and is released when the server is deleted'),
  provider: word().optional().describe('Default: the provider of the definition'),
  protect: z.boolean().optional().describe('Reject its deletion. Default: the value of the definition'),
  update: update.describe('Rollout of changes to these servers. Default: the rollout of the definition'),
  artifacts: artifacts.describe('Source of release artifacts. Default: the value of the definition'),
  host: z
    .union([z.literal('this'), sshHost])
    .optional()
    .describe('Existing machine: `this` machine, or a machine that is reached by SSH. A deletion cleans it and never deletes it'),
  taskservs: z
    .array(z.union([word(80), z.strictObject(taskservSettings)]))
    .default([])
    .describe('Taskservs only for this server'),
});

/** A taskserv and the servers it is for, as a definition file says it. */
export const taskservEntry = z.union([
  word(80),
  z.strictObject({
    ...taskservSettings,
    on: z
      .union([target, z.array(target).min(1)], 'write all, { role: NAME }, { server: NAME } or a list of these')
      .default('all')
      .describe('Servers of the taskserv: `all`, `{ role: … }`, `{ server: … }` or a list of these'),
  }),
]);

/** Schema of a definition file: the single source of its types, defaults and texts. */
export const definitionFile = z.strictObject({
  ...reuse,
  infra: name('Name of the infra, unique in its workspace', 40),
  provider: word().default('local').describe('Default provider of servers: a provider, or an account such as `hetzner/prod`'),
  region: word()
    .optional()
    .describe(`Default region of servers: ${REGIONS.join(', ')}. Default: the region of the provider`),
  onFailure: onFailure
    .default('rollback')
    .describe(
      'Policy after a failure. rollback: undo all changes; rollback-service: undo only failed services and servers; keep: undo nothing; ask: wait for a person. Repairs of drift stay',
    ),
  onTimeout: onTimeout
    .optional()
    .describe(
      'Policy after a time-out: ask a person, keep the changes, or roll back. Default: ask, or nothing if nothing has changed yet',
    ),
  protect: z.boolean().default(false).describe('Reject the deletion of the infra and its servers'),
  update: update.describe('Rollout of changes to running servers'),
  approve: z
    .union([approvalPoint, z.array(approvalPoint)], 'write before-change, before-destroy, per-batch-stage or a list of these')
    .optional()
    .describe('Approval points: before any change, or only before something is destroyed'),
  mirrors: mirrors.optional().describe('Mirrors for vendor downloads, for hosts behind a firewall'),
  artifacts: artifacts.describe(
    'Source of release artifacts: each host downloads them (`on-host`, the default), or the worker copies them (`from-worker`)',
  ),
  networks: z.array(networkEntry).default([]).describe('Private networks that need settings; each belongs to one provider'),
  domains: z
    .record(domainName(), zoneEntry)
    .optional()
    .describe('DNS zones by name, such as `example.org`, with the settings for names in `domain`'),
  servers: z.array(serverEntry).min(1).describe('Servers'),
  taskservs: z.array(taskservEntry).default([]).describe('Services on the servers'),
});

export type DefinitionFile = z.output<typeof definitionFile>;
export type NetworkEntry = z.output<typeof networkEntry>;
export type ZoneEntry = z.output<typeof zoneEntry>;
export type ServerEntry = z.output<typeof serverEntry>;
export type TaskservEntry = z.output<typeof taskservEntry>;
export type Target = z.output<typeof target>;
