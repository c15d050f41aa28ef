import { FORMER_STATE_FOLDER, noteKey } from '../../../core/host/before.js';
import { type Fact, fact } from '../../../core/host/facts.js';
import { quote } from '../../../core/host/shell.js';
import type { AnyUnit } from '../../../core/host/unit.js';
import { HOST_STATE } from '../../host/paths.js';

/** Existing files that may be replaced. */
export interface ReplaceableFiles {
  /** Paths of which an adopted host keeps a copy once they are replaced. */
  kept: ReadonlySet<string>;
  /** Paths of which Debian has published the content. */
  published: ReadonlySet<string>;
}

/** The fact of it in a unit; no taskserv names one so. */
const REPLACED = 'what is replaced';

/** The same unit, which asks what a preview says of the files that it may replace. */
export function addReplaced(unit: AnyUnit): AnyUnit {
  const all = Object.values(unit.facts as Record<string, Fact<unknown>>);
  const paths = all.flatMap((one) => (one.kind === 'file' && one.path.startsWith('/') ? [one.path] : []));
  return paths.length === 0 ? unit : { ...unit, facts: { ...unit.facts, [REPLACED]: replacedFact(paths) } };
}

export const readReplaced = (found: Record<string, unknown>): ReplaceableFiles | undefined =>
  found[REPLACED] as ReplaceableFiles | undefined;

/** A host without an owner has no notes yet. Previews hide nothing of files that all may read. */
const replacedFact = (paths: readonly string[]): Fact<ReplaceableFiles> =>
  fact(
    `look() {
  [ -e "$2" ] || [ -L "$2" ] || return 0
  if [ ! -s ${HOST_STATE}/owner ] || { [ -d ${FORMER_STATE_FOLDER} ] && [ ! -d "${FORMER_STATE_FOLDER}/$1" ]; }; then echo "kept $2"; fi
  [ -f "$2" ] && [ ! -L "$2" ] || return 0
  case $(stat -c %a -- "$2") in *[4-7]) return 0 ;; esac
  sum=$(timeout 5 md5sum -- "$2") && grep -qF " $2 \${sum%% *}" /var/lib/dpkg/status && echo "published $2"
  return 0
}
${paths.map((path) => `look ${noteKey('file', path)} ${quote(path)}`).join('\n')}`,
    ({ stdout }) => {
      const of = (kind: string) =>
        new Set(stdout.split('\n').flatMap((line) => (line.startsWith(`${kind} `) ? [line.slice(kind.length + 1)] : [])));
      return { kept: of('kept'), published: of('published') };
    },
    { kept: new Set(), published: new Set() },
  );
