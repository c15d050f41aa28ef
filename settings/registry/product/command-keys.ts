import type { Key } from '../registry.js';

/** Of a mirror: what URLs begin with at the vendor, and at the mirror. Without TLS it is this machine alone. */
const MIRROR =
  'https://[A-Za-z0-9.-]+(:[0-9]{1,5})?(/[A-Za-z0-9_.~%+:/-]*)?=(https://[A-Za-z0-9.-]+|http://(localhost|127[.][0-9.]+))(:[0-9]{1,5})?(/[A-Za-z0-9_.~%+:/-]*)?';

/** How commands print, and what they do where no option says otherwise. */
export const COMMAND_KEYS: readonly Key[] = [
  {
    name: 'output.format',
    type: { kind: 'choice', choices: ['text', 'json', 'yaml'] },
    description: 'How commands print, as --json and --yaml say it.',
    default: 'text',
    scope: 'client',
  },
  {
    name: 'output.width',
    type: { kind: 'number', min: 40, max: 1_000 },
    description: 'How wide tables and texts may be.',
    unit: 'columns',
    otherwise: "the terminal's width, else 80",
    scope: 'client',
  },
  {
    name: 'output.progress',
    type: { kind: 'choice', choices: ['auto', 'plain'] },
    description: 'How work is followed: redrawn in place on a terminal, or plain lines everywhere.',
    default: 'auto',
    scope: 'client',
  },
  {
    name: 'output.verbose',
    type: { kind: 'switch' },
    description: 'Whether errors are told with more detail, as --verbose says it.',
    default: false,
    scope: 'client',
  },
  {
    name: 'output.rows',
    type: { kind: 'number', min: 1, max: 10_000 },
    description: 'How many operations a list shows, as --limit says it.',
    unit: 'operations',
    default: 50,
    scope: 'client',
  },
  {
    name: 'output.logLines',
    type: { kind: 'number', min: 1, max: 1_000_000 },
    description: 'How many of the last lines `logs engine` and `logs worker` print, as --lines says it.',
    unit: 'lines',
    default: 200,
    scope: 'client',
  },
  {
    name: 'exec.parallel',
    type: { kind: 'number', min: 1, max: 1_000 },
    description: 'On how many servers `exec` runs at a time, as --parallel says it.',
    unit: 'servers',
    default: 10,
    scope: 'client',
  },
  {
    name: 'exec.timeout',
    type: { kind: 'number', min: 1, max: 1_000_000 },
    description: 'How long `exec` may take on each server, as --timeout says it.',
    unit: 'seconds',
    otherwise: 'as long as it takes',
    scope: 'client',
  },
  {
    name: 'workspace.template',
    type: { kind: 'choice', choices: ['minimal', 'web'] },
    description: 'What `workspace init` begins with, as --template says it.',
    default: 'minimal',
    scope: 'client',
  },
  {
    name: 'ui.open',
    type: { kind: 'switch' },
    description: 'Whether `ui` opens the browser, as --open says it.',
    default: false,
    scope: 'engine',
  },
  {
    name: 'backup.folder',
    type: { kind: 'text', form: { pattern: '^/', words: 'a path such as /mnt/backups' } },
    description: 'Where `backup create` writes and `backup list` looks.',
    otherwise: 'backups/ of the home',
    scope: 'engine',
  },
  {
    name: 'versions.keep',
    type: { kind: 'number', min: 0, max: 8_760 },
    description: 'How long `version check` goes by what vendors said before it asks them again.',
    unit: 'hours',
    default: 24,
    scope: 'client',
  },
  {
    name: 'versions.grace',
    type: { kind: 'number', min: 0, max: 365 },
    description: 'How long beyond that an answer is used, with a remark, where the vendor cannot be reached.',
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
    description: 'Where `version check` asks instead of a vendor, as `mirrors` of a definition say it: the longest FROM counts.',
    otherwise: 'vendors are asked themselves',
    // Who says it says whom commands connect to.
    scope: 'engine',
  },
  {
    name: 'catalog.keep',
    type: { kind: 'number', min: 0, max: 8_760 },
    description: 'How long lists of plans, images and zones of a provider are good.',
    unit: 'hours',
    default: 24,
    scope: 'client',
  },
];
