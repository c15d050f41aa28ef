import './versioning.js';

/** The workflows that a worker runs. */
export { batch } from './batch.js';
export { cluster } from './cluster.js';
export { infra } from './infra.js';
export { orphans } from './orphans.js';
export { server } from './server.js';
export { taskserv } from './taskserv.js';
