import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformSync } from 'esbuild';
import { findHeldVersion } from '../../core/versions/release-versions.js';
import { local } from '../../providers/local/index.js';
import { inputsHash } from '../../scripts/inputs-hash.js';
import { modules } from '../support/modules.js';
import type { GroupService } from './groups/group-service.js';
import { GROUP_SERVICES } from './groups/index.js';
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

/** Ends the name of a service whose proof has it on three hosts. */
const AS_GROUP = ' as a group';

/** Returns the taskserv of a proof: `nats` for `nats as a group`. */
const taskservOf = (name: string): string => (name.endsWith(AS_GROUP) ? name.slice(0, -AS_GROUP.length) : name);

const STANDARD = local.images.default;

/** Distributions on which services are proven in addition to the default one. */
const FURTHER = local.images.supported.filter((image) => image !== STANDARD);

/** Returns the distribution of a service's main proof: the default one, or the first other one if only that has the service. */
export function standardOf(name: string): string {
  const { versions } = moduleOf(name);
  return [STANDARD, ...FURTHER].find((on) => findHeldVersion(versions, on) !== null) ?? STANDARD;
}

/**
 * Returns the key of a proof: the name of the service, as in `redis` or `nats as a group`. For a distribution other
 * than the default: `redis on debian-13`.
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

/** What a proof of a group asks, with the scripts of its client for sample keys. */
const askedOf = (service: GroupService) => ({
  ...service,
  write: ['k0', 'k1'].map((key) => service.write(key, `of-${key}`)),
  read: service.read(['k0', 'k1']),
});

/** Returns the row of a group, for `nats as a group`; undefined for any other name. */
export const groupOf = (name: string, rows = GROUP_SERVICES): GroupService | undefined =>
  rows.find((row) => name === `${row.name}${AS_GROUP}`);

/**
 * Hashes the inputs of a proof: the code of the taskserv and its kind, its version, the distribution, and what the
 * proof asks.
 *
 * @param name of a service, or of a service as a group
 * @param from where the sources and the rows of groups are
 */
export function hashOf(name: string, distribution: string, { root = ROOT, rows = GROUP_SERVICES } = {}): string {
  const taskserv = taskservOf(name);
  const module = moduleOf(name);
  const group = groupOf(name, rows);
  const sources = inputsHash(root, [`taskservs/${taskserv}`], [], withoutDeclarations);
  const version = findHeldVersion(module.versions, distribution) ?? module.versions.default;
  const told = JSON.stringify([
    sources,
    whatItDoes(module, join(root, 'taskservs', taskserv)),
    version,
    distribution,
    group ? askedOf(group) : (PROOFS[name] ?? null),
  ]);
  return createHash('sha256').update(told).digest('hex');
}

/** State of a service's proof: with the real software, or with a stand-in for software that is not available here. */
export type State = 'proven' | 'stand-in' | 'stale' | 'not proven';

export function stateOf(name: string, kept: KeptProofs, on = standardOf(name)): State {
  const proof = kept[keyOf(name, on)];
  if (!proof) return 'not proven';
  if (proof.hash !== hashOf(name, proof.distribution)) return 'stale';
  return (groupOf(name) ?? PROOFS[name])?.standIn ? 'stand-in' : 'proven';
}

/** Returns whether nothing is left to prove. */
export const isProven = (name: string, kept: KeptProofs, on = standardOf(name)): boolean =>
  ['proven', 'stand-in'].includes(stateOf(name, kept, on));

/** Companions of other taskservs: they work together and are proven together (`test/end-to-end`). */
const companions = new Set(Object.values(modules.taskservs).flatMap(({ companions }) => companions?.names ?? []));

export const names: readonly string[] = Object.keys(modules.taskservs)
  .filter((name) => !companions.has(name))
  .sort();

/** Names of the services that are also proven as a group: `nats as a group`. */
export const groups: readonly string[] = GROUP_SERVICES.map(({ name }) => `${name}${AS_GROUP}`).sort();

/** Returns the taskserv of a proof. */
export function moduleOf(name: string) {
  const module = modules.taskservs[taskservOf(name)];
  if (!module) throw new Error(`no taskserv ${name}`);
  return module;
}

/** Describes a proof. On a distribution other than that of the main proof, only if it exists. */
function provenOn(name: string, kept: KeptProofs, on: string): string {
  const proof = kept[keyOf(name, on)];
  const state = stateOf(name, kept, on);
  if (proof && state !== 'not proven') return `${state}: ${proof.version} on ${proof.distribution}, ${proof.on}`;
  return on === standardOf(name) ? state : '';
}

const provenOnAll = (name: string, kept: KeptProofs): string =>
  [STANDARD, ...FURTHER]
    .map((on) => provenOn(name, kept, on))
    .filter(Boolean)
    .join('; ');

/** Renders the catalog as Markdown, one row per taskserv, and one for each that is proven as a group. */
export function renderCatalog(kept: KeptProofs): string {
  const rows = names.map((name) => {
    const { category, kind, versions, description } = moduleOf(name);
    const proven = provenOnAll(name, kept);
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
    '',
    '| a group of three hosts | proof |',
    '| --- | --- |',
    ...groups.map(
      (name) => `| [${taskservOf(name)}](../../taskservs/${taskservOf(name)}/README.md) | ${provenOnAll(name, kept)} |`,
    ),
  ].join('\n');
}
