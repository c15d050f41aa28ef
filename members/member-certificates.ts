import { X509Certificate } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { inputError, messageOf } from '../core/errors.js';
import { isMemberName } from './member-name.js';
import { CERTIFICATES_SCRIPT, runScript } from './run-script.js';

/** Clients that are programs; deploy/certificates.sh makes their certificates each time. */
const PROGRAMS = ['worker', 'ui', 'api', 'namespace'] as const;

/** Certificate of a person. */
export interface MemberCertificate {
  name: string;
  /** ISO time. */
  ends: string;
}

/**
 * Returns the people who have a certificate in a folder of `deploy/certificates.sh`, by name.
 *
 * @throws inputError `member-certificates` if it is not such a folder
 */
export function certificatesIn(folder: string): MemberCertificate[] {
  if (!existsSync(join(folder, 'authority', 'clients.key')) || !existsSync(join(folder, 'server')))
    throw bad(
      'find the certificates',
      folder,
      'it is not a folder that deploy/certificates.sh made',
      'name it, --certificates FOLDER; or --without-certificate',
    );
  const names = readdirSync(folder).filter(isMemberName).sort();
  return names.flatMap((name) => {
    const ends = endOf(join(folder, name, 'client.pem'));
    return ends === undefined ? [] : [{ name, ends }];
  });
}

function endOf(path: string): string | undefined {
  try {
    return new Date(new X509Certificate(readFileSync(path)).validTo).toISOString();
  } catch {
    // The folder has other content.
    return undefined;
  }
}

/** Certificates of a Temporal client: its own, and the authority that it trusts; PEM. */
export interface ClientCertificates {
  ca: string;
  certificate: string;
  key: string;
}

/**
 * Makes the certificate of a person, or renews one that expires within 30 days. Other certificates stay.
 *
 * @throws inputError `member-certificates`
 */
export async function makeCertificate(folder: string, name: string, env: NodeJS.ProcessEnv): Promise<ClientCertificates> {
  await run(folder, [name], env);
  const read = async (file: string) => readFile(join(folder, name, file), 'utf8');
  try {
    return { ca: await read('ca.pem'), certificate: await read('client.pem'), key: await read('client.key') };
  } catch (error) {
    throw bad('read the certificate', join(folder, name), messageOf(error));
  }
}

/**
 * Makes a new authority for clients, with certificates for the programs and for these people. Certificates of the
 * former authority stay valid until Temporal reads the new one. New files are made in another folder first, so that a
 * failure changes nothing.
 *
 * @throws inputError `member-certificates`
 */
export async function renewClients(folder: string, people: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const former = [...PROGRAMS, ...certificatesIn(folder).map(({ name }) => name)];
  const made = await mkdtemp(join(folder, '.renewed-'));
  try {
    // The server's authority and certificate stay.
    await mkdir(join(made, 'authority'), { mode: 0o700 });
    for (const ending of ['key', 'pem', 'srl'])
      await cp(join(folder, 'authority', `servers.${ending}`), join(made, 'authority', `servers.${ending}`)).catch(unlessMissing);
    await cp(join(folder, 'server'), join(made, 'server'), { recursive: true });
    await run(made, people, env);
    await rename(join(made, 'authority', 'clients.key'), join(folder, 'authority', 'clients.key'));
    await rename(join(made, 'authority', 'clients.pem'), join(folder, 'authority', 'clients.pem'));
    await rm(join(folder, 'authority', 'clients.srl'), { force: true });
    // The server's folder stays the same, so that a container that mounts it sees the new file.
    await rename(join(made, 'server', 'clients.pem'), join(folder, 'server', 'clients.pem'));
    // Last: if this command is killed, the next run of deploy/certificates.sh renews the remaining certificates.
    for (const name of former) await rm(join(folder, name), { recursive: true, force: true });
    for (const name of [...PROGRAMS, ...people]) await rename(join(made, name), join(folder, name));
  } finally {
    await rm(made, { recursive: true, force: true });
  }
}

/** Ignores missing files: openssl creates the file of serial numbers with its first signature. */
const unlessMissing = (error: NodeJS.ErrnoException): void => {
  if (error.code !== 'ENOENT') throw error;
};

async function run(folder: string, people: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const { PATH, HOME, NAMES } = env;
  const { code, why } = await runScript(CERTIFICATES_SCRIPT, [folder, ...people], { PATH, HOME, NAMES });
  if (code !== 0) throw bad('make the certificates', folder, why);
}

const bad = (what: string, on: string, why: string, hint?: string) =>
  inputError({ code: 'member-certificates', what, on, why, ...(hint && { hint }) });
