import type { Endpoint } from '../../core/taskserv/taskserv.js';

/** Wildcard for all addresses. */
export const ALL = '*';

type Reader = (text: string, endpoint: Endpoint) => string[];

/** Returns the addresses before the endpoint's port in matching lines: `10.0.0.5:80`, and `:80` for all addresses. */
const beforePort =
  (line: RegExp): Reader =>
  (text, { port }) =>
    text
      .split('\n')
      .filter((one) => line.test(one))
      .flatMap((one) => [...one.matchAll(new RegExp(`(\\[[0-9a-f:]*\\]|[\\w.*-]*|[0-9a-f]+:[0-9a-f:]+):${port}(?![0-9])`, 'g'))])
      .map(([, address]) => address || ALL);

/** Returns the words that a pattern captures; `without` if it does not match. */
const words =
  (pattern: RegExp, without: readonly string[] = []): Reader =>
  (text) => {
    const found = [...text.matchAll(pattern)].flatMap(([, all = '']) => all.split(/[\s,;]+/).filter(Boolean));
    return found.length > 0 ? found : [...without];
  };

const web = beforePort(/listen-address|LISTEN_ADDRESS/);

/** Readers of listening addresses from the steps of a taskserv, by its name. */
const READERS: Record<string, Reader> = {
  acme: beforePort(/--http\.port/),
  alertmanager: web,
  app: words(/^HOST="(.*)"$/gm),
  bind: (text, { name }) =>
    name === 'bind-control' ? ['127.0.0.1'] : words(/^\s*listen-on(?:-v6)? port \d+ \{ (.*) \};$/gm)(text, {} as Endpoint),
  'blackbox-exporter': web,
  'buildkite-agent': beforePort(/health-check-addr/),
  caddy: (text, { port }) =>
    [...text.matchAll(new RegExp(`:${port} \\{\\n((?:\\t.*\\n)*)`, 'g'))].flatMap(([, block = '']) =>
      words(/^\tbind (.*)$/gm, [ALL])(block, {} as Endpoint),
    ),
  containerd: beforePort(/^\s*address = /),
  containers: (text, { port }) =>
    text.includes('"--network=host"')
      ? ['127.0.0.1', ALL]
      : [...text.matchAll(new RegExp(`"--publish" "(?:(\\S+):)?${port}:\\d+"`, 'g'))].map(([, address]) => address ?? ALL),
  dnsmasq: words(/^listen-address=(.*)$/gm, [ALL]),
  docker: beforePort(/metrics-addr/),
  etcd: beforePort(/^ETCD_LISTEN_(CLIENT|METRICS|PEER)_URLS=/),
  haproxy: beforePort(/^\s*bind /),
  influxdb: beforePort(/^\s*bind-address = /),
  kafka: beforePort(/^listeners=/),
  // kubeadm lets the API server, kubelet and kube-proxy listen at all addresses.
  kubernetes: (text, endpoint) => (endpoint.local ? beforePort(/^\s*bind /)(text, endpoint) : [ALL]),
  mariadb: words(/^bind_address = (.*)$/gm),
  memcached: (text, endpoint) => {
    const own = beforePort(/^-l /)(text, endpoint);
    return own.length > 0 ? own : words(/^-l ([^:\n]+|\[.*\])$/gm, [ALL])(text, endpoint);
  },
  mosquitto: (text, { port }) => words(new RegExp(`^listener ${port} (.*)$`, 'gm'))(text, {} as Endpoint),
  'mysqld-exporter': web,
  nats: beforePort(/^(listen|http): /),
  nginx: (text, { port }) => (new RegExp(`^\\s*listen ${port}[ ;]`, 'm').test(text) ? [ALL] : []),
  'nginx-exporter': web,
  'node-exporter': web,
  'oci-registry': beforePort(/"addr":/),
  patroni: (text, { port }) =>
    [...text.matchAll(new RegExp(`^  listen: "(.*):${port}"$`, 'gm'))].flatMap(([, all = '']) => all.split(',')),
  pgbouncer: words(/^listen_addr = (.*)$/gm),
  postfix: (text) =>
    words(/^inet_interfaces = (.*)$/gm)(text.replace('loopback-only', '127.0.0.1').replace(/= all$/m, '= *'), {} as Endpoint),
  postgres: words(/^listen_addresses = '(.*)'$/gm),
  'postgres-exporter': web,
  prometheus: web,
  rabbitmq: (text, endpoint) =>
    endpoint.local && !endpoint.name.startsWith('amqp')
      ? ['127.0.0.1']
      : [
          ...beforePort(/^listeners\./)(text, endpoint),
          ...(endpoint.name === 'metrics' ? words(/^prometheus\.tcp\.ip = (.*)$/gm)(text, endpoint) : []),
        ],
  redis: words(/^bind (.*)$/gm),
  'redis-exporter': web,
  rsyslog: words(/^input\(.* address="([^"]*)"/gm, [ALL]),
  samba: words(/^\s*interfaces = (.*)$/gm, [ALL]),
  squid: (text, { port }) => [...text.matchAll(new RegExp(`^https?_port (?:(\\S*):)?${port}\\b`, 'gm'))].map(([, at]) => at ?? ALL),
  // Its programs choose their addresses; the definition declares that loopback is among them.
  'systemd-units': () => ['127.0.0.1', ALL],
  temporal: words(/ --ip (\S+) /g),
  time: words(/^bindaddress (.*)$/gm, [ALL]),
  traefik: beforePort(/"address":/),
  unbound: words(/^\s*interface: (.*)$/gm),
  valkey: words(/^bind (.*)$/gm),
  varnish: beforePort(/varnishd .* -a /),
  vault: beforePort(/^\s*(address|cluster_address) = /),
  victoriametrics: beforePort(/-httpListenAddr=/),
  zookeeper: words(/^clientPortAddress=(.*)$/gm),
};

const SPELLINGS: Record<string, string> = { '0.0.0.0': ALL, any: ALL, all: ALL, localhost: '127.0.0.1' };

/**
 * Returns the addresses on which a taskserv's steps make an endpoint listen; `ALL` for all of them.
 *
 * @param text of its steps, with unchanged line ends
 */
export function listeningIn(taskserv: string, text: string, endpoint: Endpoint): string[] {
  const read = READERS[taskserv];
  if (!read) throw new Error(`say in test/support/listening-in-plans.ts how steps of ${taskserv} say where it listens`);
  return read(text, endpoint).map((address) => SPELLINGS[address] ?? address.replace(/^\[|\]$/g, ''));
}
