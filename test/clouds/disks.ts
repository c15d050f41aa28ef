import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Disk for containers: a file of zeros behind a loop device of this machine. */
export interface Disk {
  readonly sizeGiB: number;
  /** Minor number of the block device; its major number is 7. */
  readonly minor: number;
  /** Enlarges the disk. Processes that have it open see the change immediately. */
  grow(sizeGiB: number): void;
  remove(): void;
}

/** Returns the reason why disks are not available here; undefined if they are. */
export function whyNoDisks(): string | undefined {
  if (process.getuid?.() !== 0) return 'disks need root';
  if (!existsSync('/dev/loop-control')) return 'this machine has no loop devices';
  try {
    losetup('--version');
    return undefined;
  } catch (error) {
    return `losetup: ${(error as Error).message}`;
  }
}

const losetup = (...args: string[]) => execFileSync('losetup', args, { encoding: 'utf8', timeout: 10_000 }).trim();

/**
 * Returns whether this machine can grow a mounted file system. ext4 requires CAP_SYS_RESOURCE, which is not always
 * available.
 */
export function mayGrowMounted(): boolean {
  const [, bounding = '0'] = /^CapBnd:\s*(\w+)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return ((BigInt(`0x${bounding}`) >> 24n) & 1n) === 1n;
}

export function makeDisk(sizeGiB: number): Disk {
  const folder = mkdtempSync(join(tmpdir(), 'provisioning-disk-'));
  const file = join(folder, 'disk');
  writeFileSync(file, '');
  truncateSync(file, sizeGiB * 1024 ** 3);
  const device = losetup('--find', '--show', file);
  let size = sizeGiB;
  const remove = () => {
    process.off('exit', remove);
    try {
      losetup('--detach', device);
    } catch {
      // Detached already.
    }
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', remove);
  return {
    get sizeGiB() {
      return size;
    },
    minor: statSync(device).rdev & 0xff,
    grow(to) {
      truncateSync(file, to * 1024 ** 3);
      losetup('--set-capacity', device);
      size = to;
    },
    remove,
  };
}
