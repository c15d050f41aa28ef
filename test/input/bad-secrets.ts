import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { generateIdentity, identityToRecipient } from 'age-encryption';
import { newSopsFile } from '../../sops/sops-file.js';
import { type BadInput, PROGRAM } from './run-row.js';

const run = promisify(execFile);
const [key, other] = [await generateIdentity(), await generateIdentity()];
const infra = (more: string) => `infra: shop\nprovider: demo\n${more}servers:\n  - name: web\n`;

/** An encrypted file with an error. It is encrypted for `key` and decrypted with the row's key. */
const sops = (
  title: string,
  says: RegExp,
  more: Partial<BadInput>,
  change: (text: string) => string = (text) => text,
): BadInput => ({
  title,
  args: ['secret', 'decrypt', 'a.yaml'],
  env: { SOPS_AGE_KEY: key },
  exit: 2,
  says,
  prepare: async (folder) => {
    const plain = Buffer.from('db:\n  password: hunter2\n  port: 5432\n');
    const sealed = await newSopsFile('a.yaml', plain, { recipients: [await identityToRecipient(key)] }, new Date());
    await writeFile(join(folder, 'a.yaml'), change(sealed.toString()));
  },
  ...more,
});
/** Changes the first character of the first encrypted value. */
const turned = (text: string) => text.replace(/data:(.)/, (_, sign: string) => `data:${sign === 'A' ? 'B' : 'A'}`);
const given = (title: string, reference: string, place: string, says: RegExp): BadInput => ({
  title,
  files: { 'infra.yaml': `${infra('')}taskservs:\n  - name: redis\n    config: { password: ${reference} }\n` },
  exit: 2,
  place: `infra.yaml:${place}`,
  says,
});
const kms = (title: string, env: Record<string, string>, says: RegExp, exit = 3): BadInput => ({
  title,
  args: ['secret', 'set', 'password'],
  stdin: 'value',
  env: { PROVISIONING_ENCRYPTION_KMS: 'vault', PROVISIONING_ENCRYPTION_KMS_KEY: 'transit/home', ...env },
  exit,
  says,
});

/** Unusable encrypted files, references and key services. */
export const SECRETS: readonly BadInput[] = [
  sops('a SOPS file for another key', /a.yaml: no age key here opens it/, { env: { SOPS_AGE_KEY: other } }),
  sops('a SOPS file without any key', /a.yaml: .*key/, { env: {} }),
  sops('a SOPS file with another value', /a.yaml: /, {}, turned),
  sops('a SOPS file without one of its values', /a.yaml: /, {}, (text) => text.replace(/^ {4}port.*\n/m, '')),
  sops('a file that is not encrypted', /a.yaml: it is not a SOPS file/, {}, () => 'db: 1\n'),
  {
    title: 'a file to encrypt for nobody',
    files: { 'b.yaml': 'a: 1\n' },
    args: ['secret', 'encrypt', 'b.yaml'],
    exit: 2,
    says: /b.yaml: the file has no recipient/,
  },
  given('a SOPS file that is not there', '{ sops: gone.yaml, key: a }', '7:', /gone.yaml.*the file does not exist/),
  given('a SOPS file outside', '{ sops: ../../etc/passwd, key: a }', '7:', /is outside of/),
  given('a variable that is not listed', '{ env: HOME }', '7:', /PROVISIONING_GIVEN_ENV/),
  given('a file outside', '{ file: /etc/passwd }', '7:', /is outside of the workspace/),
  given('a file of a home folder', '{ file: home/identity.json }', '7:', /the workspace is your home folder/),
  kms(
    'a key service that nobody answers for',
    { PROVISIONING_ENCRYPTION_KMS_ADDRESS: 'http://127.0.0.1:1', VAULT_TOKEN: 'x' },
    /Vault transit\/home at http:\/\/127.0.0.1:1/,
  ),
  kms(
    'a key service in plain text',
    { PROVISIONING_ENCRYPTION_KMS_ADDRESS: 'http://vault.example.org', VAULT_TOKEN: 'x' },
    /is not https/,
    2,
  ),
  kms(
    'a key service without a token',
    { PROVISIONING_ENCRYPTION_KMS_ADDRESS: 'https://127.0.0.1:1' },
    /there is no token for Vault/,
    2,
  ),
  kms('an unknown key service', { PROVISIONING_ENCRYPTION_KMS: 'valt' }, /"valt"/, 2),
];

/** Invalid environments, variables, includes and workspaces. */
export const WORKSPACES: readonly BadInput[] = [
  {
    title: 'an environment without a file',
    files: { 'infra.yaml': infra('') },
    args: ['apply', 'infra.yaml', '--env', 'prdo', '--yes'],
    exit: 2,
    place: 'infra.yaml:1:1',
    says: /there is no environment "prdo": neither infra.prdo.yaml beside it nor environments\/prdo.yaml/,
  },
  {
    title: 'a variable of the wrong type',
    files: { 'infra.yaml': infra('vars: { count: { type: number } }\n') },
    args: ['apply', 'infra.yaml', '--var', 'count=two', '--yes'],
    exit: 2,
    says: /count.*number/,
  },
  {
    title: 'a variable without a value',
    files: { 'infra.yaml': infra('vars: { count: { type: number } }\n') },
    exit: 2,
    place: 'infra.yaml:3:',
    says: /count/,
  },
  {
    title: 'an unknown name in an expression',
    files: { 'infra.yaml': infra('vars: { size: small }\n').replace('- name: web', '- { name: web, plan: "{{ vars.siez }}" }') },
    exit: 2,
    place: 'infra.yaml:5:',
    says: /"?siez"?.*did you mean "size"/,
  },
  {
    title: 'files that include each other',
    files: { 'infra.yaml': `include: [b.yaml]\n${infra('')}`, 'b.yaml': 'include: [infra.yaml]\n' },
    exit: 2,
    place: 'b.yaml:1:11',
    says: /infra.yaml/,
  },
  {
    title: 'an include outside',
    files: { 'infra.yaml': `include: [../outside.yaml]\n${infra('')}` },
    exit: 2,
    place: 'infra.yaml:1:11',
    says: /outside|folder/,
  },
  {
    title: 'two workspaces with one name',
    args: ['workspace', 'register', 'two'],
    exit: 2,
    says: /demo/,
    prepare: async (folder) => {
      for (const one of ['one', 'two']) {
        await mkdir(join(folder, one));
        await writeFile(join(folder, one, 'provisioning.yaml'), 'name: demo\n');
      }
      const env = { PATH: process.env.PATH, HOME: folder, PROVISIONING_HOME: join(folder, 'home') };
      await run(process.execPath, [PROGRAM, 'workspace', 'register', 'one'], { cwd: folder, env });
    },
  },
  ...(process.getuid?.() === 0 ? [readOnlyDisk()] : []),
];

/** A separate mount, which only root can create. */
function readOnlyDisk(): BadInput {
  return {
    title: 'a home on a read-only disk',
    args: ['secret', 'set', 'password'],
    stdin: 'value',
    exit: 2,
    says: /home.*read-only/,
    prepare: async (folder) => void (await run('mount', ['-t', 'tmpfs', '-o', 'ro,size=1m', 'none', join(folder, 'home')])),
    after: async (folder) => void (await run('umount', [join(folder, 'home')])),
  };
}
