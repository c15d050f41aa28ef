/**
 * The first line of a managed file on a host. Its bytes do not change: hosts have it, and facts look for it.
 *
 * @param comment character that begins a comment in the file's format
 * @param by the service that wrote the file, if it finds its files by this line
 */
export const managedFileHeader = (comment: '#' | ';' | '//' | '%', by?: string): string =>
  `${comment} Written by provisioning${by === undefined ? '' : ` (${by})`}; changes by hand are taken back.`;

/** `managedFileHeader` for formats with comments that begin with `#`. */
export const MANAGED_FILE_HEADER = managedFileHeader('#');
