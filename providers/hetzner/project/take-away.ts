import * as z from 'zod';
import type { CreateContext, WantedServer } from '../../../sdk/index.js';
import { removeUnused } from '../account/others.js';
import { removeVolume } from '../volumes.js';
import { keyIn } from './labels.js';
import { FIELDS, type Project, surely } from './project.js';

/**
 * Deletes what was created with this key for a server that the vendor refuses. Earlier resources stay, such as a volume
 * with the data of a former machine. If the server exists, nothing is deleted. Placement and key are deleted only if no
 * other server of the infra is in creation, which the last argument reports.
 */
export async function takeAway(
  project: Project,
  { name, placement }: WantedServer,
  context: CreateContext,
  alone: () => boolean,
): Promise<void> {
  const about = { what: 'take away what was made', on: name };
  if (await surely(project, () => project.ours('server', name, context))) return;
  const isNew = ({ labels }: { labels: Record<string, string> }) => keyIn(labels) === context.key;
  for (const volume of await project.volumesOf(name, context)) if (isNew(volume)) await removeVolume(project, volume, context);
  for (const kind of ['firewall', 'address'] as const) {
    const row = await project.ours(kind, name, context);
    if (row && isNew(row)) await project.api.remove(z.unknown(), `${FIELDS[kind]}/${row.id}`, about);
  }
  // Other servers may be about to use the placement and the key.
  if (!alone()) return;
  const group = placement ? await project.ours('placement', placement, context) : undefined;
  if (group && isNew(group) && group.servers.length === 0)
    await project.api.remove(z.unknown(), `${FIELDS.placement}/${group.id}`, about);
  await removeUnused(project, undefined, context);
}
