import { quote } from '../../../core/host/shell.js';
import { HOST_STATE } from '../paths.js';

/** The grant under which work is done on a host, and the infra whose entity gave it. */
export interface HostFence {
  uuid: string;
  grant: number;
  /** A later one that the host has seen and that the entity knows nothing of: this one takes its place. */
  past?: number;
}

const FILE = `${HOST_STATE}/grant`;

/**
 * Bash that notes the grant on the host, unless a later one of the same infra is noted: then it says which and exits.
 * A lock of its own, since the runner of an earlier grant may hold that of the host for long.
 *
 * @param fence absent: nothing is noted or refused
 */
export function noteGrant(nonce: string, fence?: HostFence): string {
  if (!fence) return '';
  const own = quote(`${fence.uuid} ${fence.grant}`);
  const notPast = fence.past === undefined ? '' : ` && [ "$seen" -ne ${fence.past} ]`;
  const refused = `[ "$known" = ${quote(fence.uuid)} ] && [ "$seen" -ge ${fence.grant} ]${notPast}`;
  return `( umask 077; mkdir -p ${HOST_STATE} && exec 7>${FILE}.lock && flock 7 || exit 91
  known=; seen=0; [ ! -r ${FILE} ] || read -r known seen <${FILE}
  if { ${refused}; } 2>/dev/null; then
    [ "$seen" -eq ${fence.grant} ] && exit 0
    printf '\\n%s end superseded %s\\n' ${nonce} "$seen"; exit 3
  fi
  echo ${own} >${FILE}.draft && sync ${FILE}.draft && mv ${FILE}.draft ${FILE} || exit 91 )
case $? in
  0) ;;
  3) exit 0 ;;
  *) exit 91 ;;
esac`;
}

/** Bash for a runner, between two items: ends it if a later grant of the same infra was recorded in between. */
export function endSuperseded(fence?: HostFence): string {
  if (!fence) return '';
  return `if [ -r ${FILE} ] && read -r known seen <${FILE} && [ "$known" = ${quote(fence.uuid)} ] && [ "$seen" -gt ${fence.grant} ] 2>/dev/null; then end superseded "$seen"; fi`;
}
