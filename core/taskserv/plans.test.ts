import { describe, expect, it } from 'vitest';
import { FoundFile } from '../host/facts.js';
import type { Step } from '../host/step.js';
import { checkFirst, ensureFile, ensureNoFile, ensureNoPackage, ensurePackage, ensureService, gentlestChange } from './plans.js';

const titles = (steps: Step[]) => steps.map(({ title }) => title);
const conf = new FoundFile('/etc/x.conf', { exists: true, content: 'old' });
const write = ensureFile(conf, { content: 'new' });
const install: Step = { title: 'Install the package x', package: { name: 'x', state: 'present' } };
const up = { name: 'x', active: true, enabled: true, stale: false };
const running = { state: 'running', enabled: true, reads: ['/etc/x.conf'] } as const;
const service = (found: object, wanted: object, before: Step[] = []) =>
  ensureService({ ...up, ...found }, { ...running, reads: [...running.reads], ...wanted }, before);

describe('packages', () => {
  it('are installed when absent, or of another version than asked for', () => {
    expect(titles(ensurePackage({ name: 'x' }))).toEqual(['Install the package x']);
    expect(ensurePackage({ name: 'x', version: '1' })).toEqual([]);
    expect(ensurePackage({ name: 'x', version: '1' }, '1')).toEqual([]);
    expect(ensurePackage({ name: 'x', version: '1' }, '2')).toMatchObject([{ package: { version: '2' } }]);
  });
  it('are removed when there', () => {
    expect(titles(ensureNoPackage({ name: 'x', version: '1' }))).toEqual(['Remove the package x']);
    expect(ensureNoPackage({ name: 'x' })).toEqual([]);
  });
});

describe('files', () => {
  it('are written when they differ', () => {
    expect(write).toEqual([{ title: 'Write /etc/x.conf', file: { path: '/etc/x.conf', content: 'new' } }]);
    expect(ensureFile(conf, { content: 'old' })).toEqual([]);
  });
  it('are removed when there', () => {
    expect(titles(ensureNoFile(conf))).toEqual(['Remove /etc/x.conf']);
    expect(ensureNoFile(new FoundFile('/x', { exists: false }))).toEqual([]);
  });
});

describe('services', () => {
  it.each([
    ['runs as wanted', {}, {}, [], []],
    ['does not run', { active: false }, {}, [], ['Start x']],
    ['does not run, after an installation', { active: false }, {}, [install], ['Start x']],
    ['was started with other files', { stale: true }, {}, [], ['Restart x']],
    ['may reload', { stale: true }, { change: 'reload' }, [], ['Reload x']],
    ['reads a file that is written', {}, {}, write, ['Restart x']],
    ['reads a file that is removed', {}, { change: 'reload' }, ensureNoFile(conf), ['Reload x']],
    ['does not read the file that is written', {}, { reads: [] }, write, []],
    ['is installed again, so that a reload is not enough', {}, { change: 'reload' }, [install], ['Restart x']],
    ['is not enabled', { enabled: false }, {}, [], ['Enable x']],
    ['should not be enabled', {}, { enabled: false }, [], ['Disable x']],
    ['should be stopped', {}, { state: 'stopped', enabled: false }, [], ['Stop x']],
    ['is stopped, but enabled', { active: false }, { state: 'stopped', enabled: false }, [], ['Stop x']],
    ['is stopped as wanted', { active: false, enabled: false }, { state: 'stopped', enabled: false }, [], []],
  ])('%s', (_, found, wanted, before, expected) => expect(titles(service(found, wanted, before))).toEqual(expected));

  it('say which change is meant', () => {
    expect(service({}, { change: 'reload' }, write)).toMatchObject([{ service: { change: 'reload' } }]);
    expect(service({}, { change: 'reload' }, [install])).toMatchObject([{ service: { change: 'restart' } }]);
  });
});

describe('checkFirst', () => {
  it('checks before the service, only when there is something to do', () => {
    expect(titles(checkFirst('Check x', 'x -t', [install]))).toEqual(['Check x', 'Install the package x']);
    expect(checkFirst('Check x', 'x -t', [install])[0]).toMatchObject({ undo: ':' });
    expect(checkFirst('Check x', 'x -t', [])).toEqual([]);
  });
});

describe('gentlestChange', () => {
  it('reloads when only what can be reloaded changes, and nothing was left over', () => {
    expect(gentlestChange(up, write, ['/etc/x.conf'])).toBe('reload');
    expect(gentlestChange(up, write, [])).toBe('restart');
    expect(gentlestChange({ ...up, stale: true }, write, ['/etc/x.conf'])).toBe('restart');
  });
});
