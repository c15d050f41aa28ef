import type { UnmanagedServer } from '../../../sdk/index.js';
import { server } from '../api/shapes.js';
import { scopeIn, userLabelsIn } from '../project/labels.js';
import type { Project } from '../project/project.js';
import { connectionOf } from '../servers/describe.js';

/** Lists all servers of the project, regardless of their owner. */
export async function listStrangers(project: Project, signal?: AbortSignal): Promise<UnmanagedServer[]> {
  const rows = await project.api.list(server, 'servers', {}, { what: 'list the servers', on: 'the project', signal });
  return rows.map((row) => {
    const connection = connectionOf(row);
    const scope = scopeIn(row.labels);
    return {
      id: String(row.id),
      name: row.name,
      ...(connection.kind === 'ssh' && connection.address ? { address: connection.address } : {}),
      plan: row.server_type.name,
      image: row.image?.name ?? String(row.image?.id ?? ''),
      zone: row.location.name,
      labels: userLabelsIn(row.labels),
      ...(scope ? { scope } : {}),
    };
  });
}
