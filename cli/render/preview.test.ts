import { describe, expect, test } from 'vitest';
import type { OperationResult } from '../../core/operation/operation.js';
import type { PlannedStep } from '../../core/plan/planned-step.js';
import type { Screen } from '../program/screen.js';
import { renderPreview } from './preview.js';

function shown(plan: PlannedStep[], colours = false, ran?: OperationResult['ran'], groups?: OperationResult['groups']): string {
  let said = '';
  const write = (text: string) => {
    said += text;
  };
  const screen: Screen = { write, data: () => {}, control: write, live: false, colours, columns: () => 80, rows: () => 24 };
  renderPreview({ infra: 'shop', plan, ran, groups }, screen);
  return said;
}

describe('a preview', () => {
  const diff = { lines: ['@@ -1 +1 @@', '-a', '+b'], added: 1, removed: 1 };
  const plan: PlannedStep[] = [
    { on: 'web', title: 'Create the server web', machine: 'create' },
    { on: 'web', taskserv: 'nginx', title: 'Write it', change: 'change', diff, attributes: ['mode 0644 becomes 0600'] },
    { on: 'web', taskserv: 'nginx', title: 'Check it', change: 'check' },
    { on: 'web', taskserv: 'nginx', title: 'Restart nginx', change: 'restart' },
    { on: 'db', title: 'Replace the server db', machine: 'replace', destructive: true },
  ];

  test('has a sign for each step, what changes in files, and counts', () => {
    expect(shown(plan)).toBe(
      [
        'web',
        '  + Create the server web',
        'web/nginx',
        '  ~ Write it (mode 0644 becomes 0600)',
        '      @@ -1 +1 @@',
        '      -a',
        '      +b',
        '  · Check it',
        '  ↻ Restart nginx',
        'db',
        '  ! Replace the server db (destroys)',
        'shop: 5 steps: 1 to add, 1 to change, 1 to restart or reload, 1 interrupts service, 1 check; 1 line added in files, 1 removed; destroys db',
        '',
      ].join('\n'),
    );
  });

  test('names the commands that ran, also where nothing is to be done', () => {
    const one = { on: 'web', taskserv: 'commands', entry: 'swap', command: 'swapon -s' };
    const ran = [
      { ...one, exit: 1, result: 'not satisfied' as const },
      { ...one, result: 'no answer' as const },
    ];
    expect(shown([], false, ran)).toBe(
      [
        'ran on hosts to see how they are',
        '  web/commands swap: swapon -s (not satisfied, exit code 1)',
        '  web/commands swap: swapon -s (no answer)',
        'shop: nothing to do',
        '',
      ].join('\n'),
    );
  });

  test('names the groups of services, their leader and their quorum', () => {
    const serves = { state: 'seen', serves: true } as const;
    const members = [
      { server: 'a', leads: true, ...serves } as const,
      { server: 'b', ...serves },
      { server: 'c', state: 'silent' as const },
    ];
    expect(shown([], false, [], [{ taskserv: 'etcd', name: 'main', needed: 2, members }])).toBe(
      'etcd group main: 2 of 3 members serve, 2 needed, a leads; c does not answer\nshop: nothing to do\n',
    );
  });

  test('says what becomes of data', () => {
    const data = { is: 'begins' as const, paths: ['/var/lib/redis'], leftOn: ['db'] };
    const said = shown([{ on: 'ops', taskserv: 'redis', title: 'Install redis', destructive: true, data }]);
    expect(said).toContain('(begins with what ops has in /var/lib/redis, else empty: the data stays on db)');
    expect(said).toContain('; leaves the data of redis on db');
    expect(said).not.toContain('destroys');
  });

  test('says what it leaves out', () => {
    const cut = { lines: ['+b'], added: 300, removed: 2, more: 301, hidden: true as const };
    const said = shown([{ on: 'a', taskserv: 'x', title: 'Write it', change: 'change', diff: cut }]);
    expect(said).toContain('      … 301 more lines\n      what is removed may hold secrets\n');
    const other = { lines: [], added: 5_000, removed: 4_000 };
    expect(shown([{ on: 'a', taskserv: 'x', title: 'Write it', change: 'change', diff: other }])).toContain('too different');
  });

  test('colours lines only where there are colours', () => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control characters
    expect(shown(plan)).not.toMatch(/\u001b/);
    expect(shown(plan, true)).toContain('\u001b[31m-a\u001b[0m');
  });
});
