import { expect, test } from 'vitest';
import { definitionIn } from './definition-in.js';

/** The snippets of the originals, as their languages make data of them. */
const SERVER = { server: { name: 'web-01', plan: 'medium', provider: 'upcloud' } };
const CLUSTER = {
  settings: {
    infra: { name: 'my-cluster', provider: 'upcloud' },
    servers: [
      { name: 'control-01', plan: 'medium', role: 'control' },
      { name: 'worker-01', plan: 'large', role: 'worker' },
    ],
    taskservs: ['kubernetes', 'cilium', 'rook-ceph'],
  },
};
const REGIONS = {
  batch_workflow: {
    operations: [
      { id: 'eu-cluster', type: 'cluster', region: 'eu-west-1', cluster: 'app-stack' },
      { id: 'us-cluster', type: 'cluster', region: 'us-east-1', cluster: 'app-stack' },
    ],
    parallel_limit: 3,
  },
};
const CLOUDS = {
  batch_workflow: {
    name: 'multi_cloud_deployment',
    version: '1.0.0',
    parallel_limit: 5,
    rollback_enabled: true,
    operations: [
      { id: 'servers', type: 'server_batch', provider: 'upcloud', dependencies: [] },
      { id: 'services', type: 'taskserv_batch', provider: 'aws', dependencies: ['servers'] },
    ],
  },
};

test.each([
  ['a server', SERVER, { infra: 'web-01', servers: [SERVER.server] }],
  [
    'a cluster',
    CLUSTER,
    { infra: 'my-cluster', provider: 'upcloud', servers: CLUSTER.settings.servers, taskservs: CLUSTER.settings.taskservs },
  ],
  ['taskservs alone', { taskservs: ['cilium'] }, { taskservs: ['cilium'] }],
  [
    'a batch over regions',
    REGIONS,
    {
      batch: 'batch',
      parallel: 3,
      operations: [
        { name: 'eu-cluster', kind: 'cluster', infra: 'app-stack', region: 'eu-west-1' },
        { name: 'us-cluster', kind: 'cluster', infra: 'app-stack', region: 'us-east-1' },
      ],
    },
  ],
  [
    'a batch over clouds',
    CLOUDS,
    {
      batch: 'multi-cloud-deployment',
      parallel: 5,
      onFailure: 'rollback',
      operations: [
        { name: 'servers', kind: 'server', provider: 'upcloud' },
        { name: 'services', kind: 'taskserv', provider: 'aws', needs: ['servers'] },
      ],
    },
  ],
  ['one under a name of its own', { shop: { infra: 'shop', servers: [] } }, { infra: 'shop', servers: [] }],
  ['one as such', { infra: 'shop', servers: [] }, { infra: 'shop', servers: [] }],
  ['what it does not know', { a: 1, b: {} }, { a: 1, b: {} }],
])('%s', (_, made, meant) => expect(definitionIn(made)).toEqual(meant));
