import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkMemberName } from './member-name.js';
import { needProgram, STORE_SCRIPT } from './run-script.js';
import { makeLogin, removeLogin } from './store-logins.js';
import { readTeamStore, superuserEnvironment } from './team-store.js';

let place: string;
beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'store-logins-'));
  // The stand-in records its input, and answers like PostgreSQL.
  const psql = `#!/bin/sh\nprintf '%s\\n' "$@" >>${place}/arguments\nenv >>${place}/environment\ncat >>${place}/statements\necho 1\n`;
  await writeFile(join(place, 'psql'), psql);
  await chmod(join(place, 'psql'), 0o755);
});
afterAll(() => rm(place, { recursive: true, force: true }));

const URL_OF_STORE = 'postgres://ann@db.example.org:5433/provisioning?sslmode=verify-full&sslrootcert=/ca.pem';
const noted = (name: string) => readFile(join(place, name), 'utf8');

describe('logins', () => {
  test('the password of the superuser goes by the environment, that of the person comes out, and neither is an argument', async () => {
    await writeFile(join(place, 'psql-silent'), '');
    const env = { PATH: `${place}:${process.env.PATH}`, PGUSER: 'postgres', PGPASSWORD: 'of-the-superuser', SECRET: 'other' };
    const superuser = superuserEnvironment(readTeamStore({ PROVISIONING_STORE: URL_OF_STORE }), env);
    expect(superuser).toMatchObject({
      PGHOST: 'db.example.org',
      PGPORT: '5433',
      PGSSLMODE: 'verify-full',
      PGSSLROOTCERT: '/ca.pem',
    });
    expect(superuser).not.toHaveProperty('SECRET');
    // The stand-in prints a line before the password: an answer of another form is refused.
    await expect(makeLogin('bob', superuser)).rejects.toMatchObject({ details: { code: 'member-login' } });
    await removeLogin('bob', superuser);
    const [, password = ''] = /^password=([0-9a-f]{48})$/m.exec(await noted('environment')) ?? [];
    expect(password).not.toBe('');
    for (const secret of ['of-the-superuser', password]) {
      expect(await noted('arguments')).not.toContain(secret);
      expect(await noted('statements')).not.toContain(secret);
    }
  });

  test('psql that is missing is told before anything begins', async () => {
    await expect(needProgram(STORE_SCRIPT, { PATH: '/nowhere' })).rejects.toMatchObject({
      details: { code: 'member-program', why: expect.stringContaining('psql, which is not on PATH') },
    });
    await needProgram(STORE_SCRIPT, { PATH: `/nowhere:${place}` });
  });

  test.each([
    [{}, 'the settings name no store of a team'],
    [{ PROVISIONING_STORE: 'postgres://ann@db/other' }, 'another name than "provisioning"'],
    [{ PROVISIONING_STORE: 'mysql://ann@db/provisioning' }, 'not an address of PostgreSQL'],
    [{ PROVISIONING_STORE: 'postgres://ann@db/provisioning?sslkey=/k' }, 'client certificate of PostgreSQL'],
  ])('%o is no store whose logins are made here', (env, why) => {
    expect(() => readTeamStore(env)).toThrow(why);
  });

  test('a superuser opens the store in its role, unless the settings have a password', () => {
    const env = { PROVISIONING_STORE: 'postgres://ann@db/provisioning', PGUSER: 'postgres', PGPASSWORD: 'x' };
    expect(new URL(readTeamStore(env).url)).toMatchObject({ username: 'postgres', search: '?options=-c+role%3Dprovisioning' });
    expect(readTeamStore({ ...env, PROVISIONING_STORE_PASSWORD_FILE: '/p' }).url).toBe(env.PROVISIONING_STORE);
    expect(readTeamStore({ PROVISIONING_STORE: env.PROVISIONING_STORE }).url).toBe(env.PROVISIONING_STORE);
    expect(() => superuserEnvironment(readTeamStore(env), {})).toThrow('PGUSER does not name a superuser');
  });

  const BAD = [
    '',
    'Ann',
    '1a',
    'a b',
    'a"',
    "a';--",
    'a$(id)',
    'a`id`',
    '../a',
    'a\nb',
    'a\n',
    '\na',
    'a\nb"; drop role x',
    'á',
    'a'.repeat(32),
    'postgres',
  ];

  test.each([...BAD, 'server', 'root'])('%j is not the name of a person', (name) => {
    expect(() => checkMemberName(name, 'root')).toThrow('cannot use the name of the person');
  });

  /** Runs a script of deploy/ with the stand-in of psql. */
  const script = (name: string, ...args: string[]) => {
    const env = { PATH: `${place}:${process.env.PATH}`, PGUSER: 'root' };
    return spawnSync('sh', [join(import.meta.dirname, '../deploy', name), ...args], { env, encoding: 'utf8' });
  };

  test.each([...BAD, 'root'].flatMap((name) => [['login', name] as const, ['remove', name] as const]))(
    'deploy/store.sh %s refuses %j before it asks the database',
    async (verb, name) => {
      await rm(join(place, 'arguments'), { force: true });
      const { status, stdout, stderr } = script('store.sh', verb, name);
      expect([status, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(/not a name|no login of a person|name the person/);
      await expect(noted('arguments')).rejects.toThrow('ENOENT');
    },
  );

  test.each(['a', 'a-1', 'z'.repeat(31)])('deploy/store.sh takes %j', (name) => {
    expect(script('store.sh', 'remove', name).status).toBe(0);
  });

  test.each(['../a', 'a/b', 'a\nb', '..', '-a', 'authority', 'server', ''])(
    'deploy/certificates.sh refuses %j before it makes anything',
    (name) => {
      const folder = join(place, 'certificates');
      const { status, stderr } = script('certificates.sh', folder, 'ann', name);
      expect([status, stderr]).toEqual([2, expect.stringContaining('not the name of a client')]);
      expect(existsSync(folder)).toBe(false);
    },
  );
});
