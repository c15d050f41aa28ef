import {
  findPublishedArtifact,
  inputError,
  mirrorOf,
  type PlanContext,
  parseImportedVersions,
  versionsOf,
} from '../../sdk/index.js';
import hashes from './binaries.json' with { type: 'json' };
import { type KubernetesConfig, PROGRAMS, type Program } from './kubernetes-config.js';
import published from './versions.json' with { type: 'json' };

/** Folder below which each program of each version has its own. */
export const FOLDER = '/opt/kubernetes';

const file = parseImportedVersions(published);

/** The versions that a definition may name. A cluster goes from one minor version to the next, and never back. */
export const versions = { ...versionsOf(file, 'release'), upgrades: 'minor-by-minor' as const };

/** SHA-256 of the programs beside kubelet, which `versions.json` has, by version and architecture. */
const HASHES: Readonly<Record<string, Record<string, Record<string, string>>>> = hashes;

/** A program of a version: its source, and its folder on the host. */
export interface Binary {
  program: Program;
  url: string;
  sha256: string;
  to: string;
}

/** The path of a program on the host. */
export const programPath = ({ to, program }: Pick<Binary, 'to' | 'program'>): string => `${to}/${program}`;

/**
 * Returns the programs of a node in the requested version.
 *
 * @throws ProvisioningError `no-artifact` if the version has none for the host's architecture
 */
export function findBinaries({ binaries }: Pick<KubernetesConfig, 'binaries'>, context: PlanContext): Binary[] {
  return PROGRAMS.map((program) => {
    const own = binaries?.[program];
    if (own) {
      const { url, sha256, label } = findPublishedArtifact('kubernetes', file, context, own);
      return { program, url, sha256, to: `${FOLDER}/${program}-${label}` };
    }
    const kubelet = findPublishedArtifact('kubernetes', file, { ...context, mirrors: [] });
    const to = `${FOLDER}/${program}-${kubelet.label}`;
    if (program === 'kubelet') return { program, url: mirrorOf(kubelet.url, context.mirrors).url, sha256: kubelet.sha256, to };
    const arch = context.host.arch === 'arm64' ? 'arm64' : 'amd64';
    const sha256 = HASHES[context.version]?.[arch]?.[program];
    if (sha256 === undefined)
      throw inputError({
        ...{ code: 'no-artifact', what: `install kubernetes ${context.version}`, on: context.host.name },
        why: `this build has no hash of ${program} for ${arch}`,
        hint: 'set your own artifacts: config.binaries, or choose another version',
      });
    return { program, url: mirrorOf(kubelet.url.replace(/kubelet$/, program), context.mirrors).url, sha256, to };
  });
}
