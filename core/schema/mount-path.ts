import * as z from 'zod';

/** Directories of the system, by the Filesystem Hierarchy Standard 3.0 and Debian: never a place for a volume. */
const SYSTEM = new Set('bin boot dev etc lib lib32 lib64 libx32 lost+found proc root run sbin sys tmp usr'.split(' '));

/** Folders below /var that are useful for volumes: data and logs of services. */
const BELOW_VAR = new Set(['backups', 'cache', 'lib', 'log', 'opt', 'www']);

/** Below /var/lib: what the system, or this platform, goes by. */
const STATE = /^(apt|cloud|dbus|dpkg|pam|polkit-1|private|provisioning[a-z0-9-]*|sudo|systemd|ucf)$/;

const PATH = /^(\/(?!\.\.?(\/|$))[A-Za-z0-9._-]+)+$/;
const LONGEST = 200;

/**
 * Returns the reason why no volume may be mounted at a path. Undefined if one may.
 *
 * The path is absolute, has one notation, and hides no file of the system: `/srv`, `/mnt`, `/data`, `/opt` and own
 * directories, `/home` and the homes in it, and the directories of services below `/var`. The host is asked whether
 * one of its users could redirect it (core/host/volume-mounts.ts).
 */
export function explainNoMount(path: string): string | undefined {
  if (!path.startsWith('/')) return 'write an absolute path';
  if (path.length > LONGEST) return `at most ${LONGEST} characters`;
  if (!PATH.test(path))
    return 'use letters, digits, dots, dashes and underscores between single slashes, without . and .. and a slash at the end';
  const [first = '', second, third] = path.slice(1).split('/');
  const isSystem = SYSTEM.has(first) || (first === 'var' && !isService(second, third));
  if (isSystem) return `"${path}" belongs to the system; mount it below /srv, /mnt, /data, /opt or /var/lib/SERVICE`;
  if (first === 'home' && third !== undefined)
    return `others own what is below /home/${second}; mount it at the home itself, or below /srv`;
  return undefined;
}

function isService(folder: string | undefined, name: string | undefined): boolean {
  if (folder === 'www') return true;
  return folder !== undefined && BELOW_VAR.has(folder) && name !== undefined && !(folder === 'lib' && STATE.test(name));
}

/** A place for a volume. */
export const mountPath = () =>
  z.string().superRefine((path, context) => {
    const message = explainNoMount(path);
    if (message) context.addIssue({ code: 'custom', message });
  });
