import { describe, expect, test } from 'vitest';
import { definitionOf } from '../support/definition.js';
import type { TestEngine } from '../support/engine.js';
import { withHostEngine } from '../support/host-engine.js';
import { shellOf, whyNoHosts } from '../support/hosts.js';
import { run, runWell } from '../support/operations.js';

const why = await whyNoHosts();
if (why) console.warn(`left out: ${why}`);

const INFRA = `own-${process.pid}`;
const CONF = '/etc/nginx/conf.d/own.conf';
const server = (text: string) => `server { listen 8088; location / { return 200 "${text}"; } }\n`;

describe.skipIf(why)('files of one’s own on a host', () => {
  let engine: TestEngine;
  const a = shellOf(INFRA, 'a');
  const timing = { healthMs: 15_000, heartbeatMs: 5_000, retryMs: 200 };
  const define = (content: string, tree: Record<string, unknown> = { 'index.html': 'one\n' }) =>
    definitionOf({
      infra: INFRA,
      provider: 'local',
      servers: [{ name: 'a' }],
      taskservs: [
        'nginx',
        {
          name: 'files',
          config: {
            after: ['nginx'],
            files: {
              conf: { path: CONF, content, validate: 'nginx -t', reloads: ['nginx'] },
              hosts: { path: '/etc/issue', content: 'mine\n' },
              site: { path: '/srv/own', tree },
            },
          },
        },
        { name: 'commands', config: { commands: { user: { run: 'useradd own', check: 'id own', undo: 'userdel own' } } } },
      ],
    });
  const answer = () => a('curl -fsS --retry 5 --retry-connrefused --retry-delay 1 http://127.0.0.1:8088/');

  withHostEngine(INFRA, async (started) => {
    engine = started;
    await runWell(engine, { infra: INFRA, definition: define(server('one')), timing });
  });

  test('a preview says line by line what an edit by hand is changed to, and an apply does so', async () => {
    expect(await answer()).toBe('one');
    await a(`sed -i s/one/hand/ ${CONF}; systemctl reload nginx`);
    const wish = { infra: INFRA, definition: define(server('one')), timing };
    const { plan, ran } = await run(engine, { ...wish, check: true, diff: true });
    expect(ran).toEqual([{ on: 'a', taskserv: 'commands', entry: 'user', command: 'id own', exit: 0, result: 'satisfied' }]);
    const written = plan.find(({ title }) => title === `Write ${CONF}`) as { diff?: { lines: string[] } } | undefined;
    expect(written?.diff?.lines).toEqual([
      expect.stringMatching(/^@@/),
      expect.stringMatching(/^-.*hand/),
      expect.stringMatching(/^\+.*one/),
    ]);
    await runWell(engine, wish);
    expect(await answer()).toBe('one');
    expect((await run(engine, { ...wish, check: true })).plan).toEqual([]);
  });

  test('what its own check refuses never takes effect, and all is as it was', async () => {
    const state = `cat ${CONF} /srv/own/*; ls -R /srv/own /var/lib/provisioning-files; cat /var/lib/provisioning-files/taken/conf`;
    const before = await a(state);
    const bad = define('server { listen 8088; no_such_word; }\n', { 'other/page.html': 'two\n' });
    const failed = await run(engine, { infra: INFRA, definition: bad, timing, onFailure: 'rollback' });
    expect([failed.status, failed.left, failed.error?.step]).toEqual(['rolled-back', [], 'Check conf']);
    expect(await a(state)).toBe(before);
    expect(await answer()).toBe('one');
    const again = await run(engine, { infra: INFRA, definition: define(server('one')), timing, check: true });
    expect(again.plan).toEqual([]);
  });

  test('a file that was there before returns, and a command stays', async () => {
    const definition = definitionOf({ infra: INFRA, provider: 'local', servers: [{ name: 'a' }], taskservs: ['nginx'] });
    await runWell(engine, { infra: INFRA, definition, timing });
    expect(await a('cat /etc/issue')).toContain('Debian');
    expect(await a(`{ ls -d /srv/own ${CONF} 2>/dev/null || :; } | wc -l; id -un own`)).toBe('0\nown');
    await expect(answer()).rejects.toThrow();
  });
});
