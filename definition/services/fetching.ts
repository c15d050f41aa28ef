import type { TaskservSpec } from '../../core/definition/definition.js';
import type { ExpandedServer } from '../expanded-server.js';
import type { Understood } from '../source/salvage.js';
import type { Placed } from './settle-services.js';

/** What a definition says of where a service has its software from: mirrors, and who fetches artifacts. */
export function fetching({ settings, servers }: Understood) {
  const { mirrors } = settings;
  return ({ taskserv, spec }: Placed, server: ExpandedServer): TaskservSpec => {
    const artifacts = servers.find(({ index }) => index === server.index)?.entry.artifacts ?? settings.artifacts;
    return {
      ...spec,
      ...(mirrors && taskserv.fetches && { mirrors }),
      // Of all: which of them have artifacts is known when they are planned.
      ...(artifacts === 'from-worker' && { artifacts }),
    };
  };
}
