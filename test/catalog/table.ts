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

/** A proof as it is kept, in `taskservs/proofs.json`. */
export interface KeptProof {
  /** Of what was proven. */
  hash: string;
  /** Of the host, as `/etc/os-release` told it: `debian-12`. */
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

/** Distributions that services are proven on besides the one that hosts have by default. */
const FURTHER = local.images.supported.filter((image) => image !== STANDARD);

/** The key of a proof: the name of the service; on another distribution than the default one `redis on debian-13`. */
export const keyOf = (name: string, distribution: string): string =>
  distribution === STANDARD ? name : `${name} on ${distribution}`;

/**
 * The code of a taskserv without what it only declares: its versions, of which the one on the host is part of the hash, and
 * the data that it holds, which previews go by and no step does. Types and comments run on no host, so they do not count.
 */
const withoutDeclarations = (path: string): string => {
  const source = readFileSync(path, 'utf8')
    .replace(/^( +)holds: (?:.*,|.*\[\n(?:.*\n)*?\1\],)\n/m, '')
    .replace(/^ {2}versions: (\{ default: .*\}|debianVersions\(.*\)),$/m, '')
    // What is imported for that counts where it is used.
    .replace(/^import \{[^}]*\} from '\.\.\/\.\.\/sdk\/index\.js';$/m, '');
  return transformSync(source, { loader: 'ts', target: 'esnext', legalComments: 'none' }).code;
};

/** A hash of what a proof is of: the code of the taskserv, what comes of it with its kind, its version, the distribution, and the proof. */
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

/** Whether a service is proven as it is now: by itself, or by what stands in for software that cannot be had here. */
export type State = 'proven' | 'stand-in' | 'stale' | 'not proven';

export function stateOf(name: string, kept: KeptProofs, on = STANDARD): State {
  const proof = kept[keyOf(name, on)];
  if (!proof) return 'not proven';
  if (proof.hash !== hashOf(name, proof.distribution)) return 'stale';
  return PROOFS[name]?.standIn ? 'stand-in' : 'proven';
}

/** Whether nothing is left to prove of it. */
export const isProven = (name: string, kept: KeptProofs, on = STANDARD): boolean =>
  ['proven', 'stand-in'].includes(stateOf(name, kept, on));

/** Taskservs that another one brings along: they work with that, and are proven with it (`test/end-to-end`). */
const companions = new Set(Object.values(modules.taskservs).flatMap(({ companions }) => companions?.names ?? []));

export const names: readonly string[] = Object.keys(modules.taskservs)
  .filter((name) => !companions.has(name))
  .sort();

export function moduleOf(name: string) {
  const module = modules.taskservs[name];
  if (!module) throw new Error(`no taskserv ${name}`);
  return module;
}

/** What is said of a proof: on a further distribution only where there is one. */
function provenOn(name: string, kept: KeptProofs, on: string): string {
  const proof = kept[keyOf(name, on)];
  const state = stateOf(name, kept, on);
  if (proof && state !== 'not proven') return `${state}: ${proof.version} on ${proof.distribution}, ${proof.on}`;
  return on === STANDARD ? state : '';
}

/** The catalog as Markdown: a row for each taskserv. */
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
