import type { VolumeSpec } from '../definition/definition.js';
import { inputError } from '../errors.js';
import { fact } from './facts.js';
import { splitPath } from './host-paths.js';
import { quote, sh } from './shell.js';
import type { Step } from './step.js';

/** A volume as its host must have it. */
export interface HostVolume extends VolumeSpec {
  /** A path that is there whenever the disk is; absent until it is attached. */
  device?: string;
  /** It is attached by this operation: its disk is waited for. */
  comes?: true;
  /** It is made larger by this operation: the host may not have seen that yet. */
  grows?: true;
}

/** State of a volume on a host. Sizes in bytes. */
interface VolumeOnHost {
  /** Absent where the disk is not there yet. */
  disk?: number;
  /** Absent without a file system. */
  fileSystem?: string;
  /** Only of ext4, the kind that we make. */
  fileSystemSize?: number;
  mounted: boolean;
  inFstab: boolean;
  /** Nothing is on it. */
  blank: boolean;
  /** Obstacle at the mount point. */
  inTheWay?: string;
  /** A directory that leads there, and that others than root can change. */
  shared?: string;
}

/** How long a disk may take to appear, and one that has grown to be seen as such, in seconds. */
const DISK_S = 300;
const GROWN_S = 60;
/** Disks grow by whole GiB, and a file system need not use the last blocks of one. */
const SLACK = 512 * 1024 ** 2;
const OPTIONS = 'defaults,nofail,x-systemd.growfs';

/** The disk itself has signatures. A disk without one may still have data, unless it begins with zeros only. */
const IS_BLANK = 'is_blank() { c=0; blkid -p "$1" >/dev/null 2>&1 || c=$?; [ "$c" = 2 ] && cmp -s -n 1048576 "$1" /dev/zero; }';
const MOUNTED = 'mounted_at() { findmnt -rn -S "$1" -o TARGET | grep -Fxq "$2"; }';

/** Fact about a volume and its mount point. */
export const volumeOnHost = ({ device = '', mount }: Pick<HostVolume, 'device' | 'mount'>) =>
  fact(
    [
      IS_BLANK,
      MOUNTED,
      sh`m=${mount}; d=$(readlink -f -- ${device || '/nowhere'})`,
      'if [ -b "$d" ]; then',
      'echo "disk $(blockdev --getsize64 "$d")"',
      'is_blank "$d" && echo blank',
      't=$(blkid -p -s TYPE -o value "$d"); [ -z "$t" ] || echo "fileSystem $t"',
      '[ "$t" != ext4 ] || dumpe2fs -h "$d" 2>/dev/null | awk -F: \'/^Block count/{c=$2} /^Block size/{s=$2} END{printf "size %.0f\\n", c*s}\'',
      `u=$(blkid -p -s UUID -o value "$d"); [ -n "$u" ] && u="UUID=$u" m=${quote(inFstab(mount))} awk '$1==ENVIRON["u"] && $2==ENVIRON["m"] {f=1} END {exit !f}' /etc/fstab && echo inFstab`,
      'fi',
      sh`s=$(find ${foldersTo(mount)} -maxdepth 0 ! -type l '(' ! -uid 0 -o -perm /022 ')' -print -quit 2>/dev/null)`,
      'if mounted_at "$d" "$m"; then echo mounted',
      'elif [ -n "$s" ]; then echo "shared $s"',
      'elif mountpoint -q "$m"; then echo "inTheWay $(findmnt -rn -o SOURCE --mountpoint "$m" | tail -n 1) is mounted there"',
      'elif [ -n "$(ls -A "$m" 2>/dev/null)" ]; then echo "inTheWay there are files: $(ls -A "$m" | head -n 3 | tr "\\n" " ")"; fi',
      'true',
    ].join('\n'),
    ({ stdout }) => readVolume(stdout),
    readVolume(''),
  );

function readVolume(text: string): VolumeOnHost {
  const said = new Map(text.split('\n').map((line) => [line.split(' ')[0] ?? '', line.slice(line.indexOf(' ') + 1).trim()]));
  const [disk, size] = [said.get('disk'), said.get('size')];
  return {
    ...(disk ? { disk: Number(disk) } : {}),
    fileSystem: said.get('fileSystem'),
    ...(size ? { fileSystemSize: Number(size) } : {}),
    mounted: said.has('mounted'),
    inFstab: said.has('inFstab'),
    blank: said.has('blank'),
    inTheWay: said.get('inTheWay'),
    shared: said.get('shared'),
  };
}

/**
 * Returns the pending steps of a volume on its host: format a blank disk, mount it now and at each boot, and grow the
 * file system to the size of the disk.
 *
 * @throws input errors: `mount-point-shared`, `mount-point-in-use`, `volume-not-blank`
 */
export function volumeSteps(server: string, volume: HostVolume, found: VolumeOnHost): Step[] {
  const { name, mount, device = '/dev/…', sizeGiB } = volume;
  // Waiting does not help for a disk that should have been there for long: it may have another name there.
  if (found.disk === undefined && !volume.comes) return [];
  refuse(server, volume, found);
  const undo = unmountScript(device, mount);
  const run = `${guard(mount)}\n${mountScript(device, mount)}`;
  if (found.disk === undefined || found.blank) return [{ title: `Format and mount the volume ${name} at ${mount}`, run, undo }];
  const { fileSystem, fileSystemSize, mounted, inFstab, disk } = found;
  const mounting: Step[] =
    mounted && inFstab ? [] : [{ title: `Mount the volume ${name} at ${mount}`, run, undo: mounted ? ':' : undo }];
  const target = volume.grows ? Math.max(disk, sizeGiB * 1024 ** 3) : disk;
  const growing: Step[] =
    fileSystem === 'ext4' && target - (fileSystemSize ?? target) >= SLACK
      ? [
          {
            title: `Grow the file system of the volume ${name} at ${mount}`,
            run: growScript(device, target),
            // A larger file system holds what the smaller one did.
            undo: ':',
          },
        ]
      : [];
  return [...mounting, ...growing];
}

function refuse(
  server: string,
  { name, mount }: HostVolume,
  { disk, mounted, inTheWay, shared, blank, fileSystem }: VolumeOnHost,
): void {
  const about = { what: 'mount the volume', on: `${server}/${name}` };
  if (!mounted && shared)
    throw inputError({
      ...about,
      code: 'mount-point-shared',
      why: `users other than root can change ${shared} and redirect ${mount}`,
      hint: 'mount the volume below directories that only root can write, such as /srv',
    });
  if (!mounted && inTheWay)
    throw inputError({
      ...about,
      code: 'mount-point-in-use',
      why: `the mount would hide the existing files at ${mount}: ${inTheWay.trim()}`,
      hint: 'move the files away or unmount the other file system on the host, or mount the volume elsewhere',
    });
  if (disk !== undefined && !blank && !fileSystem)
    throw inputError({
      ...about,
      code: 'volume-not-blank',
      why: 'it contains data that is not a file system, so it is not formatted',
      hint: 'check it on the host (blkid -p, lsblk -f); format it yourself if the data is not needed',
    });
}

/** Every directory on the way to a path, from the root on. */
function foldersTo(path: string): string[] {
  const names = path.split('/').filter(Boolean).slice(0, -1);
  return ['/', ...names.map((_, index) => `/${names.slice(0, index + 1).join('/')}`)];
}

/** `mount` uses the path, so only root may be able to change what leads to it. This is checked again right before. */
const guard = (mount: string) =>
  sh`enter_dir ${splitPath(mount).folder} make
[ -z "$SHARED" ] || { refuse_path ${mount} 'others can change a directory that leads there'; exit 1; }
cd /`;

/** A path as a field of /etc/fstab: fstab(5) wants blanks and backslashes in octal. */
const inFstab = (path: string) => path.replace(/[\s\\#]/g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`);

/** Mounts a disk, now and at each boot, once it is there; formats it where nothing is on it. For any shell. */
export function mountScript(device: string, mount: string): string {
  return [
    'set -e',
    IS_BLANK,
    MOUNTED,
    sh`disk=${device}; m=${mount}`,
    `n=0; until [ -b "$disk" ]; do n=$((n+1)); [ $n -le ${DISK_S} ] || { printf '%s does not appear\\n' "$disk"; exit 1; }; sleep 1; done`,
    'd=$(readlink -f -- "$disk")',
    'if is_blank "$d"; then mkfs.ext4 -q "$d"; fi',
    'mkdir -p -- "$m"',
    'u=$(blkid -p -s UUID -o value "$d"); t=$(blkid -p -s TYPE -o value "$d")',
    '[ -n "$u" ] && [ -n "$t" ] || { echo "there is no file system on $d, and it is not blank"; exit 1; }',
    withoutEntry(mount),
    sh`printf 'UUID=%s %s %s %s 0 2\n' "$u" ${inFstab(mount)} "$t" ${OPTIONS} >> /etc/fstab`,
    RELOAD,
    'mounted_at "$d" "$m" || mount -- "$m"',
  ].join('\n');
}

/** Takes a disk off, now and for good; what is on it stays. Fails while something uses it. */
export function unmountScript(device: string, mount: string): string {
  return [
    MOUNTED,
    sh`m=${mount}; d=$(readlink -f -- ${device})`,
    'if mounted_at "$d" "$m"; then sync; umount -- "$m"; fi',
    withoutEntry(mount),
    RELOAD,
  ].join('\n');
}

/** Our entry for the place goes, an administrator's stays. The file is written in place: containers may have it mounted. */
const withoutEntry = (mount: string) =>
  sh`touch /etc/fstab; rest=$(m=${inFstab(mount)} o=${OPTIONS} awk '!($2==ENVIRON["m"] && $4==ENVIRON["o"])' /etc/fstab); printf '%s\n' "$rest" > /etc/fstab`;

/** Or systemd would go by the former entry, and take off what it does not know. */
const RELOAD = 'systemctl daemon-reload 2>/dev/null || true';

function growScript(device: string, target: number): string {
  return [
    sh`d=$(readlink -f -- ${device})`,
    'rescan=/sys/class/block/$(basename "$d")/device/rescan',
    'if [ -w "$rescan" ]; then echo 1 > "$rescan"; fi',
    `for n in $(seq ${GROWN_S}); do [ "$(blockdev --getsize64 "$d")" -lt ${target - SLACK} ] || break; sleep 1; done`,
    'resize2fs "$d"',
  ].join('\n');
}
