import { execFileSync, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Home, homeOf } from '../../../home/home.js';
import { findService, installUnit, type Units, uninstallUnit } from './service.js';
import { unitText } from './service-unit.js';

let place: string;
let home: Home;
let asked: string[];
const units = (scope: Units['scope'], systemctl = async (...args: string[]): Promise<unknown> => asked.push(args.join(' '))) => ({
  scope,
  folder: join(place, 'units'),
  systemctl,
});
const options = () => ({ cache: join(place, 'cache'), dist: join(place, 'dist'), env: {} });

beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'service-'));
  home = homeOf({ PROVISIONING_HOME: join(place, 'home') });
  asked = [];
});
afterEach(() => rm(place, { recursive: true, force: true }));

const canVerify = spawnSync('systemd-analyze', ['--version']).status === 0;

describe('the unit of a home', () => {
  test.runIf(canVerify).each(['system', 'user'] as const)('is one that systemd takes: %s', async (scope) => {
    const path = await installUnit(home, { ...options(), units: units(scope) });
    const mode = scope === 'user' ? ['--user'] : [];
    const { status, stderr } = spawnSync('systemd-analyze', [...mode, 'verify', path], {
      encoding: 'utf8',
      env: { ...process.env, XDG_RUNTIME_DIR: place },
    });
    expect([status, stderr]).toEqual([0, expect.not.stringContaining(path)]);
  });

  test('is installed and taken away as a whole', async () => {
    const path = await installUnit(home, { ...options(), env: { TEMPORAL_PROFILE: 'prod' }, units: units('user') });
    expect(await readFile(path, 'utf8')).toContain('Environment="TEMPORAL_PROFILE=prod"');
    const [name = ''] = await readdir(join(place, 'units'));
    expect(asked).toEqual(['show --property=Version', 'daemon-reload', `enable ${name}`]);
    asked = [];
    expect(await uninstallUnit(home, {}, units('user'))).toBe(true);
    expect(asked).toEqual([`disable --now ${name}`, 'daemon-reload']);
    expect(await readdir(join(place, 'units'))).toEqual([]);
    expect(await uninstallUnit(home, {}, units('user'))).toBe(false);
  });

  test('starts the API server that `up --api` was asked for, with its options', async () => {
    await mkdir(home.engine, { recursive: true });
    const record = { pid: 1, started: '', build: 'b', since: '', serves: {}, options: ['--listen=127.0.0.1:9443', '--http'] };
    await writeFile(join(home.engine, 'api.json'), JSON.stringify(record));
    const text = await readFile(await installUnit(home, { ...options(), units: units('user') }), 'utf8');
    expect(text).toMatch(/^ExecStart=.* "--api" "--api=--listen=127\.0\.0\.1:9443" "--api=--http"$/m);
  });

  test('says how it is started, and nothing where there is none', async () => {
    expect(await findService(home, {}, units('system'))).toBeUndefined();
    const path = await installUnit(home, { ...options(), units: units('system') });
    const state = { unit: basename(path), scope: 'system' };
    const said = async () => ({ stdout: 'ActiveState=active\nUnitFileState=enabled\n', stderr: '' });
    expect(await findService(home, {}, units('system', said))).toEqual({ ...state, active: 'active', enabled: true });
    const none = units('system', async () => Promise.reject(new Error('no bus')));
    expect(await findService(home, {}, none)).toEqual({ ...state, active: 'unknown', enabled: false });
  });

  test('is refused before anything is written where there is no systemd', async () => {
    const none = units('user', async () => Promise.reject(new Error('no bus')));
    await expect(installUnit(home, { ...options(), units: none })).rejects.toMatchObject({ details: { code: 'no-systemd' } });
    expect(await readdir(place)).not.toContain('units');
  });

  test('keeps paths whole, whatever is in them, and holds none of the environment', () => {
    const text = unitText({
      scope: 'system',
      home: '/srv/a b%h"$HOME',
      cache: '/c',
      state: '/s/provisioning',
      dist: '/opt/p $x',
      node: process.execPath,
      env: {},
    });
    expect(text).toContain('"--supervises=/srv/a b%%h\\"$$HOME"');
    expect(text).toContain('Environment="PROVISIONING_HOME=/srv/a b%%h\\"$HOME"');
    expect(text).toContain('"/opt/p $$x/supervisor.js"');
    expect(text.match(/^Environment=/gm)).toHaveLength(4);
  });

  test('stops on request alone: a supervisor that died is none', () => {
    const text = unitText({
      scope: 'user',
      home: '/h',
      cache: '/c',
      state: '/s/provisioning',
      dist: '/d',
      node: '/bin/echo',
      env: {},
    });
    const script = /ExecStop=\/bin\/sh -c "(.*)" "\/bin\/echo"/.exec(text)?.[1]?.replaceAll('\\"', '"') ?? '';
    const stop = (pid: string) =>
      execFileSync('/bin/sh', ['-c', script, '/bin/echo', '/d/engine.js'], { encoding: 'utf8', env: { MAINPID: pid } }).trim();
    expect([stop('7'), stop('')]).toEqual(['/d/engine.js down', '']);
  });
});
