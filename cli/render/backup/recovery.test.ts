import { describe, expect, test } from 'vitest';
import type { LostReport } from '../../../core/recovery/lost-infras.js';
import type { RecoveryReport } from '../../../core/recovery/recovery-report.js';
import { recoveryText, renderLost } from './recovery.js';

const cells = (text: string) => text.split('\n').map((line) => line.trim().split(/ {2,}/));
/** Colors as words. */
const painted = (colour: string, text: string) => (colour === 'dim' ? text : `${colour}(${text})`);

const scope = { setup: 's', workspace: 'default', infra: 'shop' };
const report: RecoveryReport = {
  infra: 'shop',
  uuid: 'life-1',
  source: 'feed',
  at: '2026-01-01T10:00:00.000Z',
  servers: [],
  networks: [],
  others: [],
  unasked: [],
};
const text = (more: Partial<RecoveryReport>) => recoveryText({ ...report, ...more }, painted);

describe('what is brought back', () => {
  test.each([
    ['feed', 'shop (life-1) from its feed, last changed 2026-01-01T10:00:00.000Z'],
    ['labels', 'shop (life-1) from labels: services and definition come with the next apply'],
    ['marks', 'shop (life-1) from the marks of its hosts: services and definition come with the next apply'],
  ] as const)('from %s', (source, wanted) => {
    expect(text({ source })).toBe(`${wanted}\nnothing\n`);
  });

  test.each([
    ['confirmed', 'green(confirmed)', 'its labels say so'],
    ['missing', 'yellow(missing)', 'is not there, or bears no labels any more: the next apply makes it'],
    ['not-asked', 'yellow(not-asked)', 'bears no label, since it was there before, or its account did not answer'],
  ] as const)('a server or network that is %s', (state, mark, says) => {
    const one = { name: 'web', provider: 'demo', state };
    const rows = cells(text({ servers: [one], networks: [{ ...one, name: 'shop' }] }));
    expect(rows.slice(1, 4)).toEqual([
      ['WHAT', 'NAME', 'PROVIDER'],
      [mark, 'server', 'web', 'demo', says],
      [mark, 'network', 'shop', 'demo', says],
    ]);
  });

  test('what hosts say stands with each, what is left comes after it, and then what their journals have', () => {
    const at = '2026-01-01T10:00:00.123Z';
    const services = [
      { taskserv: 'redis', operation: 'apply-1', at, outcome: 'done' as const, version: '7', config: 'c0ffee' },
      { taskserv: 'nginx', operation: 'apply-2', at, outcome: 'done' as const, removed: true as const },
      { taskserv: 'haproxy', operation: 'apply-3', at, outcome: 'failed' as const, removed: true as const },
    ];
    const found = text({
      servers: [
        { name: 'a', provider: 'demo', state: 'confirmed', by: 'mark', host: { says: 'confirmed', services } },
        {
          name: 'b',
          provider: 'demo',
          state: 'confirmed',
          by: 'label',
          host: { says: 'not-reached', why: 'no route', services: [] },
        },
      ],
      left: [{ name: 'c', provider: 'local', state: 'unconfirmed', host: { says: 'unmarked', services: [] } }],
      others: [
        { kind: 'volume', id: '1', name: 'a/data', provider: 'demo', scope: { ...scope, uuid: 'life-1' } },
        { kind: 'server', id: '2', name: 'old', provider: 'demo', scope: { ...scope, uuid: 'life-0' } },
      ],
      unasked: [{ provider: 'hetzner', why: 'no token' }],
    });
    expect(cells(found).slice(2)).toEqual([
      ['green(confirmed)', 'server', 'a', 'demo', 'its host bears the mark of this infra'],
      ['green(confirmed)', 'server', 'b', 'demo', 'its labels say so; the host cannot be looked at: no route'],
      ['red(unconfirmed)', 'server', 'c', 'local', 'is not brought back: the host bears no mark of an infra'],
      ['cyan(left)', 'volume', 'a/data', 'demo', 'bears its labels, and is not known: see `provisioning orphans`'],
      ['cyan(left)', 'server', 'old', 'demo', 'bears the UUID life-0'],
      [''],
      ['HOST', 'BY ITS JOURNALS', 'VERSION', 'CONFIG', 'OPERATION', 'WHEN'],
      ['a', 'redis', 'installed', '7', 'c0ffee', 'apply-1', '2026-01-01T10:00:00Z'],
      ['a', 'nginx', 'removed', 'apply-2', '2026-01-01T10:00:00Z'],
      ['a', 'haproxy', 'removal failed', 'apply-3', '2026-01-01T10:00:00Z'],
      ['yellow(not asked:) hetzner: no token'],
      [''],
    ]);
  });
});

describe('what the engine has lost', () => {
  const lost = (more: Partial<LostReport>) => renderLost({ infras: [], unasked: [], ...more }, 'default', painted);

  test('nothing, or nothing as far as accounts could be asked', () => {
    const none = 'nothing is left of an infra of workspace default that the engine does not know\n';
    expect(lost({})).toBe(none);
    expect(lost({ unasked: [{ provider: 'aws', why: 'no credentials' }] })).toBe(`${none}yellow(not asked:) aws: no credentials\n`);
  });

  test('each infra, with what there is of it and the command that brings it back', () => {
    const feed = { uuid: 'u', at: '2026-01-01T10:00:00.123Z', servers: 2, networks: 1 };
    const infras = [
      { infra: 'fed', feed, labelled: { server: 2, network: 1 }, key: true as const },
      { infra: 'broken', damaged: 'feed 3 cannot be read' },
    ];
    expect(cells(lost({ infras }))).toEqual([
      ['INFRA', 'FEED', 'LABELS', 'KEY'],
      ['fed', '2 servers, 1 networks, last changed 2026-01-01T10:00:00Z', '2 servers, 1 network', 'yes'],
      ['broken', 'feed 3 cannot be read', 'none', 'no'],
      ['to bring one back: provisioning infra recover INFRA'],
      [''],
    ]);
  });
});
