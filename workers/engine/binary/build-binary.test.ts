import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { ProgressReport } from '../../../core/report.js';
import { makeFolder } from '../../../test/support/temporary-folder.js';
import { buildBinary, findGo, locateBuiltBinary } from './build-binary.js';
import { findBinary } from './find-binary.js';
import { PINNED_VERSIONS } from './version.js';

const SAYS = `provisioning-engine version ${PINNED_VERSIONS.version} (Server ${PINNED_VERSIONS.serverVersion}, UI 2)`;

let place: string;
let env: NodeJS.ProcessEnv;
beforeEach(async () => {
  place = await makeFolder('build');
  env = { ...process.env, PATH: `${place}:/usr/bin:/bin` };
});

/** A `go` that notes its calls and makes a binary that answers `--version`. */
async function fakeGo(build: string): Promise<void> {
  await script(
    'go',
    `echo "$1" >> ${place}/calls
if [ "$1" = list ]; then echo 'go: downloading example.org/module v1.0.0' >&2; echo one; echo two; exit 0; fi
${build}`,
  );
}

async function script(name: string, body: string): Promise<void> {
  await mkdir(dirname(join(place, name)), { recursive: true });
  await writeFile(join(place, name), `#!/bin/sh\n${body}\n`);
  await chmod(join(place, name), 0o755);
}

const works = `sleep 0.3; echo one >&2; echo two >&2; printf '#!/bin/sh\\necho "${SAYS}"\\n' > engine; chmod +x engine`;
const cache = () => join(place, 'cache');

describe('building the engine', () => {
  test('two at once build once, and both get it', async () => {
    await fakeGo(works);
    const reports: ProgressReport[] = [];
    const build = () => buildBinary({ cache: cache(), env }, (report) => reports.push(report));
    const [a, b] = await Promise.all([build(), build()]);
    expect(a).toEqual({
      path: locateBuiltBinary(cache()),
      version: PINNED_VERSIONS.version,
      serverVersion: PINNED_VERSIONS.serverVersion,
      mutualTls: true,
    });
    expect(b).toEqual(a);
    expect(await readFile(join(place, 'calls'), 'utf8')).toBe('list\nbuild\n');
    expect(reports.some(({ text }) => text.includes(`waiting for process ${process.pid}`))).toBe(true);
    expect(reports.some(({ fraction }) => fraction === 0.5)).toBe(true);
    expect(reports.some(({ text }) => text === 'fetching module 1: example.org/module')).toBe(true);
    expect(await readdir(dirname(a.path))).toEqual(['engine']);
  });

  test('is done again where that is asked for', async () => {
    await fakeGo(works);
    await buildBinary({ cache: cache(), env }, () => {});
    await buildBinary({ cache: cache(), env, again: true }, () => {});
    expect(await readFile(join(place, 'calls'), 'utf8')).toBe('list\nbuild\nlist\nbuild\n');
  });

  test('that fails says why and leaves nothing half-made', async () => {
    await fakeGo("echo 'dial tcp: no route to host' >&2; exit 1");
    const error = await buildBinary({ cache: cache(), env }, () => {}).catch((thrown) => thrown);
    expect(error.details).toMatchObject({ code: 'engine-build', blame: 'weather' });
    expect(error.message).toContain('no route to host');
    expect(await readdir(dirname(locateBuiltBinary(cache())))).toEqual([]);
  });

  test('goes on after one that was killed, with nothing of it', async () => {
    const folder = dirname(locateBuiltBinary(cache()));
    await script(`${locateBuiltBinary('cache')}`.replace(/engine$/, 'build-killed/engine'), `echo "${SAYS}"`);
    // The lock of a process that has ended is left.
    await writeFile(`${locateBuiltBinary(cache())}.lock`, JSON.stringify({ pid: 2 ** 22 + 1, started: '1', nonce: 1 }));
    await fakeGo(works);
    expect(await buildBinary({ cache: cache(), env }, () => {})).toMatchObject({ path: locateBuiltBinary(cache()) });
    expect(await readFile(join(place, 'calls'), 'utf8')).toBe('list\nbuild\n');
    expect(await readdir(folder)).toEqual(['engine']);
  });

  test('that makes a program which does not run keeps nothing of it', async () => {
    await fakeGo("printf '#!/bin/sh\nexit 1\n' > engine; chmod +x engine");
    await expect(buildBinary({ cache: cache(), env }, () => {})).rejects.toThrow('does not answer `--version`');
    expect(await readdir(dirname(locateBuiltBinary(cache())))).toEqual([]);
  });

  test('without Go says how to do without', () => {
    expect(() => findGo({ PATH: place }, place)).toThrow('there is no "go" on PATH');
  });
});

describe('finding the engine', () => {
  const temporal = (version: string) => `echo "temporal version ${version} (Server ${version}, UI 2)"`;
  const find = (more: { line?: string; env?: NodeJS.ProcessEnv } = {}) =>
    findBinary({ cache: cache(), ...more, env: { ...env, ...more.env } }, () => {});
  const built = () => script(locateBuiltBinary('cache'), `echo "${SAYS}"`);

  test('one that is built here goes before the one on PATH, since it alone does mutual TLS', async () => {
    await script('temporal', temporal('1.31.1'));
    await built();
    expect(await find()).toMatchObject({ path: locateBuiltBinary(cache()), mutualTls: true });
  });

  test('it is built where Go is installed, though a "temporal" is on PATH', async () => {
    await script('temporal', temporal('1.31.1'));
    await fakeGo(works);
    expect(await find()).toMatchObject({ path: locateBuiltBinary(cache()), mutualTls: true });
  });

  test('where it cannot be built, the one on PATH is used, and not said to do mutual TLS', async () => {
    await script('temporal', temporal('1.31.1'));
    await fakeGo("echo 'dial tcp: no route to host' >&2; exit 1");
    expect(await find()).toMatchObject({ path: join(place, 'temporal'), mutualTls: false });
  });

  test('unless the setting lets in nothing else', async () => {
    await script('temporal', temporal('1.31.1'));
    await fakeGo("echo 'dial tcp: no route to host' >&2; exit 1");
    await expect(find({ env: { PROVISIONING_ENGINE: 'built' } })).rejects.toThrow('no route to host');
  });

  test('a setting lets the one on PATH go first; another word is refused', async () => {
    await script('temporal', temporal('1.30.1'));
    await built();
    expect((await find({ env: { PROVISIONING_ENGINE: 'path' } }))?.path).toBe(join(place, 'temporal'));
    await expect(find({ env: { PROVISIONING_ENGINE: 'any' } })).rejects.toThrow('PROVISIONING_ENGINE: "any" is not a valid value');
  });

  test('one that fits the state goes before one that does not, and one too old is passed over', async () => {
    const path = { PROVISIONING_ENGINE: 'path' };
    await script('temporal', temporal('1.30.1'));
    await built();
    expect((await find({ line: '1.30' }))?.path).toBe(join(place, 'temporal'));
    expect((await find({ line: '1.31', env: path }))?.path).toBe(locateBuiltBinary(cache()));
    await script('temporal', temporal('1.20.0'));
    expect((await find({ env: path }))?.path).toBe(locateBuiltBinary(cache()));
  });

  test('where none can fit, the answer does not, so that the error can name it', async () => {
    await script('temporal', temporal('1.30.1'));
    expect((await find({ line: '1.29' }))?.serverVersion).toBe('1.30.1');
  });

  test('a change of the sources makes another place in the cache', async () => {
    expect(locateBuiltBinary('cache')).toMatch(
      new RegExp(`^cache/engine/${PINNED_VERSIONS.version.replaceAll('.', '\\.')}-[0-9a-f]{12}/engine$`),
    );
  });
});
