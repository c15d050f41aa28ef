import { addressOf, at, curl } from './machine.js';

/** Actual state of a service on its host, found without the platform. */
export interface Truth {
  server: string;
  taskserv: string;
  /** Its package is installed. */
  installed: boolean;
  /** It is installed and runs, regardless of its dependencies. */
  runs: boolean;
  /** It serves its purpose. */
  serves: boolean;
  /** Evidence, in the words of the queried programs. */
  seen: string;
}

interface Place {
  infra: string;
  server: string;
  address: string;
}

interface Probe {
  package: string;
  /** Command that exits with 0 if the service runs, and prints the evidence. */
  runs: string;
  serves(place: Place): Promise<{ serves: boolean; seen: string }>;
}

const active = (unit: string) => `systemctl is-active ${unit}`;

/** Runs a script that exits with 0 if the service serves. */
async function onHost({ infra, server }: Place, script: string, what: string) {
  const { code, out } = await at(infra, server, script);
  return { serves: code === 0, seen: `${what}: ${code === 0 ? out : 'fails'}` };
}

async function fromOutside(url: string) {
  const { status } = await curl(url);
  return { serves: status === '200', seen: `curl: ${status}` };
}

/**
 * A port without a listener. A filter drops its packets (curl 28), a host without a filter rejects them immediately
 * (curl 7).
 */
const UNUSED_PORT = 9;

const PROBES: Record<string, Probe> = {
  haproxy: { package: 'haproxy', runs: active('haproxy'), serves: ({ address }) => fromOutside(`http://${address}/`) },
  nginx: {
    package: 'nginx',
    runs: active('nginx'),
    serves: (place) => onHost(place, 'curl -s -m 10 -o /dev/null -w "%{http_code}" http://127.0.0.1/ | grep 200', 'curl there'),
  },
  postgres: {
    package: 'postgresql-15',
    runs: active('postgresql@15-main'),
    serves: (place) => onHost(place, `runuser -u postgres -- psql -tAc "select 'answers'" shop 2>&1`, 'psql'),
  },
  redis: {
    package: 'redis-server',
    runs: active('redis-server'),
    serves: (place) => onHost(place, 'timeout 10 redis-cli ping 2>&1 | grep PONG', 'redis-cli'),
  },
  firewall: {
    package: 'nftables',
    runs: `nft list ruleset 2>/dev/null | grep -A2 "^table inet provisioning" | grep -o "policy drop"`,
    async serves({ address }) {
      const { status } = await curl(`http://${address}:${UNUSED_PORT}/`, 4);
      return { serves: status === 'curl 28', seen: status === 'curl 28' ? 'drops' : 'lets in' };
    },
  },
  'node-exporter': {
    package: 'prometheus-node-exporter',
    runs: active('prometheus-node-exporter'),
    serves: ({ address }) => fromOutside(`http://${address}:9100/metrics`),
  },
};

async function truthOfOne(infra: string, server: string, taskserv: string): Promise<Truth> {
  const probe = PROBES[taskserv];
  if (!probe) throw new Error(`nothing is known of ${taskserv}`);
  const place = { infra, server, address: await addressOf(infra, server) };
  const [status, ran, served] = await Promise.all([
    at(infra, server, `dpkg-query -W -f '\${db:Status-Abbrev}' ${probe.package}`),
    at(infra, server, probe.runs),
    probe.serves(place),
  ]);
  const installed = status.out.startsWith('ii');
  const state = taskserv === 'firewall' ? (ran.code === 0 ? 'policy drop' : 'no such table') : ran.out;
  const seen = [...(installed ? [] : [`dpkg: ${status.out.trim() || 'not there'}`]), state, served.seen].join(', ');
  return { server, taskserv, installed, runs: installed && ran.code === 0, serves: served.serves, seen };
}

/** Returns the actual state of these services. */
export const truthOf = (infra: string, services: readonly (readonly [server: string, taskserv: string])[]): Promise<Truth[]> =>
  Promise.all(services.map(([server, taskserv]) => truthOfOne(infra, server, taskserv)));
