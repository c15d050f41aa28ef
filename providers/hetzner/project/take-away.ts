import * as z from 'zod';
import type { CreateContext, WantedServer } from '../../../sdk/index.js';
import { removeUnused } from '../account/others.js';
import { removeVolume } from '../volumes.js';
import { keyIn } from './labels.js';
import { FIELDS, type Project, surely } from './project.js';

/**
 * Takes away what was made under this key for a server that the vendor refuses. What was there
 * before, such as a volume with data of a former machine, stays; so does everything where the server is there.
 *
 * @param alone whether no other server of the infra is being made
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
  // Others may be about to use the placement and the key.
  if (!alone()) return;
  const group = placement ? await project.ours('placement', placement, context) : undefined;
  if (group && isNew(group) && group.servers.length === 0)
    await project.api.remove(z.unknown(), `${FIELDS.placement}/${group.id}`, about);
  await removeUnused(project, undefined, context);
}
