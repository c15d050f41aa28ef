import { loadBalancerScripts } from './load-balancer-scripts.js';
import { networkScripts } from './network-scripts.js';
import { otherScripts } from './other-scripts.js';
import type { Script } from './parts.js';
import { serverScripts } from './server-scripts.js';

/** Scripts of the relevant recordings. */
export const scripts: Record<string, Script> = {
  ...serverScripts,
  ...networkScripts,
  ...loadBalancerScripts,
  ...otherScripts,
};

/** Other recordings, with the reason why they are irrelevant. */
export const OTHER_RESOURCES: Record<string, string> = {
  filestorage: 'managed file storage (shares over NFS) is not among the resources of the project',
};
