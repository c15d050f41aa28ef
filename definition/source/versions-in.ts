import type { Path } from './problem.js';

/** The entries of taskservs that have a version which is a number, with the path of that. */
export function versionsIn(value: unknown): { path: Path; entry: Record<string, unknown> }[] {
  const file = isRecord(value) ? value : {};
  const inList = (list: unknown, above: Path): ReturnType<typeof versionsIn> =>
    (Array.isArray(list) ? list : []).flatMap((entry: unknown, index) =>
      isRecord(entry) && typeof entry.version === 'number' ? [{ path: [...above, index, 'version'], entry }] : [],
    );
  const servers = Array.isArray(file.servers) ? file.servers : [];
  return [
    ...inList(file.taskservs, ['taskservs']),
    ...servers.flatMap((server: unknown, index) =>
      isRecord(server) ? inList(server.taskservs, ['servers', index, 'taskservs']) : [],
    ),
  ];
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
