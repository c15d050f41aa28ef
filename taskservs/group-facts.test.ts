import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { TRANSIENT } from '../core/errors.js';
import type { Fact, Facts } from '../core/host/facts.js';
import { planOf } from '../sdk/testing/case.js';
import { readCases } from '../sdk/testing/case-files.js';
import { modules } from '../test/support/modules.js';

const folder = mkdtempSync(join(tmpdir(), 'group-facts-'));
afterAll(() => rmSync(folder, { recursive: true }));

type Command = Extract<Fact<unknown>, { kind: 'command' }>;

/** The facts by which a group knows its members: those that its standing reads, from each configuration of its cases. */
const facts = new Map<string, Command>();
for (const [name, taskserv] of Object.entries(modules.taskservs)) {
  const { group } = taskserv;
  if (!group) continue;
  for (const [, given] of readCases(join(import.meta.dirname, name))) {
    const { config } = planOf(taskserv, given);
    if (group.of(config) === undefined) continue;
    const asked = group.facts(config) as Facts;
    const read = new Set<string>();
    group.standing(
      new Proxy({} as never, {
        get: (_, key) => {
          read.add(String(key));
          return (asked[String(key)] as Command).absent;
        },
      }),
    );
    for (const key of read) facts.set(`${name}: ${key}\n${(asked[key] as Command).run}`, asked[key] as Command);
  }
}

/** Programs that read data, which fail here as if they had been ended or were refused. */
const READERS = ['cat', 'find', 'openssl', 'perl', 'runuser', 'sed', 'setpriv', 'stat'];

/** Bash in which a host has the accounts, the files and the running units that a script asks for, and nothing can be read. */
const unreadable = (
  script: string,
  status: number,
): string => `${READERS.map((name) => `${name}() { return ${status}; }`).join('\n')}
getent() { :; }; id() { :; }; systemctl() { :; }; timeout() { shift; "$@"; }
${script.replaceAll(/\/(?:var\/lib|etc)\/[\w./-]*\w/g, folder)}`;

describe.each([...facts].map(([key, fact]) => [key.split('\n')[0] ?? '', fact] as const))('%s', (_, fact) => {
  it('is not known if its command failed or was ended: the host is silent then, and not without data', () => {
    for (const exit of [1, 2, 124, 137, 255])
      expect(() => fact.parse({ stdout: '', exit }), `status ${exit}`).toThrow(
        expect.objectContaining({ details: expect.objectContaining({ code: 'look-broken', blame: TRANSIENT }) }),
      );
    expect(fact.parse({ stdout: '', exit: 0 })).toEqual(fact.absent);
  });

  it('fails if its data cannot be read in time, or at all', () => {
    for (const status of [1, 124]) {
      const { status: exit } = spawnSync('bash', ['-c', unreadable(fact.run, status)], { encoding: 'utf8', timeout: 20_000 });
      expect(exit, `status ${status}`).toBeGreaterThan(0);
    }
  });
});

it('knows the facts of all groups', () => {
  const groups = Object.entries(modules.taskservs).flatMap(([name, { group }]) => (group ? [name] : []));
  expect([...new Set([...facts.keys()].map((key) => key.split(':')[0]))].sort()).toEqual(groups.sort());
});
