import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const top = resolve(import.meta.dirname, '../..');
/** Rooms that touch the folder of a workspace, which a stranger may have written. */
const ROOMS = ['app', 'authoring', 'cli', 'client', 'definition', 'members', 'modules', 'settings', 'sops', 'upstream'];
const OPENS = /\b(?:readFile|open|createReadStream|createWriteStream|writeFile|appendFile|copyFile|cp)(?:Sync)?\b/;

/**
 * Modules that open files themselves, and the reason why each does not bypass the guard. New ones use `beneath.ts`
 * instead.
 */
const ALLOWED: Readonly<Record<string, string>> = {
  'definition/source/beneath.ts': 'the guard',
  'definition/source/read-text.ts': 'reads by the guard what has to lie in a folder',
  'settings/edit/write-file.ts': 'writes by the guard what has to lie in a folder',
  'authoring/sources/directory/ignore-files.ts': 'reads what the guard has opened',
  'authoring/sources/directory/walk.ts': 'reads what the guard has opened',
  'authoring/sources/local-repository.ts': 'reads what the guard has opened',
  'authoring/lock-file/write-lock-file.ts': 'writes in the open folder of the definition',
  'definition/interpolation/names.ts': 'reads the branch of a checkout, no link, a line of a fixed form',
  'definition/languages/typescript/bundle.ts': 'reads what esbuild wrote in a private folder',
  'definition/languages/kcl/evaluate-kcl.ts': 'writes in a private folder',
  'definition/languages/nickel/evaluate-nickel.ts': 'writes in a private folder',
  'definition/languages/apart.ts': 'writes in a private folder',
  'definition/languages/run-limited.ts': 'reads /proc',
  'sops/creation-rules.ts': 'chooses recipients; refuses a file of another user, and quotes none of it',
  'sops/age/identities.ts': "reads the user's own keys",
  'authoring/sops/age-keys.ts': "writes the user's own keys",
  'authoring/sops/edit-sops-file.ts': 'reads a private copy',
  'authoring/sops/private-copy.ts': 'writes a private copy',
  'settings/edit/edit-layer.ts': 'writes a private copy',
  'authoring/former/former-source.ts': 'writes new files in a folder that the user names',
  'authoring/definition/init-definition.ts': 'writes a new file that the user names',
  'authoring/workspaces/init-workspace.ts': 'writes a new folder that the user names',
  'authoring/sources/repository.ts': 'writes in a private folder',
  'members/all-or-nothing.ts': "puts files of the home back, and Temporal's own",
  'members/member-certificates.ts': 'reads and writes a folder that the user names',
  'app/logins/login-key.ts': 'reads a key that the settings of the worker allow',
  'cli/ssh/login-folder.ts': 'writes in a private folder',
  'upstream/asking/signature.ts': 'writes in a private folder',
  'authoring/catalog/answers.ts': 'lies in the home',
  'upstream/kept-answers.ts': 'lies in the home',
  'upstream/datasources/debian.ts': 'reads keys of the system',
  'app/definition/check-files.ts': 'writes in a private folder',
  'app/temporal/is-running.ts': 'reads /proc',
  'cli/commands/logs.ts': 'lies in the home',
  'cli/commands/secret/import.ts': 'reads a file that the user names',
  'cli/program/package.ts': 'lies in this package',
  'cli/start/pack.ts': 'lies in this package',
  'cli/shared/keys/recovery-copy.ts': 'reads a file that the user names',
  'cli/shared/open-in-browser.ts': 'lies in the home',
  'cli/shared/workspace/sealed-workspace.ts': 'reads and writes a file that the user names',
  'cli/shared/web-ui.ts': 'lies in the home',
  'cli/shared/test-environments/make-environment.ts': 'writes a report that the user names',
  'client/connect.ts': 'lies in the home',
  'client/http/connection.ts': 'reads certificates that the user names',
};

test('no file opens another by its name in a workspace, but for those with a reason', () => {
  const patterns = ROOMS.map((room) => `${room}/*.ts`);
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', ...patterns], { cwd: top, encoding: 'utf8' });
  const files = listed.split('\n').filter((file) => file !== '' && !/\.test\.ts$|fixtures\.ts$/.test(file));
  expect(files.length).toBeGreaterThan(400);
  const opening = files.filter((file) => {
    if (!existsSync(join(top, file))) return false;
    const imports = readFileSync(join(top, file), 'utf8').matchAll(/^import (.*?)from 'node:fs(?:\/promises)?';/gms);
    return [...imports].some(([, names = '']) => OPENS.test(names) || /\*|^\w/.test(names));
  });
  // Both ways, so that no reason stays of a file that has changed.
  expect(opening.sort()).toEqual(Object.keys(ALLOWED).sort());
});
