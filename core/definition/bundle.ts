/** A file of a bundle: its path in the folder of its workspace, and the content address of its text. */
export interface BundleFile {
  /** Relative to the folder of the workspace, with `/`. Files outside of it are below `elsewhere/`. */
  path: string;
  /** SHA-256 of what its text is kept as (`fileRecord`). */
  address: string;
  /** Bytes of UTF-8. */
  size: number;
}

/** A definition with the files that it was put together from: what a client resolved is submitted, what it was said in is kept. */
export interface Bundle {
  workspace: string;
  infra: string;
  /** Content address of the resolved definition (`addressOf`). */
  definition: string;
  /** The path of the file that was named. */
  main: string;
  /** Whose overlay and values it got. */
  environment?: string;
  files: BundleFile[];
}

/**
 * Stored record of a text. The workspace is part of its address, so an address of another workspace leads to nothing.
 */
export const fileRecord = (workspace: string, text: string): string => `file of ${workspace}\n${text}`;

/** The text in what `fileRecord` made; undefined where that was of another workspace. */
export function textOfRecord(workspace: string, record: string): string | undefined {
  const head = fileRecord(workspace, '');
  return record.startsWith(head) ? record.slice(head.length) : undefined;
}

/** Stored record of a bundle. Its SHA-256 is the address of the bundle. */
export const bundleRecord = ({ workspace, infra, definition, main, environment, files }: Bundle): string =>
  `bundle\n${JSON.stringify({
    ...{ workspace, infra, definition, main },
    ...(environment === undefined ? {} : { environment }),
    files: files.map(({ path, address, size }) => ({ path, address, size })),
  })}`;

/** The bundle in what `bundleRecord` made; undefined for any other text. */
export function bundleIn(record: string): Bundle | undefined {
  return record.startsWith('bundle\n') ? (JSON.parse(record.slice('bundle\n'.length)) as Bundle) : undefined;
}
