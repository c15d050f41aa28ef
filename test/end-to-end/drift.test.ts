import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DriftReport } from '../../core/operation/drift.js';
import { type CloudOnHosts, cloudsHere } from '../clouds/clouds.js';
import { closeMachines } from '../clouds/machines.js';
import { provisioning } from '../support/command-line.js';
import { startTestEngine, type TestEngine } from '../support/engine.js';
import { endAll, eventually } from '../support/operations.js';

const run = promisify(execFile);
// clouds.test.ts tests the other provider on hosts.
const here = await cloudsHere(['upcloud', 'aws']);

afterAll(closeMachines);

describe.each(here)('what somebody does behind our back at $provider', ({ provider, start }) => {
  const infra = `drift-${provider}`;
  let cloud: CloudOnHosts;
  let engine: TestEngine;
  let folder: string;
  let identity: string;
  let publicKey: string;
  let ssh_keys: { ed25519_private: string; ed25519_public: string };

  beforeAll(async () => {
    cloud = await start();
    engine = await startTestEngine(cloud.env);
    folder = engine.home.root;
    identity = join(folder, 'my-key');
    await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'mine', '-f', identity]);
    publicKey = (await readFile(`${identity}.pub`, 'utf8')).trim();
    const hostKey = join(folder, 'their-host-key');
    await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', hostKey]);
    ssh_keys = { ed25519_private: await readFile(hostKey, 'utf8'), ed25519_public: await readFile(`${hostKey}.pub`, 'utf8') };
    // The user's own ssh. It must not store host keys here, because addresses of tests are reused.
    await mkdir(join(folder, 'bin'));
    const own = `exec /usr/bin/ssh -o UserKnownHostsFile=${folder}/my-known-hosts "$@"`;
    const script = `#!/bin/sh\ncase "$*" in *UserKnownHostsFile=*) exec /usr/bin/ssh "$@" ;; esac\n${own}\n`;
    await writeFile(join(folder, 'bin/ssh'), script);
    await chmod(join(folder, 'bin/ssh'), 0o755);
    engine.env.PATH = `${folder}/bin:${engine.env.PATH}`;
  });
  afterAll(async () => {
    await endAll(engine);
    await engine.stop();
    await cloud.close();
  });

  const command = (line: string) => provisioning(engine, line.split(' '));
  const well = async (line: string) => {
    const { code, stdout, stderr } = await command(line);
    expect([line, code, code === 0 ? '' : `${stdout}${stderr}`]).toEqual([line, 0, '']);
    return stdout;
  };
  const document = async (line: string, code = 0) => {
    const ended = await command(`${line} --json`);
    expect([line, ended.code, ended.stderr, ended.code === code ? '' : ended.stdout]).toEqual([line, code, '', '']);
    return JSON.parse(ended.stdout);
  };
  /** A machine that was just started accepts no login yet, and is reported as not reached. */
  const drift = (code = 1): Promise<DriftReport> => eventually(() => document(`refresh ${infra} --timeout 120`, code), 120_000);
  const define = (name: string, servers: string[]) =>
    writeFile(join(folder, name), [`infra: ${infra}`, `provider: ${provider}`, 'servers:', ...servers, ''].join('\n'));
  const web = (sizeGiB: number) =>
    `  - { name: web, labels: { tier: front }, firewall: [{ allow: tcp, ports: 80 }], volumes: [{ name: data, size: ${sizeGiB} GiB, mount: /srv }] }`;
  const app = '  - { name: app }';
  const idOf = async (name: string) =>
    (await (await engine.client()).infras.inventory({ workspace: 'default', infra }))?.servers[name]?.id ?? `no server ${name}`;
  const userData = () =>
    `#cloud-config\n${JSON.stringify({ ssh_keys, users: [{ name: 'root', ssh_authorized_keys: [publicKey] }] })}\n`;

  /** Waits until a server has booted and accepts the login of the user who created it. */
  const lettingMeIn = async (server: string) => {
    const { address } = await document(`import ${server} --infra ${infra} --provider ${provider} --check`);
    const mine = ['-i', identity, '-o', 'BatchMode=yes', '-o', 'StrictHostKeyChecking=accept-new', `root@${address}`, 'true'];
    await eventually(() => run(join(folder, 'bin/ssh'), mine));
  };

  test('is said in a line each, with what apply would do, which then does it', async () => {
    const { elsewhere } = cloud;
    await define('as-it-was.yaml', [web(10), app]);
    await well(`apply ${folder}/as-it-was.yaml --yes`);
    // A server without labels of this set-up is not drift.
    const theirs = await elsewhere.make('theirs', userData());
    expect(await drift(0)).toMatchObject({ differs: [], gone: [], unknown: [] });
    const { unknown, servers } = await document(`cost ${folder}/as-it-was.yaml`);
    expect([unknown, servers.map(({ parts }: { parts: { what: string }[] }) => parts[0]?.what)]).toEqual([0, ['plan', 'plan']]);
    await define('larger.yaml', [web(10), '  - { name: app, plan: large }']);
    const { cost } = await document(`apply ${folder}/larger.yaml --check`);
    expect(cost.difference).toEqual([{ currency: expect.any(String), hourly: expect.any(Number), monthly: expect.any(Number) }]);
    expect(cost.difference[0].hourly).toBeGreaterThan(0);
    const [webId, appId] = [await idOf('web'), await idOf('app')];

    await elsewhere.stop(appId);
    expect((await drift()).differs).toEqual([
      expect.objectContaining({ name: 'app', changes: ['it does not run'], apply: 'start' }),
    ]);
    await elsewhere.start(appId);
    await elsewhere.resize(appId, elsewhere.larger);
    expect((await drift()).differs).toEqual([
      expect.objectContaining({ name: 'app', changes: [expect.stringContaining(elsewhere.larger)], apply: 'update' }),
    ]);
    await elsewhere.label(webId, { tier: 'back' });
    await elsewhere.open(webId, 8080);
    const [changed] = (await drift()).differs.filter(({ name }) => name === 'web');
    expect(changed).toMatchObject({
      apply: 'update',
      changes: [expect.stringMatching(/^labels/), expect.stringMatching(/firewall/)],
    });
    await elsewhere.grow(webId, 20);
    const [grown] = (await drift()).differs.filter(({ name }) => name === 'web');
    expect(grown).toMatchObject({ apply: 'refuse', changes: expect.arrayContaining(['write size: 20 GiB for volume "data"']) });

    const stray = await elsewhere.make('stray', userData());
    await elsewhere.copyLabels(appId, stray, { 'provisioning.name': 'stray', 'provisioning.server': 'stray' });
    await elsewhere.strip(appId);
    const stripped = await drift();
    expect(stripped.gone).toEqual([{ kind: 'server', name: 'app', provider, apply: 'create', id: appId }]);
    expect(stripped.unknown).toEqual([expect.objectContaining({ kind: 'server', name: 'stray', id: stray, apply: 'leave' })]);
    const { stdout: table, code } = await command(`refresh ${infra} --timeout 120`);
    expect(code).toBe(1);
    expect(table).toMatch(/differs +server +web .*refuses until the definition says so/);
    expect(table).toMatch(/unknown +server +stray .*orphans --remove/);
    const [back] = /import \S+ --infra \S+ --provider \S+ --name app/.exec(table) ?? [];

    // Run the command that the table names.
    await well(`${back} --yes`);
    expect(await drift()).toMatchObject({ gone: [] });
    expect(await idOf('app')).toBe(appId);
    await elsewhere.delete(appId);
    const { gone } = await drift();
    expect(gone).toEqual([{ kind: 'server', name: 'app', provider, apply: 'create' }]);
    await well('orphans --remove --yes');

    const refused = await document(`apply ${folder}/as-it-was.yaml --yes`, 2);
    expect(refused.error).toMatchObject({ code: 'volume-shrinks', hint: expect.stringContaining('write size: 20 GiB') });
    await define('as-it-is.yaml', [web(20), app]);
    await well(`apply ${folder}/as-it-is.yaml --yes`);
    expect(await drift(0)).toMatchObject({ differs: [], gone: [], unknown: [] });
    expect([await idOf('web'), await idOf('app')]).toEqual([webId, expect.not.stringMatching(appId)]);
    await elsewhere.delete(theirs);
  });

  test('a server that was made elsewhere is taken in, changed where it differs, and deleted', async () => {
    const id = await cloud.elsewhere.make('legacy-7', userData());
    await lettingMeIn('legacy-7');
    expect((await drift(0)).unknown).toEqual([]);
    const wish = `import legacy-7 --infra ${infra} --provider ${provider} --name legacy`;
    const preview = await command(`${wish} --check`);
    expect([preview.code, preview.stdout]).toEqual([0, expect.stringContaining(`id        ${id}`)]);
    expect(await document(wish, 2)).toMatchObject({ error: { code: 'needs-yes' } });
    const stranger = join(folder, 'no-such-key');
    const unable = await document(`${wish} --identity ${stranger} --yes`, 2);
    expect(unable.error).toMatchObject({ code: 'import-login', on: expect.stringMatching(/^root@/) });
    expect(await idOf('legacy')).toBe('no server legacy');

    const stdout = await well(`${wish} --identity ${identity} --yes`);
    expect(stdout).toContain('imported: legacy\nit lets the infra in\n');
    expect(await idOf('legacy')).toBe(id);
    // A Hetzner server joins the infra's network. At other providers it does not.
    const joins = provider === 'hetzner';
    expect((await drift(joins ? 1 : 0)).differs.map(({ name, apply }) => [name, apply])).toEqual(
      joins ? [['legacy', 'delete']] : [],
    );
    const known = await readFile(join(engine.home.keys, 'default', infra, 'known_hosts'), 'utf8');
    expect(known).toMatch(/^legacy ssh-ed25519 /m);
    expect(await well(`server ssh legacy --infra ${infra} -- tail -n 2 /root/.ssh/authorized_keys`)).toContain(publicKey);

    const [, entry = ''] = /^ *(- \{ name: legacy.*\})$/m.exec(stdout) ?? [];
    await define('unchanged.yaml', [web(20), app, `  ${entry}`]);
    const { plan } = await document(`apply ${folder}/unchanged.yaml --check`);
    expect(plan.filter(({ on }: { on: string }) => on === 'legacy').map(({ title }: { title: string }) => title)).toEqual(
      // The server accepts all connections so far.
      [expect.stringMatching(joins ? /^Change the server legacy: it joins the network/ : /^Change the server legacy: .*firewall/)],
    );
    const entries = [web(20), app, `  ${entry.replace(/(, labels: \{.*\})? \}$/, ', labels: { by: us } }')}`];
    await define('taken-in.yaml', [...entries, 'taskservs:', '  - name: users', '    config: { users: [{ name: ann }] }']);
    const done = await document(`apply ${folder}/taken-in.yaml --yes`);
    expect(done.status).toBe('done');
    expect(await idOf('legacy')).toBe(id);
    expect(await well(`server ssh legacy --infra ${infra} -- id -un ann`)).toBe('ann\n');
    expect((await document(`apply ${folder}/taken-in.yaml --check`)).plan).toEqual([]);
    expect(await drift(0)).toMatchObject({ differs: [], gone: [], unknown: [] });

    await well(`delete ${infra} --yes`);
    expect(await cloud.left()).toEqual({});
  });
});
