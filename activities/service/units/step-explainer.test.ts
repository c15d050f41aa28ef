import { describe, expect, test } from 'vitest';
import { debian, FoundFile, file, systemd } from '../../../core/host/facts.js';
import type { Step } from '../../../core/host/step.js';
import type { AnyUnit } from '../../../core/host/unit.js';
import { text } from '../../../core/taskserv/secret.js';
import { stepExplainer } from './step-explainer.js';

const PATH = '/etc/x.conf';
const unit = { facts: { conf: file(PATH), package: debian('x'), unit: systemd('x') } } as unknown as AnyUnit;
const secrets: Record<string, string> = { pw: 'hush-1' };
const reveal = (value: unknown) =>
  (value as (string | { $secret: string })[]).map((part) => (typeof part === 'string' ? part : secrets[part.$secret])).join('');
const there = (content: string, more: object = {}) => new FoundFile(PATH, { exists: true, content, ...more }, reveal);
const write = (content: Extract<Step, { file: unknown }>['file']['content'], mode?: string): Step => ({
  title: 'Write it',
  file: { path: PATH, content, ...(mode && { mode }) },
});
const explain = (step: Step, found: Record<string, unknown> = {}, lines = true) => stepExplainer({ lines })(step, unit, found);

describe('what a step changes', () => {
  test('goes by what was found', () => {
    const conf = there('a\n');
    expect(explain(write('b\n'), { conf }).change).toBe('change');
    expect(explain(write('b\n'), { conf: new FoundFile(PATH, { exists: false }) }).change).toBe('add');
    const install: Step = { title: 'Install', package: { name: 'x', state: 'present' } };
    expect(explain(install, { package: { name: 'x' } }).change).toBe('add');
    expect(explain(install, { package: { name: 'x', version: '1' } }).change).toBe('change');
    const service = (state: 'running' | 'stopped'): Step => ({ title: 'It', service: { name: 'x', state, enabled: true } });
    const active = { unit: { name: 'x', active: true } };
    expect(explain(service('running'), active).change).toBe('restart');
    expect(explain(service('running'), { unit: { name: 'x', active: false } }).change).toBe('add');
    expect(explain(service('stopped'), active).change).toBe('interrupt');
    expect(explain({ title: 'Look', run: 'x -t', undo: ':' }).change).toBe('check');
    expect(explain({ title: 'Do', run: 'x', undo: 'y' }).change).toBe('change');
    expect(explain({ title: 'Do', run: 'x', irreversible: true }).change).toBe('change');
    expect(explain({ title: 'Away', absent: { path: '/x' } }).change).toBe('remove');
  });

  test('is what its taskserv says, with secrets of the infra masked', () => {
    const diff = { lines: ['@@ ConfigMap a @@', '-one hush-1', `+${'x'.repeat(1_000)}`], added: 1, removed: 1 };
    const own = {
      ...unit,
      explain: (step: Step) => (step.title === 'Do' ? { change: 'add', attributes: ['a hush-1'], diff } : undefined),
    };
    const hide = (line: string) => line.replaceAll('hush-1', '(hidden)');
    const run = (title: string): Step => ({ title, run: 'x', undo: 'y' });
    const told = stepExplainer({ lines: true, hide })(run('Do'), own as unknown as AnyUnit, {});
    expect(told).toMatchObject({ change: 'add', attributes: ['a (hidden)'], diff: { added: 1, removed: 1 } });
    expect(told.diff?.lines[1]).toBe('-one (hidden)');
    expect(told.diff?.lines[2]?.length).toBeLessThan(250);
    const short = stepExplainer({ hide })(run('Do'), own as unknown as AnyUnit, {});
    expect([short.diff, short.found]).toEqual([undefined, told.found]);
    expect(stepExplainer({})(run('Other'), own as unknown as AnyUnit, {})).toEqual({ change: 'change' });
  });

  test('is told line by line, where that is asked for', () => {
    const found = { conf: there('one\ntwo\nthree\n') };
    const digest = expect.stringMatching(/^[0-9a-f]{64}$/);
    expect(explain(write('one\n2\nthree\n'), found, false)).toEqual({ change: 'change', found: digest });
    expect(explain(write('one\n2\nthree\n', '0600'), found)).toEqual({
      change: 'change',
      attributes: ['mode 0644 becomes 0600'],
      found: digest,
      diff: { lines: ['@@ -1 +1 @@', ' one', '-two', '+2', ' three'], added: 1, removed: 1 },
    });
    expect(explain(write('one\ntwo\nthree\n', '0600'), found).diff).toBeUndefined();
    expect(explain(write('text\n'), { conf: there('\0\u0001') }).diff).toBeUndefined();
    const many = explain(write(`${Array.from({ length: 500 }, (_, n) => `${n}${'x'.repeat(1_000)}`).join('\n')}\n`), found);
    expect(many.diff).toMatchObject({ added: 500, removed: 3 });
    expect(many.diff?.lines.length).toBe(200);
    expect(Math.max(...(many.diff?.lines ?? []).map((line) => line.length))).toBeLessThan(250);
  });

  test('names secrets, and shows no value: neither of today nor of yesterday', () => {
    const wanted = text`port 1\npassword ${{ $secret: 'pw' }}\n`;
    const same = explain(write(wanted), { conf: there('port 2\npassword hush-1\n') });
    expect(same.diff?.lines).toEqual(['@@ -1 +1 @@', '-port 2', '+port 1', ' password (secret pw)']);
    expect(same.diff).not.toHaveProperty('hidden');
    const rotated = explain(write(wanted), { conf: there('port 1\npassword of-yesterday\n') });
    expect(rotated.diff).toMatchObject({ lines: expect.arrayContaining(['+password (secret pw)', '-(not shown)']), hidden: true });
    // The definition no longer names it, and only some may read the file.
    const dropped = explain(write('port 1\n', '0640'), { conf: there('port 1\npassword of-yesterday\n', { mode: '0640' }) });
    for (const { diff } of [same, rotated, dropped]) expect(JSON.stringify(diff)).not.toMatch(/hush|yesterday/);
  });

  test('tells one file that it takes the place of from another, but not by what may be secret', () => {
    const foundIn = (content: string, mode = '0644', wanted = write('port 1\n', mode)) =>
      explain(wanted, { conf: there(content, { mode }) }, false).found;
    expect(foundIn('port 2\n')).toBe(foundIn('port 2\n'));
    expect(foundIn('port 2\n')).not.toBe(foundIn('port 3\n'));
    const secret = write(text`port 1\npassword ${{ $secret: 'pw' }}\n`);
    expect(foundIn('port 1\npassword a\n', '0644', secret)).toBe(foundIn('port 1\npassword b\n', '0644', secret));
    expect(foundIn('port 1\n', '0640')).not.toBe(foundIn('port 1\nport 2\n', '0640'));
    expect(foundIn('pin 1\n', '0640')).toBe(foundIn('pin 2\n', '0640'));
    expect(explain(write('a\n'), { conf: new FoundFile(PATH, { exists: false }) })).not.toHaveProperty('found');
  });
});
