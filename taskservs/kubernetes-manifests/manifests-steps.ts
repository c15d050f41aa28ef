import { FORMER_FILE, quote, type Step } from '../../sdk/index.js';
import { PROGRAM } from './program/index.js';
import { locateFolder, type ProgramInput } from './sources.js';

/** Exit code of a look at a host that has no cluster. */
const NO_CLUSTER = 'if ! command -v python3 || ! command -v kubectl; then exit 3; fi >/dev/null';

/** Bash that asks how the objects are. The variable is not for programs: they take 128 KiB at most. */
export const lookScript = (mode: 'look' | 'presence'): string => `${NO_CLUSTER}
export -n SOURCES
printf %s "$SOURCES" | python3 -c ${quote(PROGRAM)} ${mode}`;

/** Bash of the check that all objects work. */
export const healthScript = (spec: string): string => `export SPEC=${quote(spec)}
python3 -c ${quote(PROGRAM)} health 2>&1`;

/** Path of the program that changes the cluster. It is written only together with a change. */
export const locateProgram = (unit: string): string => `${locateFolder(unit)}/manifests.py`;

/** The program as a file. */
export const PROGRAM_FILE = { content: PROGRAM.trimStart(), mode: '0700' };

/** The step that changes the cluster. It keeps the former objects for its undo. */
export function changeStep(mode: 'apply' | 'remove', title: string, unit: string, { spec, stdin }: ProgramInput): Step {
  return {
    title,
    run: `python3 ${locateProgram(unit)} ${mode} ${FORMER_FILE} 2>&1`,
    undo: `former=${FORMER_FILE}
if [ -e "\${former%.file}.sealed" ] && [ ! -e "$former" ]; then echo 'the former objects are sealed'; exit 1; fi
[ -e "$former" ] || exit 0
python3 ${locateProgram(unit)} undo "$former" 2>&1`,
    env: { SPEC: spec },
    ...(mode === 'apply' && { stdin }),
  };
}
