import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NAME } from '../../core/names.js';
import type { Home } from '../home.js';

/** Workspace with a folder on this machine. */
export interface RegisteredWorkspace {
  name: string;
  /** Without links. */
  folder: string;
  /** ISO time of the last command that acted in it, to the minute. */
  lastUsed: string;
}

/** Minimum interval between updates of the last use, in milliseconds. */
const USE_NOTED_MS = 60_000;

const fileOf = (home: Home, name: string): string => join(home.workspaces, `${name}.json`);
/** Returns the path of the selection. No workspace can have this name: names begin with a letter. */
const activeFile = (home: Home): string => join(home.workspaces, '.active');

/** Returns the registered workspace of this name. Synchronous: every command needs it. */
export function findRegisteredWorkspace(home: Home, name: string): RegisteredWorkspace | undefined {
  if (!NAME.test(name)) return undefined;
  const file = fileOf(home, name);
  const text = textOf(file);
  if (text === undefined) return undefined;
  const folder = folderIn(text);
  return folder === undefined ? undefined : { name, folder, lastUsed: statSync(file).mtime.toISOString() };
}

/** Returns all registered workspaces, by name. */
export function allRegistered(home: Home): RegisteredWorkspace[] {
  const names = namesIn(home.workspaces).flatMap((file) => (file.endsWith('.json') ? file.slice(0, -'.json'.length) : []));
  return names.sort().flatMap((name) => findRegisteredWorkspace(home, name) ?? []);
}

/**
 * Registers a folder under a name. If two commands compete, one of them succeeds.
 *
 * @returns whether the name was free
 */
export function register(home: Home, name: string, folder: string): boolean {
  const draft = draftIn(home, `${JSON.stringify({ folder })}\n`);
  try {
    // Unlike a rename, a link fails if another command was first.
    linkSync(draft, fileOf(home, name));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Registers the new folder of a workspace that was moved. */
export function registerMoved(home: Home, name: string, folder: string): void {
  renameSync(draftIn(home, `${JSON.stringify({ folder })}\n`), fileOf(home, name));
}

/** Unregisters a workspace, which is then not active any more. Its folder and its infras stay. */
export function unregister(home: Home, name: string): void {
  if (activeName(home) === name) rmSync(activeFile(home), { force: true });
  rmSync(fileOf(home, name), { force: true });
}

/** Returns the name of the active workspace, which may no longer be registered. */
export function activeName(home: Home): string | undefined {
  const name = textOf(activeFile(home))?.trim();
  return name && NAME.test(name) ? name : undefined;
}

/** Makes a workspace the active one, atomically. */
export function activate(home: Home, name: string): void {
  renameSync(draftIn(home, `${name}\n`), activeFile(home));
}

/** Records that a workspace is used now. A read-only disk must not stop a command. */
export function noteUse(home: Home, { name, lastUsed }: RegisteredWorkspace, now = Date.now()): void {
  if (now - Date.parse(lastUsed) < USE_NOTED_MS) return;
  try {
    utimesSync(fileOf(home, name), now / 1_000, now / 1_000);
  } catch {
    // The time of use is only shown.
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

/** Returns undefined for a file that a crash left empty. */
function folderIn(text: string): string | undefined {
  try {
    const { folder } = JSON.parse(text) as { folder?: unknown };
    return typeof folder === 'string' ? folder : undefined;
  } catch {
    return undefined;
  }
}
