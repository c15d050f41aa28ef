import { existsSync, realpathSync } from 'node:fs';
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { messageOf } from '../../core/errors.js';
import { cacheOf } from '../../home/home.js';
import { holdLock } from '../../workers/engine/processes/lock.js';

/** Evaluators of the languages as Python wheels, which are faster to install than their programs. */
const LIBRARIES = ['kcl-lib==0.13.2', 'py-nickel==1.18.0'];

/** Replacement for `kcl run FILE… --format json [--disable_none] [-E NAME=PATH] [-D NAME=VALUE]`. */
const KCL = `import sys
from kcl_lib.api import API, Argument, ExecProgramArgs, ExternalPkg

files, packages, given, rest = [], [], [], sys.argv[2:]
while rest:
    word = rest.pop(0)
    if word in ("-E", "-D"):
        name, value = rest.pop(0).split("=", 1)
        if word == "-E":
            packages.append(ExternalPkg(pkg_name=name, pkg_path=value))
        else:
            given.append(Argument(name=name, value='"' + value + '"'))
    elif word == "--format":
        rest.pop(0)
    elif not word.startswith("-"):
        files.append(word)
try:
    result = API().exec_program(ExecProgramArgs(k_filename_list=files, external_pkgs=packages, args=given, disable_none=True))
except Exception as error:
    sys.exit(str(error))
if result.err_message:
    sys.exit(result.err_message)
print(result.json_result)
`;

/** Replacement for `nickel export --format json FILE`. */
const NICKEL = `import json, os, sys
import nickel

try:
    print(nickel.run("import " + json.dumps(sys.argv[-1]), [os.environ["NICKEL_IMPORT_PATH"]]))
except nickel.NickelException as error:
    sys.exit(str(error))
`;

/**
 * Returns the folder of programs for PATH, and installs it in the user's cache if needed. Parallel calls install once.
 */
async function install(env: NodeJS.ProcessEnv = process.env): Promise<string> {
  const folder = join(cacheOf(env), 'languages-1');
  return holdLock(`${folder}.lock`, async () => {
    if (existsSync(join(folder, 'installed'))) return folder;
    await rm(folder, { recursive: true, force: true });
    await mkdir(dirname(folder), { recursive: true });
    await execa('python3', ['-m', 'venv', folder], { timeout: 300_000 });
    const python = join(folder, 'bin/python');
    await execa(python, ['-m', 'pip', 'install', '-q', '--disable-pip-version-check', ...LIBRARIES], { timeout: 300_000 });
    for (const [name, program] of Object.entries({ kcl: KCL, nickel: NICKEL })) {
      await mkdir(join(folder, name));
      await writeFile(join(folder, `run-${name}.py`), program);
      await writeFile(join(folder, name, name), `#!/bin/sh\nexec '${python}' '${folder}/run-${name}.py' "$@"\n`);
      await chmod(join(folder, name, name), 0o755);
    }
    await writeFile(join(folder, 'installed'), '');
    return folder;
  });
}

/** Path of a program with its required folders, or the reason why it is not available. */
export type FoundTool = { programs: string; folders: string[] } | { why: string };

let found: Promise<{ folder: string } | { why: string }> | undefined;

async function find(name: 'kcl' | 'nickel'): Promise<FoundTool> {
  found ??= install().then(
    (folder) => ({ folder }),
    (error: unknown) => ({ why: messageOf(error).slice(0, 300) }),
  );
  const there = await found;
  return 'why' in there
    ? { why: `${name} cannot be installed: ${there.why}` }
    : {
        programs: join(there.folder, name),
        folders: [there.folder, interpreterOf(there.folder)],
      };
}

/** Returns the folder of the Python from which a virtual environment was made. */
const interpreterOf = (folder: string): string => dirname(dirname(realpathSync(join(folder, 'bin/python'))));

export const findKcl = (): Promise<FoundTool> => find('kcl');
/**
 * Returns the program itself if it is built (`cargo install nickel-lang-cli --root
 * ~/.cache/provisioning/tools/nickel-1.18.0`).
 */
export async function findNickel(): Promise<FoundTool> {
  const built = join(cacheOf(process.env), 'tools/nickel-1.18.0/bin');
  return existsSync(join(built, 'nickel')) ? { programs: built, folders: [] } : find('nickel');
}
