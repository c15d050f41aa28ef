/**
 * The catalog: lists the taskservs, and which of them are proven on a real host in their current state.
 *
 *   npm run catalog                                   # writes the table to docs/reference/catalog.md
 *   npm run catalog -- --prove                        # proves those with a stale or missing proof
 *   npm run catalog -- --prove --all --lanes 2        # proves all of them
 *   npm run catalog -- --prove --only nats,fail2ban
 *   npm run catalog -- --prove --only 'nats as a group'
 *   npm run catalog -- --prove --distribution debian-13 --only redis
 *   npm run catalog -- --json
 *
 * Hosts are containers of this machine (they need root and a Docker Engine). Proofs are written to
 * `taskservs/proofs.json`. Exit code 1 if a service could not be proven, 2 if this machine
 * cannot run hosts or the arguments are invalid.
 */
import { parseArgs } from 'node:util';
import { messageOf } from '../../core/errors.js';
import { local } from '../../providers/local/index.js';
import { startTestEngine } from '../support/engine.js';
import { setup as keepHomes } from '../support/engines.js';
import { haveImage, whyNoHosts } from '../support/hosts.js';
import { keepProof, writePage } from './keep.js';
import { OF_HOSTS, type Proven } from './prove.js';
import { proveByName } from './prove-by-name.js';
import { groups, isProven, keptProofs, names, renderCatalog, standardOf, stateOf } from './table.js';
import { openZone } from './zone.js';

const provable = [...names, ...groups];

const started = performance.now();
const say = (text: string) =>
  void process.stderr.write(`[${((performance.now() - started) / 1000).toFixed(0).padStart(4)} s] ${text}\n`);

function settings() {
  const { values } = parseArgs({
    options: {
      prove: { type: 'boolean', default: false },
      all: { type: 'boolean', default: false },
      only: { type: 'string' },
      distribution: { type: 'string' },
      lanes: { type: 'string', default: '2' },
      json: { type: 'boolean', default: false },
    },
  });
  // The name of a service stands for both of its proofs.
  const only = values.only?.split(',').flatMap((name) => [name, ...groups.filter((group) => group === `${name} as a group`)]);
  const unknown = only?.find((name) => !provable.includes(name));
  if (unknown !== undefined) throw new Error(`--only: no taskserv "${unknown}"`);
  const { distribution } = values;
  const { supported } = local.images;
  if (distribution !== undefined && !supported.includes(distribution))
    throw new Error(`--distribution: no "${distribution}", there are ${supported.join(', ')}`);
  const lanes = Number(values.lanes);
  if (!Number.isInteger(lanes) || lanes < 1) throw new Error(`--lanes: "${values.lanes}" is no whole number from 1`);
  // Without it, each service is proven on the default one, or on another one if only that has the service.
  const placeOf = (name: string) => distribution ?? standardOf(name);
  return { ...values, only, placeOf, lanes };
}

/** Proves these taskservs in parallel, and stores each proof immediately. */
async function proveAll(wanted: readonly string[], placeOf: (name: string) => string, lanes: number): Promise<Proven[]> {
  const why = await whyNoHosts('plain');
  if (why) throw new Error(why);
  for (const image of new Set(wanted.map(placeOf))) await haveImage(image);
  const removeHomes = await keepHomes();
  try {
    const closeZone = await openZone();
    const engine = await startTestEngine(OF_HOSTS);
    const left = [...wanted];
    const all: Proven[] = [];
    const lane = async () => {
      for (let name = left.shift(); name !== undefined; name = left.shift()) {
        const proven = await proveByName(engine, name, placeOf(name));
        if (!proven) {
          say(`${name}: no proof is written (test/catalog/proofs/)`);
          continue;
        }
        if (proven.isEdited) proven.wrong.push('it was changed meanwhile');
        all.push(proven);
        say(`${name}: ${proven.wrong.length === 0 ? 'proven' : 'not proven'}, ${proven.seconds.toFixed(0)} s`);
        for (const wrong of proven.wrong) say(`  ${wrong}`);
        if (proven.wrong.length === 0) keepProof(proven);
      }
    };
    try {
      await Promise.all(Array.from({ length: lanes }, lane));
      return all;
    } finally {
      await engine.stop();
      await closeZone();
    }
  } finally {
    await removeHomes();
  }
}

async function main(): Promise<0 | 1> {
  const { prove, all, only, placeOf, lanes, json } = settings();
  const wanted = (only ?? provable).filter((name) => all || only || !isProven(name, keptProofs(), placeOf(name)));
  const done = prove ? await proveAll(wanted, placeOf, lanes) : [];
  writePage();
  const kept = keptProofs();
  const rows = provable.map((name) => ({ taskserv: name, state: stateOf(name, kept), ...kept[name] }));
  console.log(json ? JSON.stringify(rows, undefined, 2) : renderCatalog(kept));
  return prove && (done.length < wanted.length || done.some(({ wrong }) => wrong.length > 0)) ? 1 : 0;
}

process.exitCode = await main().catch((error: unknown) => {
  console.error(messageOf(error));
  return 2 as const;
});
