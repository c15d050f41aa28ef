import type { Key } from '../registry.js';

/**
 * Pattern of a mirror: a prefix of the vendor's URLs, and its replacement. Without TLS, only this machine is allowed.
 */
const MIRROR =
  'https://[A-Za-z0-9.-]+(:[0-9]{1,5})?(/[A-Za-z0-9_.~%+:/-]*)?=(https://[A-Za-z0-9.-]+|http://(localhost|127[.][0-9.]+))(:[0-9]{1,5})?(/[A-Za-z0-9_.~%+:/-]*)?';

/** Keys for the output and the defaults of commands. */
export const COMMAND_KEYS: readonly Key[] = [
  {
    name: 'output.format',
    type: { kind: 'choice', choices: ['text', 'json', 'yaml'] },
    description: 'Output format of commands, like --json and --yaml.',
    default: 'text',
    scope: 'client',
  },
  {
    name: 'output.width',
    type: { kind: 'number', min: 40, max: 1_000 },
    description: 'Maximum width of tables and texts.',
    unit: 'columns',
    otherwise: "the terminal's width, else 80",
    scope: 'client',
  },
  {
    name: 'output.progress',
    type: { kind: 'choice', choices: ['auto', 'plain'] },
    description: 'Display of progress: redrawn in place on a terminal, or plain lines everywhere.',
    default: 'auto',
    scope: 'client',
  },
  {
    name: 'output.verbose',
    type: { kind: 'switch' },
    description: 'Whether errors include more detail, like --verbose.',
    default: false,
    scope: 'client',
  },
  {
    name: 'output.rows',
    type: { kind: 'number', min: 1, max: 10_000 },
    description: 'Number of operations in a list, like --limit.',
    unit: 'operations',
    default: 50,
    scope: 'client',
  },
  {
    name: 'output.logLines',
    type: { kind: 'number', min: 1, max: 1_000_000 },
    description: 'Number of lines in `logs engine` and `logs worker`, like --lines.',
    unit: 'lines',
    default: 200,
    scope: 'client',
  },
  {
    name: 'exec.parallel',
    type: { kind: 'number', min: 1, max: 1_000 },
    description: 'Number of parallel servers in `exec`, like --parallel.',
    unit: 'servers',
    default: 10,
    scope: 'client',
  },
  {
    name: 'exec.timeout',
    type: { kind: 'number', min: 1, max: 1_000_000 },
    description: 'Time limit of `exec` on each server, like --timeout.',
    unit: 'seconds',
    otherwise: 'as long as it takes',
    scope: 'client',
  },
  {
    name: 'workspace.template',
    type: { kind: 'choice', choices: ['minimal', 'web'] },
    description: 'Template of `workspace init`, like --template.',
    default: 'minimal',
    scope: 'client',
  },
  {
    name: 'ui.open',
    type: { kind: 'switch' },
    description: 'Whether `ui` opens the browser, like --open.',
    default: false,
    scope: 'engine',
  },
  {
    name: 'backup.folder',
    type: { kind: 'text', form: { pattern: '^/', words: 'a path such as /mnt/backups' } },
    description: 'Folder of archives for `backup create` and `backup list`.',
    otherwise: 'backups/ of the home',
    scope: 'engine',
  },
  {
    name: 'versions.keep',
    type: { kind: 'number', min: 0, max: 8_760 },
    description: 'Lifetime of cached answers in `version check`.',
    unit: 'hours',
    default: 24,
    scope: 'client',
  },
  {
    name: 'versions.grace',
    type: { kind: 'number', min: 0, max: 365 },
    description: 'Further lifetime of a cached answer if the vendor cannot be reached, shown with a note.',
    unit: 'days',
    default: 7,
    scope: 'client',
  },
  {
    name: 'versions.mirrors',
    type: {
      kind: 'text',
      form: {
        pattern: `^${MIRROR}( +${MIRROR}){0,99}$`,
        words: 'FROM=TO, several with spaces between, such as https://github.com/=https://mirror.example.org/github',
      },
    },
    description: 'Mirrors for `version check`, like `mirrors` in a definition: the longest FROM wins.',
    otherwise: 'vendors are asked themselves',
    // The value decides the servers to which commands connect.
    scope: 'engine',
  },
  {
    name: 'catalog.keep',
    type: { kind: 'number', min: 0, max: 8_760 },
    description: 'Lifetime of cached plans, images and zones.',
    unit: 'hours',
    default: 24,
    scope: 'client',
  },
];
