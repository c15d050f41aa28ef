import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { inputError } from '../core/errors.js';
import { packageRoot } from '../definition/source/package-root.js';

/** Time limit in milliseconds: the scripts sign a few certificates, or wait for a database. */
const PATIENCE_MS = 60_000;

/** Script of the folder `deploy`, with the program that it runs. */
export interface Script {
  name: 'store.sh' | 'certificates.sh';
  needs: 'psql' | 'openssl';
}

export const STORE_SCRIPT: Script = { name: 'store.sh', needs: 'psql' };
export const CERTIFICATES_SCRIPT: Script = { name: 'certificates.sh', needs: 'openssl' };

const PACKAGES = { psql: 'apt-get install postgresql-client', openssl: 'apt-get install openssl' } as const;

/**
 * Verifies that the program of a script is installed.
 *
 * @throws inputError `member-program`
 */
export async function needProgram({ name, needs }: Script, { PATH = '' }: NodeJS.ProcessEnv): Promise<void> {
  for (const folder of PATH.split(delimiter).filter(Boolean)) {
    const isThere = await access(join(folder, needs), constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return;
  }
  const why = `deploy/${name} needs ${needs}, which is not on PATH`;
  throw inputError({ code: 'member-program', what: 'change the members', on: needs, why, hint: PACKAGES[needs], absent: true });
}

/** Output and exit code of a script. */
export interface ScriptEnd {
  code: number;
  stdout: string;
  /** Last line of its standard error. */
  why: string;
}

/**
 * Runs a script of `deploy/`. Arguments contain no secrets: passwords are passed in the environment and on standard
 * output.
 */
export function runScript({ name }: Script, args: readonly string[], env: NodeJS.ProcessEnv): Promise<ScriptEnd> {
  const file = join(packageRoot(), 'deploy', name);
  return new Promise((resolve) => {
    execFile('sh', [file, ...args], { env, timeout: PATIENCE_MS, encoding: 'utf8' }, (error, stdout, stderr) => {
      const code = error ? (typeof error.code === 'number' ? error.code : 1) : 0;
      const said = stderr.trim().split('\n').at(-1);
      const why =
        said || (error?.killed ? `the script did not end within ${PATIENCE_MS / 1000} s` : `the script ended with code ${code}`);
      resolve({ code, stdout, why });
    });
  });
}
