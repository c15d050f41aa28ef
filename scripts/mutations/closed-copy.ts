import { createInterface } from 'node:readline';
import { execa } from 'execa';
import { startClock, type Used } from './own-time.js';

/** Test files to run, in order. */
export interface Order {
  /** Files in their order. */
  files: readonly string[];
  /** Modules whose text differs from the run before. */
  changed: readonly string[];
}

/** Message of the player (player.ts). */
export type Report =
  | { ready: string[] }
  | { begun: string }
  | { ended: string; failed: boolean }
  /** `errors` counts errors outside of tests. */
  | { done: true; errors: number };

/** Result of a test file, and its own time since the file before it, in seconds. */
export interface Ended {
  file: string;
  failed: boolean;
  seconds: number;
}

/** Result of running test files. */
export interface Played {
  ended: Ended[];
  /** File that failed first, was running when its process ended, or exceeded its limit. */
  failed?: string;
  /** Whether `failed` exceeded its limit. */
  timedOut: boolean;
  /** Processor seconds. */
  processor: number;
}

/** Player of test files in a closed copy. */
export interface ClosedCopy {
  /** Returns all files that it can play. */
  files(): Promise<readonly string[]>;
  /**
   * Plays test files.
   *
   * @param limit seconds of its own time that a file may take (own-time.ts)
   */
  play(order: Order, limit: (file: string) => number): Promise<Played>;
  close(): Promise<void>;
}

/** Seconds of own time until the player must be ready. */
const PATIENCE = 120;

/** Interval between checks of a run's time, in milliseconds. */
const EVERY = 2000;

/** Script that closes the copy: nothing else is writable, and no sockets or processes of the machine are visible. */
const CLOSED = [
  'set -e',
  'ip link set lo up',
  'mount --bind "$1" "$1"',
  // Those of the kernel take no files. The copy is one of them now.
  'findmnt -rno TARGET | grep -vE "^/(proc|sys|dev)(/|$)" | grep -vxF "$1" | while read -r at; do mount -o remount,bind,ro "$at"; done',
  // A repository below /tmp has its packages there.
  'packages=$(readlink -f "$1/node_modules"); mount --bind "$packages" /mnt; mount -o remount,bind,ro /mnt',
  'for at in /tmp /run; do mount -t tmpfs tmpfs "$at"; done',
  'if [ ! -d "$packages" ]; then mkdir -p "$packages"; mount --bind /mnt "$packages"; fi',
  'cd "$1"',
  'shift',
  'exec node --import tsx scripts/mutations/player.ts "$@"',
].join('\n');

/**
 * Starts a player of the unit tests in a copy of the repository, and another one after a run that exceeded its limit.
 *
 * @param options `--first` plays all files of an order, each with separate modules; without it, a run ends with the
 * first failure
 */
export function closeCopy(copy: string, options: readonly string[], env: NodeJS.ProcessEnv = {}): ClosedCopy {
  const alone = ['--mount', '--pid', '--net', '--fork', '--kill-child', '--mount-proc', 'bash', '-c', CLOSED, 'closed', copy];
  const start = () => {
    const process = execa('unshare', [...alone, ...options], {
      reject: false,
      stdio: ['pipe', 'ignore', 'ignore', 'pipe'],
      buffer: false,
      // The tests do not see the environment of this machine.
      env: { HOME: '/tmp', XDG_CACHE_HOME: '/tmp', ...env },
    });
    const lines = createInterface({ input: process.stdio[3] as NodeJS.ReadableStream })[Symbol.asyncIterator]();
    return { process, lines, clock: startClock(process.pid as number) };
  };
  let player: ReturnType<typeof start> | undefined;
  const used = (): Used => player?.clock() ?? { own: 0, processor: 0 };
  let line: Promise<IteratorResult<string>> | undefined;
  /** Returns the next report, or undefined if the player ends or uses more than this own time. */
  const next = async (seconds: number): Promise<Report | undefined | 'late'> => {
    const from = used().own;
    line ??= player?.lines.next();
    for (;;) {
      let timer: NodeJS.Timeout | undefined;
      const later = new Promise<'later'>((resolve) => {
        timer = setTimeout(() => resolve('later'), EVERY);
      });
      const read = await Promise.race([line, later]);
      clearTimeout(timer);
      if (read !== 'later') {
        line = undefined;
        return read === undefined || read.done ? undefined : JSON.parse(read.value);
      }
      if (used().own - from > seconds) return 'late';
    }
  };
  const close = async () => {
    player?.process.kill('SIGKILL');
    await player?.process;
    player = undefined;
    line = undefined;
  };
  let known: readonly string[] = [];
  const begin = async () => {
    if (player) return;
    player = start();
    const report = await next(PATIENCE);
    if (report === undefined || report === 'late' || !('ready' in report))
      throw new Error(`cannot play tests in a closed copy: ${copy}: the player does not start`);
    known = report.ready;
  };
  return {
    close,
    async files() {
      await begin();
      return known;
    },
    async play(order, limit) {
      await begin();
      player?.process.stdin.write(`${JSON.stringify(order)}\n`);
      const ended: Ended[] = [];
      let failed: string | undefined;
      let current = order.files[0] as string;
      const first = used();
      let last = first.own;
      const result = (timedOut: boolean): Played => {
        const processor = used().processor - first.processor;
        return { ended, ...(failed === undefined ? {} : { failed }), timedOut, processor };
      };
      for (;;) {
        const report = await next(limit(current));
        if (report === 'late' || report === undefined) {
          failed ??= current;
          const played = result(report === 'late');
          await close();
          return played;
        }
        if ('begun' in report) current = report.begun;
        else if ('ended' in report) {
          const now = used().own;
          ended.push({ file: report.ended, failed: report.failed, seconds: Math.round((now - last) * 10) / 10 });
          last = now;
          if (report.failed) failed ??= report.ended;
        } else if ('done' in report) {
          if (report.errors > 0) failed ??= current;
          failed ??= order.files.find((file) => !ended.some((one) => one.file === file));
          return result(false);
        }
      }
    },
  };
}
