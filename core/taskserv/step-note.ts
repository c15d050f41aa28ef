/**
 * Bash by which a step notes in its own journal that it is about to change something. `$0` is the script of the step
 * there. A step that finds its state done ends before this line.
 *
 * @see undoIfNoted
 */
export const NOTE_CHANGE = `touch "\${0%.*}.changed"`;

/**
 * The undo of a step with `NOTE_CHANGE`. It does nothing if the step found its state done: that is the work of another
 * operation. The note lasts as long as the journal, so a step that is cut off and runs again does not lose it.
 *
 * @param undo bash
 */
export const undoIfNoted = (undo: string): string => `[ -e "\${0%.*}.changed" ] || exit 0\n${undo}`;

/**
 * Bash word: the file in which a script keeps what it is about to change, for its undo. The platform seals it once the
 * work has ended, and opens it before the undo, as it does with former files. It is in the journal of the step, whose
 * script is `$0`, both when it runs and when it is undone. At most 4 MiB are sealed.
 */
export const FORMER_FILE = '"${0%/files/*}/former/$(basename "${0%.*}").file"';
