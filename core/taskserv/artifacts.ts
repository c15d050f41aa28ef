import { type ArtifactAction, readHow } from '../host/artifact.js';
import { forEachArtifact } from '../host/artifact-marks.js';
import { type Fact, fact } from '../host/facts.js';
import type { Step } from '../host/step.js';

/** An artifact on a host: its place, its identity, and its way to the host. */
export type FoundArtifact = Omit<ArtifactAction, 'state'>;

/** The artifacts right below a folder, the one that came last first. */
export const artifactsIn = (folder: string): Fact<FoundArtifact[]> =>
  fact<FoundArtifact[]>(
    // By the times of the marks, since what unpacks an archive keeps the times of its files.
    forEachArtifact(folder, `printf '%s\\n' "$to"; head -n 3 -- "$mark"`),
    ({ stdout }) => {
      const lines = stdout.split('\n');
      return lines.flatMap((to, index) => {
        const [sha256, url, how] = lines.slice(index + 1, index + 4);
        return index % 4 === 0 && sha256 && url && how ? [{ to, sha256, url, ...readHow(how) }] : [];
      });
    },
    [],
  );

/** Fetches an artifact into its folder unless it is there. */
export function ensureArtifact(found: readonly FoundArtifact[], wanted: Omit<ArtifactAction, 'state'>): Step[] {
  const isThere = found.some(({ to, sha256 }) => to === wanted.to && sha256 === wanted.sha256);
  return isThere ? [] : [{ title: `Fetch ${wanted.url} into ${wanted.to}`, artifact: { state: 'present', ...wanted } }];
}

/** Removes an artifact that is there. */
export const ensureNoArtifact = (found: FoundArtifact): Step[] => [
  { title: `Remove ${found.to}`, artifact: { state: 'absent', ...found } },
];
