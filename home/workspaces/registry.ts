import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NAME } from '../../core/names.js';
import type { Home } from '../home.js';

/** A workspace that has a folder on this machine. */
export interface RegisteredWorkspace {
  name: string;
  /** Without links. */
  folder: string;
  /** ISO time of the last command that acted in it, to the minute. */
  lastUsed: string;
}

/** How seldom the time of the last use is written, in milliseconds. */
const USE_NOTED_MS = 60_000;

const fileOf = (home: Home, name: string): string => join(home.workspaces, `${name}.json`);
/** No workspace is called so: names begin with a letter. */
const activeFile = (home: Home): string => join(home.workspaces, '.active');

/** The workspace of this name, if it is registered. Read at once: every command asks for it. */
export function findRegisteredWorkspace(home: Home, name: string): RegisteredWorkspace | undefined {
  if (!NAME.test(name)) return undefined;
  const file = fileOf(home, name);
  const text = textOf(file);
  if (text === undefined) return undefined;
  const folder = folderIn(text);
  return folder === undefined ? undefined : { name, folder, lastUsed: statSync(file).mtime.toISOString() };
}

/** All that are registered, by name. */
export function allRegistered(home: Home): RegisteredWorkspace[] {
  const names = namesIn(home.workspaces).flatMap((file) => (file.endsWith('.json') ? file.slice(0, -'.json'.length) : []));
  return names.sort().flatMap((name) => findRegisteredWorkspace(home, name) ?? []);
}

/**
 * Registers a folder under a name. Of two commands at once one does.
 *
 * @returns whether the name was free
 */
export function register(home: Home, name: string, folder: string): boolean {
  const draft = draftIn(home, `${JSON.stringify({ folder })}\n`);
  try {
    // Unlike a rename, a link fails where another command was first.
    linkSync(draft, fileOf(home, name));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** The same where the name is registered with another folder, from which it was moved. */
export function registerMoved(home: Home, name: string, folder: string): void {
  renameSync(draftIn(home, `${JSON.stringify({ folder })}\n`), fileOf(home, name));
}

/** Forgets a workspace, which is not active any more either; its folder and what the engine has of it stay. */
export function unregister(home: Home, name: string): void {
  if (activeName(home) === name) rmSync(activeFile(home), { force: true });
  rmSync(fileOf(home, name), { force: true });
}

/** The name of the active workspace, registered or not any more. */
export function activeName(home: Home): string | undefined {
  const name = textOf(activeFile(home))?.trim();
  return name && NAME.test(name) ? name : undefined;
}

/** Makes a workspace the active one: whoever looks meanwhile sees the one or the other. */
export function activate(home: Home, name: string): void {
  renameSync(draftIn(home, `${name}\n`), activeFile(home));
}

/** Notes that a workspace is used now. A disk that cannot be written to keeps no command from its work. */
export function noteUse(home: Home, { name, lastUsed }: RegisteredWorkspace, now = Date.now()): void {
  if (now - Date.parse(lastUsed) < USE_NOTED_MS) return;
  try {
    utimesSync(fileOf(home, name), now / 1_000, now / 1_000);
  } catch {
    // It is said of a workspace when it was used, and nothing follows from it.
  }
}

function draftIn({ workspaces }: Home, text: string): string {
  mkdirSync(workspaces, { recursive: true, mode: 0o700 });
  const draft = join(workspaces, `.${randomUUID()}`);
  try {
    writeFileSync(draft, text, { flag: 'wx', mode: 0o600, flush: true });
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  return draft;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

/** Undefined of a file that a crash left without its text. */
function folderIn(text: string): string | undefined {
  try {
    const { folder } = JSON.parse(text) as { folder?: unknown };
    return typeof folder === 'string' ? folder : undefined;
  } catch {
    return undefined;
  }
}
