import { describe, expect, test } from 'vitest';
import { readArgv } from './argv.js';

const NAMES = ['apply', 'config explain', 'config get', 'server create', 'server ssh', 'secret set', 'status', 'workflow list'];
const read = (line: string) => readArgv(line.split(' ').filter(Boolean), NAMES);

describe('what was typed', () => {
  test.each([
    ['', { command: '', help: false, args: [] }],
    ['--help', { command: '', help: true, args: [] }],
    ['help', { command: '', help: true, args: [] }],
    ['apply f.yaml --yes', { command: 'apply', help: false, args: ['f.yaml', '--yes'] }],
    ['server', { command: 'server', help: false, args: [] }],
    ['server create web-1 --check', { command: 'server create', help: false, args: ['web-1', '--check'] }],
    ['--json --workspace w apply f', { command: 'apply', help: false, args: ['--json', '--workspace', 'w', 'f'] }],
    ['--env prod config get k', { command: 'config get', help: false, args: ['--env', 'prod', 'k'] }],
    ['cfg explain k', { command: 'config explain', help: false, args: ['k'] }],
    ['server --json create', { command: 'server create', help: false, args: ['--json'] }],
    ['wf list', { command: 'workflow list', help: false, args: [] }],
    ['secret set t', { command: 'secret set', help: false, args: ['t'] }],
    ['aply f', { command: '', help: false, unknown: 'aply', args: ['aply', 'f'] }],
    ['constructor', { command: '', help: false, unknown: 'constructor', args: ['constructor'] }],
    ['s craete x', { command: 'server', help: false, unknown: 'craete', args: ['craete', 'x'] }],
  ])('%j', (line, expected) => {
    expect(read(line)).toEqual({ rest: [], ...expected });
  });

  test.each([
    [
      'server create',
      ['help server create', 'server create help', 'server create --help', 'server help create', 's create -h', 'help s create'],
    ],
    ['server', ['help server', 'server help', 'server --help', 's -h']],
    ['apply', ['help apply', 'apply help', 'apply --help', 'apply f.yaml --help']],
  ])('help for %j can be asked for in any order', (command, lines) => {
    for (const line of lines) expect([line, read(line)]).toEqual([line, expect.objectContaining({ command, help: true })]);
  });

  test('what follows -- is left alone', () => {
    expect(read('s ssh web-1 -- help --json -h')).toEqual({
      command: 'server ssh',
      help: false,
      args: ['web-1'],
      rest: ['help', '--json', '-h'],
    });
  });
});
