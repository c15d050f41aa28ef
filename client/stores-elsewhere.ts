import type { MethodStores } from '../app/engine.js';
import { unreachableError } from '../core/errors.js';
import type { Home } from '../home/home.js';

/** The stores of a home without a worker: each read and write fails. */
export function storesElsewhere(home: Home): MethodStores {
  const absent = async () => {
    throw unreachableError({
      code: 'no-worker',
      what: 'read or keep logs, keys and batches',
      on: home.root,
      why: 'no worker of this home is running, and only the worker can reach them',
      hint: 'provisioning up',
    });
  };
  return {
    blobs: { put: absent, has: absent, get: absent },
    logs: { read: absent },
    feeds: { read: absent, infras: absent, heads: absent },
    keys: { infraKey: absent, infras: absent, pinned: absent, pin: absent, forget: absent },
    // Temporal's history is queried then.
    rollbacks: { find: async () => undefined },
  };
}
