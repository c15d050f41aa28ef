import * as z from 'zod';
import { debianVersions, fact, MANAGED_FILE_HEADER, type Step, settingsService, sh } from '../../sdk/index.js';

const UNIT = 'provisioning-ip-aliases';

const alias = z.strictObject({
  address: z
    .union([z.cidrv4(), z.cidrv6()], { error: 'write an address with its prefix length: "192.0.2.7/32"' })
    .describe('Address with its prefix length: `192.0.2.7/32`'),
  interface: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,14}$/, { error: 'the name of an interface has up to 15 letters, digits, ., _ and -' })
    .optional()
    .describe('Network interface; default: the interface of the default route'),
});

const config = z
  .strictObject({
    addresses: z
      .array(alias)
      .min(1)
      .refine((all) => new Set(all.map(({ address }) => address)).size === all.length, {
        error: 'each address may be listed only once',
      })
      .describe('Further addresses of the host'),
  })
  .meta({ examples: [{ addresses: [{ address: '198.51.100.7/32' }, { address: '10.1.0.5/24', interface: 'eth1' }] }] });

type Config = z.output<typeof config>;

const bare = (address: string): string => address.split('/')[0] ?? address;

/** Puts them up, and notes which: by the next stop the file may say otherwise. */
function script({ addresses }: Config): string {
  const all = addresses.map(({ address, interface: on = '' }) => `    ${sh`up ${bare(address)} ${address} ${on}`}`);
  return `#!/bin/sh
${MANAGED_FILE_HEADER}
set -eu
state=/run/${UNIT}
down() {
  [ -e $state ] || return 0
  while read -r address interface; do ip address del "$address" dev "$interface" 2>/dev/null || true; done <$state
  rm -f $state
}
up() {
  interface=\${3:-$(ip -o route show default | sed -n 's/.* dev \\([^ ]*\\).*/\\1/p' | head -n 1)}
  [ -n "$interface" ] || { echo "there is no default route: name the interface of $2" >&2; exit 1; }
  # What the host has in any case is not ours to take down.
  [ -z "$(ip -o address show to "$1")" ] || return 0
  ip address replace "$2" dev "$interface"
  echo "$2 $interface" >>$state
}
case $1 in
  start)
    down
${all.join('\n')}
    ;;
  stop) down ;;
esac
`;
}

const SCRIPT = `/usr/local/sbin/${UNIT}`;

const SERVICE = `${MANAGED_FILE_HEADER}
[Unit]
Description=Further addresses of this host
Wants=network-online.target
After=network-online.target

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=${SCRIPT} start
ExecStop=${SCRIPT} stop

[Install]
WantedBy=multi-user.target
`;

/** Fails at the first that the host does not have. */
const hasAll = ({ addresses }: Config): string => sh`for address in ${addresses.map(({ address }) => bare(address))}; do
  [ -n "$(ip -o address show to "$address")" ] || { echo "$address is missing" >&2; exit 1; }
done`;

/** Reports whether an address is missing although the unit runs: it was removed by hand. */
const lost = (config: Config) =>
  fact<boolean>(`systemctl is-active -q ${UNIT} || exit 0\n${hasAll(config)}`, ({ exit }) => exit !== 0, false);

const restart = `systemctl restart ${UNIT}`;
const putBack = (isLost: boolean): Step[] => (isLost ? [{ title: 'Put the addresses back', run: restart, undo: restart }] : []);

/** Additional addresses of a host. */
export const ipAliases = settingsService({
  name: 'ip-aliases',
  category: 'networking',
  holds: [],
  description: 'Gives a host further IP addresses.',
  versions: debianVersions({ 12: '6.1', 13: '6.15' }),
  supports: { os: ['debian'] },
  config,
  package: 'iproute2',
  unit: UNIT,
  ownUnit: true,
  files: {
    script: { path: SCRIPT, content: script, mode: '0755' },
    service: { path: `/etc/systemd/system/${UNIT}.service`, content: () => SERVICE },
  },
  contents: { fact: lost, steps: (_, isLost) => putBack(isLost) },
  health: (config) => [{ title: 'the host has the addresses', command: `${hasAll(config)}\necho all`, expect: 'all' }],
});
