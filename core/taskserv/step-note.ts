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
