import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inputsHash } from '../../scripts/inputs-hash.js';
import { modules } from '../support/modules.js';
import { PROOFS } from './proofs/index.js';

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

/** The files that each kind is made of. */
const FILES_OF_KIND = {
  package: ['sdk/kinds/package.ts'],
  settings: ['sdk/kinds/package.ts', 'sdk/kinds/settings.ts'],
  vendor: ['sdk/kinds/package.ts', 'sdk/kinds/vendor.ts', 'core/taskserv/apt-source.ts', 'core/taskserv/apt-source-check.ts'],
  release: ['sdk/kinds/release.ts', 'sdk/kinds/release-unit.ts', 'core/taskserv/published-artifact.ts'],
} as const;

/** A hash of what a proof is of: the code of the taskserv and of its kind, its version, the distribution, and the proof. */
export function hashOf(name: string, distribution: string): string {
  const { kind, versions } = moduleOf(name);
  const folders = [`taskservs/${name}`, ...(kind ? ['sdk/kinds/shared'] : [])];
  const sources = inputsHash(ROOT, folders, kind ? FILES_OF_KIND[kind] : []);
  const told = JSON.stringify([sources, versions.default, distribution, PROOFS[name] ?? null]);
  return createHash('sha256').update(told).digest('hex');
}

/** Whether a service is proven as it is now: by itself, or by what stands in for software that cannot be had here. */
export type State = 'proven' | 'stand-in' | 'stale' | 'not proven';

export function stateOf(name: string, kept: KeptProofs): State {
  const proof = kept[name];
  if (!proof) return 'not proven';
  if (proof.hash !== hashOf(name, proof.distribution)) return 'stale';
  return PROOFS[name]?.standIn ? 'stand-in' : 'proven';
}

/** Whether nothing is left to prove of it. */
export const isProven = (name: string, kept: KeptProofs): boolean => ['proven', 'stand-in'].includes(stateOf(name, kept));

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

/** The catalog as Markdown: a row for each taskserv. */
export function renderCatalog(kept: KeptProofs): string {
  const rows = names.map((name) => {
    const { category, kind, versions, description } = moduleOf(name);
    const state = stateOf(name, kept);
    const proof = kept[name];
    const proven = proof && state !== 'not proven' ? `${state}: ${proof.version} on ${proof.distribution}, ${proof.on}` : state;
    return `| [${name}](../taskservs/${name}/README.md) | ${category} | ${kind ?? 'by hand'} | ${versions.default} | ${proven} | ${description.replaceAll('|', '\\|')} |`;
  });
  const count = (wanted: State) => names.filter((name) => stateOf(name, kept) === wanted).length;
  const categories = new Set(names.map((name) => moduleOf(name).category)).size;
  return [
    '| taskserv | category | kind | version | proof | what it is |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows,
    '',
    `${names.length} taskservs in ${categories} categories, ${count('proven')} of them proven, ${count('stand-in')} by a stand-in.`,
  ].join('\n');
}
