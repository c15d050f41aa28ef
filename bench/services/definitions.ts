import type { Definition } from '../../core/definition/definition.js';
import { definitionOf, type Written } from '../../test/support/definition.js';

type Entry = NonNullable<Written['taskservs']>[number];

const account = { name: 'shop', password: { generate: 'password' } };

/** Services with which every application begins. */
const FEW: readonly Entry[] = [
  'nginx',
  'redis',
  { name: 'postgres', config: { users: [account], databases: [{ name: 'shop', owner: 'shop' }] } },
];

/** Further services for one host. None is left out because its facts are slow. */
const MORE: readonly Entry[] = [
  'alertmanager',
  'blackbox-exporter',
  { name: 'cron', config: { jobs: [{ name: 'tidy', schedule: '0 4 * * *', command: 'find /var/tmp -mtime +30 -delete' }] } },
  'dnsmasq',
  'etcd',
  'fail2ban',
  'firewall',
  // nginx has port 80.
  { name: 'haproxy', config: { port: 8080 } },
  { name: 'logrotate', config: { rules: [{ paths: ['/var/log/shop/*.log'] }] } },
  { name: 'memcached', config: { users: [account] } },
  { name: 'mosquitto', config: { users: [account] } },
  { name: 'nats', config: { users: [account], jetStream: true } },
  'nginx-exporter',
  'node-exporter',
  'oci-registry',
  'postgres-exporter',
  'prometheus',
  'redis-exporter',
  'rsyslog',
  'unattended-upgrades',
  { name: 'users', config: { users: [{ name: 'ann', groups: ['adm'], sudo: true }] } },
  { name: 'victoriametrics', config: { password: { generate: 'password' } } },
];

export const SERVER = 'a';

/** Number of services on each side. */
const COUNTS = {
  few: Number(process.env.FEW ?? FEW.length),
  many: Number(process.env.MANY ?? FEW.length + MORE.length),
};

/** Defines one server of the provider `local`, two cores and 4 GiB, with the first of these services. */
export const definitionWith = (infra: string, services: keyof typeof COUNTS): Definition =>
  definitionOf({
    infra,
    provider: 'local',
    servers: [{ name: SERVER, plan: '2cpu-4gb' }],
    taskservs: [...FEW, ...MORE].slice(0, COUNTS[services]),
  });
