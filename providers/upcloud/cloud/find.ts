import { type CallContext, inputError, unreachableError } from '../../../sdk/index.js';
import { isNotFound, type Server, type ServerSummary } from '../client/index.js';
import { type Cloud, LOOKS, lookUntilBelieved } from './cloud.js';
import { assertOurs, filterByScope, sortByAge } from './labels.js';

/** Our servers of this name, the oldest first: more than one where two tries outran each other. Throws when another infra has one. */
export async function findServers({ client }: Cloud, name: string, { scope, signal }: CallContext): Promise<ServerSummary[]> {
  const rows = await client.servers.list({ labels: filterByScope({ ...scope, uuid: undefined }, 'server', name) }, { signal });
  for (const { labels } of rows) assertOurs(scope, 'server', name, labels);
  return sortByAge(rows);
}

/** What changes one server happens one after the other, under this. */
export const turnOf = (name: string, { scope }: CallContext): string => `server/${scope.uuid}/${name}`;

/** All that is to be known of a server; undefined where it is gone. */
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

/** Our server of this name. Throws the input error `server-gone`. */
export async function ourServer(cloud: Cloud, name: string, context: CallContext): Promise<Server> {
  const [row] = await lookUntilBelieved(cloud, context.signal, () => findServers(cloud, name, context), LOOKS);
  return (row && (await findServerDetail(cloud, row.uuid, context.signal))) ?? throwGone(name);
}

export function throwGone(name: string): never {
  throw inputError({ code: 'server-gone', what: 'use the server', on: name, why: 'UpCloud no longer has it' });
}

/** It was there a moment ago: a read that lags, or somebody has deleted it. The next try tells. */
export function throwNotSettled(name: string): never {
  const why = 'UpCloud does not show it yet, or no longer shows it';
  throw unreachableError({ code: 'upcloud-not-settled', what: 'use the server', on: name, why });
}
