import { expect, test } from 'vitest';
import { firewallFor } from '../machine/firewall.js';
import type { Endpoint } from '../taskserv/taskserv.js';
import type { ServerSpec, TaskservSpec } from './definition.js';
import { reachableOf } from './reachable.js';

const ALL = ['0.0.0.0/0', '::/0'];
const plan = { name: 's', cores: 1, memoryMiB: 1024, diskGiB: 10 };
const taskserv = (name: string, endpoints: Endpoint[], uses: string[] = []): TaskservSpec => ({
  ...{ name, version: '1', config: {}, endpoints, after: [], uses },
});
const server = (name: string, taskservs: TaskservSpec[], more: Partial<ServerSpec> = {}): ServerSpec => ({
  ...{ name, group: name.replace(/-\d+$/, ''), role: 'x', provider: 'cloud', plan, image: 'i', labels: {}, volumes: [] },
  ...{
    network: 'n',
    protect: false,
    taskservs,
    firewall: firewallFor(
      [],
      taskservs.flatMap(({ endpoints }) => endpoints),
    ),
  },
  ...more,
});
const existing = (name: string, taskservs: TaskservSpec[], privateAddress?: string) =>
  server(name, taskservs, {
    firewall: undefined,
    host: { kind: 'ssh', address: '192.0.2.5', port: 22, user: 'root', ...(privateAddress ? { privateAddress } : {}) },
  });

const http = (more: Partial<Endpoint> = {}): Endpoint => ({ name: 'http', port: 80, ...more });
const metrics = (more: Partial<Endpoint> = {}): Endpoint => ({ name: 'metrics', port: 9100, ...more });

test('what is declared public, rules that are written, and SSH, each with its servers', () => {
  const hub = taskserv('haproxy', [http({ public: ALL }), metrics()]);
  const rules = firewallFor([{ protocol: 'udp', ports: '51820', from: ['198.51.100.0/24'] }], hub.endpoints);
  const found = reachableOf({
    servers: [server('hub', [hub], { firewall: rules }), server('web-1', [taskserv('nginx', [http()])]), server('web-2', [])],
  });
  expect(found).toEqual({
    public: [
      { servers: ['hub'], what: 'http of haproxy', protocol: 'tcp', ports: '80', from: ALL },
      { servers: ['hub'], what: 'a rule of its firewall', protocol: 'udp', ports: '51820', from: ['198.51.100.0/24'] },
      { servers: ['hub', 'web-1', 'web-2'], what: 'SSH', protocol: 'tcp', ports: '22', from: ALL },
    ],
    notes: [],
  });
});

test('notes: metrics that are public, what another network does not reach, and machines that were there before', () => {
  const notes = (...servers: ServerSpec[]) => reachableOf({ servers }).notes.map(({ on, text }) => `${on}: ${text}`);
  expect(notes(server('a', [taskserv('node-exporter', [metrics({ public: ALL })])]))).toEqual([
    'a: metrics of node-exporter are public, and ask for no password',
  ]);
  const front = server('front', [taskserv('haproxy', [http()], ['http'])]);
  const web = (endpoint: Endpoint) => server('web', [taskserv('nginx', [endpoint])], { network: 'other' });
  expect(notes(front, web(http()))).toEqual([
    'front: haproxy does not reach http of nginx on web, which is in another network: declare it public there',
  ]);
  expect(notes(front, web(http({ public: ALL })))).toEqual([]);
  const exporter = taskserv('node-exporter', [metrics({ usedFrom: [] })]);
  const [open] = notes(existing('box', [exporter]));
  expect(open).toMatch(/^box: metrics of node-exporter are served on all of its addresses, .*privateAddress/);
  expect(notes(existing('box', [exporter], '10.0.0.5'))).toEqual([
    'box: it is as open as its own firewall leaves it: where it has none, put the taskserv firewall on it',
  ]);
  expect(notes(existing('box', [exporter, taskserv('firewall', [])]))).toEqual([]);
});
