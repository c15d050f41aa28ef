import type { Step } from '../../../core/host/step.js';
import { HAND_OVER } from './scripts.js';
import { defineAround, type Place } from './steps.js';

/** Seconds until a sentinel that forgot has found the others again. It asks the primary each ten seconds. */
const FIND_SECONDS = 60;

/** Bash that lets one sentinel after the other forget who has gone. Each finds those that are there again before the next. */
const FORGET = `lists() { tell "$1" "$2" "$CLUSTER" 2>/dev/null | paste -sd' '; }
# How many of those that stay a sentinel lists.
count() {
  local seen each n=0
  seen=" $(lists "$1" "$2") " || return 1
  for each in "\${OTHERS[@]}"; do if [[ $seen == *" ip $each "* ]]; then n=$((n + 1)); fi; done
  echo $n
}
forget() {
  local seen before sentinels
  seen=" $(lists "$1" sentinels) $(lists "$1" replicas) "
  [[ $seen == *" ip $ME "* ]] || return 0
  before=$(count "$1" replicas)
  sentinels=$(count "$1" sentinels)
  # A primary lists a replica whose machine is lost for a minute.
  for _ in 1 2 3 4; do
    tell "$1" reset "$CLUSTER" >/dev/null
    finds "$1" "$before" "$sentinels" || return 1
    seen=" $(lists "$1" sentinels) $(lists "$1" replicas) "
    [[ $seen == *" ip $ME "* ]] || return 0
    sleep 25
  done
  echo "$ME is there again for the sentinel of $1: it still runs"
  return 1
}
finds() {
  for _ in $(seq ${FIND_SECONDS}); do
    sleep 1
    if [ "$(count "$1" replicas)" -ge "$2" ] && [ "$(count "$1" sentinels)" -ge "$3" ]; then return 0; fi
  done
  echo "the sentinel of $1 does not find all others again"
  return 1
}`;

/**
 * Takes a member out, on another one. It may have gone for good. One that leads hands over before. One that answers is told
 * to end, and does not start again.
 *
 * @param isReplaced a new machine of the same name takes its place: the others need not forget it
 */
export const leaveStep = (place: Place, isReplaced: boolean): Step => ({
  title: `Remove ${place.server} from the ${place.places.name} cluster ${place.cluster}`,
  run: `${defineAround(place)}
${HAND_OVER}
${FORGET}
primary=
for _ in $(seq 60); do
  primary=$(field 127.0.0.1 ip) || primary=
  if [ -n "$primary" ] && [ "$primary" != "$ME" ]; then break; fi
  if [ -n "$primary" ] && [ "$(role "$ME" role)" = master ]; then hand_over "$ME" "$ME" 127.0.0.1; continue; fi
  sleep 1
done
if [ -z "$primary" ] || [ "$primary" = "$ME" ]; then echo "no other member leads than $ME"; exit 1; fi
[ "$(role "$primary" role)" = master ]
# Its sentinel ends to vote and to watch first: it would let its server follow again.
tell "$ME" remove "$CLUSTER" >/dev/null 2>&1 || true
at "$ME" shutdown now >/dev/null 2>&1 || true
${isReplaced ? '' : 'for each in "${OTHERS[@]}"; do if [ -n "$(field "$each" ip)" ]; then forget "$each"; fi; done'}`,
  irreversible: true,
});
