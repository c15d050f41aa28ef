/** Size of a part of a delivered file, in bytes. As base64 it fits into a script and a call of a front door. */
export const ARTIFACT_PART = 720 * 1024;

/** Source of a file that the worker delivers to a host. */
export type BroughtFrom =
  /** Kept with the definition: the addresses of its parts, each a text of base64. */
  | { kept: readonly string[] }
  /** On a host of the infra, where the platform made it; a file beside it, `PATH.sha256`, has its hash. */
  | { server: string; path: string }
  /** Fetched by the worker from its vendor or a mirror, once for all hosts. */
  | { url: string };

/** A file of its vendor's, or of one's own, that a host fetches or is brought: a program, or an archive of one. */
export interface ArtifactAction {
  state: 'present' | 'absent';
  /**
   * `https://…` or `http://…` for a fetched artifact, which its hash identifies. For a delivered artifact, its
   * description.
   */
  url: string;
  /** SHA-256 of the file at `url`, 64 hexadecimal digits. For an artifact from a host: SHA-256 of its inputs. */
  sha256: string;
  /** The worker brings it; absent: the host fetches it. */
  from?: BroughtFrom;
  /** The folder that it becomes. It is made whole, and never changed: another artifact has another folder. */
  to: string;
  /** An archive that `tar` knows, whatever compresses it; without it, the file itself is put there. */
  unpack?: 'tar';
  /** Leading folders of the archive's paths that are left out. Default 0. */
  strip?: number;
  /** The name of a file that is no archive, in the folder. Its mode is `0755`. */
  as?: string;
}

type How = Pick<ArtifactAction, 'unpack' | 'strip' | 'as'>;

/** How an artifact is put into its folder, as its mark says it: `tar 1`, `as shop`. */
export const howOf = ({ unpack, strip = 0, as = 'file' }: How): string => (unpack ? `${unpack} ${strip}` : `as ${as}`);

/** Parses it. An artifact that is fetched again must have the same layout as before. */
export function readHow(text: string): How {
  const [word, value = ''] = text.split(' ');
  return word === 'tar' ? { unpack: 'tar', strip: Number(value) } : { as: value };
}

/** A URL that a host fetches from: without a user, which would be in history. */
export const ARTIFACT_URL = /^https?:\/\/[A-Za-z0-9._:[\]-]+(?:\/[!-~]*)?$/;

/**
 * The same artifact, for a host that has no way out: the worker fetches it, and brings it. It has a name by which no host
 * tries to fetch it again where its removal is undone.
 */
export const deliverFromWorker = <T extends Omit<ArtifactAction, 'state'>>(artifact: T): T =>
  artifact.from ? artifact : { ...artifact, url: `${artifact.url} by the worker`, from: { url: artifact.url } };

/**
 * Reports whether a host can fetch it again. The description of a delivered artifact may begin with a URL, but has
 * spaces.
 */
export const isFetched = ({ url }: Pick<ArtifactAction, 'url'>): boolean => ARTIFACT_URL.test(url);
