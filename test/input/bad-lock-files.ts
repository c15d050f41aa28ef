import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { BadInput } from './run-row.js';

const LOCK = 'provisioning.lock';
const traefik = (asked: string) =>
  `infra: shop\nprovider: demo\nservers: [{ name: web }]\ntaskservs: [{ name: traefik, version: '${asked}' }]\n`;
const entry = (more: string) => `lockfile: 1\ninfras:\n  shop:\n    traefik:\n      - asked: ^3.3\n        version: ${more}\n`;
const lock = (title: string, text: string, place: string, says: RegExp, args?: string[]): BadInput => ({
  title: `a lock file ${title}`,
  files: { 'infra.yaml': traefik('^3.3'), [LOCK]: text },
  ...(args && { args }),
  exit: 2,
  place,
  says,
});

/** Lock files beside a valid definition. */
export const LOCK_FILES: readonly BadInput[] = [
  lock('that is cut off', 'lockfile: 1\ninfras:\n  shop: {\n', `${LOCK}:`, /take it from version control/),
  lock(
    'of another tool',
    '# yarn lockfile v1\n\nabbrev@1:\n  version: "1.1.1"\n',
    `${LOCK}:3:1`,
    /not a lock file of this platform/,
  ),
  lock('of a newer release', 'lockfile: 2\ninfras: {}\n', `${LOCK}:1:11`, /which a newer release writes/),
  lock('in a merge', `<<<<<<< HEAD\n${entry('3.3.5')}`, `${LOCK}:1:1`, /it contains a merge conflict/),
  lock('with bytes that are no text', 'lockfile: 1\n\0\n', `${LOCK}:2:1`, /NUL byte/),
  lock(
    'with a version that there is not',
    entry('3.3.99'),
    'infra.yaml:4:',
    /has 3\.3\.99 of "traefik" for "\^3\.3", which this release/,
  ),
  lock(
    'with another hash',
    entry(`3.3.5\n        sha256: { amd64: ${'a'.repeat(64)} }`),
    'infra.yaml:4:',
    /the artifact of "traefik" 3\.3\.5 for amd64 is another one/,
  ),
  lock('that lacks a hash and is frozen', entry('3.3.5'), `${LOCK}:4:`, /or hashes are missing/, [
    'validate',
    'infra.yaml',
    '--frozen-lock',
  ]),
  {
    title: 'a lock file that is a link',
    files: { 'infra.yaml': traefik('^3.3'), secret: 'root:x:0:0\n' },
    prepare: (folder) => symlink(join(folder, 'secret'), join(folder, LOCK)),
    exit: 2,
    place: `${LOCK}:1:1`,
    says: /it is a symbolic link, which is not followed/,
  },
  {
    title: 'no lock file where one is to be frozen',
    files: { 'infra.yaml': traefik('^3.3') },
    args: ['apply', 'infra.yaml', '--yes', '--frozen-lock'],
    exit: 2,
    place: 'infra.yaml:4:',
    says: /provisioning\.lock has no version for "\^3\.3" of "traefik"/,
  },
];
