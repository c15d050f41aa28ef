import { spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { scriptBeforeStart, scriptCause, scriptCauseOfEnd } from './tell-cause.js';

const folder = mkdtempSync(join(tmpdir(), 'tell-cause-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A user who is not root, with a log in a folder of its own. */
const user = userInfo().uid === 0 ? 'nobody' : userInfo().username;
const log = join(folder, 'redis', 'redis-server.log');
mkdirSync(join(folder, 'redis'));
writeFileSync(log, 'before this start: bind: Address already in use\n');
if (user === 'nobody') chownSync(log, 65_534, 65_534);

/** A host whose programs answer this; `journalctl` says on standard error what it was asked. */
const programs = (journal: string) => `timeout() { shift; "$@"; }
systemctl() { case "$*" in *User*) echo ${user} ;; *InvocationID*) echo 42 ;; *) return 3 ;; esac; }
runuser() { [ "$1 $2 $3" = '-u ${user} --' ] && shift 3 && "$@"; }
journalctl() { echo "$*" >>${folder}/asked; case "$*" in --sync) ;; *) cat <<'X'
${journal}
X
esac; }
ss() { echo 'LISTEN 0 511 127.0.0.1:6379 0.0.0.0:* users:(("other",pid=7,fd=6))'; echo 'LISTEN 0 9 0.0.0.0:22 0.0.0.0:* '; }
`;

const bash = (script: string) => spawnSync('bash', ['-s'], { input: script, encoding: 'utf8', timeout: 20_000 });

test('tells each line since the start once, with labels, and keeps the exit code of the start', () => {
  const other = `echo 'unknown directive' >"${folder}/redis/of root"`;
  const writes = `printf '%s\\n' '127.0.0.1:6379: bind: Address already in use' >>"${log}"`;
  const journal = `Starting\n${'x'.repeat(2_000)}\nagain\nagain\n@nonce end ok`;
  const { stdout, status } = bash(
    `${programs(journal)}set -euo pipefail\n${scriptBeforeStart(folder)}\n${writes}\n${other}\n( exit 7 ) || ${scriptCause('redis-server', folder)}`,
  );
  expect([status, stdout.trim().split('\n')]).toEqual([
    7,
    [
      'journal: Starting',
      'journal: again',
      'journal: @nonce end ok',
      'log: 127.0.0.1:6379: bind: Address already in use',
      'holder: LISTEN 0 511 127.0.0.1:6379 0.0.0.0:* users:(("other",pid=7,fd=6))',
    ],
  ]);
});

test('says nothing where there is nothing to say', () => {
  const { stdout, status } = bash(
    `${programs('')}set -euo pipefail\n${scriptBeforeStart(folder)}\n( exit 1 ) || ${scriptCause('x', folder)}`,
  );
  expect([status, stdout]).toEqual([1, expect.stringMatching(/^(journal: \n)?$/)]);
});

test('tells of a service that ended what it wrote when it ran last', () => {
  const { stdout } = bash(`${programs('fatal: no disk')}${scriptCauseOfEnd(['prometheus'])}`);
  expect(stdout).toBe('journal: fatal: no disk\n');
  expect(bash(`cat ${folder}/asked`).stdout).toContain('_SYSTEMD_INVOCATION_ID=42');
});

test('tells of a service that runs and answers badly what it wrote, but only if none has ended', () => {
  const states = (active: string) =>
    `systemctl() { case "$*" in *InvocationID*) echo "run-$5" ;; *) [ "$3" = ${active} ] ;; esac; }\n`;
  const journal = 'journalctl() { case "$*" in --sync) ;; *) printf "of %s\\n" "${@: -1}" ;; esac; }\n';
  const said = (active: string) => bash(`${programs('')}${states(active)}${journal}${scriptCauseOfEnd(['web', 'worker'])}`).stdout;
  expect(said('web')).toMatch(/^journal: of _SYSTEMD_INVOCATION_ID=run-.*worker/);
  expect(said('web').trim().split('\n')).toHaveLength(1);
  expect(
    bash(`${programs('')}${states('"$3"')}${journal}${scriptCauseOfEnd(['web', 'worker'])}`)
      .stdout.trim()
      .split('\n'),
  ).toHaveLength(2);
});
