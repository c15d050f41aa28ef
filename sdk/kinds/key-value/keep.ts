import type { Step } from '../../../core/host/step.js';
import { defineAsks } from './ask.js';
import type { Place } from './steps.js';

/**
 * Lets the former server write its memory into a log, which is all that a member reads at its next start. A log that the
 * server does not write is old, and goes aside.
 */
export const keepLogStep = (place: Place): Step => ({
  title: `Let ${place.places.name} write a log of what it has`,
  run: `${readOwn(place)}
[ -e ${place.places.conf} ] || exit 0
logs=no
if systemctl is-active -q ${place.places.server}; then
  logs=$(own config get appendonly | tail -n 1)
elif grep -q '^appendonly yes' ${place.places.conf}; then logs=yes; fi
if [ "$logs" != yes ]; then
  as_user bash -c 'set -euo pipefail
umask 027
cd "$1"
if [ -e appendonlydir ]; then
  mkdir -p former
  mv -T --backup=numbered -- appendonlydir former/appendonlydir
fi' bash ${place.places.data}
fi
systemctl is-active -q ${place.places.server} || exit 0
if [ "$logs" != yes ]; then
  said=$(own config set appendonly yes)
  if [ "$said" != OK ]; then echo 'it does not begin to write a log'; exit 1; fi
fi
for _ in $(seq 1200); do
  info=$(own info persistence)
  if [[ $info == *aof_enabled:1* && $info == *aof_rewrite_in_progress:0* && $info == *aof_rewrite_scheduled:0* && $info == *aof_last_bgrewrite_status:ok* ]]; then exit 0; fi
  sleep 0.5
done
echo 'it does not end to write its log'
exit 1`,
  undo: ':',
  keepsServing: true,
});

/** Asks the server of this host as it runs before its configuration changes. */
const readOwn = ({ places }: Place): string => `${defineAsks(places, { port: 0, tls: undefined, sentinelPort: 0 })}
own() {
  local port tls=
  port=$(sed -n 's/^port //p' ${places.conf}) || return 1
  if [ "$port" = 0 ]; then port=$(sed -n 's/^tls-port //p' ${places.conf}) || return 1; tls='--tls --insecure'; fi
  timeout 60 ${places.cli} -e $tls -p "$port" "$@"
}`;

/** All that is data of a server, and says whose it is. */
const ITEMS = 'dump.rdb appendonlydir provisioning-group';

/** Stops a daemon. After a roll-back it runs again if it ran, with its former files. */
export const stopStep = (name: string): Step => ({
  title: `Stop ${name}`,
  service: { name, state: 'stopped', enabled: true },
});

/**
 * Keeps data beside that is not of this cluster, or is of a member that was removed. A note has the inodes of what it moves:
 * after that, what has the same name is of the cluster.
 */
export const keepDataStep = ({ places, cluster }: Place): Step => {
  const { name, server, sentinel, data, state } = places;
  const asUser = (script: string, more = '') =>
    `setpriv --reuid=${name} --regid=${name} --clear-groups -- bash -c 'set -euo pipefail
umask 027
cd "$1"
inode() { stat -c %i -- "$1"; }
${script}' bash ${data}${more}`;
  const stop = `systemctl stop ${server} ${sentinel} 2>/dev/null || true
if systemctl is-active -q ${server}; then echo '${server} does not stop'; exit 1; fi`;
  return {
    title: `Keep the former data of ${name}, which is not of the cluster ${cluster}, as ${data}/former`,
    run: `cd /
# A note of an earlier time: there is other data since.
${asUser(`if [ ! -e former/moved ]; then exit 0; fi
old=no
while read -r was one; do
  if [ ! -e "$one" ]; then continue; fi
  now=$(inode "$one")
  if [ "$now" != "$was" ]; then old=yes; fi
done <former/moved
if [ $old = yes ]; then rm -f former/moved; fi`)}
${stop}
${asUser(
  `rm -f -- "$2"
mkdir -p former
if [ ! -e former/moved ]; then
  for one in ${ITEMS}; do
    if [ ! -e "$one" ]; then continue; fi
    now=$(inode "$one")
    echo "$now $one"
  done >former/moved.new
  mv -fT -- former/moved.new former/moved
fi
for one in ${ITEMS}; do if [ -e "$one" ]; then mv -T --backup=numbered -- "$one" "former/$one"; fi; done`,
  ` ${state}`,
)}`,
    undo: `cd /
${stop}
${asUser(`if [ ! -e former/moved ]; then exit 0; fi
for one in ${ITEMS}; do
  was=$(awk -v one="$one" "\\$2 == one { print \\$1 }" former/moved)
  if [ -e "$one" ]; then
    now=$(inode "$one")
    if [ "$now" = "$was" ]; then continue; fi
    mv -T --backup=numbered -- "$one" "former/of-cluster-$one"
  fi
  if [ ! -e "former/$one" ]; then continue; fi
  now=$(inode "former/$one")
  if [ "$now" = "$was" ]; then mv -T -- "former/$one" "$one"; fi
done
rm -f former/moved`)}`,
  };
};
