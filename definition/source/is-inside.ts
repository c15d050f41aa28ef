import { sep } from 'node:path';

/** Reports whether a path is a folder or is below it. Both must have no links. */
export const isInside = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
