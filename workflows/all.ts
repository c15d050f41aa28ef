/** The workflows that a worker runs, by their type. */
export { batch } from './batch/batch.js';
export { testEnvironment } from './environment/test-environment.js';
export { infra } from './infra/infra.js';
export { ask } from './inquiry/ask.js';
export { groupShare } from './inquiry/group-share.js';
export { importServer } from './inquiry/import-server.js';
export { labels } from './inquiry/labels.js';
export { orphans } from './inquiry/orphans.js';
export { refresh } from './inquiry/refresh.js';
export { cluster } from './runbook/cluster.js';
export { server } from './runbook/server.js';
export { taskserv } from './runbook/taskserv.js';
