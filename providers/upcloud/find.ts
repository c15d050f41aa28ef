import { inputError } from '../../core/errors.js';
import type { CallContext } from '../../core/provider.js';
import { isNotFound, type Server, type ServerSummary } from './client/index.js';
import type { Cloud } from './cloud.js';
import { assertOurs, byAge, named } from './labels.js';

/** Our servers of this name, the oldest first: more than one where two tries outran each other. Throws when another infra has one. */
export async function findServers({ client }: Cloud, name: string, { scope, signal }: CallContext): Promise<ServerSummary[]> {
  const rows = await client.servers.list({ labels: named({ ...scope, uuid: undefined }, 'server', name) }, { signal });
  for (const { labels } of rows) assertOurs(scope, 'server', name, labels);
  return byAge(rows);
}

/** All that is to be known of a server; undefined where it is gone. */
export const detailOf = ({ client }: Cloud, uuid: string, signal?: AbortSignal): Promise<Server | undefined> =>
  client.servers.read(uuid, { signal }).catch((error) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });

/** Our server of this name. Throws the input error `server-gone`. */
export async function ourServer(cloud: Cloud, name: string, context: CallContext): Promise<Server> {
  const [row] = await findServers(cloud, name, context);
  return (row && (await detailOf(cloud, row.uuid, context.signal))) ?? gone(name);
}

export function gone(name: string): never {
  throw inputError({ code: 'server-gone', what: 'use the server', on: name, why: 'UpCloud no longer has it' });
}
