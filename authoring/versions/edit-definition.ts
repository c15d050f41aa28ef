import { basename, extname } from 'node:path';
import { structuredPatch } from 'diff';
import type { Definition } from '../../core/definition/definition.js';
import { inputError } from '../../core/errors.js';
import type { NotedVersion } from '../../definition/lock-file/locked-version.js';
import { type VersionToWrite, writeVersions } from '../../definition/rewrite/write-version.js';
import type { FileText } from '../../definition/source/source.js';
import { fits, rangeOf } from '../../definition/versions/resolve-version.js';
import { keepSources, rememberSources } from '../bundle/keep-bundle.js';
import type { Read } from '../definition/definitions.js';
import { type LockEdit, lockEditOfUpgrade } from '../lock-file/lock-edit.js';

/** Pending change of a definition file. */
export interface FileEdit {
  file: string;
  /** Undefined for a new file, which is never written over another. */
  before: string | undefined;
  after: string;
  /** What the edit changes, if not a version: values, or the whole of a new file. */
  subject?: 'values' | 'file';
  /** Lines of a unified diff without its header. Each begins with a blank, `+`, `-` or `@@`. */
  lines: string[];
}

/** Definition with another version of a taskserv. */
export interface OtherVersion {
  definition: Definition;
  /** Pending edits after which the next apply of the file changes nothing. Empty if the files are up to date. */
  edits: (FileEdit | LockEdit)[];
  /** Other servers that get the version too, because they share an entry of the definition or the lock file. */
  along: string[];
}

/** Inputs of an upgrade. */
export interface UpgradeInput {
  /** Definition as it would be applied. */
  definition: Definition;
  /** Source of the definition; absent if unknown. */
  read?: Sourced;
  environment?: string;
}

/**
 * Returns a definition in which some servers have another version of a taskserv, and the edits of its files. With a
 * lock file, a constraint that allows the version stays. Without one, or for an entry without a version, it stays only
 * if it resolves to that version anyway.
 *
 * @throws inputError `definition-file-needed` if a file must change and none is known; `version-not-written` if the
 * version cannot be changed for this definition only
 */
export async function setVersion(
  { definition, read, environment }: UpgradeInput,
  taskserv: string,
  version: string,
  servers: ReadonlySet<string>,
): Promise<OtherVersion> {
  const others = carriersOf(definition, taskserv).filter(({ server, spec }) => servers.has(server) && spec.version !== version);
  const wanted = structuredClone(definition);
  keepSources(definition, wanted);
  if (!read && others.length > 0) throw fileNeeded(definition.infra, taskserv, version, others[0]?.spec.version ?? '');
  if (!read) return { definition: wanted, edits: [], along: [] };
  const carriers = carriersOf(wanted, taskserv);
  const kept = new Set(others.flatMap(({ server }) => lockKey(read, server, taskserv, version) ?? []));
  const isKept = ({ server }: { server: string }) => kept.has(lockKey(read, server, taskserv, version) ?? '');
  const rest = others.filter((one) => !isKept(one));
  const entries = new Set(rest.map(({ server }) => keyOf(read, server, taskserv, version)));
  const rewritten = carriers.filter(({ server }) => entries.has(pathKey(read, server, taskserv) ?? ''));
  const covered = carriers.filter((one) => rewritten.includes(one) || isKept(one));
  for (const { spec } of covered) spec.version = version;
  for (const { spec } of rewritten) {
    delete spec.constraint;
    if (spec.allowed) spec.allowed = [version];
  }
  const edits = await editsOf(read, environment, { taskserv, version }, entries);
  const lock = read.lock && (await lockEditOfUpgrade(read.lock, read.source.file, taskserv, notedIn(wanted, read.lock, taskserv)));
  const edited = new Map(edits.map(({ file, after }) => [file, after]));
  const texts = (read.source.texts ?? []).map(({ file, text }): FileText => ({ file, text: edited.get(file) ?? text }));
  rememberSources(wanted, { main: read.source.file, environment, texts });
  return {
    definition: wanted,
    edits: lock ? [...edits, lock] : edits,
    along: covered.map(({ server }) => server).filter((one) => !servers.has(one)),
  };
}

/** Returns the servers of a definition with a taskserv, and their entries for it. */
export const carriersOf = ({ servers }: Definition, taskserv: string) =>
  servers.flatMap(({ name: server, group, taskservs }) => {
    const spec = taskservs.find(({ name }) => name === taskserv);
    return spec ? [{ server, group, spec }] : [];
  });

type Sourced = Pick<Read, 'source' | 'versionsAt' | 'lock'>;

/** Returns the key of the lock file's entry with the version of a service, if its constraint allows that version. */
function lockKey({ lock }: Sourced, server: string, taskserv: string, version: string): string | undefined {
  const noted = lock?.noted.find((one) => one.server === server && one.taskserv === taskserv);
  const range = noted && rangeOf(noted.asked);
  return noted && range !== undefined && fits(version, range) ? JSON.stringify([noted.asked, noted.release]) : undefined;
}

/** Returns the resolved constraints of a definition, with its current versions. */
const notedIn = (definition: Definition, { noted }: NonNullable<Read['lock']>, taskserv: string): NotedVersion[] =>
  carriersOf(definition, taskserv).flatMap(({ server, spec }) => {
    const one = noted.find((each) => each.server === server && each.taskserv === taskserv);
    return one && spec.constraint !== undefined ? [{ ...one, version: spec.version }] : [];
  });

/** Returns the key of the entry with the version of a service. */
function pathKey({ versionsAt }: Sourced, server: string, taskserv: string): string | undefined {
  const path = versionsAt.get(`${server}/${taskserv}`);
  return path && JSON.stringify(path);
}

function keyOf(read: Sourced, server: string, taskserv: string, version: string): string {
  const key = pathKey(read, server, taskserv);
  if (key !== undefined) return key;
  const why = `it has no entry for ${taskserv} on ${server}; another taskserv installs it there`;
  throw notWritten({ taskserv, version }, read.source.file, read.source.file, why);
}

async function editsOf(
  { source }: Sourced,
  environment: string | undefined,
  what: Pick<VersionToWrite, 'taskserv' | 'version'>,
  entries: ReadonlySet<string>,
): Promise<FileEdit[]> {
  const byFile = new Map<string, (VersionToWrite & { at: string })[]>();
  for (const entry of entries) {
    const path = JSON.parse(entry) as VersionToWrite['path'];
    // If a layer sets the version, its entry must change.
    const said = isSaid(source.value, [...path, 'version']);
    const place = source.place(said ? [...path, 'version'] : path, 'value');
    const { file = source.file, path: there, line, column } = place;
    const at = `${file}:${line}:${column}`;
    if (file !== source.file && !isOverlay(file, source.file, environment))
      throw notWritten(what, at, source.file, 'this file may be part of other definitions, too');
    const own = there === undefined ? path : said ? there.slice(0, -1) : there;
    byFile.set(file, [...(byFile.get(file) ?? []), { ...what, path: own, at }]);
  }
  return Promise.all(
    [...byFile].map(async ([file, changes]): Promise<FileEdit> => {
      const before = source.texts?.find((one) => one.file === file)?.text;
      const written =
        before === undefined
          ? { why: 'it is a program, which cannot be edited automatically' }
          : await writeVersions(file, before, changes);
      if (before === undefined || written.text === undefined)
        throw notWritten(what, changes[0]?.at ?? file, source.file, written.why ?? '');
      return { file, before, after: written.text, lines: describeDifference(before, written.text) };
    }),
  );
}

/** Returns the lines of a unified diff of two texts, without its header. */
export const describeDifference = (before: string, after: string): string[] =>
  structuredPatch('', '', before, after, undefined, undefined, { context: 1 }).hunks.flatMap(({ oldStart, newStart, lines }) => [
    `@@ -${oldStart} +${newStart} @@`,
    ...lines,
  ]);

/** Returns whether the key at a path exists. */
function isSaid(value: unknown, path: VersionToWrite['path']): boolean {
  const found = path.reduce<unknown>(
    (inside, key) => (typeof inside === 'object' && inside !== null ? (inside as Record<string, unknown>)[key] : undefined),
    value,
  );
  return found !== undefined;
}

/** Returns whether a file is the environment's overlay of only this definition: `shop.prod.yaml` for `shop.yaml`. */
const isOverlay = (file: string, main: string, environment?: string): boolean =>
  environment !== undefined && basename(file, extname(file)) === `${basename(main, extname(main))}.${environment}`;

const fileNeeded = (infra: string, taskserv: string, version: string, present: string) =>
  inputError({
    code: 'definition-file-needed',
    what: `upgrade ${taskserv} to ${version}`,
    on: infra,
    why: `its definition sets ${present}, so the next apply would undo the upgrade, and the applied file is not known here`,
    hint: `set the file with --file FILE; or write \`version: ${version}\` there, and apply it`,
  });

const notWritten = ({ taskserv, version }: Pick<VersionToWrite, 'taskserv' | 'version'>, at: string, main: string, why: string) =>
  inputError({
    code: 'version-not-written',
    what: `write \`version: ${version}\` of ${taskserv}`,
    on: at,
    why,
    hint: `edit the file, then run: provisioning taskserv update ${taskserv} --file ${main}`,
  });
