import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { BadInput } from './run-row.js';

const run = promisify(execFile);
const good = { 'infra.yaml': 'infra: shop\nprovider: demo\nservers:\n  - name: web\n' };
const settings = (title: string, text: string | Buffer, says: RegExp): BadInput => ({
  title,
  prepare: async (folder) => (await import('node:fs/promises')).writeFile(join(folder, 'home/settings.yaml'), text),
  files: good,
  exit: 2,
  says,
});
const home = (title: string, more: Partial<BadInput>): BadInput => ({
  title,
  args: ['secret', 'set', 'password'],
  stdin: 'value',
  exit: 2,
  says: /./,
  ...more,
});

/** Invalid command lines, settings and homes. */
export const COMMANDS: readonly BadInput[] = [
  { title: 'an unknown command', args: ['aply'], exit: 2, says: /there is no such command/ },
  { title: 'an unknown option', args: ['apply', 'a.yaml', '--frob'], exit: 2, says: /unknown option/ },
  {
    title: 'an option that obeys the terminal',
    args: ['apply', '\u001b]0;x\u0007.yaml'],
    exit: 2,
    says: /contains the invalid character U\+001B/,
  },
  {
    title: 'an argument of 100,000 letters',
    args: ['apply', 'a'.repeat(100_000)],
    exit: 2,
    says: /100000 characters, at most 4096/,
  },
  { title: 'a number that is none', args: ['workflow', 'list', '--limit', '-5'], exit: 2, says: /limit/ },
  {
    title: 'a workspace that is a path',
    args: ['status', '--workspace', '../etc'],
    exit: 2,
    says: /choose the workspace: ..\/etc/,
  },
  { title: 'a secret by a path', args: ['secret', 'set', '../../etc/passwd'], stdin: 'x', exit: 2, says: /name the secret/ },
  {
    title: 'a secret by a path, to be shown',
    args: ['secret', 'get', '../../etc/passwd', '--reveal'],
    exit: 2,
    says: /name the secret/,
  },
  {
    title: 'a secret that is not set',
    args: ['secret', 'get', 'password', '--reveal'],
    exit: 2,
    says: /the secret is not set for workspace default/,
  },
  {
    title: 'a taskserv that every object has',
    args: ['taskserv', 'show', 'constructor'],
    exit: 2,
    says: /the platform has no taskserv with this name/,
  },
  { title: 'help of what every object has', args: ['help', 'constructor'], exit: 2, says: /there is no such command/ },
  {
    title: 'versions of an unknown service',
    args: ['version', 'check', 'trafik'],
    exit: 2,
    says: /the platform has no taskserv with this name/,
  },
  {
    title: 'versions of a service that nobody is known to list',
    args: ['version', 'check', 'files'],
    exit: 2,
    says: /have no known source/,
  },
  { title: 'completion in an unknown shell', args: ['completion', 'tcsh'], exit: 2, says: /this shell has no completion script/ },
  { title: 'a secret without a value', args: ['secret', 'set', 'password'], stdin: '', exit: 2, says: /no value was given/ },
  { title: 'no engine', args: ['workflow', 'list'], exit: 3, says: /no engine is running for this home/ },
  settings(
    'settings that are a FIFO’s worth of text',
    `profile: ${'x'.repeat(100_000)}\n`,
    /settings.yaml: the file has 97\.7 KiB, at most 64 KiB/,
  ),
  settings(
    '__proto__ in the settings',
    'profile: a\n__proto__: { store: x }\n',
    /settings.yaml:2: no key may be called "__proto__"/,
  ),
  settings('settings that are no YAML', 'profile: {a\n', /settings.yaml:\d+: /),
  settings('an unknown setting', 'profil: a\n', /settings.yaml:1: there is no setting "profil"/),
  settings('settings of UTF-16', Buffer.from('\ufeffprofile: a\n', 'utf16le'), /settings.yaml: it is not UTF-8/),
  {
    title: 'settings that are a directory',
    files: good,
    prepare: (folder) => mkdir(join(folder, 'home/settings.yaml')).then(() => {}),
    exit: 2,
    says: /settings.yaml: it is a directory/,
  },
  {
    title: 'settings that are a FIFO',
    files: good,
    prepare: (folder) => run('mkfifo', [join(folder, 'home/settings.yaml')]).then(() => {}),
    exit: 2,
    says: /settings.yaml: it is a FIFO/,
  },
  home('a home that this user may not write', {
    prepare: async (folder) => void (await run('chmod', ['555', join(folder, 'home')])),
    unprivileged: true,
    says: /use a file \(mkdir\): home\/secrets: this user has no permission for this/,
  }),
  home('a home below a file', {
    files: { file: '' },
    env: { PROVISIONING_HOME: 'FOLDER/file/home' },
    says: /file\/home.*something in .* path is no directory/,
  }),
  home('an engine below a file', {
    args: ['up', '--no-worker'],
    files: { file: '' },
    env: { PROVISIONING_HOME: 'FOLDER/file/home' },
    says: /file\/home.*something in .* path is no directory/,
  }),
  home('a path of the home that is too long', { env: { PROVISIONING_HOME: `FOLDER/${'a'.repeat(300)}` }, says: /too long/ }),
];
