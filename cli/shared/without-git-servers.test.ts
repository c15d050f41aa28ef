import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { gitServer, TestRepository, type TestServer } from '../../authoring/sources/fixtures.js';
import { createRecoveryReport } from '../../core/recovery/recovery-report.js';
import { commands } from '../commands.js';
import { runLine } from '../fake-run.js';
import { type Fakes, fakeClient, inventoryNamed, resultOf } from '../fake-session.js';

describe('a definition whose application comes from a server of Git', () => {
  let root = '';
  let file = '';
  let server: TestServer;
  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'without-git-'));
    mkdirSync(join(root, 'work'));
    server = await gitServer(root);
    new TestRepository(join(root, 'shop')).put('server.js', '1').submodule('vendor/lib').commit();
    new TestRepository(join(root, 'work/local')).put('server.js', '1').commit();
    file = definition('shop.yaml', `{ git: ${server.url}/shop, ref: main }`);
  });
  afterAll(async () => {
    await server.close();
    rmSync(root, { recursive: true });
  });
  const definition = (name: string, source: string): string => {
    const config = `{ name: shop, source: ${source}, processes: { web: { command: node server.js } } }`;
    const text = `infra: shop\nprovider: demo\nservers: [{ name: a, plan: small }, { name: b, plan: small }]\ntaskservs:\n  - name: app\n    config: ${config}\n`;
    writeFileSync(join(root, 'work', name), text);
    return join(root, 'work', name);
  };
  const run = (line: string) => {
    const { client: known, submitted } = fakeClient(
      (request) => [{ type: 'end', result: resultOf(request) }],
      inventoryNamed('shop'),
    );
    const client: Fakes = {
      ...known,
      'infras.recover': async ({ infra }) =>
        createRecoveryReport(inventoryNamed(infra), 'marks', { things: [], servers: [], unasked: [] }),
    };
    return runLine(line, { root: join(root, 'home'), env: { ...process.env }, client }).then((ran) => ({ ...ran, submitted }));
  };

  test.each([
    ...['validate FILE', 'validate FILE --json', 'graph FILE', 'graph FILE --json', 'cost FILE', 'cost FILE --json'],
    ...['infra recover --file FILE --check', 'infra recover --file FILE --check --json'],
  ])('is told of by %s without a connection to it', async (line) => {
    const { code, out, err } = await run(line.replace('FILE', file));
    expect([code, server.connections()]).toEqual([0, 0]);
    const note = `note: ${server.url}/shop was not checked: this command does not contact Git servers, \`apply --check\` does`;
    expect(err).toBe(`${note}\n`);
    if (line.includes('--json')) expect(JSON.parse(out).messages).toEqual([note]);
    else expect(out).not.toContain('was not checked');
  });

  test('is told of in the document of a command that fails, too', async () => {
    const ran = await run(`infra recover other --file ${file} --check --json`);
    expect([ran.code, JSON.parse(ran.out)]).toEqual([
      2,
      {
        status: 'failed',
        error: expect.objectContaining({ code: 'other-infra' }),
        messages: [expect.stringContaining('was not checked')],
      },
    ]);
    expect(server.connections()).toBe(0);
  });

  test('a document without a note has no list of notes', async () => {
    const { out } = await run(`validate ${definition('plain.yaml', '{ git: ./local, ref: main }')} --json`);
    expect(JSON.parse(out)).not.toHaveProperty('messages');
  });

  test.each(['schema', 'fmt FILE --check', 'convert FILE'])('is %s without a connection to it', async (command) => {
    await run(command.replace('FILE', file));
    expect(server.connections()).toBe(0);
  });

  test('is still held to what can be known here', async () => {
    const bad = await run(`validate ${definition('bad.yaml', `{ git: ${server.url}/shop, ref: "a b" }`)}`);
    expect([bad.code, bad.out]).toEqual([2, expect.stringContaining('write a branch, a tag, or a commit')]);
    const local = await run(`validate ${definition('local.yaml', '{ git: ./local, ref: nothing }')}`);
    expect([local.code, local.out]).toEqual([2, expect.stringContaining('has no branch or tag "nothing"')]);
    expect(server.connections()).toBe(0);
  });

  test('is looked at by apply, which warns of submodules', async () => {
    const { code, err, submitted } = await run(`apply ${file} --yes`);
    expect(server.connections()).toBeGreaterThan(0);
    expect([code, err]).toEqual([
      0,
      expect.stringContaining(
        `warning: ${file}:6:35: taskservs[0].config.source: the folder vendor/lib is empty in the release: it is a submodule of ${server.url}/shop`,
      ),
    ]);
    expect(err.match(/warning:/g)).toHaveLength(1);
    expect(JSON.stringify(submitted[0]?.definition)).toContain('"resolved"');
  });

  test('is not looked at by commands that say so', async () => {
    const names = await Promise.all(
      commands.map(async ({ name, load }) =>
        (await load()).command.details?.includes('Does not contact Git servers') ? [name] : [],
      ),
    );
    expect(names.flat()).toEqual(['validate', 'graph', 'cost', 'infra recover', 'workspace doctor']);
  });
});
