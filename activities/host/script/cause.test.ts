import { describe, expect, test } from 'vitest';
import type { Step } from '../../../core/host/step.js';
import { findCause } from './cause.js';

const start = (name: string): Step => ({ title: `Start ${name}`, service: { name, state: 'running', enabled: true } });
const install: Step = { title: 'Install the package redis-server', package: { name: 'redis-server', state: 'present' } };
const cause = (step: Step, ...lines: string[]) => findCause(step, 1, lines.join('\n'));

const JOB_FAILED = [
  'Job for redis-server.service failed because the control process exited with error code.',
  'See "systemctl status redis-server.service" and "journalctl -xeu redis-server.service" for details.',
];
const ROUTINE = [
  'journal: Starting redis-server.service - Advanced key-value store...',
  'journal: redis-server.service: Main process exited, code=exited, status=1/FAILURE',
  "journal: redis-server.service: Failed with result 'exit-code'.",
  'journal: Failed to start redis-server.service - Advanced key-value store.',
];

describe('a service that did not start', () => {
  test.each([
    ['Failed to start haproxy.service: Unit haproxy.service is masked.', 'Unit haproxy.service is masked'],
    ['Failed to restart nosuch.service: Unit nosuch.service not found.', 'Unit nosuch.service not found'],
    [
      'Failed to enable unit: Unit file /etc/systemd/system/haproxy.service is masked.',
      'Unit file /etc/systemd/system/haproxy.service is masked',
    ],
  ])('was refused by systemd: %s', (line, why) => {
    expect(cause(start('haproxy'), line, 'journal: [ALERT] (1) : permission denied')).toBe(why);
  });

  test('says so in its journal: each line once, with who holds the port', () => {
    const bind = 'nginx: [emerg] bind() to 0.0.0.0:8081 failed (98: Address already in use)';
    const holder = (address: string) => `holder: LISTEN 0 511 ${address}:8081 0.0.0.0:* users:(("redis-server",pid=10104,fd=6))`;
    const lines = [...ROUTINE, `journal: ${bind}`, 'journal: nginx: [emerg] still could not bind()'];
    expect(cause(start('nginx'), ...JOB_FAILED, ...lines, holder('0.0.0.0'), holder('[::]'))).toBe(
      `${bind} | port 8081 is held by redis-server (pid 10104)`,
    );
    expect(cause(start('nginx'), ...lines, 'holder: LISTEN 0 511 0.0.0.0:8081 0.0.0.0:*')).toBe(bind);
  });

  test('says so in its own log, however often it was started', () => {
    const tried = (pid: number) =>
      `log: ${pid}:M 24 Nov 2026 00:17:${pid}.012 # Warning: Could not create server TCP listening socket 127.0.0.1:6379: bind: Address already in use`;
    expect(cause(start('redis-server'), ...JOB_FAILED, ...ROUTINE, tried(26), tried(27))).toBe(tried(26).replace('log: ', ''));
  });

  test('says where, where the line that tells does not', () => {
    const lines = [
      'Reading the configuration file, at line 15',
      '>>> \'nonsense "3"\'',
      'Bad directive or wrong number of arguments',
    ];
    expect(cause(start('redis-server'), ...ROUTINE, ...lines.map((line) => `journal: ${line}`))).toBe(
      [lines[2], lines[0], lines[1]].join(' | '),
    );
  });

  test('says nothing that is known: how it ended, and then what a former release printed', () => {
    expect(cause(start('redis-server'), ...JOB_FAILED, ...ROUTINE)).toBe(
      'exit code 1: redis-server.service: Main process exited, code=exited, status=1/FAILURE',
    );
    expect(cause(start('redis-server'), ...ROUTINE.map((line) => line.replace('journal: ', '')))).toMatch(
      /^exit code 1: redis-server/,
    );
    expect(cause(start('redis-server'))).toBe('exit code 1');
  });

  test('never begins with a line that was cut', () => {
    expect(cause(start('x'), '…ter22 permission denied', 'journal: fatal: no disk')).toBe('fatal: no disk');
  });

  test('is told in short', () => {
    const why = cause(start('x'), ...Array.from({ length: 9 }, (_, index) => `journal: fatal ${index} ${'x'.repeat(1000)}`));
    expect(why.split(' | ')).toHaveLength(3);
    expect(why.length).toBeLessThan(950);
  });
});

test('a package says what apt says, and not that dpkg failed', () => {
  const held = 'Held packages were changed and -y was used without --allow-change-held-packages.';
  expect(cause(install, 'Reading package lists...', `E: ${held}`, 'Hit:1 http://mirror', `E: ${held}`)).toBe(held);
  const post = 'dpkg: error processing package redis-server (--configure):';
  expect(cause(install, post, 'E: Sub-process /usr/bin/dpkg returned an error code (1)')).toBe(post);
  expect(cause(install, 'killed')).toBe('exit code 1: killed');
});

test('a script says its last lines, each once', () => {
  expect(cause({ title: 'Check', run: 'x' }, 'a', 'b', 'a', 'b')).toBe('exit code 1: a | b');
});
