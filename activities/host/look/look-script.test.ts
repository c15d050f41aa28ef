import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { debian, type Fact, type FoundFile, fact, file, systemd } from '../../../core/host/facts.js';
import { reveal, type Text } from '../../../core/taskserv/secret.js';
import type { HealthCheck } from '../../../core/taskserv/taskserv.js';
import { factValue } from './found.js';
import { verdict } from './health.js';
import { renderLook } from './look-script.js';
import { parseLook } from './parse-look.js';

const folder = mkdtempSync(join(tmpdir(), 'look-'));
afterAll(() => rmSync(folder, { recursive: true }));

const plain = (text: Text) => reveal(text, (name) => `secret-of-${name}`);

/** Runs a look on this machine, as a host's shell would. */
function look(facts: Fact<unknown>[], health: HealthCheck[] = [], probeSeconds?: number) {
  const input = renderLook({ facts, health, ...(probeSeconds && { probeSeconds }) }, plain);
  const stdout = execFileSync('bash', ['-s'], { input, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  return parseLook({ facts, health }, stdout);
}

const put = (name: string, content: string) => {
  const path = join(folder, name);
  writeFileSync(path, content, { mode: 0o640 });
  return path;
};

const found = (path: string) => {
  const asked = file(path);
  return factValue(asked, look([asked]).facts[0] ?? { exit: 1, stdout: '' }, plain) as FoundFile;
};

describe('a look', () => {
  it('answers commands with output and exit code, in the order asked', () => {
    const parse = () => 0;
    const { facts } = look([
      fact('sleep 0.05; echo one; exit 3', parse, 0),
      fact('printf "é %s" "$NAME"', parse, 0, { NAME: "it's" }),
      fact('true', parse, 0),
    ]);
    expect(facts).toEqual([
      { exit: 3, stdout: 'one\n' },
      { exit: 0, stdout: "é it's" },
      { exit: 0, stdout: '' },
    ]);
  });

  it('answers health checks beside them', () => {
    const { health } = look(
      [],
      [
        { title: 'well', command: 'echo PONG' },
        { title: 'unwell', command: 'exit 7' },
      ],
    );
    expect(health).toEqual([
      { exit: 0, stdout: 'PONG\n' },
      { exit: 7, stdout: '' },
    ]);
  });

  it.each(['', 'no newline at the end', ' blanks kept \\n \n\n', 'ünïcode\n', 'x'.repeat(100_000)])(
    'reads files whole (%#)',
    (content) => {
      const path = put('file with blanks', content);
      expect(found(path)).toMatchObject({ exists: true, content, mode: '0640' });
    },
  );

  it('follows links, and takes folders and what is missing for absent', () => {
    const target = put('target', 'text\n');
    const link = join(folder, 'link');
    symlinkSync(target, link);
    expect(found(link)).toMatchObject({ exists: true, content: 'text\n' });
    expect(found(folder).exists).toBe(false);
    expect(found(join(folder, 'missing')).exists).toBe(false);
  });

  it('never takes a file with a NUL for the text before it', () => {
    expect(found(put('nul', 'text\0more')).is({ content: 'text', mode: '0640' })).toBe(false);
  });

  it('knows which packages are installed', () => {
    const { facts } = look([debian('bash'), debian('no-such-package')]);
    expect(facts[0]?.stdout).toMatch(/^\d/);
    expect(facts[1]?.stdout).toBe('');
  });

  it('tells the machine', () => {
    expect(look([])).toMatchObject({
      os: expect.stringMatching(/^[a-z]+$/),
      release: expect.stringMatching(/^[a-z]+-[0-9.]+$/),
      cores: expect.any(Number),
      freeMiB: expect.any(Number),
    });
  });

  it('is refused when it broke off', () => {
    expect(() => parseLook({ facts: [], health: [] }, 'O debian amd64 1 1 1\n')).toThrow('did not finish');
  });
});

describe('what a look asks', () => {
  const parse = () => 0;
  const running = (args: string) =>
    execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
      .split('\n')
      .filter((line) => line === args);

  it('is ended on the host when its time is over, with all that it started, and keeps nothing else from its answer', () => {
    const { facts, health } = look(
      [fact('echo begun; (sleep 71.25 & sleep 71.25; echo never) & sleep 71.25', parse, 0), fact('echo well', parse, 0)],
      [
        { title: 'late', command: 'sleep 71.25 | cat' },
        { title: 'well', command: 'echo PONG' },
      ],
      1,
    );
    const late = { exit: 1, stdout: '', fault: expect.stringMatching(/^no answer within \d+ s, and it was ended$/) };
    expect(facts).toEqual([late, { exit: 0, stdout: 'well\n' }]);
    expect(health).toEqual([late, { exit: 0, stdout: 'PONG\n' }]);
    expect(running('sleep 71.25')).toEqual([]);
  });

  it('may leave something running, for which the answer does not wait', () => {
    const leave = 'setsid sleep 73.75 & echo $!';
    const { facts, health } = look([fact(leave, parse, 0)], [{ title: 'leaves', command: leave }]);
    const left = [...facts, ...health].map(({ stdout }) => Number(stdout));
    expect(left).toHaveLength(2);
    // Throws where it is gone: then the look has waited for it.
    for (const pid of left) process.kill(pid, 'SIGKILL');
  });

  it('may answer with what looks like an answer of the look, or with no text', () => {
    const answers = ['E\n\nY F-1.out 3\nabc\nX M files\n', '\u00e9'.repeat(9), 'x'.repeat(70_000), '\t\r\n', '\u001b[1m'];
    const { facts, late } = look(answers.map((text) => fact(`printf %s "$TEXT"`, parse, 0, { TEXT: text })));
    expect(facts).toEqual(answers.map((stdout) => ({ exit: 0, stdout })));
    expect(late).toBeUndefined();
    expect(look([fact(`printf 'a\\0b\\377'`, parse, 0)]).facts).toEqual([{ exit: 0, stdout: 'a\0b\ufffd' }]);
  });

  it('is ended where it prints without end, and none of that is kept', { timeout: 30_000 }, () => {
    const { facts, health } = look([fact('yes', parse, 0), fact('echo well', parse, 0)], [{ title: 'large', command: 'yes no' }]);
    const large = { exit: 1, stdout: '', fault: 'the answer is larger than 1 MiB' };
    expect(facts).toEqual([large, { exit: 0, stdout: 'well\n' }]);
    expect(health).toEqual([large]);
    expect([...running('yes'), ...running('yes no')]).toEqual([]);
  });

  it('may be a file that is too large', () => {
    const asked = file(put('large', 'x'.repeat(1024 * 1024 + 1)));
    expect(look([asked]).facts).toEqual([{ exit: 1, stdout: '', fault: 'the answer is larger than 1 MiB' }]);
    const fits = file(put('fits', 'x'.repeat(1024 * 1024)));
    expect(look([fits]).facts[0]).not.toHaveProperty('fault');
  });

  it('is not said by the shell that ends it: it may hold the value of a secret', () => {
    const secret = { title: 'late', command: 'sleep 72.5', env: { PASSWORD: 'hush' } };
    const input = renderLook({ facts: [], health: [secret], probeSeconds: 1 }, plain);
    const { stdout, stderr } = spawnSync('bash', ['-s'], { input, encoding: 'utf8' });
    expect(stdout + stderr).not.toContain('hush');
    expect(stdout).toContain('X H-0');
  });

  it('is told with the port where a check has no answer', () => {
    const late = { exit: 1, stdout: '', fault: 'no answer within 15 s, and it was ended' };
    const endpoints = [{ name: 'redis', port: 6379 }];
    expect(verdict({ title: 'redis answers', command: 'redis-cli ping' }, late, { endpoints })).toBe(
      'redis answers: no answer within 15 s, and it was ended (port 6379)',
    );
    expect(verdict({ title: 'it listens', tcp: 80 }, { exit: 124, stdout: '' })).toBe('it listens: port 80 does not answer');
    expect(verdict({ title: 'it serves', http: 'http://127.0.0.1:80/' }, late)).toMatch(/\(http:\/\/127\.0\.0\.1:80\/\)$/);
  });

  it('is told by what a failed check printed, masked before it is cut', () => {
    const check = { title: 'redis answers PING', command: 'redis-cli ping', expect: 'PONG' };
    const hide = (text: string) => text.replaceAll('hunter22', '***');
    const stderr = `${'x'.repeat(195)}hunter22\n`;
    expect(verdict(check, { exit: 1, stdout: '', stderr }, { hide })).toBe(`redis answers PING: ${'x'.repeat(195)}***`);
    expect(verdict(check, { exit: 2, stdout: '127.0.0.1:5432 - no response\n' })).toMatch(/: 127\.0\.0\.1:5432 - no response$/);
    const web = { title: 'it serves', http: 'http://127.0.0.1:80/' };
    const answer = (body: string) => verdict(web, { exit: 0, stdout: `${body}\n503` }, { hide });
    expect(answer('\n{"error":"no hunter22"}\nmore')).toBe(
      'it serves: http://127.0.0.1:80/ answers 503, not 2xx or 3xx: {"error":"no ***"}',
    );
    expect(answer('<html>\nwords')).toBe('it serves: http://127.0.0.1:80/ answers 503, not 2xx or 3xx');
    expect(answer('')).toBe('it serves: http://127.0.0.1:80/ answers 503, not 2xx or 3xx');
    const underlined = 'Error: syntax error\nlist chain inet x\n           ^^^~~~ \n';
    expect(verdict(check, { exit: 1, stdout: '', stderr: underlined })).toBe('redis answers PING: list chain inet x');
    expect(verdict(check, { exit: 0, stdout: 'NOAUTH Authentication required.\n' })).toMatch(/lacks "PONG": NOAUTH Auth/);
    const { health } = look([], [{ title: 'unwell', command: 'echo said; echo why >&2; exit 7' }]);
    expect(health).toEqual([{ exit: 7, stdout: 'said\n', stderr: 'why\n' }]);
    expect(look([], [{ title: 'well', command: 'echo said; echo why >&2' }]).health).toEqual([{ exit: 0, stdout: 'said\n' }]);
  });

  it.each([
    [{ load: 'masked', active: 'inactive', result: 'success' }, 'Unit redis-server.service is masked'],
    [{ load: 'not-found', active: 'inactive', result: 'success' }, 'Unit redis-server.service not found'],
    [{ load: 'loaded', active: 'inactive', result: 'success' }, 'redis-server.service is inactive'],
    [{ load: 'loaded', active: 'failed', result: 'exit-code' }, 'redis-server.service failed (exit-code)'],
  ])('is told by the unit that does not run (%j), and only where a check failed', (state, text) => {
    const around = { endpoints: [{ name: 'redis', port: 6379 }], units: [{ name: 'redis-server', ...state }] };
    const check = { title: 'redis answers', command: 'redis-cli ping' };
    expect(verdict(check, { exit: 1, stdout: '' }, around)).toBe(`redis answers: ${text}`);
    expect(verdict(check, { exit: 0, stdout: '' }, around)).toBeUndefined();
  });

  it('knows the units that do not run from the call that asks for them anyway', () => {
    const shown = (active: string) => `LoadState=loaded\nActiveState=${active}\nUnitFileState=enabled\nResult=success\n`;
    const printed = `O debian amd64 1 1 1\nS\n${shown('active')}\n${shown('inactive')}\nB \nE\n`;
    const { facts } = parseLook({ facts: [systemd('a'), systemd('b')], health: [] }, printed);
    expect(facts.map(({ unit }) => unit)).toEqual([undefined, { load: 'loaded', active: 'inactive', result: 'success' }]);
  });
});
