import { expect, test } from 'vitest';
import { findHeldVersion } from '../../core/versions/release-versions.js';
import { isOfSeries } from '../../core/versions/version-change.js';
import { local } from '../../providers/local/index.js';
import { startTestEngine, type TestEngine } from '../support/engine.js';
import { whyNoHosts } from '../support/hosts.js';
import { modules } from '../support/modules.js';
import { OF_KINDS } from './kinds.js';
import type { Proof } from './proof.js';
// The list of all proofs is not imported: this test would depend on each of them.
import { loadBalancing } from './proofs/load-balancing.js';
import { observability } from './proofs/observability.js';
import { system } from './proofs/system.js';
import { vendors } from './proofs/vendors.js';
import { prove } from './prove.js';

/** Taskserv that is always proven on Debian 13, because its version there is different. */
const OF_DEBIAN_13 = OF_KINDS.package;

const why = await whyNoHosts();
if (why) console.warn(`left out: ${why}`);

function proofOf(name: string): Proof {
  const proof = { ...loadBalancing, ...observability, ...system, ...vendors }[name];
  if (!proof) throw new Error(`no proof of ${name}`);
  return proof;
}

async function withEngine<T>(work: (engine: TestEngine) => Promise<T>): Promise<T> {
  const engine = await startTestEngine();
  try {
    return await work(engine);
  } finally {
    await engine.stop();
  }
}

test.skipIf(why)('a service of Debian 13 is proven with the version that its archive has', { timeout: 480_000 }, async () => {
  await whyNoHosts('debian-13');
  const { wrong, version, distribution } = await withEngine((engine) =>
    prove(engine, OF_DEBIAN_13, proofOf(OF_DEBIAN_13), 'debian-13'),
  );
  expect([wrong, distribution]).toEqual([[], 'debian-13']);
  const held = modules.taskservs[OF_DEBIAN_13]?.versions;
  expect(isOfSeries(version, (held && findHeldVersion(held, 'debian-13')) ?? 'none')).toBe(true);
});

test.skipIf(why)('one of each kind is proven, whatever changed', { timeout: 480_000 }, async () => {
  // The test before uses the other release.
  await whyNoHosts();
  const wrong = await withEngine(async (engine) => {
    const left = Object.values(OF_KINDS);
    const found: string[] = [];
    const lane = async () => {
      for (let name = left.shift(); name !== undefined; name = left.shift()) {
        const proven = await prove(engine, name, proofOf(name), local.images.default);
        found.push(...proven.wrong.map((what) => `${name}: ${what}`));
      }
    };
    await Promise.all([lane(), lane()]);
    return found;
  });
  expect(wrong).toEqual([]);
});
