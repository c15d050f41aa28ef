import { expect, test } from 'vitest';
import { type CommandOutput, type Fact, fact, file } from '../../../core/host/facts.js';
import type { HealthCheck } from '../../../core/taskserv/taskserv.js';
import { listRanCommands } from './ran-in.js';

const hide = (text: string) => text.replaceAll('s3cret', '***');
const given = (entry: string, command: string, isCheck?: true) => ({ entry, command, ...(isCheck && { isCheck }) });
const asking = (entry: string, command: string, isCheck?: true) =>
  fact(`timeout 14 ${command}`, ({ exit }: CommandOutput) => exit === 0, false, undefined, given(entry, command, isCheck));
const exits = (codes: Record<string, number>) => (one: Fact<unknown>) => ({
  exit: one.kind === 'command' ? (codes[one.run] ?? 0) : 0,
  stdout: 'any',
});

test('names each command of the definition once, with how it ended', () => {
  const facts = {
    ours: fact('getent passwd web', () => true, false),
    path: file('/etc/motd'),
    one: asking('one', 'test -e /one', true),
    two: asking('two', 'test -e /two', true),
    version: asking('version', 'widget --version'),
  };
  const answer = { exit: 0, stdout: '' };
  const checks: { check: HealthCheck; answer: typeof answer; why: string | undefined }[] = [
    { check: { title: 'ours', command: 'true' }, answer, why: undefined },
    { check: { title: 'what one is for is so', command: 'x', given: given('one', 'test -e /one', true) }, answer, why: undefined },
    { check: { title: 'it answers', command: 'ask', given: given('it answers', 'ask', true) }, answer, why: 'it does not' },
    { check: { title: 'port', tcp: 80 }, answer, why: undefined },
  ];
  const outputOf = exits({ 'timeout 14 test -e /two': 1, 'timeout 14 widget --version': 2 });
  expect(listRanCommands({ unit: 'commands', facts, outputOf, checks, hide })).toEqual(
    [
      ['one', 'test -e /one', 0, 'satisfied'],
      ['two', 'test -e /two', 1, 'not satisfied'],
      ['version', 'widget --version', 2, 'answered'],
      ['it answers', 'ask', 0, 'not satisfied'],
    ].map(([entry, command, exit, result]) => ({ taskserv: 'commands', entry, command, exit, result })),
  );
});

test('masks a command before it is cut, on one line, and tells one that was ended', () => {
  const facts = { long: asking('login', `echo ${'x'.repeat(190)}s3cret\nid`, true), late: asking('late', 'sleep 99', true) };
  const outputOf = (one: Fact<unknown>) =>
    one.kind === 'command' && one.run.includes('sleep') ? { exit: 1, stdout: '', fault: 'late' } : { exit: 0, stdout: '' };
  const [long, late] = listRanCommands({ unit: 'commands', facts, outputOf, checks: [], hide });
  expect(long?.command).toBe(`echo ${'x'.repeat(190)}*** i…`);
  expect(late).toEqual({ taskserv: 'commands', entry: 'late', command: 'sleep 99', result: 'no answer' });
});
