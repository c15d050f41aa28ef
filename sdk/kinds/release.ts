import type { ArtifactAction } from '../../core/host/artifact.js';
import {
  debian,
  type Facts,
  type FoundFile,
  type FoundPackage,
  type FoundService,
  fact,
  file,
  systemd,
} from '../../core/host/facts.js';
import { ensureWait, type ListenAddress, listeningOn, waitFile } from '../../core/host/listening.js';
import { sh } from '../../core/host/shell.js';
import type { Step } from '../../core/host/step.js';
import { artifactsIn, ensureArtifact, ensureNoArtifact, type FoundArtifact } from '../../core/taskserv/artifacts.js';
import { checkFirst, ensureFile, ensureNoFile, ensurePackage, ensureService } from '../../core/taskserv/plans.js';
import {
  findPublishedArtifact,
  type OwnArtifact,
  parseImportedVersions,
  versionsOf,
} from '../../core/taskserv/published-artifact.js';
import type { Text } from '../../core/taskserv/secret.js';
import { defineTaskserv, type HealthCheck, type HealthContext, type Taskserv } from '../../core/taskserv/taskserv.js';
import type { Contents } from './package.js';
import { placesOf, type ReleaseAt, unitText } from './release-unit.js';

/** File that a release reads, written as a whole. */
interface ReleaseFile<C> {
  path: string;
  /** Content of the file; undefined for no file. */
  content(config: C, at: ReleaseAt): Text | undefined;
  /** Octal, four digits. Default `0644`; with a secret in it, `0640`. */
  mode?: string;
  /** `user:group`. Default `root:root`; its own user has the name of the taskserv. */
  owner?: string;
  /** The service detects changes of the file automatically. */
  watched?: true;
}

type Described = 'name' | 'category' | 'description' | 'supports' | 'requires' | 'after' | 'conflicts' | 'overrides' | 'holds';

/** Service that its vendor publishes as a program or an archive: its versions, files, unit and health checks. */
export interface ReleaseService<C extends { artifact?: OwnArtifact }>
  extends Pick<Taskserv<C>, Described | 'config' | 'endpoints' | 'uses'> {
  /** Content of its `versions.json`. */
  published: unknown;
  /** How the artifact is stored in its folder: an archive is unpacked, a program gets its name. */
  artifact: Pick<ArtifactAction, 'unpack' | 'strip' | 'as'>;
  /** Debian packages that it needs. They stay when it is removed. */
  packages?: readonly string[];
  /** Command of its unit: the program, relative to its folder, and its arguments. */
  command(config: C, at: ReleaseAt): readonly (string | number)[];
  environment?(config: C, at: ReleaseAt): Record<string, string | number>;
  /** One of its files, with further variables, mainly secrets. */
  environmentFile?: string;
  /** It binds ports below 1024. */
  privileged?(config: C): boolean;
  /** Further lines of its unit's section `[Service]`. */
  unit?: readonly string[];
  files?: Readonly<Record<string, ReleaseFile<C>>>;
  /** Endpoint whose address it listens on. Default: loopback. */
  listens?: string;
  /** Its content, applied when it runs. */
  contents?: Contents<C>;
  /** Script that fails if the files are invalid, run with the new version of the program. */
  check?(config: C, at: ReleaseAt): string;
  health(config: C, at: HealthContext & { listening: ListenAddress }): HealthCheck[];
}

interface Known extends Record<string, unknown> {
  releases: FoundArtifact[];
  running: string | undefined;
  account: FoundFile;
  hasAccount: boolean;
  unitFile: FoundFile;
  wait?: FoundFile;
  unit: FoundService;
}

/** Number of former versions that stay on the host, so that a return needs no download. */
const FORMER = 1;

/**
 * Creates a taskserv of the kind *release*: an artifact of its vendor, verified by hash, in a folder of its version
 * that never changes; a system user; a hardened unit that names the folder; configuration files.
 *
 * Another version gets another folder: it is fetched, it checks the files, and the unit then names it. Roll-back
 * restores the former unit, whose folder still exists. Removal removes everything except the data and the user.
 */
export function releaseService<C extends { artifact?: OwnArtifact }>(kind: ReleaseService<C>): Taskserv<C, Facts> {
  const { published, artifact, packages = [], command, environment, environmentFile, privileged, unit = [], ...rest } = kind;
  const { files = {}, listens, contents, check, health, ...taskserv } = rest;
  const { name } = kind;
  const versions = parseImportedVersions(published);
  const places = placesOf(name);
  const named = Object.entries(files);
  const reads = [places.unit, ...named.filter(([, { watched }]) => !watched).map(([, { path }]) => path)];

  const listening = (context: HealthContext): ListenAddress =>
    listens === undefined ? 'loopback' : listeningOn(name, listens, context);

  return defineTaskserv<C, Facts>({
    uses: () => [],
    ...taskserv,
    kind: 'release',
    fetches: true,
    versions: versionsOf(versions, 'release'),
    facts: (config) => ({
      releases: artifactsIn(places.releases),
      running: fact(sh`sed -n 's/^# Version: //p' ${places.unit}`, ({ stdout }) => stdout.trim() || undefined, undefined),
      account: file(places.account),
      hasAccount: fact(sh`getent passwd ${name} >/dev/null`, ({ exit }) => exit === 0, false),
      unitFile: file(places.unit),
      ...Object.fromEntries(packages.map((one) => [`package ${one}`, debian(one)])),
      ...Object.fromEntries(named.map(([key, { path }]) => [key, file(path)])),
      ...(listens !== undefined && { wait: file(waitFile(name)) }),
      ...(contents && { contents: contents.fact(config) }),
      unit: systemd(name, reads),
    }),
    installed: (found) => (found as Known).running,

    plan(config, found, context) {
      const known = found as Known;
      const { label, url, sha256 } = findPublishedArtifact(name, versions, context, config.artifact);
      const to = `${places.releases}/${label}`;
      const at: ReleaseAt = { ...context, listening: listening(context), folder: to, data: places.data };
      const text = unitText(
        {
          name,
          description: `${name} ${context.version}`,
          version: context.version,
          words: command(config, at),
          environment: environment?.(config, at) ?? {},
          ...(environmentFile !== undefined && { environmentFile }),
          privileged: privileged?.(config) ?? false,
          further: unit,
        },
        at,
      );
      const before: Step[] = [
        ...packages.flatMap((one) => ensurePackage(known[`package ${one}`] as FoundPackage)),
        ...ensureFile(known.account, { content: `u ${name} - "${name}" ${places.data} /usr/sbin/nologin\n` }),
        ...(known.hasAccount ? [] : [accountOf(name, places.account)]),
        ...ensureArtifact(known.releases, { url, sha256, to, ...artifact }),
        ...named.flatMap(([key, one]) => fileSteps(known[key] as FoundFile, one, one.content(config, at))),
        ...ensureFile(known.unitFile, { content: text }),
        ...(known.wait ? ensureWait(known.wait, name, at.listening) : []),
      ];
      const running = ensureService(known.unit, { state: 'running', enabled: true, reads }, before);
      const former = known.releases.filter((one) => one.to !== to).slice(FORMER);
      return [
        ...before,
        ...(check ? checkFirst(`Check the configuration of ${name}`, check(config, at), running) : running),
        ...(contents?.steps(config, known.contents) ?? []),
        ...former.flatMap(ensureNoArtifact),
      ];
    },

    health: (config, context) => health(config, { ...context, listening: listening(context) }),

    remove(_, found) {
      const known = found as Known;
      return [
        ...ensureService(known.unit, { state: 'stopped', enabled: false }),
        ...ensureNoFile(known.unitFile),
        ...(known.wait ? ensureNoFile(known.wait) : []),
        ...named.flatMap(([key]) => ensureNoFile(known[key] as FoundFile)),
        ...ensureNoFile(known.account),
        ...known.releases.flatMap(ensureNoArtifact),
      ];
    },
  });
}

const accountOf = (name: string, file: string): Step => ({
  title: `Create the account ${name}`,
  run: sh`systemd-sysusers ${file}`,
  undo: ':',
});

function fileSteps<C>(found: FoundFile, { mode, owner }: ReleaseFile<C>, content: Text | undefined): Step[] {
  if (content === undefined) return ensureNoFile(found);
  return ensureFile(found, { content, ...(mode && { mode }), ...(owner && { owner }) });
}
