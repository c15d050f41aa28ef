import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { debian, type Fact, type FoundFile, fact, file } from '../../core/facts.js';
import type { HealthCheck } from '../../core/taskserv.js';
import { factValue } from './found.js';
import { parseLook, renderLook } from './look-script.js';

const folder = mkdtempSync(join(tmpdir(), 'look-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a look on this machine, as a host's shell would. */
function look(facts: Fact<unknown>[], health: HealthCheck[] = []) {
  const stdout = execFileSync('bash', ['-s'], { input: renderLook({ facts, health }), encoding: 'utf8' });
  return parseLook({ facts, health }, stdout);
}

const put = (name: string, content: string) => {
  const path = join(folder, name);
  writeFileSync(path, content, { mode: 0o640 });
  return path;
};

const found = (path: string) => {
  const asked = file(path);
  return factValue(asked, look([asked]).facts[0] ?? { exit: 1, stdout: '' }, (text) => text) as FoundFile;
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
      cores: expect.any(Number),
      freeMiB: expect.any(Number),
    });
  });

  it('is refused when it broke off', () => {
    expect(() => parseLook({ facts: [], health: [] }, 'O debian amd64 1 1 1\n')).toThrow('come to its end');
  });
});
