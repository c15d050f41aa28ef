import type Docker from 'dockerode';
import type { CallContext } from '../../../sdk/index.js';
import { ownerFilter } from '../docker/labels.js';
import type { Servers } from '../docker/server-lookup.js';
import { call, statusOf } from '../errors.js';
import { removeVolumes } from '../volumes.js';

/** Deletes a server with its volumes. */
export const deleteServer = ({ docker }: Servers, name: string, context: CallContext): Promise<void> =>
  call('delete the server', name, context.signal, async () => {
    for (const { Id } of await docker.listContainers({ all: true, filters: ownerFilter(context.scope, 'server', name) })) {
      await remove(docker.getContainer(Id));
    }
    await removeVolumes(docker, context.scope, ({ server }) => server === name);
  });

/** Removes a container. 404: it is gone; 409: another call is removing it, so wait for that. */
async function remove(container: Docker.Container): Promise<void> {
  try {
    await container.remove({ force: true, v: true });
  } catch (error) {
    if (statusOf(error) === 409) await container.wait({ condition: 'removed' }).catch(() => {});
    else if (statusOf(error) !== 404) throw error;
  }
}
