import { appendFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { redeemCode } from '../../client/http/redeem-code.js';
import { cacheOf } from '../../home/home.js';
import { packEngine } from '../../scripts/engine-package/pack-engine.js';
import { packProject } from '../../scripts/engine-package/pack-project.js';
import { locateBuiltBinary } from '../../workers/engine/binary/build-binary.js';
import { thisMachine } from '../../workers/engine/binary/engine-key.js';
import { enginePackage } from '../../workers/engine/binary/prebuilt-binary.js';
import { killInstance, startInstance } from '../support/api-instance.js';
import { startTestEngine, type TestEngine } from '../support/engine.js';
import { CLIENT_PROGRAM } from '../support/packed-client.js';
import { startRegistry } from '../support/registry.js';

const root = resolve(import.meta.dirname, '../..');
/** Returns the program of the guide. */
const example = async () =>
  /```ts\n([\s\S]*?)```/.exec(await readFile(join(root, 'docs/use/from-a-program.md'), 'utf8'))?.[1] ?? '';

const BAD = 'infra: shop\nprovider: demo\nservers:\n  - name: web\n    plan: smal\n  - name: web\ntaskservs:\n  - name: ngnix\n';

const ENGINE = enginePackage(thisMachine());

describe('the package, packed and installed from a registry into an empty folder', () => {
  let folder: string;
  let engine: TestEngine;
  let run: (file: string) => Promise<{ stdout: string; stderr: string; exitCode?: number }>;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'provisioning-package-'));
    engine = await startTestEngine();
    // The engine of all tests. `npm run pack:engine` compiles it with the same flags.
    const binary = locateBuiltBinary(cacheOf());
    const packed = [
      await packProject(root, join(folder, 'packed')),
      await packEngine({ root, target: thisMachine(), binary, go: 'go', licenses: '', out: join(folder, 'packed') }),
    ];
    const registry = await startRegistry();
    for (const { file } of packed) await registry.publish(file);
    await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
    const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', `--registry=${registry.url}`];
    await execa('npm', ['install', ...options, 'provisioning'], { cwd: folder });
    await registry.close();
    run = (file) => execa('node', [file], { cwd: folder, env: engine.env, extendEnv: false, reject: false });
  });

  afterAll(async () => {
    await engine?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  test('the example of the guide previews, applies and follows', async () => {
    await writeFile(join(folder, 'program.mjs'), await example());
    await writeFile(
      join(folder, 'infra.yaml'),
      'infra: shop\nprovider: demo\nservers:\n  - name: web\ntaskservs:\n  - name: nginx\n    on: { server: web }\n',
    );
    const { stdout, stderr, exitCode } = await run('program.mjs');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toContain('web: Create the server web');
    expect(stdout).toMatch(/done \[\s*\{\s*server: 'web'/);
    const inventory = await (await engine.client()).infras.inventory({ workspace: 'default', infra: 'shop' });
    expect(Object.keys(inventory?.servers ?? {})).toEqual(['web']);
  });

  test('a program of 20 lines calls an API server by the client', async () => {
    const server = await startInstance(engine.env);
    try {
      const ca = String(server.agent.options.ca);
      const token = await redeemCode({ url: server.url, ca }, server.code);
      await writeFile(join(folder, 'ca.pem'), ca);
      await writeFile(join(folder, 'client.mjs'), CLIENT_PROGRAM.trim());
      expect(CLIENT_PROGRAM.trim().split('\n').length).toBeLessThanOrEqual(20);
      const env = { PATH: process.env.PATH, SERVER: server.url, TOKEN: token, CA: join(folder, 'ca.pem') };
      const { stdout } = await execa('node', ['client.mjs'], { cwd: folder, env, extendEnv: false });
      expect(JSON.parse(stdout)).toMatchObject({ account: 'admin', last: 'end', unknown: 'unknown-operation' });
    } finally {
      await killInstance(server);
    }
  });

  test('a definition is applied in the workspace that it was read for', async () => {
    await writeFile(
      join(folder, 'other.mjs'),
      `import { connect, loadDefinition } from 'provisioning';
       const platform = await connect();
       const { operation } = await platform.apply(await loadDefinition('infra.yaml', { workspace: 'other' }));
       const { status, workspace } = await platform.operations.result({ operation });
       console.log(JSON.stringify({ status, workspace }));
       await platform.close();`,
    );
    const { stdout, stderr } = await run('other.mjs');
    expect({ stdout, stderr }).toEqual({ stdout: '{"status":"done","workspace":"other"}', stderr: '' });
  });

  test('every problem of a definition comes with its line', async () => {
    await writeFile(join(folder, 'bad.yaml'), BAD);
    await writeFile(
      join(folder, 'bad.mjs'),
      `import { DefinitionError, loadDefinition } from 'provisioning';
       const error = await loadDefinition('bad.yaml').catch((error) => error);
       console.log(JSON.stringify({ own: error instanceof DefinitionError, ...error.details, problems: error.problems }));`,
    );
    const { stdout } = await run('bad.mjs');
    const { own, code, problems } = JSON.parse(stdout);
    expect({ own, code }).toEqual({ own: true, code: 'bad-definition' });
    expect(problems.map(({ line, path }: { line: number; path: string }) => `${line} ${path}`)).toEqual([
      '5 servers[0].plan',
      '6 servers[1].name',
      '8 taskservs[0].name',
    ]);
  });

  test("a taskserv of one's own is written with what provisioning/sdk has", async () => {
    await writeFile(
      join(folder, 'own.mjs'),
      `import { debian, defineTaskserv, ensurePackage } from 'provisioning/sdk';
       const own = defineTaskserv({
         name: 'own',
         facts: () => ({ package: debian('own') }),
         plan: (config, found) => ensurePackage(found.package),
       });
       console.log(JSON.stringify(own.plan({}, { package: { name: 'own', version: undefined } }).map(({ title }) => title)));`,
    );
    const { stdout, stderr } = await run('own.mjs');
    expect({ stdout, stderr }).toEqual({ stdout: '["Install the package own"]', stderr: '' });
  });

  test('and tested by its cases with provisioning/sdk/testing', async () => {
    const cases = join(folder, 'taskservs/own/cases');
    await mkdir(cases, { recursive: true });
    const given = { facts: {}, steps: [{ title: 'Install the package other', package: { name: 'own', state: 'present' } }] };
    await writeFile(join(cases, 'install.json'), JSON.stringify(given));
    await writeFile(
      join(folder, 'taskservs/own/own.mjs'),
      `import { debian, defineTaskserv, ensurePackage } from 'provisioning/sdk';
       import { runChecks, updateCases } from 'provisioning/sdk/testing';
       const own = defineTaskserv({
         name: 'own',
         versions: { default: '1', supported: ['1'] },
         config: { parse: (config) => config },
         facts: () => ({ package: debian('own') }),
         plan: (config, found) => ensurePackage(found.package),
       });
       const faults = () => runChecks(own, import.meta.dirname).find(({ title }) => title === 'install.json').faults();
       const before = faults();
       console.log(JSON.stringify({ before, written: updateCases(own, import.meta.dirname), after: faults() }));`,
    );
    const { stdout, stderr } = await run('taskservs/own/own.mjs');
    const before = [{ at: 'steps[0].title', expected: 'Install the package other', actual: 'Install the package own' }];
    expect({ ...JSON.parse(stdout), stderr }).toEqual({ before, written: ['install.json'], after: [], stderr: '' });
  });

  test('its types are complete', async () => {
    await writeFile(join(folder, 'program.ts'), await example());
    await writeFile(
      join(folder, 'module.ts'),
      "export { defineProvider, defineTaskserv } from 'provisioning/sdk';\nexport { faultsIn } from 'provisioning/sdk/testing';\n",
    );
    await writeFile(join(folder, 'wrong.ts'), (await example()).replace('platform.apply(definition)', 'platform.apply(42)'));
    // The program is responsible for Node's own types. Here it uses those of this checkout.
    const flags = [
      '--noEmit',
      '--strict',
      '--module',
      'nodenext',
      '--target',
      'es2023',
      '--types',
      'node',
      '--typeRoots',
      join(root, 'node_modules/@types'),
    ];
    const check = (...files: string[]) =>
      execa(join(root, 'node_modules/.bin/tsc'), [...flags, ...files], { cwd: folder, reject: false });
    expect((await check('program.ts', 'module.ts')).stdout).toBe('');
    expect((await check('wrong.ts')).stdout).toContain('wrong.ts');
  });

  describe('with the engine of its platform package, without Go and with an empty cache', () => {
    const installed = (file: string) => join(folder, 'node_modules', ENGINE, file);
    /** Runs `up` and further commands in a new home. Go modules cannot be downloaded, wherever Go is installed. */
    async function inNewHome(...commands: string[][]) {
      const place = await mkdtemp(join(tmpdir(), 'prebuilt-'));
      const env = {
        PATH: [dirname(process.execPath), '/usr/bin', '/bin'].join(':'),
        HOME: place,
        PROVISIONING_HOME: join(place, 'home'),
        PROVISIONING_CACHE: join(place, 'cache'),
        XDG_STATE_HOME: join(place, 'state'),
        GOPROXY: 'off',
      };
      const run = (args: string[]) =>
        execa(join(folder, 'node_modules/.bin/provisioning'), args, {
          cwd: folder,
          env,
          extendEnv: false,
          all: true,
          reject: false,
        });
      try {
        const answers = [];
        for (const args of [['up'], ...commands]) answers.push(await run(args));
        return answers.map(({ exitCode, all, stdout }) => ({ exitCode, all, stdout }));
      } finally {
        await run(['down']);
        await rm(place, { recursive: true, force: true });
      }
    }

    test('up starts it, and an operation runs', async () => {
      await writeFile(join(folder, 'first.yaml'), 'infra: first\nprovider: demo\nservers:\n  - name: web\n');
      const [up, status, apply] = await inNewHome(['status', '--json'], ['apply', 'first.yaml', '--yes', '--json']);
      expect(up).toMatchObject({ exitCode: 0, all: expect.stringContaining(`taking the prebuilt engine of ${ENGINE}`) });
      expect(up?.all).not.toMatch(/compiling|not used/);
      expect(JSON.parse(status?.stdout ?? '')).toMatchObject({ transport: 'mutual-tls' });
      expect(JSON.parse(apply?.stdout ?? '')).toMatchObject({ status: 'done' });
    });

    test('an engine for other sources is refused, with the reason', async () => {
      const whole = await readFile(installed('engine.json'), 'utf8');
      await writeFile(installed('engine.json'), JSON.stringify({ ...JSON.parse(whole), key: 'a'.repeat(64) }));
      const [up] = await inNewHome();
      await writeFile(installed('engine.json'), whole);
      expect(up?.exitCode).not.toBe(0);
      expect(up?.all).toMatch(/not used: \S+ has engine a{12}, and this version needs engine [0-9a-f]{12}/);
      // The engine is then built: Go is missing or cannot download.
      expect(up?.all).toMatch(/there is no "go" on PATH|GOPROXY=off/);
    });

    test('an engine that was altered is refused, with the reason', async () => {
      await appendFile(installed('engine'), '#');
      const [up] = await inNewHome();
      expect(up?.exitCode).not.toBe(0);
      expect(up?.all).toMatch(/not used: the engine of \S+ has SHA-256 [0-9a-f]{64}, and its package says [0-9a-f]{64}/);
      expect(up?.all).toMatch(/there is no "go" on PATH|GOPROXY=off/);
    });
  });
});
