import { randomUUID } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inputError } from '../../core/errors.js';
import { NAME, NAME_RULE } from '../../core/names.js';
import type { Home } from '../home.js';

/** Server of the API, known to a home by name. Its token is in a separate file. */
export interface ServerContext {
  /** `https://provisioning.example.org`, without a path. */
  server: string;
  /** Trusted certificate authorities of this server, as PEM. Default: the authorities that Node trusts. */
  ca?: string;
  /** Workspace of commands that name none. */
  workspace?: string;
}

/** Name of this machine's own engine, which no context can have. */
export const THIS_MACHINE = 'local';

const GROUP_AND_OTHERS = 0o077;

const folderOf = ({ root }: Home): string => join(root, 'contexts');
const fileOf = (home: Home, name: string): string => join(folderOf(home), `${name}.json`);
const tokenFile = (home: Home, name: string): string => join(folderOf(home), `${name}.token`);
/** Returns the path of the selection. No context can have this name: names begin with a letter. */
const currentFile = (home: Home): string => join(folderOf(home), '.current');

/** @throws inputError `context-name` */
export function checkContextName(name: string): string {
  if (NAME.test(name) && name !== THIS_MACHINE) return name;
  const why = name === THIS_MACHINE ? "this name stands for this machine's own engine" : `use ${NAME_RULE}`;
  throw inputError({ code: 'context-name', what: 'name the context', on: name, why });
}

/** Finds a context by name; undefined if it does not exist. Synchronous: every command needs it. */
export function findContext(home: Home, name: string): ServerContext | undefined {
  const text = NAME.test(name) ? textOf(fileOf(home, name)) : undefined;
  if (text === undefined) return undefined;
  try {
    const { server, ca, workspace } = JSON.parse(text) as ServerContext;
    if (typeof server !== 'string') return undefined;
    return { server, ...(typeof ca === 'string' && { ca }), ...(typeof workspace === 'string' && { workspace }) };
  } catch {
    return undefined;
  }
}

/** Returns the names of all contexts, sorted. */
export const listContexts = (home: Home): string[] =>
  namesIn(folderOf(home))
    .flatMap((file) => (file.endsWith('.json') ? [file.slice(0, -'.json'.length)] : []))
    .filter((name) => NAME.test(name))
    .sort();

/** Stores a context under its name, and replaces the former context of this name. */
export const keepContext = (home: Home, name: string, context: ServerContext): void =>
  write(home, fileOf(home, checkContextName(name)), `${JSON.stringify(context)}\n`);

/** Removes a context and its token. */
export function removeContext(home: Home, name: string): void {
  if (currentContext(home) === name) rmSync(currentFile(home), { force: true });
  for (const path of [tokenFile(home, name), fileOf(home, name)]) rmSync(path, { force: true });
}

/** Returns the name of the context that `context use` selected; undefined for this machine. */
export function currentContext(home: Home): string | undefined {
  const name = textOf(currentFile(home))?.trim();
  return name && NAME.test(name) ? name : undefined;
}

/** Selects a context for all commands of this home. @param name undefined for this machine */
export function useContext(home: Home, name: string | undefined): void {
  if (name === undefined) rmSync(currentFile(home), { force: true });
  else write(home, currentFile(home), `${name}\n`);
}

/**
 * Returns the token of a context; undefined before a login.
 *
 * @throws inputError `folder-not-private` if others may read or write its file
 */
export function readToken(home: Home, name: string): string | undefined {
  const path = tokenFile(home, name);
  const token = textOf(path)?.trim();
  if (!token) return undefined;
  checkOwn(path);
  return token;
}

/** Stores the token of a context, in a file of mode 0600. */
export const keepToken = (home: Home, name: string, token: string): void => write(home, tokenFile(home, name), `${token}\n`);

/** Removes the token of a context. @returns whether there was one */
export function removeToken(home: Home, name: string): boolean {
  const had = textOf(tokenFile(home, name)) !== undefined;
  rmSync(tokenFile(home, name), { force: true });
  return had;
}

/**
 * Verifies owner and mode of a file. Systems without POSIX users have no modes; the user's folder protects the file
 * there.
 */
function checkOwn(path: string): void {
  const me = process.getuid?.();
  if (me === undefined) return;
  const { uid, mode } = lstatSync(path);
  if (uid === me && (mode & GROUP_AND_OTHERS) === 0) return;
  const [why, hint] =
    uid === me ? ['others may read or write it', `chmod 600 ${path}`] : [`it belongs to the user ${uid}`, 'provisioning login'];
  throw inputError({ code: 'folder-not-private', what: 'use the token', on: path, why, hint });
}

/** Replaces a file atomically. */
function write(home: Home, path: string, text: string): void {
  const folder = folderOf(home);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  const draft = join(folder, `.${randomUUID()}`);
  try {
    writeFileSync(draft, text, { mode: 0o600, flag: 'wx' });
    renameSync(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
