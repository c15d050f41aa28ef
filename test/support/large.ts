import type { Definition } from '../../core/definition/definition.js';
import { fingerprint } from '../../core/encoding/hash.js';
import { hashOf } from '../../core/infra/grant.js';
import { emptyInventory, type Inventory, type InventoryServer, type InventoryService } from '../../core/infra/inventory.js';
import type { Written } from './definition.js';

const SITES = ['shop', 'blog', 'api', 'status'];
const SITE_CONFIGS = SITES.map((name) => ({ name, serverName: `${name}.example.org`, root: `/srv/${name}` }));
/** The only site behind the load balancers. It has one server, so that each operation adds few peers. */
const APP = { name: 'app', serverName: 'app.example.org', root: '/srv/app', port: 8090 };

/**
 * Returns a definition file with many servers in three roles, all with the same eight taskservs and a realistic
 * configuration.
 */
export function largeFile({ infra, servers, provider = 'demo' }: { infra: string; servers: number; provider?: string }): Written {
  const data = Math.max(1, Math.floor(servers / 5));
  const edge = Math.max(1, Math.floor(servers / 10));
  return {
    infra,
    provider,
    servers: [
      { name: 'gate', role: 'web', plan: 'medium', taskservs: [{ name: 'nginx', config: { sites: [...SITE_CONFIGS, APP] } }] },
      ...groups('web', servers - data - edge - 1).map((group) => ({
        ...group,
        role: 'web',
        plan: 'medium',
        labels: { tier: 'front', team: 'shop' },
      })),
      ...groups('data', data).map((group) => ({
        ...group,
        role: 'data',
        plan: 'large',
        labels: { tier: 'back' },
        volumes: [{ name: 'data', size: '100 GiB', mount: '/srv/data' }],
      })),
      ...groups('edge', edge).map((group) => ({ ...group, role: 'edge', plan: 'small', zone: 'a', labels: { tier: 'edge' } })),
    ],
    taskservs: [
      { name: 'users', config: { users: [{ name: 'deploy', sudo: true }, { name: 'backup' }] } },
      { name: 'firewall', config: { allow: [{ port: 8443, from: ['10.0.0.0/8'] }] } },
      'node-exporter',
      'prometheus',
      {
        name: 'nginx',
        config: { sites: SITE_CONFIGS },
      },
      { name: 'haproxy', config: { port: 8080, backend: { offering: 'http-app' } } },
      { name: 'redis', config: { password: { generate: 'password' }, maxMemory: '256 MiB' } },
      {
        name: 'postgres',
        config: {
          allow: ['10.0.0.0/8'],
          users: [{ name: 'app', password: { generate: 'password' } }],
          databases: [{ name: 'app', owner: 'app' }],
        },
      },
    ],
  };
}

/** Splits a count into entries: one entry of a file creates at most 500 servers. */
function groups(name: string, count: number) {
  const full = Array.from({ length: Math.floor(count / 500) }, (_, index) => ({ name: `${name}-${index + 1}`, count: 500 }));
  return count % 500 === 0 ? full : [...full, { name, count: count % 500 }];
}

/**
 * Returns the inventory of a definition after many small operations: a different operation changed each service last.
 */
export function recordedAs(definition: Definition): Inventory {
  const { workspace, infra } = definition;
  const inventory = emptyInventory({ workspace, infra, uuid: 'b5a1c0de-0000-4000-8000-000000000000' });
  let count = 0;
  const operation = (what: string) =>
    `${what}-ensure-${infra}-mf3k${(++count * 7_919).toString(36)}${fingerprint(count).slice(0, 6)}`;
  const servers = definition.servers.map(({ taskservs, ...spec }, index): InventoryServer => {
    const services = taskservs.map(
      ({ name, version, config }): InventoryService => ({
        taskserv: name,
        version,
        installed: `${version}.${hashOf(definition).length}`,
        config,
        healthy: true,
        since: operation('taskserv'),
      }),
    );
    return {
      name: spec.name,
      provider: spec.provider,
      // Same length as ids of Docker.
      id: [1, 2, 3, 4].map((part) => fingerprint([spec.name, part])).join(''),
      connection: { kind: 'ssh', address: `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`, port: 22, user: 'root' },
      spec,
      services: Object.fromEntries(services.map((service) => [service.taskserv, service])),
      since: operation('server'),
    };
  });
  return {
    ...inventory,
    definition,
    servers: Object.fromEntries(servers.map((server) => [server.name, server])),
    networks: { [infra]: { name: infra, provider: 'demo', id: `${workspace}/${infra}/${infra}`, since: operation('server') } },
  };
}
