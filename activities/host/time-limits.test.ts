import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { shellFor } from './time-limits.js';

/** Answer of a shell that gets `script` to run, and `input`. */
function run(script: string, input = script) {
  const [command = '', ...args] = shellFor(true, script, 20_000);
  return spawnSync(command, args, { input, encoding: 'utf8' });
}

test('a script is run whole, whatever is in it', () => {
  const script = `cat <<'X'; echo "\${script-nothing}" "$(wc -c)"; exit 7\n"é" $(x) \\n '\nX\necho never`;
  expect(run(script)).toMatchObject({ status: 7, stdout: `"é" $(x) \\n '\nnothing 0\n` });
  expect(run(`echo one\0\ntwo=2\necho $two # ${'é'.repeat(100_000)}`)).toMatchObject({ status: 0, stdout: 'one\n2\n' });
});

test('a script that arrives in part is not run', () => {
  const script = 'echo begun\necho ended\n';
  expect(run(script, script.slice(0, 12))).toMatchObject({ status: 1, stdout: '' });
});

test('nothing of a script is among the arguments', () => {
  expect(shellFor(false, 'echo hush').join(' ')).not.toContain('hush');
});
