import { mkdir, realpath, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { LIMITS } from '../../../core/limits.js';
import type { Problem } from '../../source/problem.js';
import type { Source } from '../../source/source.js';
import { createSource, type Program, problemIn, tooMuch } from '../evaluation.js';
import { keyLines } from '../key-lines.js';
import { definitionIn } from '../originals/definition-in.js';
import { ORIGINALS } from '../originals/originals-in-kcl.js';
import { usePrivateFolder } from '../private-folder.js';
import { runApart } from '../run-apart.js';
import { kclModule } from './kcl-module.js';

/** Names that the originals' files use without saying where they are from. */
const NAMED_BARE = /(^|[^.\w])(Server|BatchWorkflow)\s*(=|\{)/m;

/**
 * Evaluates a file of KCL by the `kcl` on PATH, which gets the module `provisioning` as a package. Its errors become
 * problems with file and line. Throws nothing for what it says.
 */
export const evaluateKcl = (program: Program): Promise<Source | Problem[]> =>
  usePrivateFolder('kcl', async (folder) => {
    const { file, text, given } = program;
    try {
      const entry = await realpath(file);
      const module = join(folder, 'provisioning');
      await mkdir(join(module, 'settings'), { recursive: true });
      await writeFile(join(module, 'provisioning.k'), kclModule());
      await writeFile(join(module, 'settings/settings.k'), ORIGINALS.settings);
      await writeFile(join(folder, 'originals.k'), ORIGINALS.bare);
      const isBare = NAMED_BARE.test(text) && !/^\s*schema\s+(Server|BatchWorkflow)\b/m.test(text);
      const seconds = LIMITS.toolSeconds;
      const ended = await runApart({
        name: 'kcl',
        args: [
          ...['run', entry, ...(isBare ? [join(folder, 'originals.k')] : []), '--format', 'json', '--disable_none'],
          ...['-E', `provisioning=${module}`, ...(given.env === undefined ? [] : ['-D', `env=${given.env}`])],
        ],
        cwd: dirname(entry),
        seconds,
        folder,
        program,
      });
      if (ended === 'absent')
        return [
          problemIn(
            file,
            'the program "kcl" is missing on PATH, and KCL files need it',
            {},
            'install it: https://www.kcl-lang.io/docs/user_docs/getting-started/install',
          ),
        ];
      if (Array.isArray(ended)) return ended;
      const { ran, warnings } = ended;
      if (ran.kind === 'too-much') return [tooMuch(ran, file, seconds)];
      if (ran.code !== 0) return errorsIn(ran.errors, { file, entry, folder });
      const places = keyLines(text);
      return { ...createSource(file, definitionIn(JSON.parse(ran.output)), places), warnings };
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      return [problemIn(file, 'what "kcl" printed is not JSON', {}, 'kcl version')];
    }
  });

const IMPORT = /^(CannotFindModule|pkgpath .* not found)/;

/** `error[E2G22]: TypeError`, then a place, then a line with `^` and what is the matter. */
function errorsIn(output: string, { file, entry, folder }: { file: string; entry: string; folder: string }): Problem[] {
  const text = stripVTControlCharacters(output);
  const problems = text.split(/^(?=(?:error\[\w+\]: |\s*EvaluationError$))/m).flatMap((one) => {
    const places = [...one.matchAll(/--> (.+?):(\d+):(\d+)\n([\s\S]*?)(?=\n\s*(?:-->|$))/g)];
    // A fault inside our module is reported at the place that uses it.
    const [, path = entry, line = '1', column = '1'] =
      places.find(([, where = '']) => !where.startsWith(folder)) ?? places[0] ?? [];
    const said = places.map(([, , , , lines = '']) => /\|[ \t]*\^*[ \t]+(\S.*)\n\s*\|?\s*$/.exec(`${lines}\n`)?.[1]?.trim());
    const check = said.map((what) => /^Check failed on the condition: (.*)/.exec(what ?? '')?.[1]).find(Boolean);
    const message = check ?? said.find(Boolean) ?? /^error\[\w+\]: (.*)/.exec(one)?.[1];
    if (message === undefined) return [];
    const isOwn = resolve(path) === entry || path.startsWith(folder);
    const place = { line: Number(line), column: Number(column), ...(isOwn ? {} : { file: relative('', path) }) };
    return [problemIn(file, message, place)];
  });
  const once = [...new Map(problems.map((one) => [JSON.stringify(one), one])).values()].slice(0, LIMITS.problems);
  // Without a module, its names do not exist either.
  const broken = once.filter(({ message }) => IMPORT.test(message));
  if (broken.length > 0) return broken;
  return once.length > 0 ? once : [problemIn(file, `"kcl" cannot evaluate it: ${text.trim().split('\n')[0] ?? ''}`)];
}
