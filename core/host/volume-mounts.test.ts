import { describe, expect, test } from 'vitest';
import { type HostVolume, volumeOnHost, volumeSteps } from './volume-mounts.js';

const GIB = 1024 ** 3;
const volume: HostVolume = { name: 'data', sizeGiB: 20, mount: '/srv/data', device: '/dev/disk/by-id/x' };
const answer = (...lines: string[]) => volumeOnHost(volume).parse({ stdout: `${lines.join('\n')}\n`, exit: 0 });
const titles = (found: ReturnType<typeof answer>, more: Partial<HostVolume> = {}) =>
  volumeSteps('db-1', { ...volume, ...more }, found).map(({ title }) => title);

const disk = (gib: number) => `disk ${gib * GIB}`;
const ext4 = (gib: number) => ['fileSystem ext4', `size ${gib * GIB}`];
const settled = ['inFstab', 'mounted'];

describe('what a volume needs on its host', () => {
  test.each([
    ['nothing, where it is mounted and as large as its disk', [disk(20), ...ext4(20), ...settled], {}, []],
    ['to be formatted, where nothing is on it', [disk(20), 'blank'], {}, ['Format and mount the volume data at /srv/data']],
    ['to be mounted, with what is on it', [disk(20), ...ext4(20), 'inFstab'], {}, ['Mount the volume data at /srv/data']],
    ['to be mounted at the next boot too', [disk(20), ...ext4(20), 'mounted'], {}, ['Mount the volume data at /srv/data']],
    [
      'to be grown, where its disk has',
      [disk(20), ...ext4(10), ...settled],
      {},
      ['Grow the file system of the volume data at /srv/data'],
    ],
    [
      'to be grown, where its disk is about to',
      [disk(10), ...ext4(10), ...settled],
      { grows: true as const },
      ['Grow the file system of the volume data at /srv/data'],
    ],
    ['no growth, where the boot saw to it', [disk(20), ...ext4(20), ...settled], { grows: true as const }, []],
    ['no growth of a kind that is not ours', [disk(20), 'fileSystem xfs', ...settled], {}, []],
  ])('%s', (_, lines, more, wanted) => {
    expect(titles(answer(...lines), more)).toEqual(wanted);
  });

  test('all of it, where its disk is about to come', () => {
    expect(titles(answer(), { comes: true })).toEqual(['Format and mount the volume data at /srv/data']);
  });

  test('nothing, where the host does not show a disk that it has had', () => {
    expect(titles(answer())).toEqual([]);
    expect(titles(answer('inTheWay /dev/nvme1n1 is mounted there'), { grows: true })).toEqual([]);
  });

  test.each([
    ['mount-point-in-use', ['inTheWay there are files: a b']],
    ['volume-not-blank', [disk(20)]],
    ['mount-point-in-use', [disk(20), 'blank', 'inTheWay there are files: a b']],
    ['mount-point-in-use', [disk(20), ...ext4(20), 'inTheWay /dev/sdb is mounted there']],
  ])('%s is refused', (code, lines) => {
    expect(() => titles(answer(...lines), { comes: true })).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ code, on: 'db-1/data' }) }),
    );
  });

  test.each([
    ['inTheWay there are files: a b', `the mount would hide the existing files at ${volume.mount}: there are files: a b`],
    ['inTheWay /dev/sdb is mounted there', `the mount would hide the existing files at ${volume.mount}: /dev/sdb is mounted there`],
    ['shared /srv/x', `users other than root can change /srv/x and redirect ${volume.mount}`],
  ])('%s is named', (line, why) => {
    expect(() => titles(answer(disk(20), 'blank', line), { comes: true })).toThrow(why);
  });

  test('a step that mounts is undone without losing what is on it', () => {
    const [step] = volumeSteps('db-1', volume, answer(disk(20), 'blank'));
    expect(step && 'undo' in step && step.undo).not.toMatch(/mkfs|wipefs|dd |rm /);
  });
});
