/** Seconds until writes are taken again by themselves, if nothing else ends the hand-over. */
const RELEASE_SECONDS = 90;

/** Seconds in which the replicas get all data, in which a fail-over is asked for, and in which it ends. */
const [CATCH_UP, ASK, END] = [10, 20, 75];

/**
 * Bash that defines `hand_over AT NAME SENTINEL`: another member becomes the primary instead of the one with this name, which
 * answers at an address. Sentinel's own fail-over by request lets the former primary take writes until it is told: those
 * would be lost. So it takes none from before, until all its replicas have what it has. Whatever ends the script, a program
 * in the background lets it take writes again, once sentinel leaves it the lead or has let it follow.
 */
export const HAND_OVER = `least() { at "$1" config set min-replicas-to-write "$2" 2>/dev/null; }
# Of the one that was held: it still leads and nothing changes that, or it follows. It fails while that is not known.
settled() {
  local now flags leads
  now=$(field "$SENTINEL" ip) || return 1
  flags=$(field "$SENTINEL" flags) || return 1
  if [ -z "$now" ] || [ -z "$flags" ] || [[ $flags == *failover_in_progress* ]]; then return 1; fi
  if [ "$now" = "$HELD_NAME" ]; then return 0; fi
  leads=$(role "$HELD" role) || return 1
  [ "$leads" = slave ]
}
# For as many turns. What holds another hand-over back has another number.
release() {
  local least
  for _ in $(seq "$1"); do
    least=$(at "$HELD" config get min-replicas-to-write 2>/dev/null | tail -n 1) || least=
    if [ -n "$least" ] && [ "$least" != "$HOLD" ]; then return 0; fi
    if [ -n "$least" ] && settled && least "$HELD" "$LEAST" >/dev/null; then return 0; fi
    sleep 1
  done
  return 1
}
replicas() { at "$1" info replication 2>/dev/null | tr -d '\\r' || return 1; }
has_all() {
  local info upto line lines online=0
  info=$(replicas "$1") || return 1
  upto=$2
  lines=$(grep -E '^slave[0-9]+:' <<<"$info") || return 1
  while read -r line; do
    [[ $line =~ ,state=online,offset=([0-9]+), ]] || return 1
    [ "\${BASH_REMATCH[1]}" -ge "$upto" ] || return 1
    online=$((online + 1))
  done <<<"$lines"
  [ "$online" -gt 0 ]
}
hand_over() {
  local info upto said='it was not asked in time' now flags begin leads
  HELD=$1 HELD_NAME=$2 SENTINEL=$3 HOLD=$((1000 + RANDOM))
  info=$(replicas "$1") || info=
  if [[ $info != *,state=online,* ]]; then echo "no replica has the data of $2"; return 1; fi
  export HELD HELD_NAME SENTINEL HOLD CLUSTER LEAST
  setsid bash -c "$(declare -f at tell field role least settled release); sleep ${RELEASE_SECONDS}; release 600" </dev/null >/dev/null 2>&1 &
  trap 'release 10 || true' EXIT
  begin=$SECONDS
  now=$(least "$1" "$HOLD") || now=
  if [ "$now" != OK ]; then echo "$2 does not stop to take writes"; return 1; fi
  info=$(replicas "$1") || info=
  upto=$(sed -n 's/^master_repl_offset://p' <<<"$info")
  if ! [[ $upto =~ ^[0-9]+$ ]]; then echo "$2 does not say what it has"; return 1; fi
  until has_all "$1" "$upto"; do
    if [ $((SECONDS - begin)) -ge ${CATCH_UP} ]; then echo "not all replicas of $2 have what it has"; return 1; fi
    sleep 0.1
  done
  while [ $((SECONDS - begin)) -lt ${END} ]; do
    now=$(field "$3" ip) || now=
    if [ -n "$now" ] && [ "$now" != "$2" ]; then
      # It takes no more writes until it is restarted, or follows.
      leads=$(role "$now" role) || leads=
      if [ "$leads" = master ]; then trap - EXIT; return 0; fi
    elif [ $((SECONDS - begin)) -lt ${ASK} ]; then
      flags=$(field "$3" flags) || flags=
      if [[ $flags != *failover_in_progress* ]]; then said=$(tell "$3" failover "$CLUSTER" 2>&1) || true; fi
    fi
    sleep 0.5
  done
  echo "sentinel has not made another member the primary: $said"
  return 1
}`;

/** Seconds until a sentinel that forgot has found the others again. It asks the primary each ten seconds. */
const FIND_SECONDS = 60;

/** Bash that lets one sentinel after the other forget who has gone. Each finds those that are there again before the next. */
export const FORGET = `lists() { tell "$1" "$2" "$CLUSTER" 2>/dev/null | paste -sd' ' || return 1; }
# How many of those that stay a sentinel lists.
count() {
  local seen each n=0
  seen=$(lists "$1" "$2") || return 1
  for each in "\${OTHERS[@]}"; do if [[ " $seen " == *" ip $each "* ]]; then n=$((n + 1)); fi; done
  echo $n
}
# 0: it lists the one that goes. 1: it does not. Else it does not answer.
lists_me() {
  local sentinels replicas
  sentinels=$(lists "$1" sentinels) || return 2
  replicas=$(lists "$1" replicas) || return 2
  [[ " $sentinels $replicas " == *" ip $ME "* ]]
}
forget() {
  local before sentinels state=0
  lists_me "$1" || state=$?
  if [ $state = 1 ]; then return 0; fi
  if [ $state != 0 ]; then echo "the sentinel of $1 does not answer"; return 1; fi
  before=$(count "$1" replicas) || return 1
  sentinels=$(count "$1" sentinels) || return 1
  # A primary lists a replica whose machine is lost for a minute.
  for _ in 1 2 3 4; do
    tell "$1" reset "$CLUSTER" >/dev/null || return 1
    finds "$1" "$before" "$sentinels" || return 1
    state=0
    lists_me "$1" || state=$?
    if [ $state = 1 ]; then return 0; fi
    sleep 25
  done
  echo "$ME is there again for the sentinel of $1: it still runs"
  return 1
}
finds() {
  local replicas sentinels
  for _ in $(seq ${FIND_SECONDS}); do
    sleep 1
    replicas=$(count "$1" replicas) && sentinels=$(count "$1" sentinels) || continue
    if [ "$replicas" -ge "$2" ] && [ "$sentinels" -ge "$3" ]; then return 0; fi
  done
  echo "the sentinel of $1 does not find all others again"
  return 1
}`;
