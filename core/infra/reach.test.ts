import { describe, expect, test } from 'vitest';
import type { Definition } from '../definition/definition.js';
import { ANYWHERE } from '../machine/firewall.js';
import type { Connection } from '../machine/provider.js';
import type { Inventory } from './inventory.js';
import { createView } from './inventory-view.js';
import { describeReach } from './reach.js';

const secret = (name: string) => ({ $secret: name });
const PASSWORD = 'generated/default/shop/db.postgres.users.app.password';
const TASKSERVS = [
  { name: 'node-exporter', endpoints: [{ name: 'metrics', port: 9100, path: '/metrics' }], uses: [] },
  {
    name: 'postgres',
    endpoints: [{ name: 'postgres', port: 5432 }],
    config: { users: [{ name: 'app', password: secret(PASSWORD) }], replica: secret('written-by-a-person') },
  },
  { name: 'prometheus', endpoints: [{ name: 'metrics', port: 9090, path: '/metrics' }], uses: ['metrics'] },
  {
    name: 'haproxy',
    endpoints: [
      { name: 'http', port: 80, path: '/', public: ANYWHERE },
      { name: 'stats', port: 8404, path: '/stats', local: true },
    ],
    config: {
      stats: { password: secret('generated/default/shop/db.haproxy.stats.password') },
      tls: { key: secret('generated/default/shop/certificate/www-1/key') },
    },
  },
];
const reach = (connection: Connection, taskservs: { name: string }[] = TASKSERVS, more: object = {}, options?: string) => {
  const services = Object.fromEntries(taskservs.map(({ name }) => [name, {}]));
  return describeReach(
    { servers: [{ name: 'db', taskservs }] } as unknown as Definition,
    { servers: { db: { name: 'db', connection, services, ...more } } } as unknown as Inventory,
    options,
  );
};
const ssh = (address: string, more: object = {}): Connection => ({ kind: 'ssh', address, port: 22, user: 'root', ...more });
const CLOUD = ssh('203.0.113.7');
const waysOf = (found: ReturnType<typeof reach>) =>
  found.map(({ taskserv, endpoint, address, url, tunnel }) => [`${taskserv}/${endpoint}`, address ?? tunnel, url]);

describe('how what was deployed is reached', () => {
  test('public endpoints at their address, the rest by a tunnel; what people use goes before metrics', () => {
    expect(waysOf(reach(CLOUD))).toEqual([
      ['haproxy/http', '203.0.113.7:80', 'http://203.0.113.7/'],
      ['postgres/postgres', 'provisioning server tunnel db 5432', undefined],
      ['prometheus/metrics', 'provisioning server tunnel db 9090', 'http://127.0.0.1:9090/'],
      ['haproxy/stats', 'provisioning server tunnel db 8404', 'http://127.0.0.1:8404/stats'],
      ['node-exporter/metrics', 'provisioning server tunnel db 9100', 'http://127.0.0.1:9100/'],
    ]);
  });

  test('a password that was generated is named at what it opens, one that a person set is not', () => {
    expect(reach(CLOUD).map(({ taskserv, endpoint, secrets }) => [`${taskserv}/${endpoint}`, secrets])).toEqual([
      ['haproxy/http', undefined],
      ['postgres/postgres', [PASSWORD]],
      ['prometheus/metrics', undefined],
      ['haproxy/stats', ['generated/default/shop/db.haproxy.stats.password']],
      ['node-exporter/metrics', undefined],
    ]);
  });

  test('a password of another service and a variable of a program open no endpoint', () => {
    const uses = {
      name: 'x',
      endpoints: [{ name: 'http', port: 8000, path: '/' }],
      refersTo: [{ server: 'db', taskserv: 'postgres' }],
    };
    const config = { database: { password: secret(PASSWORD) }, env: { KEY: secret('generated/default/shop/db.x.env.KEY') } };
    const secretsOf = (more: object) =>
      reach(CLOUD, [...TASKSERVS, { ...uses, config: { ...config, ...more } } as never]).find(({ taskserv }) => taskserv === 'x')
        ?.secrets;
    expect(secretsOf({})).toBeUndefined();
    expect(secretsOf({ password: secret('generated/default/shop/db.x.password') })).toEqual([
      'generated/default/shop/db.x.password',
    ]);
  });

  test('a page that is served by TLS has an address by https', () => {
    const endpoints = [
      { name: 'http', port: 80, path: '/', public: ANYWHERE },
      { name: 'https', port: 443, public: ANYWHERE },
    ];
    const lb = { name: 'haproxy', endpoints };
    expect(waysOf(reach(CLOUD, [lb]))).toEqual([
      ['haproxy/http', '203.0.113.7:80', 'http://203.0.113.7/'],
      ['haproxy/https', '203.0.113.7:443', 'https://203.0.113.7/'],
    ]);
    const spec = { name: 'lb', role: 'lb', provider: 'aws', plan: { name: 'small' }, taskservs: [{ ...lb, version: '1' }] };
    const inventory = { servers: { lb: { name: 'lb', connection: CLOUD } } };
    const urlOf = (...more: object[]) =>
      createView(
        { servers: [{ ...spec, taskservs: [{ ...spec.taskservs[0], endpoints: [...endpoints, ...more] }] }] } as never,
        inventory as never,
      ).taskservs.haproxy?.url;
    expect(urlOf()).toBe('https://203.0.113.7/');
    endpoints.pop();
    expect(urlOf()).toBe('http://203.0.113.7/');
    expect(urlOf({ name: 'https', port: 8443 })).toBe('https://203.0.113.7:8443/');
  });

  test.each([
    ['a host whose SSH is forwarded from loopback', ssh('127.0.0.1', { port: 32_768 })],
    ['a host behind a jump host', ssh('10.0.0.7', { jump: 'root@203.0.113.1:22' })],
  ])('%s shows nothing else at its address', (_, connection) => {
    expect(waysOf(reach(connection))[0]).toEqual(['haproxy/http', 'provisioning server tunnel db 80', 'http://127.0.0.1:8080/']);
    expect(reach(connection).filter(({ address }) => address)).toEqual([]);
  });

  test('of this machine all is here', () => {
    expect(waysOf(reach({ kind: 'this' })).slice(0, 2)).toEqual([
      ['haproxy/http', '127.0.0.1:80', 'http://127.0.0.1/'],
      ['postgres/postgres', '127.0.0.1:5432', undefined],
    ]);
  });

  test('says who may come in where not all may, and brackets IPv6', () => {
    const dns = { name: 'dns', endpoints: [{ name: 'dns', port: 53, protocol: 'udp', public: ['192.0.2.0/24'] }] };
    expect(reach(ssh('2001:db8::7'), [dns])).toEqual([
      {
        server: 'db',
        taskserv: 'dns',
        endpoint: 'dns',
        port: 53,
        protocol: 'udp',
        address: '[2001:db8::7]:53',
        from: ['192.0.2.0/24'],
      },
    ]);
    // No tunnel of ssh carries it.
    expect(reach(ssh('127.0.0.1'), [dns])).toEqual([]);
  });

  test('says nothing of simulated servers, and of what is switched off or not there', () => {
    expect(reach({ kind: 'demo', account: 'a', server: 'db' })).toEqual([]);
    expect(reach(CLOUD, TASKSERVS, { stopped: 'op' })).toEqual([]);
    expect(reach(CLOUD, TASKSERVS, { services: {} })).toEqual([]);
    expect(describeReach({ servers: [{ name: 'x', taskservs: TASKSERVS }] } as unknown as Definition, { servers: {} })).toEqual([]);
  });

  test('names the infra in commands where there are several', () => {
    expect(reach(CLOUD, TASKSERVS, {}, ' --infra shop')[1]?.tunnel).toBe('provisioning server tunnel db 5432 --infra shop');
  });
});
