import { sep } from 'node:path';

/** Whether a path is a folder or lies below it. Both are as they are after their links. */
export const isInside = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
