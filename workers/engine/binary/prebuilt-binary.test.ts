import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { ProgressReport } from '../../../core/report.js';
import { makeFolder } from '../../../test/support/temporary-folder.js';
import { findGo, locateBuiltBinary } from './build-binary.js';
import { engineKey, thisMachine } from './engine-key.js';
import { findBinary } from './find-binary.js';
import { enginePackage, prebuiltBinary } from './prebuilt-binary.js';
import { PINNED_VERSIONS } from './version.js';

const NAME = enginePackage(thisMachine());
const ENGINE = `#!/bin/sh\necho "provisioning-engine version ${PINNED_VERSIONS.version} (Server ${PINNED_VERSIONS.serverVersion}, UI 2)"\n`;
const hash = (text: string) => createHash('sha256').update(text).digest('hex');
const FITS = { key: engineKey(), sha256: hash(ENGINE), go: 'go1.26.4' };

let place: string;
/** Folder in which npm installed this package. */
let root: string;
beforeEach(async () => {
  place = await realpath(await makeFolder('prebuilt'));
  root = join(place, 'project/node_modules/provisioning');
  await mkdir(root, { recursive: true });
});

const cache = () => join(place, 'cache');
const take = (reports: ProgressReport[] = []) => prebuiltBinary({ cache: cache(), root }, (report) => reports.push(report));
const inCache = () => readdir(dirname(locateBuiltBinary(cache()))).catch(() => []);

/** Installs a platform package in a `node_modules`. */
async function install(modules: string, statement: object | string = FITS, engine = ENGINE): Promise<void> {
  const folder = join(place, modules, NAME);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: NAME }));
  await writeFile(join(folder, 'engine.json'), typeof statement === 'string' ? statement : JSON.stringify(statement));
  // As a tool may leave it that unpacks without modes.
  await writeFile(join(folder, 'engine'), engine, { mode: 0o644 });
}

describe('the prebuilt engine', () => {
  test.each(['project/node_modules', 'project/node_modules/provisioning/node_modules'])('is taken from %s', async (modules) => {
    await install(modules);
    const reports: ProgressReport[] = [];
    expect(await take(reports)).toMatchObject({
      path: locateBuiltBinary(cache()),
      version: PINNED_VERSIONS.version,
      mutualTls: true,
    });
    expect(reports.map(({ text }) => text)).toEqual([`taking the prebuilt engine of ${NAME}`]);
    expect(await inCache()).toEqual(['engine']);
  });

  test('is taken by two at once', async () => {
    await install('project/node_modules');
    const [a, b] = await Promise.all([take(), take()]);
    expect(a).toEqual(b);
    expect(await inCache()).toEqual(['engine']);
  });

  test('is not looked for where a stranger can put one', async () => {
    // Node itself would find the first one from an installed package, and each from a clone.
    for (const modules of ['node_modules', 'project/node_modules/provisioning/dist/node_modules']) await install(modules);
    expect(await take()).toBeUndefined();
    root = join(place, 'clone');
    expect(await take()).toBeUndefined();
  });

  test.each([
    [
      'was built from other sources',
      { ...FITS, key: 'a'.repeat(64) },
      ENGINE,
      /has engine a{12}, and this version needs engine [0-9a-f]{12}$/,
    ],
    ['was altered', FITS, `${ENGINE}#`, /has SHA-256 [0-9a-f]{64}, and its package says [0-9a-f]{64}$/],
    ['was cut short', FITS, ENGINE.slice(0, -9), /has SHA-256/],
    ['does not run', { ...FITS, sha256: hash('no program') }, 'no program', /does not answer `--version` on this machine$/],
    ['has no key', { sha256: FITS.sha256 }, ENGINE, /cannot be read: engine\.json does not name the key/],
    ['has a key that is no hash', { ...FITS, key: '../../x' }, ENGINE, /engine\.json does not name the key/],
    ['says nothing that can be read', '{', ENGINE, /cannot be read/],
  ])('is refused if it %s', async (_, statement, engine, why) => {
    await install('project/node_modules', statement, engine);
    expect(await take()).toEqual({ why: expect.stringMatching(why) });
    expect(await inCache()).toEqual([]);
  });

  const find = (reports: ProgressReport[] = []) => {
    const env = { ...process.env, PATH: `${place}:/usr/bin:/bin` };
    return findBinary({ cache: cache(), env, root }, (report) => reports.push(report));
  };
  const go = (build: string) =>
    writeFile(join(place, 'go'), `#!/bin/sh\n[ "$1" = list ] || { echo "$1" >> ${place}/calls; ${build}; }\n`, { mode: 0o755 });

  test('goes before a build', async () => {
    await install('project/node_modules');
    await go('exit 1');
    expect(await find()).toMatchObject({ path: locateBuiltBinary(cache()) });
  });

  test('that is refused says so, and the engine is built', async () => {
    await install('project/node_modules', FITS, `${ENGINE}#`);
    await writeFile(join(place, 'built'), ENGINE, { mode: 0o755 });
    await go(`cp ${place}/built engine`);
    const reports: ProgressReport[] = [];
    expect(await find(reports)).toMatchObject({ path: locateBuiltBinary(cache()) });
    expect(reports).toContainEqual({ task: 'prebuilt engine', text: expect.stringContaining('SHA-256'), state: 'skipped' });
    expect(await readFile(join(place, 'calls'), 'utf8')).toBe('build\n');
  });

  test('that is refused is named if Go is missing as well', () => {
    expect(() => findGo({ PATH: place }, place, 'the prebuilt engine is not used: altered')).toThrow(
      'there is no "go" on PATH; the prebuilt engine is not used: altered',
    );
  });
});
