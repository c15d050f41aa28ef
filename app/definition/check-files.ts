import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Definition } from '../../core/definition/definition.js';
import { inputError } from '../../core/errors.js';
import { LIMITS, sizeText } from '../../core/limits.js';
import { WORKSPACE_FILES } from '../../core/names.js';
import { loadDefinition } from '../../definition/load-definition.js';
import { registries } from '../../definition/registries/registries.js';
import { isProgram } from '../../definition/source/formats.js';
import type { Problem } from '../../definition/source/problem.js';

/** Definition files as a caller sends them. */
export interface SentFiles {
  /** Path of the main file. */
  main: string;
  /** Texts by their paths, relative to the folder of the workspace. */
  files: Readonly<Record<string, string>>;
  environment?: string | undefined;
  /** Values of variables. */
  variables?: Readonly<Record<string, string>> | undefined;
}

/** Result of a check. */
export interface CheckedFiles {
  /** Absent if there are problems. */
  definition?: Definition;
  problems: Problem[];
  warnings: Problem[];
  excepted: Problem[];
}

/**
 * Checks definition files of a caller. The platform has only the files that were sent. They are stored in a private
 * folder during the check, and no file outside of it is read. Programs are not evaluated. No environment variable,
 * secret, setting or other infra of the workspace is read, and no server is queried.
 *
 * @throws inputError `bad-bundle`, `too-large`
 */
export async function checkFiles(workspace: string, sent: SentFiles): Promise<CheckedFiles> {
  weighFiles(sent);
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'provisioning-check-')));
  try {
    await writeFiles(folder, sent.files);
    const { taskservs, providers } = await registries();
    const loaded = await loadDefinition(join(folder, sent.main), {
      workspace,
      registries: { taskservs, providers },
      // Only callers that may list secrets may know which are set.
      secretNames: { has: () => true },
      closed: [],
      folders: [],
      input: {
        ...(sent.environment !== undefined && { environment: sent.environment }),
        vars: Object.entries(sent.variables ?? {}).map(([name, value]) => `${name}=${value}`),
        environ: {},
      },
    });
    const found = (problems: readonly Problem[] = []) => problems.map((one) => relativeTo(folder, one));
    const { warnings, excepted } = loaded.definition ? loaded : {};
    return {
      ...(loaded.definition && { definition: loaded.definition }),
      ...{ problems: found(loaded.problems), warnings: found(warnings), excepted: found(excepted) },
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function weighFiles({ main, files }: SentFiles): void {
  const refuse = (why: string, hint?: string) =>
    inputError({ code: 'bad-bundle', what: 'check the definition', on: main, why, ...(hint !== undefined && { hint }) });
  if (!Object.hasOwn(files, main)) throw refuse('its main file is not among the files');
  if (isProgram(main)) {
    const why = 'the platform does not evaluate programs of a caller';
    throw refuse(why, 'send the definition as YAML, JSON or TOML: `provisioning convert`');
  }
  const paths = Object.keys(files);
  const parents = new Set(paths.flatMap(foldersOf));
  const both = paths.find((path) => parents.has(path));
  if (both !== undefined) throw refuse(`"${both}" is a file and a folder`);
  const size = Object.values(files).reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (paths.length <= LIMITS.bundleFiles && size <= LIMITS.bundle) return;
  const why = `there are ${paths.length} files with ${sizeText(size)}, at most ${LIMITS.bundleFiles} with ${sizeText(LIMITS.bundle)} are allowed`;
  throw inputError({ code: 'too-large', what: 'check the definition', on: main, why });
}

const foldersOf = (path: string): string[] => {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
};

async function writeFiles(folder: string, files: SentFiles['files']): Promise<void> {
  // Without a mark, the workspace would be the nearest one above, if there is one.
  const [mark = ''] = WORKSPACE_FILES;
  const marked = WORKSPACE_FILES.some((name) => Object.hasOwn(files, name)) ? files : { ...files, [mark]: 'name: check\n' };
  for (const [path, text] of Object.entries(marked)) {
    const at = join(folder, path);
    await mkdir(dirname(at), { recursive: true, mode: 0o700 });
    await writeFile(at, text, { flag: 'wx', mode: 0o600 });
  }
}

/** A problem as the caller knows its files. */
function relativeTo(folder: string, { file, message, suggestion, ...rest }: Problem): Problem {
  const shorten = (text: string) => text.replaceAll(`${folder}/`, '').replaceAll(folder, '.');
  return {
    ...rest,
    ...{ file: shorten(file), message: shorten(message) },
    ...(suggestion !== undefined && { suggestion: shorten(suggestion) }),
  };
}
