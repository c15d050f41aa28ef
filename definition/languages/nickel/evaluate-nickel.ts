import { realpath, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { LIMITS } from '../../../core/limits.js';
import type { Problem } from '../../source/problem.js';
import type { Source } from '../../source/source.js';
import { createSource, type Program, problemIn, tooMuch } from '../evaluation.js';
import { keyLines } from '../key-lines.js';
import { definitionIn } from '../originals/definition-in.js';
import { usePrivateFolder } from '../private-folder.js';
import { runApart } from '../run-apart.js';
import { nickelModule } from './nickel-module.js';

/**
 * Evaluates a file of Nickel by the `nickel` on PATH, which finds `provisioning.ncl` on its import path. Its errors become
 * problems with file and line. Throws nothing for what it says.
 */
export const evaluateNickel = (program: Program): Promise<Source | Problem[]> =>
  usePrivateFolder('nickel', async (folder) => {
    const { file, text, given } = program;
    try {
      const entry = await realpath(file);
      await writeFile(join(folder, 'provisioning.ncl'), nickelModule(given.env));
      const seconds = LIMITS.toolSeconds;
      const ended = await runApart({
        name: 'nickel',
        args: ['export', '--format', 'json', '--color', 'never', entry],
        cwd: dirname(entry),
        env: { NICKEL_IMPORT_PATH: folder },
        seconds,
        folder,
        program,
      });
      if (ended === 'absent')
        return [
          problemIn(
            file,
            'the program "nickel" is missing on PATH, and Nickel files need it',
            {},
            'install it: https://nickel-lang.org/getting-started',
          ),
        ];
      if (Array.isArray(ended)) return ended;
      const { ran, warnings } = ended;
      if (ran.kind === 'too-much') return [tooMuch(ran, file, seconds)];
      if (ran.code !== 0) return [errorIn(ran.errors, { file, entry, folder })];
      return { ...createSource(file, definitionIn(JSON.parse(ran.output)), keyLines(text)), warnings };
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      return [problemIn(file, 'what "nickel" printed is not JSON', {}, 'nickel --version')];
    }
  });

/** `error: contract broken by the value of …`, then places, the ones of contracts among them. It stops at the first. */
function errorIn(output: string, { file, entry, folder }: { file: string; entry: string; folder: string }): Problem {
  const text = stripVTControlCharacters(output);
  const first = /error: (.*)/.exec(text)?.[1] ?? text.trim().split('\n')[0] ?? '';
  const message = first.replace(/ when parsing .*/, '');
  const places = [...text.matchAll(/┌─ (.+?):(\d+):(\d+)/g)].filter(
    ([, path = '']) => !path.startsWith('<') && !path.startsWith(folder),
  );
  const [, path = entry, line = '1', column = '1'] = places[0] ?? [];
  const isOwn = resolve(path) === entry;
  return problemIn(file, message, { line: Number(line), column: Number(column), ...(isOwn ? {} : { file: relative('', path) }) });
}
