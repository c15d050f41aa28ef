/** Where the data of all nodes is, each in a folder of its name. Belongs to the user of rabbitmq. */
export const DATA = '/var/lib/rabbitmq/mnesia';

/** What says who a member of a cluster is. Belongs to the user of rabbitmq. */
export const OWN = '/var/lib/rabbitmq/provisioning';

/** Name of the member's node. Each join makes another one. */
export const NODE = `${OWN}/node`;

/** Identity of the cluster, once this member belongs to it. */
export const CLUSTER = `${OWN}/cluster`;

/** Notes that a step refused to begin, and left what was there: its undo does the same. */
export const KEEP_MARK = `${OWN}/kept`;

/** Marks a member that founds a cluster, until the cluster has its name. */
export const FOUNDATION = `${OWN}/founding`;

/** By which members and tools know each other. */
export const COOKIE = '/var/lib/rabbitmq/.erlang.cookie';

/** Certificates between members. */
export const PEER_TLS = {
  certificate: '/etc/rabbitmq/peer-certificate.pem',
  key: '/etc/rabbitmq/peer-key.pem',
  authority: '/etc/rabbitmq/peer-authority.pem',
} as const;

/** How members use these certificates. */
export const PEER_OPTIONS = '/etc/rabbitmq/peers.config';

/** How Erlang resolves the name of the host itself. */
export const RESOLVER = '/etc/rabbitmq/resolver';

/** By which nodes and tools talk to each other. */
export const DISTRIBUTION_PORT = 25672;

/** Tells on which port a node of a name listens. */
export const EPMD_PORT = 4369;

/** Name of a node that a step made. The last part is the name of its server. */
export const NODE_NAME = 'rabbit-[0-9a-f]{8}@[a-z][a-z0-9-]{0,39}';

/** Identity of a cluster, as RabbitMQ makes it. */
export const IDENTITY = 'rabbitmq-cluster-id-[A-Za-z0-9_-]{1,60}';
