import { expect, test } from 'vitest';
import { runLine } from '../../fake-run.js';

const TOKEN = `prov_5Qd0VJq3vYx8aZ1k_${'x'.repeat(49)}`;
const token = {
  ...{ id: '5Qd0VJq3vYx8aZ1k', account: 'default/ci', state: 'active', by: 'ann@desk' },
  ...{ created: '2026-11-29T10:00:00.000Z', expires: '2026-12-29T10:00:00.000Z' },
};
const account = {
  account: 'default/ci',
  created: token.created,
  by: 'ann@desk',
  roles: [{ role: 'deployer', workspace: 'default' }],
};

/** Runs a command and records the called methods. */
async function run(line: string, more: Parameters<typeof runLine>[1] = {}) {
  const asked: [string, unknown][] = [];
  const answers: Record<string, unknown> = {
    'serviceAccounts.create': { ...account, roles: [] },
    'serviceAccounts.list': [account],
    'serviceAccounts.bind': { added: true },
    'serviceAccounts.unbind': { removed: false },
    'serviceAccounts.delete': { tokens: 1 },
    'tokens.create': { ...token, token: TOKEN },
    'tokens.list': [token],
    'tokens.revoke': { ...token, state: 'revoked' },
  };
  const client = Object.fromEntries(
    Object.entries(answers).map(([name, answer]) => [name, async (input: unknown) => asked.push([name, input]) && answer]),
  );
  return { ...(await runLine(line, { client: client as never, ...more })), asked };
}

test('a token is printed once, alone, on standard output', async () => {
  const { code, out, err, asked } = await run('token create default/ci --expires 30d --about runner');
  expect([code, out]).toEqual([0, `${TOKEN}\n`]);
  expect(err).toContain('valid until 2026-12-29 10:00 UTC');
  expect(err).not.toContain(TOKEN);
  expect(asked).toEqual([['tokens.create', { account: 'default/ci', hours: 720, about: 'runner' }]]);
  expect(JSON.parse((await run('token create default/ci --json')).out)).toEqual({ ...token, token: TOKEN });
});

test('lists are tables', async () => {
  const tokens = (await run('token list default/ci')).out.split('\n').map((line) => line.split(/ {2,}/));
  expect(tokens.slice(0, 2)).toEqual([
    ['ID', 'STATE', 'EXPIRES', 'LAST USE', 'ABOUT'],
    [token.id, 'active', '2026-12-29 10:00', 'never'],
  ]);
  const { out, asked } = await run('service-account list --scope default');
  expect(out).toContain('deployer in default');
  expect(asked).toEqual([['serviceAccounts.list', { workspace: 'default' }]]);
});

test('a role is granted in the workspace of its account; one in all workspaces is never a default', async () => {
  const bound = (workspace: string, account = 'default/ci') => ({ account, role: 'deployer', workspace });
  expect((await run('service-account create default/ci --role deployer')).asked).toEqual([
    ['serviceAccounts.create', { account: 'default/ci' }],
    ['serviceAccounts.bind', bound('default')],
  ]);
  expect((await run('service-account grant default/ci deployer')).asked).toEqual([['serviceAccounts.bind', bound('default')]]);
  expect((await run('service-account grant ci deployer --in *')).asked).toEqual([['serviceAccounts.bind', bound('*', 'ci')]]);
  const { out } = await run('service-account revoke default/ci deployer');
  expect(out).toBe('nothing to do: deployer in default\n');
  for (const [line, why] of [
    ['service-account grant ci deployer', 'belongs to no workspace'],
    ['service-account grant default/ci deploy', 'no role has this name'],
    ['token create ci --expires 400d', 'not a time from 1 hour to 365 days'],
  ] as const) {
    const { code, err, asked } = await run(line);
    expect([code, asked]).toEqual([2, []]);
    expect(err).toContain(why);
  }
});

test.each([
  ['service-account delete default/ci', 'serviceAccounts.delete'],
  ['token revoke 5Qd0VJq3vYx8aZ1k', 'tokens.revoke'],
])('%s asks first, and does nothing without an answer', async (line, method) => {
  const changes = ({ asked }: { asked: [string, unknown][] }) => asked.map(([name]) => name).filter((name) => name === method);
  const declined = await run(line, { interactive: true, answers: [false] });
  expect([declined.code, changes(declined)]).toEqual([5, []]);
  const mute = await run(line);
  expect([mute.code, changes(mute)]).toEqual([2, []]);
  for (const one of [await run(line, { interactive: true, answers: [true] }), await run(`${line} --yes --json`)])
    expect([one.code, changes(one)]).toEqual([0, [method]]);
});
