import { hostPart, type ListenAddress, literalAddressesOf, sha256 } from '../../sdk/index.js';

/** The data of a member. Belongs to its user. */
export const DATA = '/var/lib/kafka/data';

/** Marks a member that has no vote yet: its data does not say so, and it may not run. */
export const JOIN_MARK = '/var/lib/kafka/joining';

/** Identity of the data that a step began. Its undo moves no other data. */
export const BEGIN_MARK = '/var/lib/kafka/begun';

/** Marks data that is that of a cluster: the data does not say so, and its configuration may be gone. */
export const CLUSTER_MARK = '/var/lib/kafka/clustered';

/** The whole configuration, without secrets. */
export const CONF = '/etc/kafka/server.properties';

/** What is logged, and that it goes to the journal. */
export const LOG_CONF = '/etc/kafka/log4j2.properties';

/** Files of TLS: a certificate with its key, and the authority of those that connect. */
export const TLS = { own: '/etc/kafka/clients.pem', authority: '/etc/kafka/clients-authority.pem' } as const;

/** The same between members. */
export const PEER_TLS = { own: '/etc/kafka/peers.pem', authority: '/etc/kafka/peers-authority.pem' } as const;

/** Where a single server listens. */
export const LOOPBACK = '127.0.0.1';

/** The host of an endpoint of a member. */
export interface Hosts {
  /** It listens on this one. */
  bound: string;
  /** It is told to others. */
  told: string;
  /** The host itself connects to this one. */
  own: string;
}

/**
 * Hosts of an endpoint. Kafka connects to itself as others do, and a server's own name may be an address of loopback
 * there: members are told an address if it is known.
 *
 * @param server its name, by which others reach it
 * @param told what is told if it listens on the network: clients compare names with a certificate
 */
export function pickHosts(listening: ListenAddress, server: string, told: 'name' | 'address'): Hosts {
  if (listening === 'loopback') return { bound: LOOPBACK, told: LOOPBACK, own: LOOPBACK };
  const address = literalAddressesOf(listening)?.at(-1);
  if (address === undefined) return { bound: '0.0.0.0', told: server, own: LOOPBACK };
  return { bound: address, told: told === 'name' ? server : address, own: address };
}

/** `HOST:PORT`, with brackets where they are needed. */
export const joinPort = (host: string, port: number): string => `${hostPart(host)}:${port}`;

/**
 * The number of a member, from the name of its server: a new machine has that of the former one, so that it gets its
 * data, and no other server ever has it. Below 2^28.
 */
export const computeNode = (server: string): number => 1 + Number.parseInt(sha256(server).slice(0, 7), 16);

/** How many copies of a partition there are, and how many a write needs. */
export const copiesIn = (members: number): { all: number; least: number } =>
  members < 3 ? { all: members, least: 1 } : { all: 3, least: 2 };
