import { quote } from './shell.js';

/**
 * End of the name of a mark. A mark is a file that identifies a folder's artifact, with a line each for its hash, its
 * URL and its way to the host. It is next to its folder, as `.NAME.provisioning-artifact`, because root writes no name
 * into a folder that came with an archive.
 */
const MARK = '.provisioning-artifact';

/** Name of a mark of former releases, in the folder itself. No archive may have an entry of this name. */
export const FORMER_MARK = MARK;

/** Name of the mark next to the folder `name`. */
export const markBeside = (name: string): string => `.${name}${MARK}`;

/**
 * A shell function: `mark_of FOLDER` prints the path of the folder's mark, and fails without a folder or mark. A former
 * mark counts only without a mark beside the folder. A link is neither a folder nor a mark.
 */
export const MARK_OF = `mark_of() {
  local mark="\${1%/*}/.\${1##*/}${MARK}"
  [ -d "$1" ] && [ ! -L "$1" ] || return 1
  [ -e "$mark" ] || [ -L "$mark" ] || mark="$1/${FORMER_MARK}"
  [ -f "$mark" ] && [ ! -L "$mark" ] || return 1
  printf '%s\\n' "$mark"
}`;

/** A script that runs `use` for each artifact in a folder, the newest first, with its folder as `$to` and its mark as `$mark`. */
export const forEachArtifact = (folder: string, use: string): string => `${MARK_OF}
{ ls -td -- ${quote(folder)}/.*${MARK} ${quote(folder)}/*/${FORMER_MARK} 2>/dev/null || true; } | while IFS= read -r mark; do
  case "$mark" in
    */${FORMER_MARK}) to=\${mark%/*} ;;
    *) to=\${mark##*/.} to=\${mark%/*}/\${to%${MARK}} ;;
  esac
  [ "$(mark_of "$to")" = "$mark" ] || continue
  ${use}
done`;
