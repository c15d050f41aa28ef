import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { RedeemCode } from '../../../api/first-administrator.js';
import { type ApiServer, serveApi } from '../../../api/listen/serve-api.js';
import { createTestApi, TOKEN } from '../../../api/test-api.js';
import { METHODS } from '../../../app/methods.generated.js';
import type { Principal } from '../../../app/principal.js';
import { connect } from '../../../client/connect.js';
import { inputError, ProvisioningError } from '../../../core/errors.js';
import { homeOf } from '../../../home/home.js';
import { register } from '../../../home/workspaces/registry.js';
import { commands } from '../../commands.js';
import { readArgv } from '../../program/argv.js';
import { HERE_ONLY } from '../../program/needs-this-machine.js';
import { runCommand } from '../../program/run-command.js';
import { createScreen } from '../../program/screen.js';
import { createSession } from '../../session.js';

const root = mkdtempSync(join(tmpdir(), 'context-commands-'));
let server: ApiServer;
const ci: Principal = {
  actor: 'service-account:ci',
  identify: async () => ({
    ...{ tenant: '', account: 'ci', roles: [{ role: 'deployer', workspace: 'shop' }] },
    token: { id: '1', expires: '2027-02-28T10:00:00.000Z' },
  }),
  may: () => true,
};

const CODE = 'AAAA-BBBB-CCCC';
let codes = 1;
const redeem: RedeemCode = async (code) => {
  if (code === CODE && codes-- > 0) return { account: 'admin', token: TOKEN, expiresAt: '2027-02-28T10:00:00.000Z' };
  throw inputError({ code: 'code-refused', what: 'create the first administrator', why: 'the code is not valid' });
};

beforeAll(async () => {
  const made = createTestApi({ methods: METHODS, principalOf: async (bearer) => (bearer === TOKEN ? ci : undefined), redeem });
  server = await serveApi(made.api, { address: { host: '127.0.0.1', port: 0 }, log: () => {}, times: { stopping: 100 } });
});
afterAll(async () => {
  await server.close();
  rmSync(root, { recursive: true, force: true });
});

let home: string;
let count = 0;
beforeEach(() => {
  home = join(root, `home-${++count}`);
});

/** Runs a command like the program does, and returns its output. */
async function run(line: string, { env = {}, stdin = '' }: { env?: NodeJS.ProcessEnv; stdin?: string } = {}) {
  const texts = { out: '', err: '' };
  const streamOf = (name: 'out' | 'err') => ({
    write: (text: string | Uint8Array) => {
      texts[name] += text.toString();
      return true;
    },
  });
  const whole = { PROVISIONING_HOME: home, ...env };
  const argv = line.split(' ');
  const invocation = readArgv(
    argv,
    commands.map(({ name }) => name),
  );
  const terminal = {
    stdin: Readable.from([Buffer.from(stdin)]) as Readable & { isTTY?: boolean },
    ...{ stdout: streamOf('out'), stderr: streamOf('err'), onInterrupt: () => () => {} },
  };
  const exit = await runCommand(
    commands.find(({ name }) => name === invocation.command),
    invocation,
    {
      out: createScreen(terminal.stdout, whole),
      err: createScreen(terminal.stderr, whole),
      sessionOf: (flags) => createSession(flags, whole, terminal),
    },
  );
  return { exit, ...texts };
}

const codeIn = ({ out }: { out: string }) => (JSON.parse(out) as { error: { code: string } }).error.code;

describe('contexts', () => {
  test('are added, chosen, shown and removed', async () => {
    expect(await run(`context add lab --server ${server.origin} --workspace shop`)).toMatchObject({ exit: 0 });
    expect((await run('context list')).out).toMatch(/ {2}lab +http:\/\/127.0.0.1:\d+ +shop +no/);
    expect((await run('context show')).out).toContain('local: the engine of this machine');
    expect((await run('context use lab')).out).toContain(server.origin);
    expect(JSON.parse((await run('context show --json')).out)).toMatchObject({
      ...{ context: 'lab', by: 'current', server: server.origin, workspace: 'shop', token: { by: 'login', present: false } },
    });
    expect((await run('workspace show')).out).toContain('the active context: provisioning context show');
    expect((await run('context remove lab')).exit).toBe(2);
    expect((await run('context remove lab --yes')).out).toContain('commands ask the engine of this machine');
    expect(readdirSync(join(home, 'contexts'))).toEqual([]);
  });

  test('say which source decided', async () => {
    await run(`context add lab --server ${server.origin}`);
    await run('context add prod --server https://prod.example.org');
    await run('context use prod');
    const by = async (line: string, env: NodeJS.ProcessEnv = {}) => {
      const shown = JSON.parse((await run(`context show --json${line}`, { env })).out);
      return [shown.context, shown.by];
    };
    expect(await by('')).toEqual(['prod', 'current']);
    expect(await by('', { PROVISIONING_SOCKET: '/run/w.sock' })).toEqual(['local', 'socket']);
    const ofServer = { PROVISIONING_SERVER: 'https://ci.example.org', PROVISIONING_SOCKET: '/run/w.sock' };
    expect(await by('', ofServer)).toEqual([undefined, 'server-variable']);
    expect(await by('', { ...ofServer, PROVISIONING_CONTEXT: 'lab' })).toEqual(['lab', 'variable']);
    expect(await by(' --context prod', { ...ofServer, PROVISIONING_CONTEXT: 'lab' })).toEqual(['prod', 'option']);
    expect(await by(' --context local', ofServer)).toEqual(['local', 'option']);
  });

  test('refuse names and addresses that are none, and another server under the same name', async () => {
    expect(codeIn(await run('context add local --server https://a.example.org --json'))).toBe('context-name');
    expect(codeIn(await run('context add ../x --server https://a.example.org --json'))).toBe('context-name');
    expect(codeIn(await run('context add a --server http://a.example.org --json'))).toBe('server-url');
    expect(codeIn(await run('context add a --json'))).toBe('bad-arguments');
    await run(`context add lab --server ${server.origin}`);
    await run('login --context lab', { stdin: TOKEN });
    expect(codeIn(await run('context add lab --server https://b.example.org --json'))).toBe('context-exists');
    // The token of the former server is not sent to the new one.
    expect((await run('context add lab --server https://b.example.org --replace')).exit).toBe(0);
    expect(readdirSync(join(home, 'contexts'))).toEqual(['lab.json']);
    expect(codeIn(await run('context use gone --json'))).toBe('unknown-context');
    expect(codeIn(await run('infra history x --context gone --json'))).toBe('unknown-context');
  });

  test('are not chosen by a workspace that comes from elsewhere', async () => {
    await run(`context add lab --server ${server.origin}`);
    const folder = mkdtempSync(join(root, 'stranger-'));
    const text = `workspace: stranger\ncontext: lab\nserver: ${server.origin}\nsettings:\n  context: lab\n`;
    writeFileSync(join(folder, 'provisioning.yaml'), text);
    register(homeOf({ PROVISIONING_HOME: home }), 'stranger', folder);
    expect(JSON.parse((await run('context show --json --workspace stranger')).out)).toEqual({ context: 'local', by: 'default' });
    const asked = await run('whoami --workspace stranger --json');
    expect(codeIn(asked)).toBe('engine-not-running');
  });
});

describe('a login', () => {
  const add = () => run(`context add lab --server ${server.origin}`);

  test('keeps a token that the server knows, in a file of its owner, and whoami shows the account', async () => {
    await add();
    const said = await run('login --context lab --token -', { stdin: `${TOKEN}\n` });
    expect(said).toMatchObject({ exit: 0, out: `logged in to ${server.origin} as ci\n` });
    expect(statSync(join(home, 'contexts/lab.token')).mode & 0o777).toBe(0o600);
    const { out } = await run('whoami --context lab');
    for (const text of ['service-account:ci', 'deployer in shop', '1, valid until 2027-02-28 10:00 UTC', server.origin])
      expect(out).toContain(text);
    expect(out).not.toContain(TOKEN);
    expect((await run('logout --context lab')).out).toBe('logged out of lab\n');
    expect(codeIn(await run('whoami --context lab --json'))).toBe('not-logged-in');
  });

  test('refuses a token that the server does not know, and one in an argument', async () => {
    await add();
    const refused = await run('login --context lab --json', { stdin: 'prov_1_guess' });
    expect([refused.exit, codeIn(refused)]).toEqual([2, 'bad-token']);
    expect(refused.out).not.toContain('guess');
    expect(codeIn(await run('login --context lab --json'))).toBe('no-value');
    const argument = await run(`login --context lab --token ${TOKEN} --json`);
    expect([codeIn(argument), argument.out.includes(TOKEN)]).toEqual(['bad-arguments', false]);
    expect(codeIn(await run('login --json', { stdin: TOKEN }))).toBe('unknown-context');
    expect(readdirSync(join(home, 'contexts'))).toEqual(['lab.json']);
  });

  test('takes the code of the first administrator once, and keeps the token', async () => {
    await add();
    const both = await run('login --context lab --code --token - --json', { stdin: CODE });
    expect(codeIn(both)).toBe('bad-arguments');
    const wrong = await run('login --context lab --code --json', { stdin: 'ZZZZ-ZZZZ' });
    expect([codeIn(wrong), wrong.out.includes('ZZZZ')]).toEqual(['code-refused', false]);
    expect(codeIn(await run('login --context lab --code --json'))).toBe('no-value');
    const first = await run('login --context lab --code', { stdin: `${CODE}\n` });
    expect(first).toMatchObject({ exit: 0, out: `logged in to ${server.origin} as ci\n` });
    expect([first.out + first.err].join().includes(TOKEN)).toBe(false);
    expect((await run('whoami --context lab')).exit).toBe(0);
    expect(codeIn(await run('login --context lab --code --json', { stdin: CODE }))).toBe('code-refused');
    await run('context add away --server https://127.0.0.1:1');
    expect(codeIn(await run('login --context away --code --json', { stdin: CODE }))).toBe('server-unreachable');
  });

  test('is not needed with variables, as in a CI job', async () => {
    const env = { PROVISIONING_SERVER: server.origin, PROVISIONING_TOKEN: TOKEN };
    expect(JSON.parse((await run('whoami --json', { env })).out)).toMatchObject({ account: 'ci', server: server.origin });
    const without = await run('whoami --json', { env: { PROVISIONING_SERVER: server.origin } });
    expect(codeIn(without)).toBe('not-logged-in');
  });
});

/** Required arguments of commands. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  'backup restore': ' /nowhere',
  'key export': ' /nowhere',
  'key import': ' /nowhere',
  member: ' list',
  'store migrate': ' --to files',
};

describe('commands of one machine', () => {
  test('secret get --offline does not open the secrets of this home for another platform', async () => {
    await run('context add prod --server https://prod.example.org');
    expect(codeIn(await run('secret get x --offline --context prod --json'))).toBe('needs-this-machine');
  });

  test.each(Object.keys(HERE_ONLY))('%s says that a context is active', async (name) => {
    await run('context add prod --server https://prod.example.org');
    const line = `${name}${ARGUMENTS[name] ?? ''}`;
    const refused = await run(`${line} --context prod --json`);
    expect([line, refused.exit, codeIn(refused)]).toEqual([line, 2, 'needs-this-machine']);
    expect(refused.out).toContain('--context local');
  });
});

test.each(['darwin', 'win32'] as const)('the way to a server is the same on %s', async (platform) => {
  const real = Object.getOwnPropertyDescriptor(process, 'platform') as PropertyDescriptor;
  const getuid = process.getuid;
  try {
    Object.defineProperty(process, 'platform', { ...real, value: platform });
    // Windows has no POSIX users.
    if (platform === 'win32') Object.assign(process, { getuid: undefined });
    await run(`context add lab --server ${server.origin} --workspace shop`);
    expect((await run('login --context lab --token -', { stdin: TOKEN })).exit).toBe(0);
    await run('context use lab');
    const client = await connect({ env: { PROVISIONING_HOME: home } });
    expect(await client.identity.get({})).toMatchObject({ account: 'ci' });
    const refused = await client.operations.progress({ operation: 'none' }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ProvisioningError);
    await client.close();
  } finally {
    Object.defineProperty(process, 'platform', real);
    Object.assign(process, { getuid });
  }
});
