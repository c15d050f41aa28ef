import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decodeMessage } from '../../encryption/decode-message.js';
import { argumentsDuring, filesWith, sightings } from '../support/canary.js';
import type { TestEngine } from '../support/engine.js';
import { withHostEngine } from '../support/host-engine.js';
import { type HostShell, shellOf, whyNoHosts } from '../support/hosts.js';
import { eventually } from '../support/operations.js';
import { type TestWorkspace, workspaceOf } from '../support/workspace.js';

const why = await whyNoHosts();
if (why) console.warn(`left out: ${why}`);

const INFRA = `crew-${process.pid}`;

/** A service whose members have files instead of programs. What a member knew of the others, it writes down. */
const CREW = `
import { defineTaskserv, fact, line, sh, share, text } from 'provisioning/sdk';
import * as z from 'zod';
const read = (path: string) => fact('cat /srv/crew/' + path + ' 2>/dev/null || :', ({ stdout }) => stdout.trim(), '');
const say = 'date +%s%N >> /srv/crew/times';
export default defineTaskserv({
  name: 'crew', category: 'system', description: 'Members that know each other.',
  versions: { default: '1', supported: ['1'], source: 'debian' },
  config: z.strictObject({ crew: line().describe('Its group'), words: line().describe('What it says') }),
  facts: () => ({ id: read('id'), words: read('words'), up: read('up') }),
  installed: (found) => (found.id ? '1' : undefined),
  plan({ words }, found, { host, group }) {
    const members = group?.members ?? [];
    const ids = members.map(({ standing }) => standing?.group).filter((id) => id !== undefined);
    const known = members.map(({ server, state, standing }) => server + ':' + state + (standing?.serves ? '+' : '') + (standing?.leads ? '*' : '')).join(' ');
    const join = 'mkdir -p /srv/crew; echo ' + (ids[0] ?? 'of-' + host.name) + ' > /srv/crew/id; echo "' + known + '" > /srv/crew/known; touch /srv/crew/up; echo yes > /srv/crew/up;';
    return [
      ...(found.id ? [] : [{ title: ids.length > 0 ? 'Join the crew' : 'Found the crew', run: join + (ids.length > 0 ? '' : 'echo yes > /srv/crew/leads; ') + say, undo: 'rm -f /srv/crew/id /srv/crew/up /srv/crew/leads' }]),
      ...(found.id || ids.length === 0 ? [] : [{ title: 'Show the token', run: 'umask 077; cat > /srv/crew/joined; sleep 1', stdin: text\`\${share('token')}\`, undo: 'rm -f /srv/crew/joined' }]),
      ...(host.name === 'x' ? [{ title: 'Fail', run: 'false', undo: ':' }] : []),
      ...(found.words === words ? [] : [{ title: 'Say ' + words, run: sh\`echo \${words} > /srv/crew/words\` + '; ' + say, undo: 'false' }]),
    ];
  },
  health: () => [{ title: 'it is up', command: 'test -s /srv/crew/up' }],
  remove: () => [{ title: 'Forget the crew', run: 'rm -rf /srv/crew', irreversible: true }],
  group: {
    of: ({ crew }) => crew,
    quorum: 'majority',
    facts: () => ({ id: read('id'), up: read('up'), leads: read('leads') }),
    standing: ({ id, up, leads }) => ({ serves: up !== '', ...(id && { group: id }), ...(leads && { leads: true as const }), ...(up === '' && id && { why: 'it is down' }) }),
    shares: {
      token: {
        title: 'Make a token', lifetimeSeconds: 3600,
        make: (_, at) => sh\`umask 077; echo \${at.server} >> /srv/crew/made; printf 'tok-%s' "$(od -An -N16 -tx1 /dev/urandom | tr -d ' \\n')" | tee /srv/crew/token\`,
      },
    },
    handOver: (_, leader, group, to) => [{ title: 'Let ' + to?.server + ' lead', run: sh\`echo \${leader.server + '>' + to?.server} >> /srv/crew/handed; sleep 6\`, undo: ':' }],
    leave: (_, leaving) => [{ title: 'Remove ' + leaving.server + ' from the crew', run: 'umask 077; cat > /srv/crew/left-with; ' + sh\`echo \${leaving.server} >> /srv/crew/left\`, stdin: text\`\${share('token')}\`, undo: ':' }],
  },
});
`;
const define = (words: string, servers = 'abc', onFailure = 'keep') => `infra: ${INFRA}
provider: local
servers: [${[...servers].map((name) => `{ name: ${name} }`).join(', ')}]
taskservs: [{ name: crew, config: { crew: main, words: ${words} } }]
outputs: { join-token: { value: { share: token, of: crew }, description: For other machines } }
onFailure: ${onFailure}
`;

describe.skipIf(why)('a group of members on hosts', { timeout: 240_000 }, () => {
  let engine: TestEngine;
  let workspace: TestWorkspace;
  const on = Object.fromEntries([...'abcd'].map((name) => [name, shellOf(INFRA, name)])) as Record<string, HostShell>;
  const timesOn = async (name: string) => (await on[name]?.('cat /srv/crew/times'))?.trim().split('\n').map(BigInt) ?? [];
  // A busy host may take too long to answer one look.
  const expectStatus = (text: string) =>
    eventually(
      async () => expect((await workspace.run('taskserv', 'status', '--infra', INFRA)).stdout).toContain(text),
      60_000,
      1_000,
    );

  /** The token is only in the files of the service itself, and sealed among the secrets. */
  const expectNowhere = async (token: string, shown: string, members = ['a', 'b', 'c']) => {
    expect(shown).not.toContain(token);
    for (const name of members)
      expect(await on[name]?.(`grep -rlFe '${token}' /var/lib/provisioning /var/log /run /tmp 2>/dev/null || :`)).toBe('');
    expect(await on.a?.(`journalctl --no-pager 2>/dev/null | grep -cFe '${token}' || :`)).toMatch(/^0?$/);
    const kept = await workspace.run('secret', 'list', '--json');
    expect(kept.stdout).toMatch(/group-share\/crew\/main\/token-[0-9a-f]+\/[0-9a-z]+-[0-9]+/);
    expect(await filesWith(token, engine.home.root)).toEqual([]);
    const codec = engine.encryption.codec(engine.temporal.options.namespace, engine.payloads, 'show');
    let histories = 0;
    for await (const { workflowId, runId } of engine.temporal.workflow.list()) {
      const history = await decodeMessage(codec, await engine.temporal.workflow.getHandle(workflowId, runId).fetchHistory());
      expect(sightings(token, Buffer.concat(dataIn(history)))).toEqual([]);
      histories += 1;
    }
    expect(histories).toBeGreaterThan(0);
  };
  /** Deletes the kept values, so that the next one is made. */
  const discardShares = async () => {
    const { secrets } = await workspace.json('secret', 'list');
    const names = (secrets as string[]).filter((name) => name.startsWith('group-share/'));
    expect(names).not.toEqual([]);
    for (const name of names) expect((await workspace.run('secret', 'delete', name, '--infra', INFRA, '--yes')).code).toBe(0);
  };
  const apply = (...args: string[]) => workspace.run('apply', 'infra/crew.yaml', '--yes', ...args);

  withHostEngine(INFRA, async (started) => {
    engine = started;
  });
  beforeAll(async () => {
    workspace = await workspaceOf(engine, { 'infra/crew.yaml': define('one'), 'taskservs/crew/crew.ts': CREW });
  });
  afterAll(async () => workspace?.remove());

  test('is founded by the first member, and the others join one after the other, each seeing those before it', async () => {
    const { code, stdout, stderr } = await apply();
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    // At least three servers, two steps to found, three to join twice, and the token: a host may need a wait of its own.
    const [, done = '0', planned] = /: (\d+) of (\d+) steps/.exec(stdout) ?? [];
    expect([planned, Number(done)]).toEqual([done, expect.toSatisfy((count: number) => count >= 12)]);
    expect(await on.a?.('cat /srv/crew/known')).toBe('a:expected b:expected c:expected');
    expect(await on.b?.('cat /srv/crew/known')).toBe('a:seen+* b:expected c:expected');
    expect(await on.c?.('cat /srv/crew/known')).toBe('a:seen+* b:seen+ c:expected');
    expect(await on.c?.('cat /srv/crew/id')).toBe('of-a');
    // One token for both, made by the leader.
    const token = (await on.a?.('cat /srv/crew/token')) ?? '';
    expect([await on.a?.('cat /srv/crew/made'), token]).toEqual(['a', expect.stringMatching(/^tok-[0-9a-f]{32}$/)]);
    for (const name of ['b', 'c']) expect(await on[name]?.('cat /srv/crew/joined')).toBe(token);
    await expectNowhere(token, stdout + stderr);
    const [a, b, c] = await Promise.all(['a', 'b', 'c'].map(timesOn));
    expect([a?.at(-1), b?.[0], b?.at(-1), c?.[0]]).toEqual([a?.at(-1), b?.[0], b?.at(-1), c?.[0]].sort());
    await expectStatus('crew group main: 3 of 3 members serve, 2 needed, a leads\n');
    expect((await apply('--json')).stdout).toContain('"planned": 0');
  });

  test('is changed one member at a time, and the leader last', async () => {
    await workspace.write('infra/crew.yaml', define('two'));
    expect((await apply()).code).toBe(0);
    const [a = [], b = [], c = []] = await Promise.all(['a', 'b', 'c'].map(timesOn));
    const last = [b.at(-1), c.at(-1), a.at(-1)];
    expect(last).toEqual([...last].sort());
  });

  test('gets another leader on request, once, also if the worker is killed meanwhile', async () => {
    const refused = await workspace.run('cluster', 'switch-over', INFRA, '--to', 'z', '--yes');
    expect([refused.code, refused.stdout + refused.stderr]).toEqual([2, expect.stringContaining('its members are a, b, c')]);
    const preview = await workspace.run('cluster', 'switch-over', INFRA, '--to', 'b', '--check');
    expect([preview.code, preview.stdout]).toEqual([0, expect.stringContaining('Let b lead')]);
    const begun = await workspace.run('cluster', 'switch-over', INFRA, '--to', 'b', '--yes', '--no-wait', '--json');
    const { operation } = JSON.parse(begun.stdout);
    await eventually(async () => expect(await on.a?.('cat /srv/crew/handed')).toBe('a>b'), 60_000, 200);
    await engine.killWorker();
    await engine.up();
    const done = await workspace.run('workflow', 'follow', operation, '--json');
    expect([done.code, done.stdout]).toEqual([0, expect.stringContaining('"status": "done"')]);
    expect(await on.a?.('cat /srv/crew/handed')).toBe('a>b');
    const nothing = await workspace.run('cluster', 'switch-over', INFRA, '--to', 'a', '--yes', '--json');
    expect([nothing.code, JSON.parse(nothing.stdout).steps]).toEqual([0, { executed: 0, planned: 0 }]);
  });

  test('is not changed where too few would serve, also by work on one member', async () => {
    await workspace.write('infra/crew.yaml', define('three'));
    await on.b?.(': > /srv/crew/up');
    const one = await workspace.run(
      'taskserv',
      'update',
      'crew',
      '--server',
      'a',
      '--infra',
      INFRA,
      '--yes',
      '--file',
      'infra/crew.yaml',
    );
    expect([one.code, one.stdout + one.stderr]).toEqual([expect.any(Number), expect.stringContaining('without a, 1 of 3 members')]);
    await on.c?.(': > /srv/crew/up');
    const lost = await apply();
    expect([lost.code, lost.stdout + lost.stderr]).toEqual([2, expect.stringContaining('1 of 3 members')]);
    for (const name of ['a', 'b', 'c']) expect(await on[name]?.('cat /srv/crew/words')).toBe('two');
    await expectStatus('1 of 3 members serve, 2 needed, a leads; b does not serve (it is down)');
    for (const name of ['b', 'c']) await on[name]?.('echo yes > /srv/crew/up');
  });

  test('gets another member for one that goes, which the leader removes from it first', async () => {
    await workspace.write('infra/crew.yaml', define('three', 'abd'));
    const preview = await apply('--check');
    expect(preview.stdout).toContain('Remove c from the crew');
    // One line for both: the one that leaves and the one that joins.
    expect(preview.stdout.split('Make a token')).toHaveLength(2);
    expect(preview.stdout.indexOf('Make a token')).toBeLessThan(preview.stdout.indexOf('Remove c from the crew'));
    const token = (await on.a?.('cat /srv/crew/token')) ?? '';
    const watched = await argumentsDuring(token, async () => {
      const { code, stdout, stderr } = await apply('--allow-destroy');
      expect([code, stdout + stderr]).toEqual([0, expect.any(String)]);
    });
    expect(watched).toEqual({ samples: expect.any(Number), found: [] });
    // The one that was kept.
    expect([await on.d?.('cat /srv/crew/joined'), await on.a?.('cat /srv/crew/made')]).toEqual([token, 'a']);
    expect(await on.a?.('cat /srv/crew/left')).toBe('c');
    expect(await on.a?.('cat /srv/crew/left-with')).toBe(token);
    await expectNowhere(token, preview.stdout, ['a', 'b', 'd']);
    expect(await on.d?.('cat /srv/crew/known')).toBe('a:seen+* b:seen+ d:expected');
  });

  test('is not founded again on other servers while all its members leave', async () => {
    await workspace.write('infra/crew.yaml', define('three', 'xyz'));
    const { code, stdout, stderr } = await apply('--check');
    expect([code, stdout + stderr]).toEqual([2, expect.stringContaining('none of its members stays')]);
  });

  test('is left by a member whose install failed, when its machine is removed or the operation is rolled back', async () => {
    const left = async () => (await on.a?.('cat /srv/crew/left'))?.trim().split('\n');
    await workspace.write('infra/crew.yaml', define('three', 'abdx'));
    expect((await apply()).code).toBe(1);
    expect(await left()).toEqual(['c']);
    await workspace.write('infra/crew.yaml', define('three', 'abd'));
    const preview = await apply('--check');
    expect(preview.stdout).toContain('crew group main: 3 of 3 members serve, 2 needed, a leads');
    const removed = await apply('--allow-destroy');
    expect([removed.code, removed.stdout + removed.stderr]).toEqual([0, expect.any(String)]);
    expect(await left()).toEqual(['c', 'x']);
    await workspace.write('infra/crew.yaml', define('three', 'abdx', 'rollback'));
    const failed = await apply();
    expect([failed.code, failed.stdout + failed.stderr]).toEqual([1, expect.any(String)]);
    expect(await left()).toEqual(['c', 'x', 'x']);
    await expectStatus('3 of 3 members serve');
  });

  test('shows a share to a person who asks for it as an output, and its value is nowhere else', async () => {
    const output = (...args: string[]) => workspace.run('output', 'join-token', '--infra', INFRA, ...args);
    const token = (await on.a?.('cat /srv/crew/token')) ?? '';
    const shown = await output('--reveal');
    expect([shown.code, shown.stdout]).toEqual([0, `${token}\n`]);
    expect(shown.stderr).toMatch(/^valid until 20\d\d-\S+Z$/m);
    // A member makes another one once the kept one is gone.
    await discardShares();
    const made = await output('--reveal', '--json');
    const { value, ...about } = JSON.parse(made.stdout);
    expect([value, about]).toEqual([
      await on.a?.('cat /srv/crew/token'),
      {
        ...{ name: 'join-token', description: 'For other machines', made: true, until: expect.any(String) },
        share: { name: 'token', taskserv: 'crew', group: 'main' },
      },
    ]);
    expect([value === token, (await on.a?.('cat /srv/crew/made'))?.trim().split('\n').at(-1)]).toEqual([false, 'a']);
    const lifetime = Date.parse(about.until) - Date.now();
    expect([lifetime > 3_500_000, lifetime <= 3_600_000]).toEqual([true, true]);
    const texts = await Promise.all([output(), output('--json'), workspace.run('output', '--infra', INFRA, '--json')]);
    const said = texts.map(({ stdout, stderr }) => stdout + stderr).join('');
    expect(said).toContain(`provisioning output join-token --infra ${INFRA} --reveal`);
    await expectNowhere(value, said, ['a', 'b', 'd']);
  });

  test('shows none while no member can make one, and says which do not serve', async () => {
    await discardShares();
    for (const name of ['a', 'b', 'd']) await on[name]?.(': > /srv/crew/up');
    const { code, stdout, stderr } = await workspace.run('output', 'join-token', '--infra', INFRA, '--reveal');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('no member of the crew group "main" can make it now');
    expect(stderr).toContain('a does not serve (it is down)');
  });
});

function dataIn(value: unknown): Buffer[] {
  if (value instanceof Uint8Array) return [Buffer.from(value)];
  if (typeof value === 'string') return [Buffer.from(value)];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(dataIn);
}
