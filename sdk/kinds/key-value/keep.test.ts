import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { KeyValueConfig } from './conf.js';
import { keepDataStep, keepLogStep } from './keep.js';
import { createPlaces } from './places.js';
import type { Place } from './steps.js';

const CONFIG = { cluster: 'main', port: 6379, sentinelPort: 26379, password: { $secret: 'p' } } as KeyValueConfig;

/** Plays scripts in a folder with data. */
function inFolder(
  act: (at: (name: string) => string, place: Place, play: (script: string, world?: string) => string) => void,
): void {
  const data = mkdtempSync(join(tmpdir(), 'provisioning-keep-'));
  const places = { ...createPlaces('redis'), data, state: `${data}/sentinel.conf`, conf: `${data}/redis.conf` };
  const play = (script: string, world = 'systemctl() { [ "$1" = stop ]; }') =>
    execFileSync(
      'bash',
      ['-euo', 'pipefail', '-c', `${world}\nsetpriv() { while [ "$1" != -- ]; do shift; done; shift; "$@"; }\n${script}`],
      {
        encoding: 'utf8',
      },
    );
  try {
    act((name) => join(data, name), { places, config: CONFIG, cluster: 'main', server: 'c', others: ['a', 'b'] }, play);
  } finally {
    rmSync(data, { recursive: true });
  }
}

test('a roll-back brings back what was moved, and keeps what came from the cluster', () => {
  inFolder((at, place, play) => {
    const step = keepDataStep(place) as { run: string; undo: string };
    writeFileSync(at('dump.rdb'), 'own');
    play(step.run);
    play(step.run);
    expect(readFileSync(at('former/dump.rdb'), 'utf8')).toBe('own');
    writeFileSync(at('dump.rdb'), 'of the cluster');
    writeFileSync(at('provisioning-group'), 'of the cluster');
    mkdirSync(at('appendonlydir'));
    for (let time = 0; time < 2; time++) play(step.undo);
    expect(readFileSync(at('dump.rdb'), 'utf8')).toBe('own');
    expect(['appendonlydir', 'provisioning-group'].map((one) => existsSync(at(one)))).toEqual([false, false]);
    expect(readFileSync(at('former/of-cluster-dump.rdb'), 'utf8')).toBe('of the cluster');
    expect(existsSync(at('former/of-cluster-appendonlydir'))).toBe(true);
  });
});

test('a roll-back brings back nothing of an earlier time', () => {
  inFolder((at, place, play) => {
    const step = keepDataStep(place) as { run: string; undo: string };
    writeFileSync(at('dump.rdb'), 'first');
    play(step.run);
    writeFileSync(at('dump.rdb'), 'second');
    // It ends right after its first look.
    expect(() => play(step.run, 'systemctl() { return 0; }')).toThrow();
    play(step.undo);
    expect(readFileSync(at('dump.rdb'), 'utf8')).toBe('second');
    play(step.run);
    expect(readFileSync(at('former/dump.rdb'), 'utf8')).toBe('second');
    expect(readFileSync(at('former/dump.rdb.~1~'), 'utf8')).toBe('first');
  });
});

test('a log that the server does not write is put aside before it becomes that of the cluster', () => {
  inFolder((at, place, play) => {
    const { run } = keepLogStep(place) as { run: string };
    mkdirSync(at('appendonlydir'));
    writeFileSync(at('redis.conf'), 'appendonly yes\n');
    play(run);
    expect(existsSync(at('appendonlydir'))).toBe(true);
    writeFileSync(at('redis.conf'), 'appendonly no\n');
    play(run);
    expect([existsSync(at('appendonlydir')), existsSync(at('former/appendonlydir'))]).toEqual([false, true]);
  });
});

test('a log is there once the server says that it is written', () => {
  inFolder((at, place, play) => {
    const { run } = keepLogStep(place) as { run: string };
    writeFileSync(at('redis.conf'), 'port 6379\n');
    const world = (status: string) => `seq() { echo 1; }; sleep() { :; }; systemctl() { :; }
timeout() { case "$*" in
  *'get appendonly') printf 'appendonly\\nyes\\n' ;;
  *persistence) echo aof_enabled:1 aof_rewrite_in_progress:0 aof_rewrite_scheduled:0 aof_last_bgrewrite_status:${status} ;;
  *) return 1 ;;
esac; }`;
    expect(play(run, world('ok'))).toBe('');
    expect(() => play(run, world('err'))).toThrow();
  });
});
