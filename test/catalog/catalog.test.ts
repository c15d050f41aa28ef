import { appendFileSync, cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { local } from '../../providers/local/index.js';
import { startTestEngine } from '../support/engine.js';
import { whyNoHosts } from '../support/hosts.js';
import { makeFolder } from '../support/temporary-folder.js';
import type { GroupService } from './groups/group-service.js';
import { GROUP_SERVICES } from './groups/index.js';
import { keepProof, writePage } from './keep.js';
import { OF_KINDS } from './kinds.js';
import { PROOFS } from './proofs/index.js';
import { OF_HOSTS } from './prove.js';
import { proveByName } from './prove-by-name.js';
import { groups, hashOf, isProven, keptProofs, moduleOf, names, ROOT, renderCatalog, standardOf } from './table.js';
import { openZone } from './zone.js';

/** Maximum total duration of proofs here, in milliseconds. The others are left to `npm run catalog -- --prove`. */
const AT_MOST_MS = 600_000;

/**
 * Whether the run stores its proofs (scripts/proofs/play.ts). This test then stores them too, and the next run proves
 * only the rest.
 */
const isKeeping = process.env.ENDED_TESTS !== undefined;

// Proofs are recorded only on hosts of the users' image.
const why = await whyNoHosts(isKeeping ? 'plain' : 'debian-12');
if (why) console.warn(`left out: ${why}`);

const kept = keptProofs();

test('the page has the catalog as it is', () => {
  expect(readFileSync(join(ROOT, 'docs/reference/catalog.md'), 'utf8')).toContain(`<!-- catalog -->\n\n${renderCatalog(kept)}\n`);
});

test('a proof is written for each taskserv, and for no other', () => expect(Object.keys(PROOFS).sort()).toEqual(names));

/** Negated commands that are followed by others: `set -e` ignores their result. */
const passing = (script: string) =>
  script
    .trim()
    .split(/\n|; /)
    .slice(0, -1)
    .filter((command) => command.startsWith('! ') && !command.includes('||'));

test.each(Object.entries(PROOFS))('each command of the proof of %s can fail', (_, { works, changed, gone = '' }) => {
  expect([works, changed.works, gone].flatMap(passing)).toEqual([]);
});

test('each kind has a taskserv that is proven in any case', () => {
  const kinds = new Set(names.flatMap((name) => moduleOf(name).kind ?? []));
  expect(Object.keys(OF_KINDS).sort()).toEqual([...kinds].sort());
});

test('a change of a group or of its taskserv makes exactly its own proofs stale', async () => {
  const on = local.images.default;
  const looked = ['nats', 'nats as a group', 'redis', 'zookeeper', 'zookeeper as a group'];
  const staleBy = (changed: Parameters<typeof hashOf>[2]) =>
    looked.filter((name) => hashOf(name, on, changed) !== hashOf(name, on));
  expect(looked.filter((name) => ![...names, ...groups].includes(name))).toEqual([]);
  expect(new Set(looked.map((name) => hashOf(name, on))).size).toBe(looked.length);

  const root = await makeFolder('stale-proofs');
  for (const name of ['nats', 'redis', 'zookeeper'])
    cpSync(join(ROOT, 'taskservs', name), join(root, 'taskservs', name), { recursive: true });
  expect(staleBy({ root })).toEqual([]);
  appendFileSync(join(root, 'taskservs/nats/nats.ts'), '\nconsole.log(1);\n');
  expect(staleBy({ root })).toEqual(['nats', 'nats as a group']);

  const rowsWith = (change: (row: GroupService) => Partial<GroupService>) =>
    GROUP_SERVICES.map((row) => (row.name === 'nats' ? { ...row, ...change(row) } : row));
  expect(staleBy({ rows: rowsWith(() => ({})) })).toEqual([]);
  for (const change of [
    () => ({ change: { maxPayload: '3 MiB' } }),
    ({ write }: GroupService) => ({ write: (key: string, value: string) => `sync; ${write(key, value)}` }),
    ({ read }: GroupService) => ({ read: (keys: readonly string[]) => `sync; ${read(keys)}` }),
  ])
    expect(staleBy({ rows: rowsWith(change) })).toEqual(['nats as a group']);
});

test('the proof of a group is the same for another process', async () => {
  vi.resetModules();
  const { GROUP_SERVICES: rows } = await import('./groups/index.js');
  expect(rows).not.toBe(GROUP_SERVICES);
  for (const name of groups) expect([name, hashOf(name, 'debian-12', { rows })]).toEqual([name, hashOf(name, 'debian-12')]);
});

test('a service is proven on the default distribution, or on the one that has it', () => {
  const places = ['redis', 'redis as a group', 'kafka as a group', 'valkey', 'valkey as a group'].map(standardOf);
  expect(places).toEqual(['debian-12', 'debian-12', 'debian-12', 'debian-13', 'debian-13']);
});

test.skipIf(why)('what has changed since it was proven is proven', { timeout: AT_MOST_MS + 240_000 }, async () => {
  // What the release of these hosts lacks is proven on another one: `npm run catalog -- --prove`.
  const isThere = (name: string) => standardOf(name) === local.images.default;
  const wanted = [...names, ...groups].filter((name) => isThere(name) && !isProven(name, kept));
  if (wanted.length === 0) return;
  const until = performance.now() + AT_MOST_MS;
  const closeZone = await openZone();
  const engine = await startTestEngine(OF_HOSTS);
  try {
    const wrong: string[] = [];
    const lane = async () => {
      for (let name = wanted.shift(); name !== undefined && performance.now() < until; name = wanted.shift()) {
        const proven = await proveByName(engine, name, local.images.default);
        if (!proven) continue;
        wrong.push(...proven.wrong.map((what) => `${name}: ${what}`));
        if (isKeeping && proven.wrong.length === 0 && !proven.isEdited) keepProof(proven);
      }
    };
    await Promise.all([lane(), lane()]);
    if (wanted.length > 0) console.warn(`no time was left to prove ${wanted.join(', ')}: npm run catalog -- --prove`);
    expect(wrong).toEqual([]);
  } finally {
    if (isKeeping) writePage();
    await engine.stop();
    await closeZone();
  }
});
