import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { keepContext, keepToken, useContext } from '../../home/contexts/contexts.js';
import { type Home, homeOf } from '../../home/home.js';
import { createConnector } from './connector.js';
import { locateConnector } from './login-files.js';
import { shellOn } from './ssh.js';

let place: string;
let home: Home;
beforeEach(async () => {
  // The path has characters that are special to shells and ssh.
  place = await mkdtemp(join(tmpdir(), "it's 100% "));
  home = homeOf({ PROVISIONING_HOME: join(place, 'home') });
});
afterEach(() => rm(place, { recursive: true }));

const INFRA = { workspace: 'default', infra: 'shop' };
/** Prints each of its words on a line, and the variables that it receives. */
const PRINT = ['sh', '-c', 'printf "%s\\n" "$PROVISIONING_HOME" "$PROVISIONING_CONTEXT" "$PROVISIONING_SERVER" "$@"', 'x'];

function run(script: string | undefined, server: string): string[] {
  const text = execFileSync('sh', ['-c', script ?? 'exit 1', 'connect', server], {
    env: { PATH: process.env.PATH },
    encoding: 'utf8',
  });
  return text.trimEnd().split('\n');
}

test('ssh connects as usual if no context is active', () => {
  expect(createConnector({ home, env: {} }, INFRA)).toBeUndefined();
});

test('the command gets the names of the context and of the server, and no token', () => {
  keepContext(home, 'prod', { server: 'https://prod.example.org' });
  keepToken(home, 'prod', 'prov_1_secret');
  useContext(home, 'prod');
  const script = createConnector({ home, env: {} }, INFRA, PRINT);
  expect(script).not.toContain('secret');
  expect(run(script, 'web 1; id')).toEqual([home.root, 'prod', '', '__connect', 'default', 'shop', 'web 1; id']);
});

test('the server of the environment is named, and its token stays in the environment', () => {
  const env = { PROVISIONING_SERVER: 'https://ci.example.org', PROVISIONING_TOKEN: 'prov_2_secret' };
  const script = createConnector({ home, env }, INFRA, PRINT);
  expect(script).not.toContain('secret');
  expect(run(script, 'web-1')).toEqual([home.root, '', 'https://ci.example.org', '__connect', 'default', 'shop', 'web-1']);
});

test('ssh gets the connector for the first host on the way, and this machine is not taken for the worker’s', async () => {
  const connection = { kind: 'ssh', address: '192.0.2.1', port: 22, user: 'root' } as const;
  const proxyOf = (more: object, name = "it's-1") =>
    shellOn({ name, connection: { ...connection, ...more } }, { keys: place, interactive: false }, []).args.find((word) =>
      word.startsWith('ProxyCommand='),
    );
  expect(proxyOf({})).toBeUndefined();
  const here = { name: 'here', connection: { kind: 'this' } } as const;
  expect(shellOn(here, { keys: place, interactive: false }, []).program).toBe('bash');
  await writeFile(locateConnector(place), 'printf "%s" "reached $1"\n');
  // Like ssh: expands `%`, and runs the command in a shell.
  const command = (proxyOf({}) ?? '').slice('ProxyCommand='.length).replaceAll('%%', '%');
  expect(execFileSync('/bin/sh', ['-c', `exec ${command}`], { encoding: 'utf8' })).toBe("reached it's-1");
  const jump = proxyOf({ jump: 'ops@192.0.2.9:22' }) ?? '';
  expect(jump).toMatch(/^ProxyCommand='?ssh'? .*-W .*192\.0\.2\.1/);
  expect(jump).toContain('ProxyCommand=sh');
  expect(() => shellOn(here, { keys: place, interactive: false }, [])).toThrow(
    expect.objectContaining({ details: expect.objectContaining({ code: 'no-machine' }) }),
  );
});
