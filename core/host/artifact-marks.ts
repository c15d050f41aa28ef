import { quote } from './shell.js';

/**
 * The end of the name of a mark. A mark is a file that says which artifact a folder is, a line each: its hash, its URL,
 * and how it was put there. It lies beside its folder, as `.NAME.provisioning-artifact`: root writes no name in a folder
 * that came with an archive.
 */
const MARK = '.provisioning-artifact';

/** The name of a mark of releases before this one, in the folder itself. No archive may have an entry of this name. */
export const FORMER_MARK = MARK;

/** The name of the mark of the folder `name`, beside it. */
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
