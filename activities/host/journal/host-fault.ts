import { absentError, type ProvisioningError } from '../../../core/errors.js';
import { HOST_STATE } from '../paths.js';

/** The exit code of our scripts if the state folder of the host cannot be written to. */
export const UNWRITABLE = 91;

const PLACE = `"$(d=${HOST_STATE}; [ -d "$d" ] || d=/var; echo "$d")"`;

/** Bash at the beginning of such a script: says at exit 91 what the file system of the state folder has left. */
export const SAYS_WHY_UNWRITABLE = `export LC_ALL=C
trap '[ $? -ne ${UNWRITABLE} ] || { echo "space: $(df -Ph ${PLACE} | tail -n 1)"; echo "inodes: $(df -Pi ${PLACE} | tail -n 1)"; } >&2' EXIT`;

/** Bash: ends the script as unwritable unless the folder takes a little. */
export const probe = (folder: string): string =>
  `head -c 4096 /dev/zero >${folder}/probe && sync ${folder}/probe && rm -f ${folder}/probe || exit ${UNWRITABLE}`;

/** Faults that do not pass by waiting, by the English messages of programs. */
const FAULTS = [
  {
    says: /No space left on device|Disk quota exceeded/,
    code: 'host-disk-full',
    why: 'the disk is full',
    hint: 'make room on the host, then `provisioning workflow retry OPERATION`',
  },
  {
    says: /Read-only file system/,
    code: 'host-read-only',
    why: 'the file system is read-only',
    hint: 'run `dmesg` on the host for the cause; make it writable, then `provisioning workflow retry OPERATION`',
  },
  {
    says: /Cannot allocate memory|fork: (retry: )?Resource temporarily unavailable/,
    code: 'host-no-memory',
    why: 'no memory is left',
    hint: 'stop processes or add memory, then `provisioning workflow retry OPERATION`',
  },
] as const;

/**
 * A fault of the host itself that another attempt meets again.
 *
 * @param said what our script wrote to standard error
 * @returns undefined if it is of another kind
 */
export function hostFault(what: string, on: string, said: string): ProvisioningError | undefined {
  const fault = FAULTS.find(({ says }) => says.test(said));
  if (!fault) return undefined;
  const { code, why, hint } = fault;
  const parts = { code, what, on, hint };
  if (code !== 'host-disk-full') return absentError({ ...parts, why: `${why} (${HOST_STATE})` });
  const [space, inodes] = [leftIn(said, 'space'), leftIn(said, 'inodes')];
  // Some file systems have no table of them, and report 0 of 0.
  if (inodes?.left === '0' && inodes.size !== '0') {
    return absentError({ ...parts, why: `no inodes are left (${HOST_STATE}: 0 of ${inodes.size} of ${inodes.at} are free)` });
  }
  const room = space ? `: ${space.left} of ${space.size} of ${space.at} are free` : '';
  return absentError({ ...parts, why: `${why} (${HOST_STATE}${room})` });
}

/** Columns of a line of `df -P`: device, size, used, free, percentage, mount point. */
function leftIn(said: string, what: 'space' | 'inodes'): { size: string; left: string; at: string } | undefined {
  const [, size = '', left = '', at = ''] =
    new RegExp(`^${what}: \\S+\\s+(\\S+)\\s+\\S+\\s+(\\S+)\\s+\\S+\\s+(.+)$`, 'm').exec(said) ?? [];
  return at === '' ? undefined : { size, left, at };
}
