import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { local } from '../../providers/local/index.js';
import { startTestEngine } from '../support/engine.js';
import { whyNoHosts } from '../support/hosts.js';
import { keepProof, writePage } from './keep.js';
import { OF_KINDS } from './kinds.js';
import { PROOFS } from './proofs/index.js';
import { OF_HOSTS, prove } from './prove.js';
import { hashOf, isProven, keptProofs, moduleOf, names, ROOT, renderCatalog } from './table.js';
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

test.skipIf(why)('what has changed since it was proven is proven', { timeout: AT_MOST_MS + 240_000 }, async () => {
  const wanted = names.filter((name) => !isProven(name, kept));
  if (wanted.length === 0) return;
  const until = performance.now() + AT_MOST_MS;
  const closeZone = await openZone();
  const engine = await startTestEngine(OF_HOSTS);
  try {
    const wrong: string[] = [];
    const lane = async () => {
      for (let name = wanted.shift(); name !== undefined && performance.now() < until; name = wanted.shift()) {
        const proof = PROOFS[name];
        if (!proof) continue;
        const before = hashOf(name, local.images.default);
        const proven = await prove(engine, name, proof, local.images.default);
        wrong.push(...proven.wrong.map((what) => `${name}: ${what}`));
        // A taskserv that was edited during the proof is not the one that was proven.
        if (isKeeping && proven.wrong.length === 0 && hashOf(name, local.images.default) === before) keepProof(proven);
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
