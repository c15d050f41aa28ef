import * as z from 'zod';
import { USER_NAME } from '../definition/addresses.js';
import type { FirewallRule } from '../machine/firewall-rule.js';
import { account, approve, name, onFailure, onTimeout, port, text, update, word } from './request-fields.js';

/** Definitions share them, and do not modify them. */
const ranges: z.ZodType<readonly string[]> = z.array(word);

/** Something a taskserv listens on, seen by others of its definition and checked for clashes. */
export const endpoint = z.strictObject({
  /** Purpose: `http`, `metrics`, `redis`, … Others look it up by this name. */
  name: word,
  port,
  /** Default `tcp`. */
  protocol: z.enum(['tcp', 'udp']).optional(),
  /** For endpoints spoken to over HTTP; `/metrics` by custom for `metrics`. */
  path: text.optional(),
  /** Reached from the host itself only: it clashes like any other, but is of no use to other hosts. */
  local: z.boolean().optional(),
  /** The host itself reaches it at loopback, wherever else it listens; absent: it listens only where `listeningOn` says. */
  loopback: z.literal(true).optional(),
  /** It is spoken to by TLS from the first byte on. */
  tls: z.boolean().optional(),
  /** A name of its certificate, where that is of acme: else the certificate has the name of the server. */
  serverName: word.optional(),
  /** Declared public: the ranges of addresses that may come in. The definition says so, never the taskserv. */
  public: ranges.optional(),
  /** For an existing machine: other servers use it from these addresses, as far as the definition declares them. */
  usedFrom: ranges.optional(),
});

/** A taskserv on a server. */
export const taskserv = z.strictObject({
  name: word,
  version: word,
  /** Constraint of its entry, if it chose the version: `>=15 <17`. */
  constraint: text.optional(),
  /** Versions that its entry allows, if the archive of a host decides. Absent: any. */
  allowed: z.array(word).optional(),
  /** If this version of its Debian package is installed, it is upgraded to that one. */
  upgrade: z.strictObject({ package: word, from: word, to: word }).optional(),
  /** Content address of its code, where that is the workspace's own. */
  module: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
  /** Parsed by the taskserv's schema, defaults filled in. */
  config: z.unknown(),
  /** Endpoints of its configuration. */
  endpoints: z.array(endpoint),
  /** Names of taskservs that come before it where they are in the definition: hard and soft dependencies. */
  after: z.array(word),
  /** How its changes reach servers that serve already, where its entry says something of it. */
  update: update.optional(),
  /** Takes what stands behind it out of service before that is touched. */
  drains: z.literal(true).optional(),
  /** Names of endpoints that it looks up on other servers; absent: it may look at anything. */
  uses: z.array(word).optional(),
  /** Paths of the data that it holds; absent where it holds none. */
  holds: z.array(text).optional(),
  /** Its data comes along where it moves to another server. */
  moveData: z.literal(true).optional(),
  /** Names of taskservs whose data it changes. */
  worksOn: z.array(word).optional(),
  /** Servers and taskservs to which its configuration refers. */
  refersTo: z.array(z.strictObject({ server: name, taskserv: word.optional() })).optional(),
  /** Mirrors of its vendor's downloads, if there are any. */
  mirrors: z.array(z.strictObject({ from: z.string(), to: z.string(), key: z.string().optional() })).optional(),
  /** The worker fetches its artifacts, and brings them to the host; absent: the host fetches them. */
  artifacts: z.literal('from-worker').optional(),
  /** Set when a hard dependency of another brought it in. */
  requiredBy: word.optional(),
  /** Name of the group of members that it belongs to. All that have the taskserv and this name are one service. */
  group: word.optional(),
});

const sshHost = z.strictObject({
  kind: z.literal('ssh'),
  address: z.string().regex(/^[A-Za-z0-9:][A-Za-z0-9.:-]*$/),
  port,
  user: z.string().regex(USER_NAME),
  /** Path of a private key file; without it the infra's own key is tried. */
  identity: text.optional(),
  /** Its expected host key (`ssh-ed25519 AAAA…`); without it the first one seen is pinned. */
  hostKey: text.optional(),
  /** `user@address:port` of a host to go through. */
  jump: text.optional(),
  /** The expected host key of `jump`; without it the first one seen is pinned. */
  jumpHostKey: text.optional(),
  /** By which the other servers of the definition reach it. */
  privateAddress: word.optional(),
});

/** A machine that exists already: reached by SSH, or this very machine. Never created, never deleted. */
export const existingHost = z.union([z.strictObject({ kind: z.literal('this') }), sshHost]);

/** Cores, memory and disk of a server; `name` is the provider's own. */
export const plan = z.strictObject({
  name: word,
  cores: z.number().min(0),
  memoryMiB: z.number().min(0),
  diskGiB: z.number().min(0),
});

export const volume = z.strictObject({
  name,
  sizeGiB: z.int().min(1),
  /** Mount point on the host. */
  mount: z.string().regex(/^\//),
});

const firewallRule = z.strictObject({
  protocol: z.enum(['tcp', 'udp', 'icmp']),
  ports: word.optional(),
  from: ranges,
}) satisfies z.ZodType<FirewallRule>;
const firewall: z.ZodType<readonly FirewallRule[]> = z.array(firewallRule);

export const server = z.strictObject({
  name,
  /** The name before numbering: `web` for `web-2`. */
  group: name,
  role: name,
  provider: account,
  plan,
  image: text,
  zone: word.optional(),
  labels: z.record(z.string(), text),
  volumes: z.array(volume),
  /** Name of the private network; one per infra by default. */
  network: name,
  /** Of `network`, where the definition says it. */
  networkRange: word.optional(),
  /** The provider's id of `network`, where that was there already. */
  existingNetwork: word.optional(),
  /** Allowed incoming traffic beside SSH, if the provider has firewalls. */
  firewall: firewall.optional(),
  placement: name.optional(),
  address: z.literal('reserved').optional(),
  host: existingHost.optional(),
  protect: z.boolean(),
  /** How changes reach it once it serves, where the definition says something of it (core/operation/rolling.ts). */
  update: update.optional(),
  /** In dependency order. */
  taskservs: z.array(taskserv),
});

/**
 * An output of a definition: a text of parts, each literal or a name of the inventory; the name of a secret; or a share of a
 * group, by its name there.
 */
export const output = z.union([
  z.strictObject({
    description: text.optional(),
    parts: z.array(z.union([text, z.number(), z.boolean(), z.strictObject({ of: z.array(word) })])),
  }),
  z.strictObject({ description: text.optional(), secret: word }),
  z.strictObject({ description: text.optional(), share: word, taskserv: word, group: word }),
]);

/** A definition after loading: names expanded, sizes looked up, configuration parsed, references to secrets instead of secrets. */
export const definition = z.strictObject({
  workspace: name,
  infra: name,
  onFailure,
  onTimeout: onTimeout.optional(),
  /** Refuses to `delete` the infra and its servers. */
  protect: z.boolean(),
  /** Points at which operations on the infra wait for an approval. Absent without any. */
  approve: approve.optional(),
  /** Outputs of the applied definition, by name. */
  outputs: z.record(z.string(), output).optional(),
  /** Results of expressions whose value may change, such as an address of another infra. */
  resolved: z.record(z.string(), z.union([text, z.number(), z.boolean()])).optional(),
  /** Sorted as in the file, counts expanded (`web-1 … web-n`). */
  servers: z.array(server),
});
