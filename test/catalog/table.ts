import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformSync } from 'esbuild';
import { findHeldVersion } from '../../core/versions/release-versions.js';
import { local } from '../../providers/local/index.js';
import { inputsHash } from '../../scripts/inputs-hash.js';
import { modules } from '../support/modules.js';
import { PROOFS } from './proofs/index.js';
import { whatItDoes } from './what-it-does.js';

export const ROOT = join(import.meta.dirname, '../..');

/** Stored proof, in `taskservs/proofs.json`. */
export interface KeptProof {
  /** Hash of the proven inputs. */
  hash: string;
  /** Distribution of the host according to `/etc/os-release`: `debian-12`. */
  distribution: string;
  /** The version that ran. */
  version: string;
  /** `YYYY-MM-DD`. */
  on: string;
}

export type KeptProofs = Record<string, KeptProof>;

export const KEPT = join(ROOT, 'taskservs/proofs.json');

export const keptProofs = (): KeptProofs => (existsSync(KEPT) ? JSON.parse(readFileSync(KEPT, 'utf8')) : {});

const STANDARD = local.images.default;

/** Distributions on which services are proven in addition to the default one. */
const FURTHER = local.images.supported.filter((image) => image !== STANDARD);

/**
 * Returns the key of a proof: the name of the service, or `redis on debian-13` for a distribution other than the
 * default.
 */
export const keyOf = (name: string, distribution: string): string =>
  distribution === STANDARD ? name : `${name} on ${distribution}`;

/**
 * Returns the code of a taskserv without declarations. Its versions are left out, because the hash has the host's
 * version separately. The data that it holds is left out, because only previews use it and no step does. Types and
 * comments do not count either, because they do not run on hosts.
 */
const withoutDeclarations = (path: string): string => {
  const source = readFileSync(path, 'utf8')
    .replace(/^( +)holds: (?:.*,|.*\[\n(?:.*\n)*?\1\],)\n/m, '')
    .replace(/^ {2}versions: (\{ default: .*\}|debianVersions\(.*\)),$/m, '')
    // Imports count through their uses.
    .replace(/^import \{[^}]*\} from '\.\.\/\.\.\/sdk\/index\.js';$/m, '');
  return transformSync(source, { loader: 'ts', target: 'esnext', legalComments: 'none' }).code;
};

/**
 * Hashes the inputs of a proof: the code of the taskserv and its kind, its version, the distribution, and the proof.
 */
export function hashOf(name: string, distribution: string): string {
  const module = moduleOf(name);
  const sources = inputsHash(ROOT, [`taskservs/${name}`], [], withoutDeclarations);
  const version = findHeldVersion(module.versions, distribution) ?? module.versions.default;
  const told = JSON.stringify([
    sources,
    whatItDoes(module, join(ROOT, 'taskservs', name)),
    version,
    distribution,
    PROOFS[name] ?? null,
  ]);
  return createHash('sha256').update(told).digest('hex');
}

/** State of a service's proof: with the real software, or with a stand-in for software that is not available here. */
export type State = 'proven' | 'stand-in' | 'stale' | 'not proven';

export function stateOf(name: string, kept: KeptProofs, on = STANDARD): State {
  const proof = kept[keyOf(name, on)];
  if (!proof) return 'not proven';
  if (proof.hash !== hashOf(name, proof.distribution)) return 'stale';
  return PROOFS[name]?.standIn ? 'stand-in' : 'proven';
}

/** Returns whether nothing is left to prove. */
export const isProven = (name: string, kept: KeptProofs, on = STANDARD): boolean =>
  ['proven', 'stand-in'].includes(stateOf(name, kept, on));

/** Companions of other taskservs: they work together and are proven together (`test/end-to-end`). */
const companions = new Set(Object.values(modules.taskservs).flatMap(({ companions }) => companions?.names ?? []));

export const names: readonly string[] = Object.keys(modules.taskservs)
  .filter((name) => !companions.has(name))
  .sort();

export function moduleOf(name: string) {
  const module = modules.taskservs[name];
  if (!module) throw new Error(`no taskserv ${name}`);
  return module;
}

/** Describes a proof. On a further distribution, only if it exists. */
function provenOn(name: string, kept: KeptProofs, on: string): string {
  const proof = kept[keyOf(name, on)];
  const state = stateOf(name, kept, on);
  if (proof && state !== 'not proven') return `${state}: ${proof.version} on ${proof.distribution}, ${proof.on}`;
  return on === STANDARD ? state : '';
}

/** Renders the catalog as Markdown, one row per taskserv. */
export function renderCatalog(kept: KeptProofs): string {
  const rows = names.map((name) => {
    const { category, kind, versions, description } = moduleOf(name);
    const proven = [STANDARD, ...FURTHER]
      .map((on) => provenOn(name, kept, on))
      .filter(Boolean)
      .join('; ');
    const held = FURTHER.map((on) => findHeldVersion(versions, on)).filter((one) => one !== undefined && one !== versions.default);
    const version = [versions.default, ...held.map((one) => one ?? 'none')].join(', ');
    return `| [${name}](../../taskservs/${name}/README.md) | ${category} | ${kind ?? 'by hand'} | ${version} | ${proven} | ${description.replaceAll('|', '\\|')} |`;
  });
  const count = (wanted: State) => names.filter((name) => stateOf(name, kept) === wanted).length;
  const categories = new Set(names.map((name) => moduleOf(name).category)).size;
  return [
    '| taskserv | category | kind | version | proof | what it is |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows,
    '',
    `${names.length} taskservs in ${categories} categories, ${count('proven')} of them proven, ${count('stand-in')} by a stand-in.`,
    ...FURTHER.map((on) => `On ${on}: ${names.filter((name) => isProven(name, kept, on)).length} proven.`),
  ].join('\n');
}
