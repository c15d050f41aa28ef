import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { checkRules } from './check.js';

const CONF = '/etc/logrotate.d/provisioning';

/** Output of Debian 12's `logrotate -d` for one file, and for all files. */
const said = (own: string, all: string, ownCode = 0) => `logrotate() {
  case "$2" in
    ${CONF}) printf '%s\\n' ${own}; return ${ownCode} ;;
    /etc/logrotate.conf) printf '%s\\n' ${all}; return 1 ;;
    *) echo 'considering log /var/log/dpkg.log' ;;
  esac
}`;

function check(stand: string): { code: number; out: string } {
  try {
    return {
      code: 0,
      out: execFileSync('bash', ['-euo', 'pipefail', '-c', `${stand}\n${checkRules(CONF)}`], { encoding: 'utf8' }),
    };
  } catch (error) {
    const { status, stdout } = error as { status: number; stdout: string };
    return { code: status, out: stdout };
  }
}

const OURS = "'considering log /var/log/dpkg.log' 'considering log /var/log/app.log'";

test('rules that logrotate takes alone and among the others pass', () => {
  expect(check(said(OURS, "'considering log /var/log/btmp'"))).toEqual({ code: 0, out: '' });
});

test('a log that another file names is refused, whichever of the two logrotate skips', () => {
  const ours = check(said(OURS, "'error: provisioning:2 duplicate log entry for /var/log/dpkg.log'"));
  expect(ours.code).toBe(1);
  expect(ours.out).toContain('provisioning:2 duplicate log entry for /var/log/dpkg.log');
  const theirs = check(said(OURS, "'error: rsyslog:1 duplicate log entry for /var/log/app.log'"));
  expect(theirs.code).toBe(1);
});

test('a fault of our file among the others is refused, and one of others is not', () => {
  expect(check(said(OURS, "'error: provisioning:3 unknown option'"))).toEqual({
    code: 1,
    out: 'error: provisioning:3 unknown option\n',
  });
  const others = "'error: other:1 unknown option' 'error: other:1 duplicate log entry for /var/log/x'";
  expect(check(said(OURS, others))).toEqual({ code: 0, out: '' });
});

test('what logrotate says of our file alone is told', () => {
  expect(check(said(`"error: ${CONF}:2 unknown user 'x'" "Reading state"`, 'all', 1))).toEqual({
    code: 1,
    out: `error: ${CONF}:2 unknown user 'x'\n`,
  });
});
