import { type CallContext, inputError, unreachableError } from '../../../sdk/index.js';
import { isNotFound, type Server, type ServerSummary } from '../client/index.js';
import { type Cloud, LOOKS, lookUntilBelieved } from './cloud.js';
import { assertOurs, filterByScope, sortByAge } from './labels.js';

/**
 * Finds our servers of this name, the oldest first: several after concurrent attempts. Throws if another infra has one.
 */
export async function findServers({ client }: Cloud, name: string, { scope, signal }: CallContext): Promise<ServerSummary[]> {
  const rows = await client.servers.list({ labels: filterByScope({ ...scope, uuid: undefined }, 'server', name) }, { signal });
  for (const { labels } of rows) assertOurs(scope, 'server', name, labels);
  return sortByAge(rows);
}

/** Returns the key under which changes of one server run in sequence. */
export const turnOf = (name: string, { scope }: CallContext): string => `server/${scope.uuid}/${name}`;

/** Returns the details of a server; undefined if it is gone. */
export async function findServerDetail(cloud: Cloud, uuid: string, signal?: AbortSignal): Promise<Server | undefined> {
  const look = () =>
    cloud.client.servers.read(uuid, { signal }).then(
      (server) => [server],
      (error) => {
        if (isNotFound(error)) return [];
        throw error;
      },
    );
  return (await lookUntilBelieved(cloud, signal, look))[0];
}

/** Finds our server of this name. Throws the input error `server-gone`. */
export async function ourServer(cloud: Cloud, name: string, context: CallContext): Promise<Server> {
  const [row] = await lookUntilBelieved(cloud, context.signal, () => findServers(cloud, name, context), LOOKS);
  return (row && (await findServerDetail(cloud, row.uuid, context.signal))) ?? throwGone(name);
}

export function throwGone(name: string): never {
  throw inputError({ code: 'server-gone', what: 'use the server', on: name, why: 'UpCloud no longer has it' });
}

/** Throws for a server that existed a moment ago: a delayed read, or a deletion. The next attempt decides. */
export function throwNotSettled(name: string): never {
  const why = 'UpCloud does not show it yet, or no longer shows it';
  throw unreachableError({ code: 'upcloud-not-settled', what: 'use the server', on: name, why });
}
