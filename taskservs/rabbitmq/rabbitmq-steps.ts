import { quote, type SecretRef, type Step, secretAs, text } from '../../sdk/index.js';
import { ADMINISTER } from './rabbitmq-administer.js';
import { CLUSTER, COOKIE, DATA, FOUNDATION, KEEP_MARK, NODE, OWN } from './rabbitmq-places.js';

/** A member, and those that it asks. */
export interface Place {
  /** The name of the cluster. */
  cluster: string;
  /** Name of the member's server. */
  server: string;
  /** Servers of all other members. Who serves is found out by the step: its text is the same for each look. */
  others: readonly string[];
}

const administer = (...words: string[]): string => `${ADMINISTER}\nadminister ${words.map(quote).join(' ')}`;

/** Bash of the user of rabbitmq, with these words of bash. */
const asUser = (script: string, ...words: string[]): string =>
  `(cd / && runuser -u rabbitmq -- bash -c ${quote(`set -euo pipefail\numask 077\n${script}`)} ${['bash', ...words].join(' ')})`;

/** Gives the host a node without data, of a name that no node had. Former data is kept beside. */
const begin = (server: string, founds: boolean): string =>
  asUser(
    `mkdir -p ${OWN}
for one in ${DATA}/rabbit-*@"$1" ${DATA}/rabbit-*@"$1"-*; do
  [ ! -e "$one" ] || { mkdir -p /var/lib/rabbitmq/former && mv -T --backup=numbered "$one" "/var/lib/rabbitmq/former/\${one##*/}"; }
done
rm -f ${CLUSTER} ${FOUNDATION}
${founds ? `touch ${FOUNDATION}\n` : ''}drawn=$(od -An -N4 -tx1 /dev/urandom | tr -d ' \\n')
printf 'rabbit-%s@%s\\n' "$drawn" "$1" >${NODE}.new
mv -f ${NODE}.new ${NODE}`,
    quote(server),
  );

const NO_MEMBER = `${asUser(`rm -f ${KEEP_MARK}`)}
if [ -e ${CLUSTER} ]; then
  ${asUser(`touch ${KEEP_MARK}`)}
  echo 'it belongs to a cluster by now: apply again' >&2
  exit 1
fi
systemctl stop rabbitmq-server`;

const FORGET = `if [ -e ${KEEP_MARK} ]; then
  ${asUser(`rm -f ${KEEP_MARK}`)}
  exit 0
fi
systemctl stop rabbitmq-server
${asUser(`rm -rf ${OWN}`)}`;

/**
 * The first member begins the cluster alone. It looks once more whether another one serves: two clusters of one name would
 * both take messages.
 */
export const createFounding = ({ cluster, server, others }: Place): Step => ({
  title: `Found the rabbitmq cluster ${cluster}`,
  run: `${NO_MEMBER}\n${administer('alone', cluster, ...others)}\n${begin(server, true)}`,
  undo: FORGET,
});

/** Gives a member that is to join a node of its own. A former one of its name never comes back by it. */
export const createNode = ({ cluster, server }: Place): Step => ({
  title: `Create a node for the rabbitmq cluster ${cluster}`,
  run: `${NO_MEMBER}\n${begin(server, false)}`,
  undo: FORGET,
});

/** Lets the running node join. A former node of its server leaves first: it has replicas that this one does not have. */
export const joinStep = ({ cluster, server, others }: Place): Step => ({
  title: `Add ${server} to the rabbitmq cluster ${cluster}`,
  run: administer('join', cluster, ...others),
  undo: administer('withdraw', cluster, ...others),
});

/** Waits until a member serves and has its replicas: only then the next one may be worked on. */
export const belongStep = ({ cluster, server }: Place): Step => ({
  title: `Wait until ${server} serves in the rabbitmq cluster ${cluster}`,
  run: administer('belong', cluster),
  undo: ':',
  keepsServing: true,
});

/**
 * Waits before a restart until each quorum queue keeps its majority without this member. One whose broker does not run
 * serves nobody: its page of metrics is not there. It looks where the present files say, so it comes before others.
 */
export const spareStep = ({ cluster, server }: Place): Step => ({
  title: `Wait until the rabbitmq cluster ${cluster} can do without ${server}`,
  run: `systemctl is-active -q rabbitmq-server || exit 0
at=$(sed -n 's/^prometheus.tcp.ip = //p' /etc/rabbitmq/rabbitmq.conf)
port=$(sed -n 's/^prometheus.tcp.port = //p' /etc/rabbitmq/rabbitmq.conf)
[ "$at" != 0.0.0.0 ] || at=127.0.0.1
{ exec 3<>"/dev/tcp/$at/$port"; } 2>/dev/null || exit 0
exec 3>&-
${administer('spare')}`,
  undo: ':',
  keepsServing: true,
});

/** Keeps the data of a member that was removed from its cluster beside the new one. RabbitMQ does not start with it. */
export const keepDataStep = (cluster: string, node: string): Step => {
  const kept = `/var/lib/rabbitmq/former-${node}`;
  return {
    title: `Keep the former data of rabbitmq, which is not of the cluster ${cluster}, as ${kept}`,
    run: `systemctl stop rabbitmq-server
${asUser(
  `mkdir -p "$1"
for one in ${DATA} ${OWN}; do [ ! -e "$one" ] || mv -T --backup=numbered "$one" "$1/\${one##*/}"; done`,
  quote(kept),
)}`,
    undo: asUser(
      `for one in ${DATA} ${OWN}; do [ -e "$one" ] || [ ! -e "$1/\${one##*/}" ] || mv -T "$1/\${one##*/}" "$one"; done`,
      quote(kept),
    ),
  };
};

/** Takes a member out, on another one. It may have gone for good. */
export const leaveStep = ({ cluster, server }: Pick<Place, 'cluster' | 'server'>): Step => ({
  title: `Remove ${server} from the rabbitmq cluster ${cluster}`,
  run: administer('remove', server),
  irreversible: true,
});

/** Erlang that lets a running node take the cookie of a file. */
const TAKE = `erlang:set_cookie(node(), list_to_atom(string:trim(binary_to_list(element(2, file:read_file("${COOKIE}.next")))))).`;

/**
 * Sets the cookie. A running node takes it without a restart: its connections stay, so that one member after the other can
 * get another cookie.
 */
export function cookieStep(cluster: string, cookie: SecretRef): Step {
  const take = asUser(
    `export HOME=/var/lib/rabbitmq
ctl() { timeout 30 /usr/lib/rabbitmq/bin/rabbitmqctl -q "$@" </dev/null >/dev/null 2>&1; }
put() { cp -f ${COOKIE}.next ${COOKIE}.new; chmod 400 ${COOKIE}.new; mv -f ${COOKIE}.new ${COOKIE}; }
# Without a member, what runs is another node, which starts again with it.
if [ "$1" = runs ] && [ -e ${NODE} ]; then
  taken=
  for _ in $(seq 10); do
    if ctl eval "$2"; then taken=yes; break; fi
    # It took the cookie before, and this was cut off.
    cp -fp ${COOKIE} ${COOKIE}.former
    put
    if ctl ping; then taken=yes; break; fi
    mv -f ${COOKIE}.former ${COOKIE}
    sleep 3
  done
  if [ -z "$taken" ]; then
    rm -f ${COOKIE}.next
    echo 'the node runs and does not take the cookie: stop rabbitmq-server, and apply again' >&2
    exit 1
  fi
fi
put
rm -f ${COOKIE}.next ${COOKIE}.former`,
    '"$runs"',
    quote(TAKE),
  );
  const stores = asUser(`IFS= read -r cookie
case "$cookie" in *[!!-~]*|'') echo 'a cookie has letters, digits and signs, without spaces' >&2; exit 1 ;; esac
[ \${#cookie} -ge 20 ] && [ \${#cookie} -le 255 ] || { echo 'a cookie has 20 to 255 characters' >&2; exit 1; }
rm -f ${COOKIE}.next
printf '%s\\n' "$cookie" >${COOKIE}.next`);
  return {
    title: `Set the cookie of the rabbitmq cluster ${cluster}`,
    run: `${stores}
runs=no
if systemctl is-active -q rabbitmq-server; then runs=runs; fi
${take}`,
    stdin: text`${secretAs('line', cookie)}\n`,
    irreversible: true,
    keepsServing: true,
  };
}
