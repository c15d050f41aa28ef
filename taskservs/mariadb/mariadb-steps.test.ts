import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createFounding, keepDataStep } from './mariadb-steps.js';

/** Plays scripts in a folder instead of the folder with the data. */
function inFolder(act: (at: (name: string) => string, play: (script: string, world?: string) => void) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'provisioning-mariadb-'));
  const play = (script: string, world = 'systemctl() { :; }') => {
    const all = `${world}
mountpoint() { return 1; }; install() { mkdir -p "\${@: -1}"; }; runuser() { shift 3; "$@"; }
${script.replaceAll('/var/lib/', `${folder}/`).replaceAll('/run/', `${folder}/`)}`;
    execFileSync('bash', ['-euo', 'pipefail', '-c', all], { stdio: 'pipe' });
  };
  try {
    act((name) => join(folder, name), play);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const write = (path: string, text: string) => {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
};
const read = (path: string) => readFileSync(path, 'utf8');

test('a roll-back brings the former data back, and keeps that of the cluster', () => {
  inFolder((at, play) => {
    const { run, undo } = keepDataStep('main', false) as { run: string; undo: string };
    write(at('mysql/ibdata1'), 'own');
    play(run);
    // It was killed between both: it does not put an empty folder aside.
    rmSync(at('mysql'), { recursive: true });
    play(run);
    expect(read(at('mysql-former/ibdata1'))).toBe('own');
    write(at('mysql/ibdata1'), 'of the cluster');
    for (let time = 0; time < 2; time++) play(undo);
    expect(read(at('mysql/ibdata1'))).toBe('own');
    expect(read(at('mysql-of-cluster/ibdata1'))).toBe('of the cluster');
  });
});

test('a roll-back brings back nothing of an earlier time', () => {
  inFolder((at, play) => {
    const { run, undo } = keepDataStep('main', false) as { run: string; undo: string };
    write(at('mysql/ibdata1'), 'first');
    play(run);
    write(at('mysql/ibdata1'), 'second');
    expect(() => play(run, 'systemctl() { return 1; }')).toThrow();
    play(undo);
    expect([read(at('mysql/ibdata1')), read(at('mysql-former/ibdata1'))]).toEqual(['second', 'first']);
    play(run);
    expect(read(at('mysql-former/ibdata1'))).toBe('second');
  });
});

test('a founder whose data was of no cluster is a single server again after a roll-back', () => {
  const place = { cluster: 'main', clusterPort: 4567, server: 'a', others: ['b'] };
  inFolder((at, play) => {
    for (const isNew of [false, true]) {
      write(at('mysql/grastate.dat'), 'uuid: x');
      play((createFounding(place, [], isNew) as { undo: string }).undo);
      expect(existsSync(at('mysql/grastate.dat'))).toBe(!isNew);
    }
  });
});
