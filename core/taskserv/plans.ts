import type { FoundFile, FoundPackage, FoundService } from '../host/facts.js';
import type { ServiceAction, Step, WantedFile } from '../host/step.js';
import type { Text } from './secret.js';

/** Installs a missing Debian package. Its services do not start automatically: a service step starts them. */
export function ensurePackage(found: FoundPackage, version?: string): Step[] {
  const satisfied = found.version !== undefined && (version === undefined || found.version === version);
  return satisfied
    ? []
    : [{ title: `Install the package ${found.name}`, package: { name: found.name, state: 'present', version } }];
}

/** Removes a Debian package unless it is gone. Its data stays. A package on hold stays, and a step reports that. */
export function ensureNoPackage(found: FoundPackage): Step[] {
  if (found.held) return [{ title: `Keep the package ${found.name}, which is on hold on the host`, run: ':', undo: ':' }];
  return found.version === undefined
    ? []
    : [{ title: `Remove the package ${found.name}`, package: { name: found.name, state: 'absent' } }];
}

/** Writes a file unless it already is as wanted. */
export function ensureFile(found: FoundFile, wanted: Omit<WantedFile, 'path'>, title = `Write ${found.path}`): Step[] {
  return found.is(wanted) ? [] : [{ title, file: { path: found.path, ...wanted } }];
}

/** Gives a file a content. One that is there keeps its mode, but for special bits, and its owner. */
export function ensureContent(found: FoundFile, content: Text, title?: string): Step[] {
  return ensureFile(found, { content, ...(found.exists && { mode: formatMode(found), owner: found.owner }) }, title);
}

/**
 * Mode of an existing file, without setuid and setgid: new content must not become a program with its owner's rights.
 */
export const formatMode = ({ mode }: Pick<FoundFile, 'mode'>): string => `0${mode.slice(-3)}`;

/** Removes a file unless it is gone; its content is kept in the host's journal. */
export function ensureNoFile(found: FoundFile): Step[] {
  return found.exists ? [{ title: `Remove ${found.path}`, absent: { path: found.path } }] : [];
}

/**
 * Brings a service to the state wanted, after `before` (the steps already
 * planned): started when it does not run; restarted (or reloaded) when what it
 * reads differs from what it last started with, files written by `before` included.
 */
export function ensureService(found: FoundService, wanted: Omit<ServiceAction, 'name'>, before: Step[] = []): Step[] {
  const service = { name: found.name, ...wanted };
  if (wanted.state === 'stopped') {
    return found.active || found.enabled !== wanted.enabled ? [{ title: `Stop ${found.name}`, service }] : [];
  }
  if (!found.active) return [{ title: `Start ${found.name}`, service }];
  const reads = wanted.reads ?? [];
  const rewritten = before.some(
    (step) => ('file' in step && reads.includes(step.file.path)) || ('absent' in step && reads.includes(step.absent.path)),
  );
  const reinstalled = before.some((step) => 'package' in step);
  if (found.stale || rewritten || reinstalled) {
    const verb = wanted.change === 'reload' && !reinstalled ? 'Reload' : 'Restart';
    return [{ title: `${verb} ${found.name}`, service: { ...service, change: verb === 'Reload' ? 'reload' : 'restart' } }];
  }
  return found.enabled === wanted.enabled ? [] : [{ title: `${wanted.enabled ? 'Enable' : 'Disable'} ${found.name}`, service }];
}

/**
 * Adds a check of the configuration before the steps of its service, if there are any. An invalid configuration never
 * takes effect.
 */
export function checkFirst(title: string, run: string, service: Step[]): Step[] {
  return service.length === 0 ? [] : [{ title, run, undo: ':' }, ...service];
}

/**
 * Returns `reload` if that is enough: `before` writes or removes only `reloadable` files, and the service runs with
 * the host's present files.
 */
export function gentlestChange(found: FoundService, before: Step[], reloadable: readonly string[]): 'reload' | 'restart' {
  const others = before.some((step) => {
    const path = 'file' in step ? step.file.path : 'absent' in step ? step.absent.path : undefined;
    return path !== undefined && !reloadable.includes(path);
  });
  return found.stale || others ? 'restart' : 'reload';
}
