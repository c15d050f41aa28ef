/** Seconds until writes are taken again by themselves, if nothing else ends the hand-over. */
const RELEASE_SECONDS = 90;

/**
 * Bash that defines `hand_over AT NAME SENTINEL`: another member becomes the primary instead of the one with this name, which
 * answers at an address. Sentinel's own fail-over by request lets the former primary take writes until it is told: those
 * would be lost. So it takes none from before, until all its replicas have what it has. Whatever ends the script, a program
 * in the background lets it take writes again.
 */
export const HAND_OVER = `least() { at "$1" config set min-replicas-to-write "$2" 2>/dev/null; }
release() { least "$HELD" 1 >/dev/null || true; }
replicas() { at "$1" info replication 2>/dev/null | tr -d '\\r'; }
has_all() {
  local info upto line online=0
  info=$(replicas "$1") || return 1
  upto=$2
  while read -r line; do
    [[ $line =~ ,state=online,offset=([0-9]+), ]] || return 1
    [ "\${BASH_REMATCH[1]}" -ge "$upto" ] || return 1
    online=$((online + 1))
  done < <(grep -E '^slave[0-9]+:' <<<"$info")
  [ "$online" -gt 0 ]
}
hand_over() {
  local upto said= now turn
  HELD=$1
  if [[ $(replicas "$1") != *,state=online,* ]]; then echo "no replica has the data of $2"; return 1; fi
  setsid bash -c "$(declare -f at least release); HELD=$1; sleep ${RELEASE_SECONDS}; release" </dev/null >/dev/null 2>&1 &
  trap release EXIT
  if [ "$(least "$1" 1000)" != OK ]; then echo "$2 does not stop to take writes"; return 1; fi
  upto=$(replicas "$1" | sed -n 's/^master_repl_offset://p')
  for _ in $(seq 100); do
    if [[ $upto =~ ^[0-9]+$ ]] && has_all "$1" "$upto"; then break; fi
    sleep 0.1
  done
  if ! has_all "$1" "$upto"; then echo "not all replicas of $2 have what it has"; return 1; fi
  for turn in $(seq 90); do
    now=$(field "$3" ip) || now=
    if [ -n "$now" ] && [ "$now" != "$2" ]; then
      # It takes no more writes until it is restarted, or follows.
      if [ "$(role "$now" role)" = master ]; then trap - EXIT; return 0; fi
    elif [ "$turn" -lt 20 ] && [[ $(field "$3" flags) != *failover_in_progress* ]]; then
      said=$(tell "$3" failover "$CLUSTER" 2>&1) || true
    fi
    sleep 0.5
  done
  echo "sentinel has not made another member the primary: $said"
  return 1
}`;

/** Seconds until a sentinel that forgot has found the others again. It asks the primary each ten seconds. */
const FIND_SECONDS = 60;

/** Bash that lets one sentinel after the other forget who has gone. Each finds those that are there again before the next. */
export const FORGET = `lists() { tell "$1" "$2" "$CLUSTER" 2>/dev/null | paste -sd' '; }
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
