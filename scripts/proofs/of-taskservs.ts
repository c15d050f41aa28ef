/** Services, and what a proof of them needs besides the steps that hosts run. */
interface Subject {
  taskservs: readonly string[];
  /** Folders of further sources. */
  more?: readonly string[];
}

const PATRONI = ['patroni', 'etcd', 'haproxy', 'pgbouncer'];

/**
 * Test files about services, not about the platform: like proofs of the catalog, they hold until the services change.
 * A full run plays them only if they are stale. Each run of the first tier plays the oldest proofs again, so each of
 * these has its turn. Each full run plays a test of the platform's part: `etcd-cluster` for groups, `version-upgrade`
 * for upgrades.
 */
export const OF_TASKSERVS: Readonly<Record<string, Subject>> = {
  'test/end-to-end/etcd-debian-13.test.ts': { taskservs: ['etcd'] },
  'test/end-to-end/moving-address.test.ts': { taskservs: ['keepalived', 'haproxy', 'firewall'] },
  'test/end-to-end/patroni.test.ts': { taskservs: PATRONI },
  'test/end-to-end/patroni-kills.test.ts': { taskservs: PATRONI },
  'test/end-to-end/patroni-next-version.test.ts': {
    taskservs: PATRONI,
    more: ['cli/commands/taskserv', 'cli/shared/versions', 'authoring/versions'],
  },
  'test/end-to-end/patroni-restore.test.ts': {
    taskservs: PATRONI,
    more: ['cli/commands/cluster', 'cli/shared/clusters', 'cli/ssh'],
  },
  'test/end-to-end/postgres-upgrade.test.ts': {
    taskservs: ['postgres'],
    more: ['cli/commands/taskserv', 'cli/shared/versions', 'authoring/versions'],
  },
  'test/pairs/pairs.test.ts': {
    taskservs: ['firewall', 'haproxy', 'nginx', 'node-exporter', 'postgres', 'prometheus', 'redis', 'users'],
  },
  'test/pairs/stopped-postgres.test.ts': { taskservs: ['postgres', 'redis', 'firewall'] },
};

/** What decides which steps a service has and in which order, and what runs them on hosts. */
const OF_ALL = [
  ...['sdk', 'core/taskserv', 'core/host', 'core/plan', 'activities/host', 'activities/service', 'workflows/runbook'],
  'providers/local',
];
const OF_TESTS = /\.test\.ts$|^sdk\/testing\/|\.md$|\/cases\//;

export const isOfTaskservs = (test: string): boolean => test in OF_TASKSERVS;

/** Returns whether a path is an input of a test about services. Its imports of `test/` count in any case. */
export function isOfItsTaskservs(path: string, test: string): boolean {
  const { taskservs = [], more = [] } = OF_TASKSERVS[test] ?? {};
  const folders = [...OF_ALL, ...more, ...taskservs.map((name) => `taskservs/${name}`)];
  return !OF_TESTS.test(path) && folders.some((folder) => path.startsWith(`${folder}/`));
}
