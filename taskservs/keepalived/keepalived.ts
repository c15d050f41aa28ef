import {
  checkFirst,
  debian,
  debianVersions,
  defineTaskserv,
  ensureFile,
  ensureNoFile,
  ensureNoPackage,
  ensurePackage,
  ensureService,
  fact,
  file,
  gentlestChange,
  inputError,
  type Step,
  systemd,
  upstreamVersion,
} from '../../sdk/index.js';
import { agree } from './agree.js';
import { formatConf } from './keepalived-conf.js';
import { keepalivedConfig } from './keepalived-config.js';
import {
  CHECK,
  CHECK_CONFIGURATION,
  CHECK_SCRIPT,
  checkState,
  DROP_IN_TEXT,
  listTaken,
  NETWORK_SCRIPT,
  networkScript,
  TEST_NETWORK,
} from './keepalived-scripts.js';

const CONF = '/etc/keepalived/keepalived.conf';
const DROP_IN = '/etc/systemd/system/keepalived.service.d/provisioning.conf';
/** The check script is not among them: keepalived starts it each second. */
const RELOADABLE = [CONF, NETWORK_SCRIPT];
const READS = [...RELOADABLE, DROP_IN];

/** CAP_NET_RAW in the bounding set of a host's first process (linux/capability.h). */
const NET_RAW = 1n << 13n;

const hasRawSockets = (stdout: string): boolean => {
  const [, set] = /^CapBnd:\s*([0-9a-f]+)$/m.exec(stdout) ?? [];
  return set === undefined || (BigInt(`0x${set}`) & NET_RAW) !== 0n;
};

/** @throws inputError if the host cannot send VRRP, or has one of the addresses in another way */
function refuse(found: { rawSockets: boolean; foreign: readonly string[] }, host: string): void {
  const refused = (why: string, hint: string) =>
    inputError({ code: 'bad-definition', what: 'install keepalived', on: host, why, hint });
  if (!found.rawSockets)
    throw refused(
      'the host is a container without raw sockets, which VRRP needs',
      'provisioning config set providers.local.rawSockets true, and create the server again',
    );
  const [address] = found.foreign;
  if (address !== undefined)
    throw refused(
      `${address} is an own address of the host already`,
      'choose an address that no server has, or remove it from the host',
    );
}

/** Addresses that move between servers. */
export const keepalived = defineTaskserv({
  name: 'keepalived',
  category: 'load-balancing',
  holds: [],
  description: 'Moves IP addresses between servers (VRRP): the first healthy one has them.',
  versions: debianVersions({ 12: '2.2', 13: '2.3' }, { package: 'keepalived' }),
  supports: { os: ['debian'] },
  // The service behind the addresses: without it, the server takes none of them.
  after: ['haproxy', 'nginx', 'caddy', 'traefik', 'varnish', 'pgbouncer'],
  config: keepalivedConfig,
  uses: () => [],
  agree,
  follows: ({ check }) => (check && 'taskserv' in check ? [check.taskserv] : []),
  facts: (config) => ({
    package: debian('keepalived'),
    network: file(NETWORK_SCRIPT),
    check: file(CHECK_SCRIPT),
    conf: file(CONF),
    dropIn: file(DROP_IN),
    taken: fact(listTaken(config), ({ stdout }) => stdout.split('\n').filter(Boolean), []),
    rawSockets: fact('cat /proc/1/status 2>/dev/null || true', ({ stdout }) => hasRawSockets(stdout), true),
    moved: fact(TEST_NETWORK, ({ stdout }) => stdout.includes('moved'), false),
    unit: systemd('keepalived', READS),
  }),
  installed: (found) => upstreamVersion(found.package.version),

  plan(config, found, { host, peers, moved = [] }) {
    const foreign = found.taken.filter((address) => !found.network.content.includes(` ${address}/`));
    refuse({ ...found, foreign }, host.name);
    const files = [
      ...ensureFile(found.network, { content: networkScript(config, host), mode: '0755' }),
      ...(config.check ? ensureFile(found.check, { content: CHECK, mode: '0755' }) : ensureNoFile(found.check)),
      ...ensureFile(found.conf, { content: formatConf(config, host, peers), mode: '0640' }),
      ...ensureFile(found.dropIn, { content: DROP_IN_TEXT }),
    ];
    const before = [...ensurePackage(found.package), ...files];
    const wanted = {
      ...{ state: 'running' as const, enabled: true, reads: READS },
      change: gentlestChange(found.unit, before, [...RELOADABLE, CHECK_SCRIPT]),
    };
    const needed = ensureService(found.unit, wanted, before);
    const isMoved = found.moved || config.members?.some((member) => moved.includes(member));
    const again = { ...wanted, change: 'reload' as const };
    const service: Step[] =
      needed.length === 0 && isMoved
        ? [{ title: 'Reload keepalived: members have other addresses', service: { name: 'keepalived', ...again } }]
        : needed;
    return [...before, ...checkFirst('Check the configuration of keepalived', CHECK_CONFIGURATION, service)];
  },

  health: (config) => [{ title: 'keepalived is master or backup', command: checkState(config) }],

  remove: (_, found) => [
    ...ensureService(found.unit, { state: 'stopped', enabled: false }),
    ...ensureNoPackage(found.package),
    ...ensureNoFile(found.conf),
    ...ensureNoFile(found.network),
    ...ensureNoFile(found.check),
    ...ensureNoFile(found.dropIn),
  ],
});
