import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { execa } from 'execa';

/** An instruction of a guide, in the guide's order. */
export type Instruction = { kind: 'run'; command: string } | { kind: 'edit'; path: string; hunks: Hunk[] };

interface Hunk {
  before: string;
  after: string;
}

/** Returns the fenced commands (`sh`) and edits (`diff`) of a guide. */
export function instructionsIn(markdown: string): Instruction[] {
  const fences = markdown.matchAll(/^```(sh|diff)\n(.*?)^```$/gms);
  return [...fences].flatMap(([, language, text = '']) => (language === 'sh' ? commandsIn(text) : [editIn(text)]));
}

const commandsIn = (text: string): Instruction[] =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((command) => ({ kind: 'run', command }));

function editIn(text: string): Instruction {
  const [, path = '', body = ''] = /^--- (\S+)\n(.*)$/s.exec(text) ?? [];
  if (!path) throw new Error(`this edit names no file:\n${text}`);
  const side = (hunk: string, sign: string) =>
    hunk
      .split('\n')
      .filter((line) => line.startsWith(sign) || line.startsWith(' '))
      .map((line) => `${line.slice(1)}\n`)
      .join('');
  const hunks = body.split(/^@@\n/m).map((hunk) => ({ before: side(hunk, '-'), after: side(hunk, '+') }));
  return { kind: 'edit', path, hunks };
}

/**
 * Follows an instruction like a reader. Returns the output. Fails if a command fails or an edit does not fit.
 *
 * @param more variables for its commands
 */
export async function follow(instruction: Instruction, root: string, more: Record<string, string> = {}): Promise<string> {
  if (instruction.kind === 'edit') {
    await edit(join(root, instruction.path), instruction.hunks);
    return '';
  }
  // Variables of the outer test run do not apply to the inner one.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(VITEST|TEST|NODE_ENV$|npm_)/.test(name)));
  const options = { cwd: root, env: { ...env, ...more }, extendEnv: false, all: true, timeout: 1_500_000 } as const;
  const { all } = await execa('bash', ['-c', instruction.command], options);
  return all;
}

async function edit(path: string, hunks: readonly Hunk[]): Promise<void> {
  const text = edited(path, isNewFile(hunks) ? '' : await readFile(path, 'utf8'), hunks);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

/** Reports whether an edit writes a whole file, even over an existing one. */
export const isNewFile = (hunks: readonly Hunk[]): boolean => hunks.every(({ before }) => before === '');

/** Returns the text of a file after an edit. Fails if a place is missing or occurs more than once. */
export function edited(path: string, text: string, hunks: readonly Hunk[]): string {
  if (isNewFile(hunks)) return hunks.map(({ after }) => after).at(-1) ?? '';
  return hunks.reduce((former, { before, after }) => {
    const places = former.split(before).length - 1;
    if (places !== 1) throw new Error(`${path}: ${places} places fit this, not one:\n${before}`);
    return former.replace(before, () => after);
  }, text);
}
