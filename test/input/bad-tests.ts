import type { BadInput } from './run-row.js';

const script = { 'checks.sh': 'true\n' };
const topology = (title: string, text: string, more: Partial<BadInput>): BadInput => ({
  title,
  args: ['test', 'env', 'cluster', '-'],
  stdin: text,
  exit: 2,
  says: /./,
  ...more,
});

/** Invalid tests. They create nothing and do not contact the engine. */
export const TESTS: readonly BadInput[] = [
  {
    title: 'a test of a taskserv that is none',
    args: ['test', 'quick', 'postgers'],
    exit: 2,
    says: /find the taskserv: postgers: the platform has no taskserv with this name/,
  },
  {
    title: 'a version that the taskserv does not have',
    args: ['test', 'quick', 'postgres', '--version', '1.2.3'],
    exit: 2,
    place: 'command line:1:1',
    says: /version/,
  },
  {
    title: 'a configuration with a misspelt key',
    files: { 'pg.yaml': 'port: 5433\nsetings: {}\n' },
    args: ['test', 'quick', 'postgres', '--config-file', 'pg.yaml'],
    exit: 2,
    place: 'pg.yaml:2:1',
    says: /setings/,
  },
  {
    title: 'a value of a configuration without its key',
    args: ['test', 'quick', 'postgres', '--config', 'port'],
    exit: 2,
    says: /a key has no = behind it/,
  },
  {
    title: 'a script that is not there',
    args: ['test', 'quick', 'postgres', '--script', 'none.sh'],
    exit: 2,
    says: /read the script: none.sh: the file does not exist/,
  },
  {
    title: 'a report in a folder that is not there',
    files: script,
    args: ['test', 'quick', 'postgres', '--script', 'checks.sh', '--junit', 'none/report.xml'],
    exit: 2,
    says: /write the report: none\/report.xml/,
  },
  { title: 'memory that is none', args: ['test', 'quick', 'redis', '--memory', 'much'], exit: 2, says: /a size has the form/ },
  {
    title: 'a time to live of a second',
    args: ['test', 'quick', 'redis', '--ttl', '1s'],
    exit: 2,
    says: /from 1 minute to 7 days/,
  },
  {
    title: 'a test of a server that the definition does not have',
    files: { 'infra.yaml': 'infra: shop\nprovider: demo\nservers:\n  - name: web\n' },
    args: ['test', 'env', 'server', 'wbe', '--file', 'infra.yaml'],
    exit: 2,
    says: /find the server: wbe: the definition has no such server/,
  },
  {
    title: 'a topology that is none',
    args: ['test', 'env', 'cluster', 'etcd_clutser'],
    stdin: '',
    exit: 2,
    says: /find the topology: etcd_clutser: the platform has no topology with this name/,
  },
  {
    title: 'a topology that is not available as yet',
    args: ['test', 'env', 'cluster', 'kubernetes_3node'],
    exit: 2,
    says: /kubernetes_3node: it needs the taskserv kubernetes/,
  },
  topology('a topology with a misspelt key', 'description: a\nservers: [{ name: db }]\ntaskserv: []\n', {
    place: 'standard input:3:1',
    says: /taskserv/,
  }),
  topology('a topology in a cloud', 'description: a\nservers:\n  - name: db\n    provider: hetzner\n', {
    place: 'standard input:4:15',
    says: /the servers of a topology always run on this machine/,
  }),
  topology('a topology that is no YAML', 'description: {a\n', { says: /standard input:1:16/ }),
  {
    title: 'a workspace by a name of test environments',
    args: ['workspace', 'init', 'test-environments-of-a'],
    exit: 2,
    says: /names with this beginning are reserved for test environments/,
  },
];
