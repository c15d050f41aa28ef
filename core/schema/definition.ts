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
  .describe('A number of servers, or a share of those of the role such as `25%`');

/** How a change reaches servers that serve already. */
const update = z
  .strictObject({
    strategy: z
      .enum(['rolling', 'all-at-once'])
      .optional()
      .describe('Change servers that serve already in waves, or all at once. Default: rolling'),
    batch: share
      .optional()
      .describe('Servers of a role that are one wave; the next begins when all of it is healthy. Default: 25%'),
    maxUnavailable: share.optional().describe('Servers of a role that may be out of service at a time. Default: as many as a wave'),
    pauseOnFailure: z.boolean().optional().describe('Wait for a person after a failure, whatever onFailure says. Default: false'),
  })
  .optional();

const volume = z.strictObject({
  name: name('Name of the volume, unique on its server', 40),
  size: z
    .string()
    .regex(/^[1-9]\d*\s*(GiB|TiB)$/, 'write a size such as 10 GiB or 1 TiB')
    .describe('Its size, such as `10 GiB`'),
  mount: mountPath().describe('Where the host mounts it: a directory of your own, such as `/srv/data`'),
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
  port: port.default(22).describe('Port of its SSH server'),
  user: userName().default('root').describe('Who to log in as; others than root need sudo without a password'),
  identity: filePath().optional().describe("Path of a private key; without it the infra's own key is tried"),
  hostKey: publicKey().optional().describe('Its expected host key (`ssh-ed25519 AAAA…`); without it the first one seen is pinned'),
  privateAddress: z
    .union([z.ipv4(), z.ipv6()], 'write an IP address of the machine such as 10.0.0.5')
    .optional()
    .describe('An address of the machine by which the other servers reach it: services that are not public listen there'),
  jump: jumpHost().optional().describe('A host to go through, as `user@address:port`'),
  jumpHostKey: publicKey().optional().describe('The expected host key of `jump`; without it the first one seen is pinned'),
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
  .describe('Ranges of addresses that may come in. Default: all');

/** What is let in from outside, as a server's `firewall` lists it. */
const firewallRule = z.strictObject({
  allow: z.enum(['tcp', 'udp', 'icmp']).describe('The protocol'),
  ports: ports.optional().describe('A port such as `80`, or a range such as `8000-8100`; none for icmp'),
  from: ranges,
});

/** A private network that needs more than its name. */
export const networkEntry = z.strictObject({
  name: name('Name of the network, as servers say it in `network`', 40),
  range: z
    .string()
    .refine(isWholeRange, 'write an IPv4 range by its first address, such as 10.20.0.0/24')
    .optional()
    .describe('Its IPv4 range, such as `10.20.0.0/24`. Default: the provider chooses one'),
  existing: word().optional().describe("The provider's id of a network that is there already: used, never changed or deleted"),
});

/** How the names of a zone of the DNS, and their certificates, are had. */
export const zoneEntry = z
  .strictObject({
    dns: z
      .record(z.string(), z.unknown())
      .optional()
      .describe(
        'How records are set: `provider`, the cloud that has the zone (the taskserv `cloud-dns`), or the configuration of the taskserv `dns-records`, without `zone` and `records`',
      ),
    acme: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('How certificates are got: the configuration of the taskserv `acme`, without `certificates`'),
  })
  .refine(({ dns, acme }) => dns !== undefined || acme !== undefined, 'a zone has dns, acme or both');

/** A taskserv with its settings, as both lists of a definition hold it. */
const taskservSettings = {
  name: word(80).describe('Name of the taskserv'),
  version: line(80)
    .optional()
    .describe(
      "A version, or which ones it may be, such as `>=15 <17`, `~1.4` or `15.x`. Default: the taskserv's own default version",
    ),
  config: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('Its configuration; a value may be `{ secret: NAME }`, `{ generate: password }` or `{ sops: FILE, key: PATH }`'),
  update: update.describe("How its changes reach servers that serve already. Default: the server's"),
  moveData: z
    .boolean()
    .optional()
    .describe('Bring its data along when it moves to another server. The former copy is kept. Default: false'),
  public: z
    .array(
      z.union(
        [z.string().min(1), z.strictObject({ endpoint: z.string().min(1).describe('Name of the endpoint'), from: ranges })],
        'write the name of an endpoint such as http, or { endpoint: http, from: [192.0.2.0/24] }',
      ),
    )
    .min(1)
    .optional()
    .describe('Endpoints of it that are reached from outside the private network. Default: none'),
  domain: z
    .union(
      [domainName(), z.array(domainName()).min(1).max(100)],
      'write a domain name in lower-case letters such as www.example.org, or a list of these',
    )
    .optional()
    .describe('Names on the internet that lead to it, each in a zone of `domains`: record, certificate and TLS follow from it'),
};

const target = z.union([
  z.literal('all'),
  z.strictObject({ role: word(80).describe('All servers of this role') }),
  z.strictObject({ server: word(80).describe('This server') }),
]);

/** One server, or several alike, as a definition file says it. */
/** Where artifacts are fetched. */
const artifacts = z.enum(['on-host', 'from-worker']).optional();

export const serverEntry = z.strictObject({
  name: name('Name of the server; with `count` the servers are NAME-1 … NAME-n', 40),
  count: z.int().min(1).max(500).optional().describe('How many of them; when it shrinks, the highest go first'),
  role: name('What it is for; taskservs may be put on a role. Default: the name', 40).optional(),
  plan: word()
    .default('small')
    .describe(`An abstract size (${SIZES.join(', ')}) or a plan by the provider's own name`),
  image: word().optional().describe("Operating system. Default: the provider's"),
  region: word().optional().describe("Where it is, in the words of all providers. Default: the definition's"),
  zone: word().optional().describe("Where it is, by the provider's own name of a zone"),
  labels: z.record(word(63), line(255)).default({}).describe('Labels of your own'),
  volumes: z.array(volume).default([]).describe('Disks that outlive the server'),
  network: name('Private network that it joins. Default: one per infra, of its name', 40).optional(),
  firewall: z
    .array(firewallRule)
    .optional()
    .describe('What is let in from outside, besides SSH, ICMP, its own network and endpoints that are declared public'),
  placement: name('A word: servers of the infra with the same one are never on the same physical machine', 40).optional(),
  address: z
    .literal('reserved')
    .optional()
    .describe('`reserved`: a public address that stays when the machine is replaced, and goes when the server is deleted'),
  provider: word().optional().describe("Default: the definition's provider"),
  protect: z.boolean().optional().describe("Refuse to delete it. Default: the definition's"),
  update: update.describe("How changes reach these servers once they serve. Default: the definition's"),
  artifacts: artifacts.describe('Who fetches the artifacts of its releases. Default: as the definition says'),
  host: z
    .union([z.literal('this'), sshHost])
    .optional()
    .describe('A machine that exists already: `this` one, or one reached by SSH. Cleaned, never deleted'),
  taskservs: z
    .array(z.union([word(80), z.strictObject(taskservSettings)]))
    .default([])
    .describe('Taskservs of this server only'),
});

/** A taskserv and the servers it is for, as a definition file says it. */
export const taskservEntry = z.union([
  word(80),
  z.strictObject({
    ...taskservSettings,
    on: z
      .union([target, z.array(target).min(1)], 'write all, { role: NAME }, { server: NAME } or a list of these')
      .default('all')
      .describe('The servers that carry it: `all`, `{ role: … }`, `{ server: … }` or a list of these'),
  }),
]);

/** What a definition file may say: the single source of its types, defaults and texts. */
export const definitionFile = z.strictObject({
  ...reuse,
  infra: name('Name of the infra, unique in its workspace', 40),
  provider: word()
    .default('local')
    .describe('Where servers come from unless they say otherwise: a provider, or one of its accounts as `hetzner/prod`'),
  region: word()
    .optional()
    .describe(`Where servers are unless they say otherwise: ${REGIONS.join(', ')}. Default: the provider's own choice`),
  onFailure: onFailure
    .default('rollback')
    .describe(
      'After a failure: roll back what the operation changed (rollback), only the services and servers that failed (rollback-service), nothing (keep), or wait for a person to decide (ask). Repairs that were done stay',
    ),
  onTimeout: onTimeout
    .optional()
    .describe(
      'When something does not answer for as long as it is tried: wait for a person to decide, keep what was done, or roll it back. Default: ask, or nothing where nothing was done yet',
    ),
  protect: z.boolean().default(false).describe('Refuse to delete the infra and its servers'),
  update: update.describe('How changes reach servers that serve already'),
  approve: z
    .union([approvalPoint, z.array(approvalPoint)], 'write before-change, before-destroy, per-batch-stage or a list of these')
    .optional()
    .describe('Where operations wait until somebody approves: before anything is changed, or only before something is destroyed'),
  mirrors: mirrors.optional().describe('Where what vendors publish is fetched: hosts behind a firewall have a mirror of their own'),
  artifacts: artifacts.describe(
    'Who fetches the artifacts of releases: each host (`on-host`, the default), or the worker, which copies them (`from-worker`)',
  ),
  networks: z.array(networkEntry).default([]).describe('Private networks that need more than a name; each is at one provider'),
  domains: z
    .record(domainName(), zoneEntry)
    .optional()
    .describe('Zones of the DNS by their names, such as `example.org`: how the names that a `domain` says are had'),
  servers: z.array(serverEntry).min(1).describe('The machines'),
  taskservs: z.array(taskservEntry).default([]).describe('What the machines become'),
});

export type DefinitionFile = z.output<typeof definitionFile>;
export type NetworkEntry = z.output<typeof networkEntry>;
export type ZoneEntry = z.output<typeof zoneEntry>;
export type ServerEntry = z.output<typeof serverEntry>;
export type TaskservEntry = z.output<typeof taskservEntry>;
export type Target = z.output<typeof target>;
