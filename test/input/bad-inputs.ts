import { COMMANDS } from './bad-commands.js';
import { DEFINITIONS } from './bad-definitions.js';
import { KINDS, TEXTS } from './bad-files.js';
import { LANGUAGES } from './bad-languages.js';
import { LOCK_FILES } from './bad-lock-files.js';
import { MODULES } from './bad-modules.js';
import { SECRETS, WORKSPACES } from './bad-secrets.js';
import { TESTS } from './bad-tests.js';
import { UPGRADES } from './bad-upgrades.js';
import type { BadInput } from './run-row.js';

/** All bad inputs, by kind of error. */
export const BAD_INPUTS: Readonly<Record<string, readonly BadInput[]>> = {
  files: KINDS,
  texts: TEXTS,
  definitions: DEFINITIONS,
  commands: COMMANDS,
  languages: LANGUAGES,
  modules: MODULES,
  secrets: SECRETS,
  workspaces: WORKSPACES,
  tests: TESTS,
  upgrades: UPGRADES,
  lockFiles: LOCK_FILES,
};
