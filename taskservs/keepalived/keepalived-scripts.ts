import { type HostContext, isIpv6, MANAGED_FILE_HEADER, sh } from '../../sdk/index.js';
import { bare, chooseFamily, type KeepalivedConfig } from './keepalived-config.js';

export const NETWORK_SCRIPT = '/usr/local/sbin/provisioning-keepalived';
export const CHECK_SCRIPT = '/usr/local/sbin/provisioning-keepalived-check';
export const NETWORK_CONF = '/run/provisioning-keepalived/network.conf';

/** Seconds that a host has at its start to get its addresses. */
const PATIENCE = 30;

/** Connects to the service. keepalived ends it after two seconds, and runs it as the user daemon. */
export const CHECK = `#!/bin/bash
${MANAGED_FILE_HEADER}
exec 3<>"/dev/tcp/$1/$2"
`;

/**
 * Script that writes the part of the configuration that only the host knows: its interface, and the addresses of the
 * members, whose names may come to mean other ones. With `test` it only prints `moved` if that part would differ.
 */
export function networkScript(config: KeepalivedConfig, host: HostContext): string {
  const { addresses, members = [], multicast, interface: wanted = '' } = config;
  const family = chooseFamily(config);
  const others = members.filter((member) => member !== host.name);
  const carried = addresses.filter(({ address }) => isIpv6(address) !== (family === 6));
  const place = (all: KeepalivedConfig['addresses']) =>
    all.map(({ address, interface: on = '' }) => `    ${sh`place ${bare(address)} ${address} ${on}`}`).join('\n');
  const own = addresses.filter((one) => !carried.includes(one));
  const carriedLines = carried.length === 0 ? '' : `  echo 'virtual_ipaddress_excluded {'\n${place(carried)}\n  echo '}'\n`;
  const peers = multicast
    ? ''
    : `  if [ -n "$peers" ]; then
    echo "unicast_src_ip $source"
    echo check_unicast_src
    echo 'unicast_peer {'
    for peer in $peers; do echo "    $peer"; done
    echo '}'
  fi
`;
  return `#!/bin/sh
${MANAGED_FILE_HEADER}
set -eu
conf=${NETWORK_CONF}
${sh`wanted=${wanted}`}
${sh`own=${host.privateAddress ?? ''}`}
# IPv4 addresses in the form of IPv6 are no addresses of IPv6.
resolve() { getent ahostsv${family} "$1" | awk '$1 !~ /^::ffff:/ { print $1; exit }'; }
word() { sed -n "s/.* $1 \\([^ ]*\\).*/\\1/p" | head -n 1; }
place() {
  on=$3
  case $1 in *:*) version=6 ;; *) version=4 ;; esac
  [ -n "$on" ] || on=$(ip -o -$version route show to match "$1" | grep -v -e '^default' -e ' via ' | word dev)
  echo "    $2 dev \${on:-$interface}"
}
network() {
  peers=
  for member in ${others.join(' ')}; do
    address=$(resolve "$member")
    [ -n "$address" ] || { echo "the member $member has no IPv${family} address that this host knows" >&2; return 1; }
    peers="$peers $address"
  done
  to=\${peers:-$(resolve "\${own:-localhost}")}
  to=\${to# }
  route=$(ip -o -${family} route get "\${to%% *}" \${wanted:+oif "$wanted"})
  interface=\${wanted:-$(echo "$route" | word dev)}
  source=$(echo "$route" | word src)
  if [ "$interface" = lo ]; then
    # There is no other member to reach: the interface of the own address, or that of the default route.
    interface=$(ip -o -${family} address show to "\${to%% *}" | awk '$2 != "lo" { print $2; exit }')
    [ -n "$interface" ] || interface=$(ip -o -${family} route show default | word dev)
  fi
  [ -n "$interface" ] || { echo 'no network interface leads to the other members: write interface' >&2; return 1; }
  echo "interface $interface"
${peers}  echo 'virtual_ipaddress {'
${place(own)}
  echo '}'
${carriedLines}}
if [ "\${1:-}" = test ]; then
  text=$(network 2>/dev/null) || exit 0
  [ "$text" = "$(cat $conf 2>/dev/null)" ] || echo moved
  exit 0
fi
left=${PATIENCE}
until text=$(network); do
  left=$((left - 1))
  [ $left -gt 0 ] || exit 1
  sleep 1
done
install -d -m 0755 "\${conf%/*}"
printf '%s\\n' "$text" >$conf.new
mv $conf.new $conf
`;
}

/** The unit of Debian, with the script above before each start and reload, and with a folder of its own for its dump. */
export const DROP_IN_TEXT = `${MANAGED_FILE_HEADER}
[Service]
PrivateTmp=yes
ExecStartPre=${NETWORK_SCRIPT}
ExecReload=
ExecReload=${NETWORK_SCRIPT}
ExecReload=/bin/kill -HUP $MAINPID
`;

/**
 * Judges the configuration. With a script of another user, keepalived 2.2 ends its own test by a signal, since it takes
 * its parent for another one; the first process of a namespace has none, and gets no signal of its own.
 */
export const CHECK_CONFIGURATION = `${NETWORK_SCRIPT} && unshare --pid --fork keepalived -t -f /etc/keepalived/keepalived.conf`;

/** Prints `moved` if the running keepalived has other interfaces or members than a reload would give it. */
export const TEST_NETWORK = `[ -x ${NETWORK_SCRIPT} ] || exit 0\nsystemctl is-active -q keepalived || exit 0\n${NETWORK_SCRIPT} test`;

/** Prints those of the addresses that the host has. */
export const listTaken = ({ addresses }: KeepalivedConfig): string => sh`for address in ${addresses.map(({ address }) =>
  bare(address),
)}; do
  [ -z "$(ip -o address show to "$address" 2>/dev/null)" ] || echo "$address"
done`;

/**
 * Asks the running keepalived for its state by its signal for that, and checks that the host has the addresses as master,
 * and none of them as backup. The numbers of states are those of `vrrp.h`.
 */
export const checkState = ({ addresses }: KeepalivedConfig): string => `pid=$(systemctl show -P MainPID keepalived)
[ "$pid" -gt 0 ] || { echo 'keepalived does not run' >&2; exit 1; }
dump=/proc/$pid/root/tmp/keepalived.json
rm -f "$dump"
kill -s "$(keepalived --signum=JSON 2>/dev/null)" "$pid"
left=30
until found=$(grep -o '"state":[0-9]' "$dump" 2>/dev/null | head -n 1) && [ -n "$found" ]; do
  left=$((left - 1))
  [ $left -gt 0 ] || { echo 'keepalived does not tell its state' >&2; exit 1; }
  sleep 0.1
done
has=0
${sh`for address in ${addresses.map(({ address }) => bare(address))}; do`}
  [ -z "$(ip -o address show to "$address")" ] || has=$((has + 1))
done
case $found in
  *:0) echo 'it has not begun yet' >&2; exit 1 ;;
  *:1) [ $has = 0 ] || { echo 'it is backup, and still has an address' >&2; exit 1; }; echo backup ;;
  *:2) [ $has = ${addresses.length} ] || { echo 'it is master, and lacks an address' >&2; exit 1; }; echo master ;;
  *) echo 'it takes no address: its check fails, or its interface is down' >&2; exit 1 ;;
esac`;
