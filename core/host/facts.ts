import { fingerprint } from '../encoding/hash.js';
import { isSecretRef, reveal, type SecretRef, type Text } from '../taskserv/secret.js';
import type { GivenCommand } from './ran-command.js';
import type { WantedFile, ZoneAt } from './step.js';

/** Output and exit code of a command. */
export interface CommandOutput {
  stdout: string;
  exit: number;
  /** For a file below the home of an account: its absolute path on this host. */
  path?: string;
}

/**
 * A question about a host as data, and a function that reads the answer. One remote execution gathers all facts of all
 * taskservs of a host.
 */
export type Fact<T> =
  | {
      kind: 'command';
      run: string;
      env?: Record<string, Text>;
      parse: (output: CommandOutput) => T;
      absent: T;
      /** The definition's own command. Previews report that it ran. */
      given?: GivenCommand;
    }
  | { kind: 'file'; path: string; readonly type?: T }
  | { kind: 'package'; name: string; readonly type?: T }
  | { kind: 'service'; name: string; reads: string[]; readonly type?: T }
  | { kind: 'records'; at: ZoneAt; names: string[]; readonly type?: T };

/** biome-ignore lint/suspicious/noExplicitAny: a set of facts is heterogeneous by nature */
export type Facts = Record<string, Fact<any>>;

/** Observed values, by the names of the facts. */
export type FoundFacts<F extends Facts> = { [K in keyof F]: F[K] extends Fact<infer T> ? T : never };

/**
 * A fact that a shell command answers.
 *
 * @param absent value on a host that does not exist yet (for previews)
 * @param given the definition's own command: previews report that it ran
 * @example fact(sh`getent passwd ${name}`, ({ exit }) => exit === 0, false)
 */
export function fact<T>(
  run: string,
  parse: (output: CommandOutput) => T,
  absent: T,
  env?: Record<string, Text>,
  given?: GivenCommand,
): Extract<Fact<T>, { kind: 'command' }> {
  return { kind: 'command', run, parse, absent, env, ...(given && { given }) };
}

/**
 * A file: whether it exists, its content, mode and owner.
 *
 * @param path absolute, or `~NAME/…` below the home that the account NAME has on the host
 */
export function file(path: string): Fact<FoundFile> {
  return { kind: 'file', path };
}

/** The path of a file that is asked for as `~NAME/…`, for an account that does not exist yet: Debian gives it /home/NAME. */
export const newHomePath = (path: string): string => path.replace(/^~([^/]+)\//, '/home/$1/');

/** A Debian package: the installed version, if any. */
export function debian(name: string): Fact<FoundPackage> {
  return { kind: 'package', name };
}

/** A systemd unit: its state, and whether what it reads has changed since it last started or reloaded. */
export function systemd(name: string, reads: string[] = []): Fact<FoundService> {
  return { kind: 'service', name, reads };
}

export interface FoundPackage {
  name: string;
  /** Full Debian version (`5:7.0.15-1~deb12u1`), absent when not installed. */
  version?: string;
  /** It is installed and on hold (`apt-mark hold`): apt neither changes nor removes it. */
  held?: boolean;
}

export interface FoundService {
  name: string;
  active: boolean;
  enabled: boolean;
  /** Whether the files it reads differ from those it last started or reloaded with (true when no record exists). */
  stale: boolean;
}

export interface FileData {
  exists: boolean;
  content?: string;
  mode?: string;
  owner?: string;
}

/** A file as found. Knows how to compare itself with a wanted one whose content names secrets. */
export class FoundFile {
  readonly path: string;
  readonly exists: boolean;
  readonly content: string;
  readonly mode: string;
  readonly owner: string;
  readonly #reveal: (text: Text) => string;

  constructor(path: string, data: FileData, revealed: (text: Text) => string = withoutSecrets) {
    this.path = path;
    this.exists = data.exists;
    this.content = data.content ?? '';
    this.mode = data.mode ?? '0644';
    this.owner = data.owner ?? 'root:root';
    this.#reveal = revealed;
  }

  /** The same file under another path: its absolute one, if it was asked for as `~NAME/…`. */
  at(path: string): FoundFile {
    const { exists, content, mode, owner } = this;
    return new FoundFile(path, { exists, content, mode, owner }, this.#reveal);
  }

  /**
   * Present and wanted content, with the names of secrets instead of their values. Former secrets of the file are
   * unknown.
   */
  shown(content: Text): { before: string; after: string; holdsSecrets: boolean } {
    const parts = typeof content === 'string' ? [content] : content;
    const secrets = parts.filter(isSecretRef);
    const after = parts.map((part) => (isSecretRef(part) ? nameOfSecret(part) : part)).join('');
    // A missing file has nothing to hide, and a missing host knows no values.
    const values = this.exists ? secrets.map((secret) => ({ secret, value: this.#reveal([secret]) })) : [];
    const longestFirst = values.filter(({ value }) => value !== '').sort((a, b) => b.value.length - a.value.length);
    const before = longestFirst.reduce(
      (text, { secret, value }) => text.replaceAll(value, () => nameOfSecret(secret)),
      this.content,
    );
    return { before, after, holdsSecrets: secrets.length > 0 };
  }

  /** Whether the file is already what is wanted: content, mode and owner. */
  is(wanted: Omit<WantedFile, 'path'>): boolean {
    return (
      // Binary content is not read. Callers compare its hash.
      wanted.base64 === undefined &&
      this.exists &&
      this.mode === (wanted.mode ?? '0644') &&
      this.owner === (wanted.owner ?? 'root:root') &&
      this.content === this.#reveal(wanted.content)
    );
  }
}

/** Text that replaces a secret for readers. */
const nameOfSecret = ({ $secret }: SecretRef): string => `(secret ${$secret})`;

/** For hosts that do not exist yet, and for tests: no value is known. */
function withoutSecrets(text: Text): string {
  return reveal(text, (name) => {
    throw new Error(`the value of the secret ${name} is not known here`);
  });
}

/** The value of a fact on a host that does not exist yet. */
export function absentValue<T>(wanted: Fact<T>): T {
  switch (wanted.kind) {
    case 'command':
      return wanted.absent;
    case 'file':
      return new FoundFile(newHomePath(wanted.path), { exists: false }) as T;
    case 'package':
      return { name: wanted.name } as T;
    case 'service':
      return { name: wanted.name, active: false, enabled: false, stale: true } as T;
    case 'records':
      return { server: '', names: [] } as T;
  }
}

/** The values of facts on a host that does not exist yet. */
export function absentValues<F extends Facts>(facts: F): FoundFacts<F> {
  return Object.fromEntries(Object.entries(facts).map(([name, fact]) => [name, absentValue(fact)])) as FoundFacts<F>;
}

/**
 * The program's own version inside a Debian one: no epoch, no packaging suffix.
 *
 * @example upstreamVersion('5:7.0.15-1~deb12u1') === '7.0.15'
 */
export function upstreamVersion(debianVersion: string | undefined): string | undefined {
  return debianVersion?.replace(/^[0-9]+:/, '').replace(/[-+~].*$/, '');
}

/** Two facts that ask the same have the same key, so that a host is asked once. */
export function factKey(wanted: Fact<unknown>): string {
  const { kind } = wanted;
  if (kind === 'command') return `command:${fingerprint({ run: wanted.run, env: wanted.env ?? {} })}`;
  if (kind === 'file') return `file:${wanted.path}`;
  if (kind === 'records') return `records:${fingerprint({ at: wanted.at, names: wanted.names })}`;
  return kind === 'package' ? `package:${wanted.name}` : `service:${wanted.name}:${wanted.reads.join(':')}`;
}
