import './versioning.js';

/** The workflows that a worker runs. */
export { ask } from './ask.js';
export { batch } from './batch.js';
export { cluster } from './cluster.js';
export { importServer } from './import-server.js';
export { infra } from './infra.js';
export { orphans } from './orphans.js';
export { refresh } from './refresh.js';
export { server } from './server.js';
export { taskserv } from './taskserv.js';
