import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HOST_STATE } from '../../core/host/foreign-host.js';
import { mayMount } from '../../test/support/journal-host.js';
import { refuseForeignHosts } from './own-hosts.js';

/** Stands for ssh: its command runs here, with `state` as the folder of the host's mark. */
const SSH = (state: string, ran: string) => `#!/bin/bash
for word; do case "$word" in LocalCommand=*) eval "\${word#LocalCommand=}" ;; esac; line="$word"; done
printf '%s\\n' "$line" >>${ran}
exec unshare -m bash -c "mount --bind ${state} ${HOST_STATE} && exec sh -c \\"\\$1\\"" - "$line"
`;

describe.runIf(mayMount)('a command that goes to hosts by ssh', () => {
  const path = process.env.PATH;
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'own-hosts-'));
    for (const name of ['bin', 'state', 'keys']) mkdirSync(join(folder, name));
    if (!existsSync(HOST_STATE)) mkdirSync(HOST_STATE, { mode: 0o700 });
    for (const [name, text] of [
      ['ssh', SSH(join(folder, 'state'), join(folder, 'ran'))],
      ['sudo', '#!/bin/sh\n[ "$1" = -n ] && shift && exec "$@"\n'],
    ] as const) {
      writeFileSync(join(folder, 'bin', name), text);
      chmodSync(join(folder, 'bin', name), 0o755);
    }
    process.env.PATH = `${join(folder, 'bin')}:${path}`;
  });
  afterAll(() => {
    process.env.PATH = path;
    rmSync(folder, { recursive: true });
  });

  const server = (user: string) => ({ name: 'box', connection: { kind: 'ssh', address: '192.0.2.1', port: 22, user } as const });
  const ask = (mark: string, user = 'root') => {
    writeFileSync(join(folder, 'state/owner'), mark);
    return refuseForeignHosts({ uuid: 'u-1' }, [server(user)], join(folder, 'keys'));
  };

  test.each(['u-2 default other\n', 'u-11 default shop\n', '\nu-1 default shop\n', '*\n', ' u-1 x y\n'])(
    'is refused on one that bears the mark %j',
    async (mark) => {
      for (const user of ['root', 'deploy'])
        await expect(ask(mark, user)).rejects.toMatchObject({ details: { code: 'host-managed-by-another', on: 'box' } });
    },
  );

  test.each(['u-1 default shop\n', 'u-1 default shop', ''])('goes on with one that bears the mark %j', async (mark) => {
    await ask(mark);
    expect(readFileSync(join(folder, 'ran'), 'utf8')).toContain('u-1');
  });

  test('leaves one that is not reached to what is attempted there', async () => {
    const closed = { ...server('root'), connection: { ...server('root').connection, address: '127.0.0.1', port: 1 } };
    process.env.PATH = path;
    await refuseForeignHosts({ uuid: 'u-1' }, [closed], join(folder, 'keys')).finally(() => {
      process.env.PATH = `${join(folder, 'bin')}:${path}`;
    });
  });
});

/** Returns the files in this folder and those of commands that connect to hosts by ssh. */
const filesThat = (use: RegExp): string[] =>
  ['../commands', '../shared']
    .map((folder) => join(import.meta.dirname, folder))
    .flatMap((folder) =>
      (readdirSync(folder, { recursive: true, encoding: 'utf8' }) as string[])
        .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
        .map((name) => join(folder, name))
        .filter((file) => use.test(readFileSync(file, 'utf8'))),
    );

test('every command that goes to hosts by ssh gets their keys where it is asked whose they are', () => {
  const reaching = filesThat(/\b(shellOn|runThere|runOnAll|holdTunnel)\(/);
  expect(reaching.length).toBeGreaterThan(4);
  expect(reaching.filter((file) => !/\bprepareKeys\((session|inTests)\b/.test(readFileSync(file, 'utf8')))).toEqual([]);
  expect(filesThat(/\bcreateLoginFolder\(/)).toEqual([]);
});
