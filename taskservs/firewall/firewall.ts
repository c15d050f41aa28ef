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
  type Step,
  sh,
  systemd,
  upstreamVersion,
} from '../../sdk/index.js';
import { firewallConfig } from './firewall-config.js';
import { APPLY, CONF, LIVE_STATE, type LiveState, RESTORE, readLiveState, UNLOAD } from './live-rules.js';
import { LIST_NETWORKS, type Network, readNetworks } from './networks.js';
import { ruleset } from './ruleset.js';

const DROP_IN = '/etc/systemd/system/nftables.service.d/provisioning.conf';
const READS = [CONF, DROP_IN];

/** Debian's unit stops by `flush ruleset`, which would take the rules of Docker and others along. */
const STOP_ONLY_OURS = `[Service]
ExecStop=
ExecStop=-/usr/sbin/nft delete table inet provisioning
`;

/** Packet filter: what is not asked for stays outside. */
export const firewall = defineTaskserv({
  name: 'firewall',
  category: 'security',
  holds: [],
  description: 'Packet filter (nftables) that allows SSH, the endpoints of this server in the definition, and listed ports.',
  versions: debianVersions({ 12: '1.0', 13: '1.1' }, { package: 'nftables' }),
  supports: { os: ['debian'] },
  config: firewallConfig,
  uses: () => [],
  facts: () => ({
    package: debian('nftables'),
    conf: file(CONF),
    dropIn: file(DROP_IN),
    networks: fact<Network[]>(LIST_NETWORKS, readNetworks, []),
    live: fact<LiveState>(LIVE_STATE, readLiveState, 'absent'),
    unit: systemd('nftables', READS),
  }),
  installed: (found) => upstreamVersion(found.package.version),

  plan(config, found, { host, peers }) {
    const beside = peers.filter(({ server }) => server === host.name);
    const endpoints = beside.flatMap(({ endpoints }) => endpoints);
    const vrrp = beside.some(({ taskserv }) => taskserv === 'keepalived');
    const files = [
      ...ensureFile(found.dropIn, { content: STOP_ONLY_OURS }, 'Let nftables stop without touching the tables of others'),
      ...ensureFile(found.conf, { content: ruleset(config, endpoints, { host, networks: found.networks, vrrp }), mode: '0755' }),
    ];
    const load: Step = {
      title: 'Load the rules of the firewall',
      run: APPLY,
      undo: RESTORE,
      confirm: { seconds: 30, revert: RESTORE },
    };
    const loading = files.length > 0 || found.live !== 'loaded' ? [load] : [];
    return [
      ...ensurePackage(found.package),
      ...files,
      ...checkFirst('Check the rules of the firewall', sh`nft -c -f ${CONF}`, loading),
      // After `load`: the unit loads the same rules, but asks for no confirmation.
      ...ensureService(found.unit, { state: 'running', enabled: true, change: 'reload', reads: READS }, files),
    ];
  },

  health: () => [
    {
      title: 'the rules of the firewall are loaded',
      command: 'nft list chain inet provisioning input 2>/dev/null || { echo "the kernel has none of them" >&2; exit 1; }',
      expect: 'policy drop',
    },
  ],

  remove: (_, found) => [
    ...(found.live === 'absent' ? [] : [{ title: 'Unload the rules of the firewall', run: UNLOAD, undo: RESTORE }]),
    ...ensureService(found.unit, { state: 'stopped', enabled: false }),
    ...ensureNoPackage(found.package),
    ...ensureNoFile(found.conf),
    ...ensureNoFile(found.dropIn),
  ],
});
